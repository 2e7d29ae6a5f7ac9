"""The way of a message from its route to the engine: how many of our files and classes it passes."""

import threading
from pathlib import Path

from joined_client import joined_client

import kohaku_lib
from kohaku_lib.answering.engine import Engine

ROOT = Path(kohaku_lib.__file__).parents[1]
ROUTE = "kohaku_assets/server/routes/chat.py"
PACKAGES = ("kohaku_assets/server/", "kohaku_lib/conversation/", "kohaku_lib/project/")
MAX_FILES, MAX_CLASSES = 28, 15  # as it is: a change that needs more says what users get for it


class MessagePath:
    """What is called of `PACKAGES` from the route to the engine: files, and classes of which something is made."""

    def __init__(self):
        self.files, self.classes, self.is_at_engine = set(), set(), True

    def __call__(self, frame, event, _):
        if event != "call" or self.is_at_engine:
            return
        file = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
        if not self.files and file != ROUTE:
            return
        self.is_at_engine = frame.f_code is Engine.answer.__code__
        if file.startswith(PACKAGES):
            self.files.add(file)
        made = type(frame.f_locals.get("self"))
        if frame.f_code.co_name == "__init__" and f"{made.__module__.replace('.', '/')}/".startswith(PACKAGES):
            self.classes.add(made.__name__)


def test_a_message_passes_no_more_files_and_classes_than_it_did(fresh):
    path = MessagePath()
    threading.setprofile(path)
    try:
        with joined_client(fresh()) as client:
            client.post("/v1/chat", json={"message": "Who maintains the model Gintaras-M?"})  # opens the index
            path.is_at_engine = False
            client.post("/v1/chat", json={"message": "How much electricity did the whole workshop use in 2023?"})
    finally:
        threading.setprofile(None)
    assert path.is_at_engine
    assert len(path.files) <= MAX_FILES, sorted(path.files)
    assert len(path.classes) <= MAX_CLASSES, sorted(path.classes)

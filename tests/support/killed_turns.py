"""A process that holds turns of one session until it is killed: it prints each message once it is kept.

python tests/support/killed_turns.py STORE SESSION
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from kohaku_lib.conversation.conversations import Conversations
from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.message_store import Message, MessageStore, Owner


def main() -> None:
    """Add messages without end."""
    store, session_id = Path(sys.argv[1]), sys.argv[2]
    own = Conversations(MessageStore(open_database(store)), 10, 15)
    talk = own.get(session_id, Owner("default"))
    for number in count():
        for role in ("user", "assistant"):
            with talk.lock:
                own.refresh(talk)
                own.add(talk, Message(f"a{number}", role, f"{role} {number}", f"q{number}", is_answer=True))
            print(f"{role} {number}", flush=True)


if __name__ == "__main__":
    main()

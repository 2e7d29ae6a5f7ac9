"""While an answer comes about a terminal shows so; pipes and JSON get the answer alone."""

import os
import pty
import subprocess
import sys

import pytest

from kohaku_lib.testing.openai_server import OpenAIServer

SIGN, QUESTION = b"looking for the answer", "How much electricity did the whole workshop use in 2023?"


def output_of(folder, arguments, *, terminal, typed=None):
    """Run a verb whose outputs are a terminal or a pipe; return all that it wrote."""
    with OpenAIServer(delay_s=0.7) as server:
        chosen = ("llm.provider=openai", "answer.by=model", "planner.kind=rule", f"llm.base_url={server.base_url}")
        command = [sys.executable, "-m", "kohaku_assets.cli", *arguments]
        command += [part for setting in chosen for part in ("--set", setting)]
        own, outputs = pty.openpty() if terminal else os.pipe()
        with subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {"OPENAI_API_KEY": "no-key", "TERM": "xterm"},
            stdin=subprocess.PIPE,
            stdout=outputs,
            stderr=outputs,
        ) as process:
            os.close(outputs)
            process.stdin.write((typed or "").encode())
            process.stdin.close()
            found = b""
            while part := _read(own):
                found += part
            assert process.wait(100) == 0, found
    os.close(own)
    return found


def _read(descriptor):
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the terminal is closed
        return b""


@pytest.mark.parametrize(
    ("arguments", "terminal", "is_shown"),
    [
        (("ask", QUESTION), True, True),
        (("ask", QUESTION), False, False),
        (("ask", QUESTION, "--json"), True, False),
        (("chat",), True, True),
        (("chat", "--json"), True, False),
    ],
)
def test_a_terminal_alone_shows_that_an_answer_comes_about(fresh, arguments, terminal, is_shown):
    typed = None if QUESTION in arguments else f"{QUESTION}\n"
    found = output_of(fresh().home, arguments, terminal=terminal, typed=typed)
    assert (SIGN in found) is is_shown
    if is_shown:
        assert found.rindex(SIGN) < found.rindex(b"\x1b[2K") < found.rindex(b"answered")  # its line is taken away again

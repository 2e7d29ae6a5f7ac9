"""The environment of calls: pauses that a stop ends, and variables."""

import pytest

from kohaku_lib.llm.chat import StoppedError
from kohaku_lib.llm.environment import Environment


def test_a_real_pause_ends_as_soon_as_the_run_is_stopped():
    environment = Environment()
    environment.stopped.set()
    with pytest.raises(StoppedError):
        environment.pause(600.0)


@pytest.mark.parametrize(("value", "variable"), [("abc", "abc"), (" abc\n", "abc"), ("", None), ("  ", None)])
def test_a_blank_variable_counts_as_unset(value, variable):
    assert Environment(variables={"KEY": value}).variable("KEY") == variable
    assert Environment(variables={"KEY": value}).variable("OTHER") is None

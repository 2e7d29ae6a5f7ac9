"""What holds for all tests: no property fails for taking long on a busy machine, and no test leaves a secret behind."""

import os

import pytest
from hypothesis import settings

from kohaku_lib import masking

# In CI the examples are the same at each run: a change fails by what it does, and not by chance.
settings.register_profile("kohaku", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("kohaku")


@pytest.fixture(autouse=True)
def _forget_secrets():
    """Forget the keys of a test at its end: one such as "test" would be masked in the messages of all that follow."""
    before = set(masking._secrets)
    yield
    masking._secrets.intersection_update(before)

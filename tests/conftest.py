"""What holds for all tests: no property fails for taking long on a busy machine, and no test leaves a secret behind."""

import pytest
from hypothesis import settings

from kohaku_lib import masking

settings.register_profile("kohaku", deadline=None)
settings.load_profile("kohaku")


@pytest.fixture(autouse=True)
def _forget_secrets():
    """Forget the keys of a test at its end: one such as "test" would be masked in the messages of all that follow."""
    before = set(masking._secrets)
    yield
    masking._secrets.intersection_update(before)

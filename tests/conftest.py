"""What holds for all tests, however they are started."""

import os
import signal

# Workers share the cores: threads of linear algebra that wait for each other take a tenth of all time.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import costs
import groups
import pytest
import slow_tier
from hypothesis import settings

from kohaku_lib import masking

# No property fails for taking long on a busy machine, and a change fails by what it does, not by chance.
# `--hypothesis-profile random` looks for new examples.
settings.register_profile("kohaku", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, print_blob=True, max_examples=500)
settings.load_profile("kohaku")

# A script that starts tests in the background has them ignore the interrupt; so would every process that they start.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

collect_ignore = ["e2e"]  # programs against real clients, whose libraries take seconds to import

pytest_configure = costs.pytest_configure
pytest_runtest_setup = slow_tier.skip_after_time


def pytest_addoption(parser):
    costs.pytest_addoption(parser)
    slow_tier.pytest_addoption(parser)


def pytest_collection_modifyitems(config, items):
    groups.name_groups(items)
    slow_tier.choose_part(config, items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return groups.FilesAndGroups(config, log)


@pytest.fixture(autouse=True)
def _forget_secrets():
    """Forget the keys of a test at its end: one such as "test" would be masked in the messages of all that follow."""
    before = set(masking._secrets)
    yield
    masking._secrets.intersection_update(before)

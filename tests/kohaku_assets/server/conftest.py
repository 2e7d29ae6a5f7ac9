"""One server over a copy of the built sample for all tests that only ask it."""

import shutil

import pytest
from running_server import running_server


@pytest.fixture(scope="session")
def served_home(built, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served") / "copy"
    shutil.copytree(built[0].home, folder)
    return folder


@pytest.fixture(scope="session")
def server(served_home):
    with running_server(served_home) as running:
        yield running


@pytest.fixture(scope="session")
def client(server):
    return server.client

"""Restores and the keys of a server: none under a running one, none that lets in whom somebody has shut out."""

import json

import pytest
from joined_client import joined_client
from running_server import running_server

from kohaku_assets.operations.backups import restore_project

ASK = {"query": "amber", "top_k": 1}


def status(client, key=None):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return client.post("/v1/search", json=ASK, headers=headers).status_code


@pytest.mark.parametrize("end", ["kill", pytest.param("stop", marks=pytest.mark.slow)])
def test_a_store_is_not_replaced_under_a_running_server_and_is_once_it_has_ended(kohaku_checked, tmp_path, end):
    vault = tmp_path / "vault"
    key = kohaku_checked("keys", "add", "wiki").stdout.strip()
    kohaku_checked("backup", vault)
    with running_server(kohaku_checked.project.home) as running:
        refused = kohaku_checked("restore", vault, "--replace", code=2).output
        assert "end it ('kohaku serve', " in refused
        assert status(running.client, key) == 200
        later = kohaku_checked("keys", "add", "later").stdout.strip()
        kohaku_checked("keys", "revoke", "wiki")
        assert (status(running.client, key), status(running.client, later)) == (401, 200)
        if end == "stop":
            running.stop()
        else:
            running.process.kill()
            running.process.wait()
        kohaku_checked("restore", vault, "--replace")


def test_a_key_that_was_revoked_after_the_backup_stays_revoked_and_the_others_hold(kohaku_checked, tmp_path):
    vault = tmp_path / "vault"
    revoked, kept = (kohaku_checked("keys", "add", name).stdout.strip() for name in ("ann", "bob"))
    kohaku_checked("backup", vault)
    kohaku_checked("keys", "revoke", "ann")
    assert "kohaku keys confirm" not in kohaku_checked("restore", vault, "--replace").output
    with joined_client(kohaku_checked.project) as client:
        assert (status(client, revoked), status(client, kept), status(client)) == (401, 200, 401)


def test_keys_of_a_backup_are_off_in_another_store_until_they_are_confirmed(kohaku_checked, tmp_path):
    vault, elsewhere = tmp_path / "vault", (f"store={tmp_path / 'elsewhere'}",)
    ann, bob = (kohaku_checked("keys", "add", name).stdout.strip() for name in ("ann", "bob"))
    kohaku_checked("backup", vault)
    said = kohaku_checked("restore", vault, settings=elsewhere).output
    assert "are off until 'kohaku keys confirm NAME' lets them in: ann (" in said
    home = kohaku_checked.project.home
    refused = kohaku_checked("serve", "--host", "0.0.0.0", "--port", "0", settings=elsewhere, code=2).output
    assert "run 'kohaku keys confirm NAME'" in refused
    with running_server(home, "--set", *elsewhere) as running:
        answer = running.client.post("/v1/search", json=ASK, headers={"Authorization": f"Bearer {ann}"})
        assert (answer.status_code, "confirm" in answer.text) == (401, False)
        assert status(running.client) == 401  # though no key lets anybody in
        kohaku_checked("keys", "confirm", "ann", settings=elsewhere)
        assert (status(running.client, ann), status(running.client, bob)) == (200, 401)
        kohaku_checked("keys", "confirm", "--all", settings=elsewhere)
        assert status(running.client, bob) == 200
        kohaku_checked("keys", "confirm", "ann", settings=elsewhere, code=2)
    warned = [line["message"] for line in running.json_lines() if line["level"] == "warning"]
    assert any("kohaku keys confirm" in line and "ann" in line for line in warned)


def test_a_backup_from_before_the_first_key_opens_nothing(kohaku_checked, tmp_path):
    vault = tmp_path / "vault"
    kohaku_checked("backup", vault)
    ann, bob = (kohaku_checked("keys", "add", name).stdout.strip() for name in ("ann", "bob"))
    kohaku_checked("keys", "revoke", "bob")
    said = kohaku_checked("restore", vault, "--replace").output
    assert ("ann (" in said, "bob (" in said) == (True, False)
    with joined_client(kohaku_checked.project) as client:
        assert (status(client), status(client, ann), status(client, bob)) == (401, 401, 401)
        kohaku_checked("keys", "confirm", "--all")
        assert (status(client), status(client, ann), status(client, bob)) == (401, 200, 401)


def test_a_database_in_place_that_cannot_be_read_knows_no_key(kohaku_checked, tmp_path):
    vault, project = tmp_path / "vault", kohaku_checked.project
    kohaku_checked("keys", "add", "wiki")
    kohaku_checked("backup", vault)
    (project.store / "assistant.db").write_bytes(b"SQLite format 3\0" + b"\1" * 4096)
    done = restore_project(project, str(vault), None, replace=True)
    assert [key.partition(" ")[0] for key in done.unconfirmed] == ["wiki"]
    rows = json.loads(kohaku_checked("keys", "list", "--json").stdout)
    assert rows[0]["unconfirmed_since"] is not None

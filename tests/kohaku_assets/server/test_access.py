"""Who may call: keys and roles, tenants, hosts and origins, and where a server may listen."""

import logging
import re

import httpx
import pytest
from joined_client import joined_client
from running_server import running_server

from kohaku_assets.server.access.keys import open_keys
from kohaku_lib.errors import InputFileError

ASK = {"query": "amber", "top_k": 1}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "kohaku.evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "localhost:1"}, 200),
        ({"Authorization": "Bearer anything"}, 200),  # clients that must send some key
    ],
)
def test_on_this_machine_anybody_may_ask_but_other_sites_may_not(client, headers, status):
    assert client.post("/v1/search", json=ASK, headers=headers).status_code == status


def test_the_page_of_the_server_itself_may_ask(server):
    assert server.client.post("/v1/search", json=ASK, headers={"Origin": server.url}).status_code == 200


def test_no_page_elsewhere_is_told_that_it_may_call(server):
    response = server.client.options("/v1/search", headers={"Origin": "https://wiki.example"})
    assert "access-control-allow-origin" not in response.headers


def test_keys_are_needed_from_the_first_one_on_also_when_all_are_revoked(kohaku_checked, caplog):
    caplog.set_level(logging.DEBUG)
    with joined_client(kohaku_checked.project) as client:

        def status(key=None):
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            return client.post("/v1/search", json=ASK, headers=headers).status_code

        assert status() == 200
        key = kohaku_checked("keys", "add", "wiki").stdout.strip()
        assert (status(), status("kohaku_wrong"), status(key)) == (401, 401, 200)
        other = kohaku_checked("keys", "add", "other").stdout.strip()
        kohaku_checked("keys", "revoke", "wiki")
        assert (status(key), status(other)) == (401, 200)
        kohaku_checked("keys", "revoke", "other")
        assert (status(), status(key), status("kohaku_wrong")) == (401, 401, 401)
        assert "'kohaku keys add NAME'" in client.post("/v1/search", json=ASK).json()["detail"]
        third = kohaku_checked("keys", "add", "wiki").stdout.strip()
        assert (status(), status(third)) == (401, 200)
        listed = kohaku_checked("keys", "list", "--json").stdout
        assert key not in listed
        assert re.search(r'"last_used_at": "20', listed)
        assert key not in caplog.text
        assert "/v1/search" in caplog.text
    assert key.encode() not in (kohaku_checked.project.store / "assistant.db").read_bytes()


def test_a_key_reads_the_documents_and_sessions_of_its_organisation_only(kohaku_checked):
    own, foreign = (
        kohaku_checked("keys", "add", name, "--org", org).stdout.strip()
        for name, org in (("ann", "default"), ("eve", "acme"))
    )
    bob = kohaku_checked("keys", "add", "bob").stdout.strip()
    with joined_client(kohaku_checked.project) as client:

        def call(key, method, path, **body):
            return client.request(method, path, headers={"Authorization": f"Bearer {key}"}, **body)

        found = call(own, "POST", "/v1/search", json=ASK).json()["matches"][0]["node_id"]
        session_id = call(own, "POST", "/v1/chat", json={"message": "What is amber?"}).json()["session_id"]
        answer_id = call(own, "GET", f"/v1/sessions/{session_id}").json()["messages"][1]["answer_id"]
        for key in (foreign, bob):
            assert call(key, "GET", f"/v1/sessions/{session_id}").status_code == 404
            assert call(key, "DELETE", f"/v1/sessions/{session_id}").status_code == 404
            assert call(key, "GET", "/v1/sessions").json() == {"sessions": []}
            assert call(key, "GET", f"/v1/answers/{answer_id}").status_code == 404
            assert call(key, "POST", "/v1/feedback", json={"answer_id": answer_id, "rating": 1}).status_code == 404
            chat = {"message": "And?", "session_id": session_id}
            assert call(key, "POST", "/v1/chat", json=chat).status_code == 404
        assert call(foreign, "GET", f"/v1/nodes/{found}").status_code == 404
        assert call(foreign, "POST", "/v1/search", json={**ASK, "org_id": "default"}).json()["matches"] == []
        assert call(own, "GET", f"/v1/nodes/{found}").status_code == 200


def test_an_address_that_others_reach_is_not_served_without_keys(kohaku):
    refused = kohaku("serve", "--host", "0.0.0.0", "--port", "0")
    assert "so callers need keys and there is none" in refused.output
    assert (refused.exit_code, "run 'kohaku keys add NAME'" in refused.output) == (2, True)


def test_an_address_that_others_reach_is_served_with_keys(kohaku_checked):
    key = kohaku_checked("keys", "add", "wiki").stdout.strip()
    with running_server(kohaku_checked.project.home, "--host", "0.0.0.0", key=key) as running:
        address = running.url.replace("0.0.0.0", "127.0.0.1")
        with httpx.Client(base_url=address, headers=dict(running.client.headers), timeout=60) as client:
            assert client.post("/v1/search", json=ASK).status_code == 200
            kohaku_checked("keys", "revoke", "wiki")
            assert client.post("/v1/search", json=ASK, headers={"Authorization": ""}).status_code == 401


def test_a_proxy_names_the_user_and_nobody_else_does(fresh):
    values = ("user_header=X-User", 'proxies=["127.0.0.1"]', 'hosts=["kohaku.example"]')
    project = fresh(*(f"server.{value}" for value in values))
    named = {"X-User": "ann@example.org", "Host": "kohaku.example"}
    with joined_client(project, peer="127.0.0.1") as client:
        assert client.post("/v1/search", json=ASK).status_code == 401
        assert client.post("/v1/search", json=ASK, headers=named).status_code == 200
    with joined_client(project, peer="127.0.0.2") as client:
        assert client.post("/v1/search", json=ASK, headers=named).status_code == 401


def test_a_role_that_does_not_exist_and_a_name_in_use_are_refused(tmp_path):
    with open_keys(tmp_path, None) as keys:
        keys.add("wiki", "default", "reader")
        with pytest.raises(InputFileError, match="a role is one of reader, editor, admin, got 'god'"):
            keys.add("other", "default", "god")
        with pytest.raises(InputFileError, match="has a key named 'wiki'"):
            keys.add("wiki", "default", "admin")
        with pytest.raises(InputFileError, match="no valid key named 'none'"):
            keys.revoke("none")


def test_a_key_of_a_name_that_several_organisations_have_is_revoked_in_the_one_that_is_named(tmp_path):
    with open_keys(tmp_path, None) as keys:
        for org_id in ("acme", "bolt", "cobb"):
            keys.add("wiki", org_id, "reader")
        with pytest.raises(
            InputFileError, match="several organisations have a key named 'wiki': acme, bolt, cobb; add --org"
        ):
            keys.revoke("wiki")
        [revoked] = keys.revoke("wiki", "bolt")
        cobb = next(row.key_id for row in keys.rows() if row.org_id == "cobb")
        keys.revoke(cobb)
        assert revoked.org_id == "bolt"
        assert {row.org_id for row in keys.rows() if row.revoked_at is None} == {"acme"}


def test_a_key_is_revoked_over_http_by_its_id_in_the_organisation_of_the_caller_alone(kohaku_checked):
    boss = kohaku_checked("keys", "add", "boss", "--org", "acme", "--role", "admin").stdout.strip()
    target = kohaku_checked("keys", "add", "wiki", "--org", "acme").stdout.strip()
    with open_keys(kohaku_checked.project.store, None) as keys:
        ids = {row.name: row.key_id for row in keys.rows()}
    foreign = kohaku_checked("keys", "add", ids["wiki"], "--org", "default").stdout.strip()
    with joined_client(kohaku_checked.project) as client:

        def status(method, path, key):
            return client.request(method, path, headers={"Authorization": f"Bearer {key}"}).status_code

        assert status("DELETE", "/v1/keys/wiki", boss) == 404
        assert status("DELETE", f"/v1/keys/{ids['wiki']}", boss) == 204
        assert (status("GET", "/v1/sessions", target), status("GET", "/v1/sessions", foreign)) == (401, 200)


def test_a_key_of_a_name_that_several_organisations_have_is_confirmed_in_the_one_that_is_named(
    kohaku_checked, tmp_path
):
    vault, elsewhere = tmp_path / "vault", (f"store={tmp_path / 'elsewhere'}",)
    for org_id in ("acme", "bolt"):
        kohaku_checked("keys", "add", "wiki", "--org", org_id)
    kohaku_checked("backup", vault)
    kohaku_checked("restore", vault, settings=elsewhere)
    refused = kohaku_checked("keys", "confirm", "wiki", settings=elsewhere, code=2).output
    assert "several organisations have a key named 'wiki': acme, bolt; add --org" in refused
    kohaku_checked("keys", "confirm", "wiki", "--org", "bolt", settings=elsewhere)
    with open_keys(tmp_path / "elsewhere", None) as keys:
        assert [row.org_id for row in keys.rows() if row.unconfirmed_since is None] == ["bolt"]


@pytest.mark.parametrize("name", ["wiki\n00000000  boss", "wiki\x1b[2K", "wiki\u202eboss", "wiki\u2028"])
def test_a_name_that_would_forge_a_line_of_the_list_is_refused(tmp_path, name):
    with open_keys(tmp_path, None) as keys:
        for values in ((name, "default"), ("wiki", name)):
            with pytest.raises(InputFileError, match="are printable, got"):
                keys.add(*values, "reader")
        assert keys.rows() == []

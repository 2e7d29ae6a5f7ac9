"""Whoever does what docs/troubleshooting.md advises on models and servers is helped: each is done against a real server."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from document_server import DocumentServer, Page
from joined_client import joined_client

from kohaku_lib.testing.openai_server import OpenAIServer, prompt_of, structured_reply

QUESTION = "How much electricity did the whole workshop use in 2023?"
ASK = ("ask", QUESTION)
SEARCH = {"method": "POST", "url": "/v1/search", "json": {"query": "amber", "top_k": 1}}
PRICE = 'llm.prices={"small"={input_usd_per_million=1000000.0,output_usd_per_million=0.0}}'


def model(server, *more):
    """The settings of a language model that `server` serves."""
    told = ("provider=openai", "model=small", f"base_url={server.base_url}", "call_retries=0", "max_concurrent=1")
    return [*(f"llm.{value}" for value in told), "answer.by=model", "planner.kind=rule", "answer.max_retries=0", *more]


def helped(kohaku, message, verb, before, after=None, helps=lambda: None):
    """Assert that `verb` says `message` until `helps` was done and the settings are `after`; return what was said."""
    told = " ".join(kohaku(*verb, settings=before).output.split())
    assert message in told
    helps()
    done = kohaku(*verb, settings=before if after is None else after)
    assert done.exit_code == 0, done.output
    assert message not in " ".join(done.output.split())
    return told


def test_a_key_in_the_file_beside_the_settings_is_found(kohaku, monkeypatch):
    monkeypatch.setenv("MY_KEY", "")
    monkeypatch.delenv("MY_KEY")
    with OpenAIServer() as server:
        chosen = model(server, "llm.api_key_env=MY_KEY")
        message = "needs a key in the environment variable MY_KEY"
        helped(kohaku, message, ASK, chosen, helps=lambda: Path(".env").write_text("MY_KEY=a-key-of-the-tests\n"))
        assert server.headers[0]["authorization"] == "Bearer a-key-of-the-tests"


def test_the_command_that_is_printed_closes_the_file_of_keys(kohaku):
    def told():
        command = [sys.executable, "-m", "kohaku_assets.cli", "status"]  # a process says it once
        return subprocess.run(command, cwd=kohaku.project.home, capture_output=True, text=True, check=True).stderr

    file = kohaku.project.home / ".env"
    file.write_text("MY_KEY=a-key-of-the-tests\n")
    file.chmod(0o644)
    [command] = re.findall(r"can be read by everyone on this machine \(mode 644\); run '(.*)'", told())
    subprocess.run(shlex.split(command), check=True)
    assert "can be read by everyone" not in told()


def test_a_price_in_the_form_that_is_printed_gives_the_cost(kohaku):
    with OpenAIServer() as server:
        told = kohaku("refresh", "--dry-run", settings=model(server)).stderr
        assert "the cost is unknown: llm.prices lacks small" in told
        [prices] = re.findall(r"in the form (llm\.prices = .*)", told)
        Path("kohaku.toml").write_text(f"{prices}\n{Path('kohaku.toml').read_text()}")
        assert "US dollars" in kohaku("refresh", "--dry-run", settings=model(server)).stderr


def test_a_budget_that_is_raised_pays_for_what_is_left_alone(kohaku_checked):
    with OpenAIServer() as server:
        chosen = model(server, PRICE, "release.gate=false")
        told = kohaku_checked("refresh", settings=[*chosen, "llm.max_cost_usd=8000"], code=1).output
        assert "US dollars are spent and a call may cost up to" in " ".join(told.split())
        assert 0 < len(server.requests) < 12
        kohaku_checked("refresh", settings=[*chosen, "llm.max_cost_usd=1000000"])
        assert kohaku_checked("status", "--json", settings=chosen).stdout.strip() == "[]"
        assert server.stats() == {"requests": 12, "billed": 12, "distinct": 12}


def test_a_model_that_is_nowhere_is_replaced_by_the_one_that_is_named(kohaku, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    before = ["embedding.model=example/none"]
    told = helped(kohaku, "is not available (", ("refresh",), before, ["embedding.model=minilm"])
    assert "set embedding.model to 'minilm'" in told


def test_a_server_at_the_address_that_is_corrected_answers(kohaku):
    with OpenAIServer() as gone:
        pass
    with OpenAIServer() as server:
        helped(kohaku, "the connection failed", ASK, model(gone), model(server))


def test_a_corrected_address_of_a_document_is_fetched(kohaku):
    def table(url):
        Path("data/sample/metadata.csv").write_text(f"id,title,url\nquay,Quay,{url}\n")

    with DocumentServer({"/quay.txt": Page(b"The quay is 90 m long.", "text/plain")}) as server:
        table("http://127.0.0.1:1/quay.txt")
        chosen = ["fetch.allow_private=true"]
        helped(kohaku, "cannot be reached (", ("fetch",), chosen, helps=lambda: table(server.url("/quay.txt")))


def test_what_a_provider_has_answered_is_kept_when_it_asks_to_wait(kohaku_checked):
    wait = {"kind": "status", "status": 429, "headers": {"Retry-After": "7200"}}
    with OpenAIServer([{"kind": "ok"}] * 5 + [wait]) as server:
        chosen = model(server, "release.gate=false")
        assert "asks to wait 7200 s" in " ".join(kohaku_checked("refresh", settings=chosen, code=1).output.split())
        kohaku_checked("refresh", settings=chosen)
        assert kohaku_checked("status", "--json", settings=chosen).stdout.strip() == "[]"
        assert server.stats() == {"requests": 13, "billed": 12, "distinct": 12}


def test_a_reply_with_room_for_its_thoughts_has_a_text(kohaku):
    room = []

    def think(request):
        room[:] = [request.get("max_completion_tokens") or request["max_tokens"]]
        return structured_reply(request)

    def cut(completion):
        if room[0] < 4000:
            completion["choices"][0] |= {"finish_reason": "length", "message": {"role": "assistant", "content": ""}}

    with OpenAIServer(reply=think, adjust=cut) as server:
        message = "the reply was truncated before its text"
        helped(kohaku, message, ASK, model(server), model(server, "llm.max_tokens=4000"))


def test_a_shorter_context_fits_what_the_server_reads(kohaku):
    read = []

    def note(request):
        read[:] = [min(600, len(prompt_of(request)) // 4)]
        return structured_reply(request)

    with OpenAIServer(
        reply=note, adjust=lambda completion: completion["usage"].update(prompt_tokens=read[0])
    ) as server:
        message = "of its prompt and dropped about"
        helped(kohaku, message, ASK, model(server), model(server, "retrieval.context_tokens=300"))


def test_a_channel_that_the_disk_lost_is_mended_by_the_doctor(kohaku):
    [index] = kohaku.project.snapshots.glob("*/lexical/sentence/data.csc.index.npy")
    index.write_bytes(index.read_bytes()[:-8])
    message = "the channel 'lexical' contributed nothing"
    assert "run 'kohaku doctor'" in helped(kohaku, message, ASK, (), helps=lambda: kohaku("doctor"))


REFUSED = {  # the headers of a request, and the setting that lets it in
    "is not served here; call 127.0.0.1": ({"Host": "wiki.example"}, 'server.hosts=["wiki.example"]'),
    "may not call this server": ({"Origin": "https://wiki.example"}, 'server.origins=["https://wiki.example"]'),
}


@pytest.mark.parametrize("message", REFUSED)
def test_the_setting_that_a_refusal_names_lets_the_caller_in(fresh, message):
    headers, setting = REFUSED[message]
    with joined_client(fresh()) as client:
        refused = client.request(**SEARCH, headers=headers)
        assert (refused.is_error, message in refused.json()["detail"]) == (True, True)
        assert setting.partition("=")[0] in refused.json()["detail"]
    with joined_client(fresh(setting)) as client:
        assert client.request(**SEARCH, headers=headers).status_code == 200


def test_a_key_with_more_requests_in_a_minute_is_answered(fresh):
    with joined_client(fresh("server.requests_per_minute=1")) as client:
        assert client.request(**SEARCH).status_code == 200
        refused = client.request(**SEARCH)
        assert "requests in a minute; try again in" in refused.json()["detail"]
    with joined_client(fresh("server.requests_per_minute=2")) as client:
        assert [client.request(**SEARCH).status_code for _ in range(2)] == [200, 200]


def test_a_key_of_the_role_that_is_named_may_upload(kohaku_checked):
    reader = kohaku_checked("keys", "add", "ann").stdout.strip()
    upload = {"method": "POST", "url": "/v1/documents", "files": {"file": ("quay.md", b"# Quay")}}
    with joined_client(kohaku_checked.project, reader) as client:
        refused = client.request(**upload)
        [role] = re.findall("this needs a key of the role (.+), and yours is reader", refused.json()["detail"])
    editor = kohaku_checked("keys", "add", "bob", "--role", role).stdout.strip()
    with joined_client(kohaku_checked.project, editor) as client:
        assert client.request(**upload).is_success

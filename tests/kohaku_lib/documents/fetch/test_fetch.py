"""Documents from the network, against a server on the loopback."""

import base64
import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import time
import tracemalloc
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from document_server import PDF, DocumentServer, Page
from fake_time import FakeTime
from hang_limit import ended
from raw_server import RawServer, drips, response, sends
from started_process import started_process

from kohaku_lib.documents.fetch import download as fetch_download
from kohaku_lib.documents.fetch.download import http_client, is_public
from kohaku_lib.documents.fetch.fetch import FetchPlan, fetch_documents, web_host
from kohaku_lib.documents.fetch.ledger import FetchLedger
from kohaku_lib.llm.resilience.failures import RETRIED_STATUS
from kohaku_lib.settings import FetchSettings

METADATA = "169.254.169.254"  # where clouds hand out their keys
HTML = b"<!DOCTYPE html><html><body>Please sign in</body></html>"


def local(**settings):
    """Settings with which the servers of these tests are reached."""
    return FetchSettings(**{"allow_private": True, **settings})


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "docs"


def fetch(folder, urls, present=(), environment=None, ledger=None, force=False, limit=0, **settings):
    """What became of the rows by id, as (outcome, reason)."""
    rows = {name: {"url": url} for name, url in urls.items()}
    chosen = local(retry_base_s=0.0, **settings)
    plan = FetchPlan(rows, dict(present), folder, force, limit)
    ledger = ledger or FetchLedger(folder.parent / "fetch.jsonl")
    with http_client(chosen) as client:
        outcomes = fetch_documents(plan, client, ledger, chosen, environment)
    return {outcome.id: (outcome.outcome, outcome.reason) for outcome in outcomes}


def one(folder, server, path="/a.pdf", **options):
    return fetch(folder, {"a": server.url(path)}, **options)["a"]


def nothing_stored(folder):
    return list(folder.iterdir()) == []


# What counts as a PDF


def test_a_pdf_is_stored_under_its_id_and_reported_with_its_hash(folder):
    with DocumentServer({"/x/Paper.PDF": Page(PDF)}) as server, http_client(local()) as client:
        plan = FetchPlan({"han2024": {"url": server.url("/x/Paper.PDF")}}, {}, folder)
        (outcome,) = fetch_documents(plan, client, FetchLedger(folder.parent / "f"), FetchSettings(user_agent="bee/1"))
        assert server.requests == [("GET", "/x/Paper.PDF")]
    assert (folder / "han2024.pdf").read_bytes() == PDF
    assert (outcome.outcome, outcome.bytes, outcome.path) == ("fetched", len(PDF), folder / "han2024.pdf")
    assert len(outcome.sha256) == 64


def test_rows_without_an_address_of_the_web_are_skipped_with_their_reason(folder):
    found = fetch(folder, {"a": " ", "b": "ftp://x.org/a.pdf", "c": "file:///etc/passwd", "d": "a.pdf"})
    assert found["a"] == ("skipped", "the row has no url")
    assert {found[name] for name in "bcd"} == {("skipped", "the url is not of http or https")}


def test_the_type_of_a_url_that_does_not_look_like_a_pdf_is_checked_first(folder):
    pages = {"/paper": Page(PDF, "application/pdf; x=y"), "/home": Page(HTML, "text/html; charset=utf-8")}
    with DocumentServer(pages) as server:
        found = fetch(folder, {"a": server.url("/paper"), "b": server.url("/home")})
        assert server.count("/home") == 0
        assert server.count("/home", "HEAD") == 1
    assert found == {"a": ("fetched", None), "b": ("skipped", "the server calls it 'text/html', not a PDF")}


def test_the_file_is_requested_from_a_server_without_head(folder):
    with DocumentServer({"/paper": Page(PDF, head_status=405)}) as server:
        assert one(folder, server, "/paper") == ("fetched", None)


def test_redirects_are_followed_by_head_and_get(folder):
    pages = {
        "/doi": Page(status=302, headers={"Location": "/real.pdf"}),
        "/old.pdf": Page(status=301, headers={"Location": "/real.pdf"}),
        "/real.pdf": Page(PDF),
    }
    with DocumentServer(pages) as server:
        found = fetch(folder, {"a": server.url("/doi"), "b": server.url("/old.pdf")})
    assert found == {"a": ("fetched", None), "b": ("fetched", None)}
    assert (folder / "b.pdf").read_bytes() == PDF


def test_redirects_in_a_circle_or_out_of_the_web_fail(folder):
    pages = {
        "/a.pdf": Page(status=302, headers={"Location": "/a.pdf"}),
        "/b.pdf": Page(status=302, headers={"Location": "file:///etc/passwd"}),
    }
    with DocumentServer(pages) as server:
        found = fetch(folder, {"a": server.url("/a.pdf"), "b": server.url("/b.pdf")})
    assert found["a"] == ("failed", "the server redirects in a circle")
    assert found["b"][1].startswith("the URL redirects to one that cannot be fetched")


def test_a_web_page_instead_of_a_pdf_is_refused_and_not_stored(folder):
    with DocumentServer({"/a.pdf": Page(HTML, "application/pdf"), "/b.pdf": Page(b"soon", "text/plain")}) as server:
        found = fetch(folder, {"a": server.url("/a.pdf"), "b": server.url("/b.pdf")})
    assert found["a"] == ("failed", "the server sent a web page (HTML) instead of a PDF")
    assert found["b"][1].startswith("the server sent no PDF (content type 'text/plain', 4 bytes seen")
    assert nothing_stored(folder)


def test_a_pdf_under_a_wrong_content_type_is_a_pdf(folder):
    with DocumentServer({"/a.pdf": Page(b"\n" + PDF, "application/octet-stream")}) as server:
        assert one(folder, server) == ("fetched", None)


# What may pass, and what does not


def test_a_body_shorter_than_stated_is_tried_again_and_refused_at_last(folder):
    with DocumentServer({"/a.pdf": Page(PDF, stated_length=10_000)}) as server:
        outcome, reason = one(folder, server, retries=2)
        assert server.count("/a.pdf") == 3
    assert outcome == "failed"
    assert reason.startswith("the connection broke before the whole file was received")
    assert nothing_stored(folder)


def test_a_pdf_without_its_end_is_refused(folder):
    with DocumentServer({"/a.pdf": Page(PDF[:-10], without_length=True)}) as server:
        assert one(folder, server, retries=0) == (
            "failed",
            "the PDF is cut short: its 59 bytes end without '%%EOF'",
        )
    assert nothing_stored(folder)


def test_a_connection_that_drops_once_costs_one_more_request(folder):
    with DocumentServer({"/a.pdf": [Page(PDF, stated_length=999), Page(PDF)]}) as server:
        assert one(folder, server) == ("fetched", None)
        assert server.count("/a.pdf") == 2


def test_retry_after_is_waited_for(folder):
    busy = Page(b"slow down", "text/plain", 429, {"Retry-After": "7"})
    fake = FakeTime()
    with DocumentServer({"/a.pdf": [busy, Page(status=503), Page(PDF)]}) as server:
        assert one(folder, server, environment=fake.environment()) == ("fetched", None)
    assert fake.slept == [8.0, 0.0]  # the hint and a second; then the base delay, here zero


@pytest.mark.parametrize("status", sorted(RETRIED_STATUS))
def test_the_statuses_retried_for_models_are_retried_for_downloads(folder, status):
    with DocumentServer({"/a.pdf": [Page(status=status), Page(PDF)]}) as server:
        assert one(folder, server) == ("fetched", None)
        assert server.count("/a.pdf") == 2


def test_waits_grow_and_end_in_the_servers_answer(folder):
    fake = FakeTime()
    with DocumentServer({"/a.pdf": Page(status=500)}) as server, http_client(local()) as client:
        plan = FetchPlan({"a": {"url": server.url("/a.pdf")}}, {}, folder)
        ledger = FetchLedger(folder.parent / "f")
        (outcome,) = fetch_documents(plan, client, ledger, FetchSettings(), fake.environment())
    assert fake.slept == [1.0, 2.0, 4.0]
    assert outcome.reason == "the server answers 500 Internal Server Error"


def test_a_wait_too_long_to_sit_out_ends_the_row(folder):
    fake = FakeTime()
    with DocumentServer({"/a.pdf": Page(status=429, headers={"Retry-After": "3600"})}) as server:
        outcome = one(folder, server, environment=fake.environment())
    assert outcome == ("failed", "the server answers 429 Too Many Requests and asks to wait 3600 s; run again later")
    assert fake.slept == []


def test_a_missing_file_is_requested_once(folder):
    with DocumentServer({}) as server:
        assert one(folder, server) == ("failed", "the server answers 404 Not Found")
        assert server.count("/a.pdf") == 1


DRIPS = {
    "headers": drips(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a" * 10_000),
    "body": drips(b"HTTP/1.1 200 OK\r\n\r\n" + PDF, b"a" * 10_000),
    "error": drips(b"HTTP/1.1 404 Not Found\r\n\r\n", b"a" * 10_000),
    "silence": sends(end=False),
}


@pytest.mark.parametrize("name", DRIPS)
def test_whatever_drips_ends_with_the_time_of_one_exchange(folder, name):
    with RawServer(DRIPS[name]) as server:
        found = ended(lambda: fetch(folder, {"a": f"{server.url}/a.pdf"}, retries=0, timeout_s=1.0))
    ((_, reason),) = found.values()
    expected = {"error": "the server answers 404 Not Found"}
    assert reason == expected.get(name, "the server needs longer than 1 s for its whole answer")
    assert nothing_stored(folder)


def test_a_time_out_is_not_retried(folder):
    with RawServer(DRIPS["body"], DRIPS["body"]) as server:
        (found,) = fetch(folder, {"a": f"{server.url}/a.pdf"}, retries=3, timeout_s=1.0).values()
    assert found == ("failed", "the server needs longer than 1 s for its whole answer")
    assert len(server.heads) == 1


def test_all_redirects_have_one_time_limit(folder):
    """Redirects of 0.2 s each."""
    hops = [sends(b"", response(b"", "302 Found", Location=f"/{n}.pdf"), pause_s=0.2) for n in range(20)]
    with RawServer(*hops) as server:
        (found,) = fetch(folder, {"a": f"{server.url}/a.pdf"}, retries=0, timeout_s=1.0).values()
        assert found == ("failed", "the server needs longer than 1 s for its whole answer")
        assert len(server.heads) < 8


def test_an_interrupt_ends_what_is_being_fetched(folder, tmp_path):
    with RawServer(DRIPS["headers"]) as server:
        (tmp_path / "m.csv").write_text(f"id,url\na,{server.url}/a.pdf\n")
        (tmp_path / "kohaku.toml").write_text(
            f'store = "store"\n[corpus]\ndocuments = "{folder}"\nmetadata = "m.csv"\n[fetch]\nallow_private = true\n'
        )
        command = [sys.executable, "-m", "kohaku_assets.cli", "fetch"]
        environment = os.environ | {"NO_PROXY": "127.0.0.1", "PYTHONPATH": str(Path(__file__).resolve().parents[4])}
        with started_process(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL) as process:
            while not server.heads:
                assert process.poll() is None
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=90) != 0  # the time limit is that of 120 s
    assert nothing_stored(folder)


def test_a_server_that_is_not_there_fails_the_row(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    outcome, reason = fetch(folder, {"a": f"http://127.0.0.1:{port}/a.pdf"}, retries=1)["a"]
    assert outcome == "failed"
    assert reason.startswith("the server cannot be reached (")


def test_too_large_a_file_is_refused_by_its_header_or_while_it_comes(folder):
    large = PDF + b"0" * 1_100_000
    pages = {"/a.pdf": Page(large), "/b.pdf": Page(large, without_length=True)}
    with DocumentServer(pages) as server:
        found = fetch(folder, {"a": server.url("/a.pdf"), "b": server.url("/b.pdf")}, max_mb=1)
    assert set(found.values()) == {("failed", "it is larger than fetch.max_mb = 1 allows")}
    assert nothing_stored(folder)


@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip", "br"])
def test_a_file_that_unpacks_to_far_more_is_refused_while_it_comes(folder, encoding):
    packed = gzip.compress(PDF + bytes(200_000_000))
    body = gzip.compress(packed) if "," in encoding else packed
    with DocumentServer({"/a.pdf": Page(body, headers={"Content-Encoding": encoding})}) as server:
        tracemalloc.start()
        outcome, reason = one(folder, server, max_mb=1, retries=0)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert outcome == "failed"
    assert reason.startswith(
        "it is larger than fetch.max_mb = 1" if encoding == "gzip" else "the server's reply cannot be decoded"
    )
    assert peak < 20_000_000
    assert nothing_stored(folder)


# Where documents are fetched from


THIS_MACHINE = ["127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "2130706433", "127.1"]
THIS_NETWORK = ["10.1.2.3", "192.168.0.1", "172.16.0.1", "100.64.0.1", "[fe80::1]", "[fc00::1]", "255.255.255.255"]
IN_DISGUISE = [METADATA, f"[::ffff:{METADATA}]", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]", "224.0.0.1", "[ff02::1]"]


@pytest.mark.parametrize("host", [*THIS_MACHINE, *THIS_NETWORK, *IN_DISGUISE])
def test_no_request_goes_to_an_address_of_this_machine_or_its_network(folder, host):
    with DocumentServer({"/a.pdf": Page(PDF)}) as server:
        found = fetch(folder, {"a": server.url("/a.pdf", host)}, allow_private=False)["a"]
        assert server.requests == []
    assert found[0] == "skipped"
    assert found[1].endswith("which is not public; set fetch.allow_private = true to allow it")
    assert nothing_stored(folder)


@pytest.mark.parametrize("text", ["93.184.215.14", "2606:4700::1", "::ffff:93.184.215.14", "64:ff9b::5db8:d70e"])
def test_requests_go_to_public_addresses(text):
    assert is_public(ip_address(text))


def test_a_redirect_to_this_machine_is_not_followed(folder, monkeypatch):
    """The first server counts as public here, by its address of the loopback; the one behind it does not."""
    real = fetch_download.check_public
    monkeypatch.setattr(
        fetch_download,
        "check_public",
        lambda host, address: None if str(address) == "127.0.0.1" else real(host, address),
    )
    pages = {"/a.pdf": Page(status=302, headers={"Location": f"http://{METADATA}/latest/meta-data/x.pdf"})}
    with DocumentServer(pages) as server:
        found = one(folder, server, allow_private=False)
        assert server.count("/a.pdf") == 1
    assert found == (
        "skipped",
        f"'{METADATA}' has the address {METADATA}, which is not public; set fetch.allow_private = true to allow it",
    )


def test_a_proxy_reaches_no_address_of_this_network_either(folder, monkeypatch):
    with RawServer(sends(response(PDF))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        urls = {"inside": "http://10.0.0.7/a.pdf", "outside": "http://93.184.215.14/a.pdf"}
        found = fetch(folder, urls, allow_private=False)
        assert len(proxy.heads) == 1
    assert found["inside"][0] == "skipped"
    assert found["outside"] == ("fetched", None)


def test_the_password_in_an_address_is_sent_and_written_nowhere(folder):
    path = folder.parent / "fetch.jsonl"
    with RawServer(sends(response(PDF)), sends(response(b"", "404 Not Found"))) as server:
        address = server.url.replace("://", "://bee:honey-pot@")
        found = fetch(folder, {"a": f"{address}/a.pdf", "b": f"{address}/b.pdf?token=honey-pot"}, max_concurrent=1)
        assert base64.b64encode(b"bee:honey-pot") in server.heads[0]
        assert [outcome for outcome, _ in found.values()] == ["fetched", "failed"]
        assert "honey-pot" not in path.read_text()
        later = FetchLedger(path)
        again = fetch(folder, {"a": f"{address}/a.pdf"}, {"a": folder / "a.pdf"}.items(), ledger=later)
    assert again == {"a": ("cached", None)}


# Many rows


def test_a_rows_failure_stops_no_other_and_outcomes_keep_their_order(folder):
    urls = [f"/{n}.pdf" for n in range(12)]
    pages = {path: Page(PDF if n % 3 else HTML, delay_s=0.02 * (n % 2)) for n, path in enumerate(urls)}
    with DocumentServer(pages) as server:
        found = fetch(folder, {f"r{n}": server.url(path) for n, path in enumerate(urls)})
    assert list(found) == [f"r{n}" for n in range(12)]
    assert [name for name, (outcome, _) in found.items() if outcome == "failed"] == ["r0", "r3", "r6", "r9"]


def test_the_limit_of_requests_per_host_is_kept(folder):
    pages = {f"/{n}.pdf": Page(PDF, delay_s=0.05) for n in range(8)}
    with DocumentServer(pages, together=2) as server:
        fetch(folder, {str(n): server.url(f"/{n}.pdf") for n in range(8)}, per_host=2, max_concurrent=8)
        assert server.most_at_once == 2
        assert server.agents == {"kohaku (document fetcher)"}


def test_a_busy_host_does_not_hold_up_another(folder):
    pages = {f"/{n}.pdf": Page(PDF) for n in range(8)}
    with DocumentServer(pages, together=2) as server:
        hosts = ["127.0.0.1"] * 4 + ["localhost"] * 4
        urls = {str(n): server.url(f"/{n}.pdf", host) for n, host in enumerate(hosts)}
        fetch(folder, urls, per_host=1, max_concurrent=8)
        assert server.most_at_once == 2
        assert {path for _, path in server.requests[:2]} == {"/0.pdf", "/4.pdf"}


def test_a_limit_ends_after_as_many_documents_at_hand(folder):
    with DocumentServer({f"/{n}.pdf": Page(PDF if n else HTML) for n in range(9)}) as server:
        urls = {str(n): server.url(f"/{n}.pdf") for n in range(9)}
        found = fetch(folder, urls, limit=3, present={"2": folder / "2.pdf"}.items())
        assert len(server.requests) == 3
    assert [outcome for outcome, _ in found.values()] == ["failed", "fetched", "cached", "fetched"]


def test_a_cookie_that_cannot_be_sent_back_stops_no_later_row_of_its_host(folder):
    odd = Page(PDF, headers={"Set-Cookie": "name=\xff\xfe"})
    with DocumentServer({"/a.pdf": odd, "/b.pdf": Page(PDF)}) as server, http_client(local()) as client:
        rows = {name: {"url": server.url(f"/{name}.pdf")} for name in ("a", "b")}
        ledger = FetchLedger(folder.parent / "fetch.jsonl")
        found = fetch_documents(FetchPlan(rows, {}, folder), client, ledger, FetchSettings(per_host=1))
    assert [outcome.outcome for outcome in found] == ["fetched", "fetched"]


@pytest.mark.parametrize("url", [f"http://{'a' * 70}.example/a.pdf", "http://a..b/a.pdf"])
def test_an_address_that_no_request_can_be_made_of_fails_its_row(folder, url):
    outcome, reason = fetch(folder, {"a": url})["a"]
    assert (outcome, reason[:45]) == ("failed", "the URL redirects to one that cannot be fetch")
    assert nothing_stored(folder)


# Again


def test_what_is_there_is_cached_until_forced_or_its_address_changes(folder):
    ledger = FetchLedger(folder.parent / "fetch.jsonl")
    with DocumentServer({"/a.pdf": Page(PDF), "/b.pdf": Page(PDF + b"\n%%EOF\n")}) as server:
        assert one(folder, server, ledger=ledger) == ("fetched", None)
        there = {"a": folder / "a.pdf"}.items()
        later = FetchLedger(folder.parent / "fetch.jsonl")
        assert one(folder, server, present=there, ledger=later) == ("cached", None)
        assert one(folder, server, present=there, ledger=later, force=True) == ("fetched", None)
        assert one(folder, server, "/b.pdf", present=there, ledger=later) == ("fetched", None)
        assert server.count("/a.pdf") == 2
    assert (folder / "a.pdf").read_bytes() != PDF


def test_a_file_of_the_users_own_is_never_replaced(folder):
    folder.mkdir()
    (folder / "a.md").write_text("my own")
    with DocumentServer({"/a.pdf": Page(PDF)}) as server:
        assert one(folder, server, present={"a": folder / "a.md"}.items(), force=True) == ("cached", None)
        assert server.requests == []


@pytest.mark.parametrize("path", ["/a.pdf", "/b.pdf"])
def test_a_file_of_the_users_own_under_the_very_name_is_never_replaced(folder, path):
    ledger = FetchLedger(folder.parent / "fetch.jsonl")
    there = {"a": folder / "a.pdf"}.items()
    with DocumentServer({"/a.pdf": Page(PDF), "/b.pdf": Page(PDF)}) as server:
        folder.mkdir()
        (folder / "a.pdf").write_bytes(b"%PDF-1.7 put here by hand")
        assert one(folder, server, path, present=there, ledger=ledger, force=True) == ("cached", None)
        (folder / "a.pdf").unlink()
        assert one(folder, server, ledger=ledger) == ("fetched", None)
        (folder / "a.pdf").write_bytes(b"%PDF-1.7 with my notes")
        assert one(folder, server, path, present=there, ledger=ledger, force=True) == ("cached", None)
    assert (folder / "a.pdf").read_bytes() == b"%PDF-1.7 with my notes"


def test_nothing_is_written_through_a_link_in_the_place_of_the_file(folder, tmp_path):
    folder.mkdir()
    (tmp_path / "mine").write_text("my own")
    (folder / "a.pdf").symlink_to(tmp_path / "mine")
    (folder / "b.pdf").symlink_to(tmp_path / "not there")
    with DocumentServer({"/a.pdf": Page(PDF)}) as server:
        found = fetch(folder, {"a": server.url("/a.pdf"), "b": server.url("/a.pdf")}, force=True)
    assert set(found.values()) == {("skipped", "the target path is a link; remove it")}
    assert (tmp_path / "mine").read_text() == "my own"
    assert not (tmp_path / "not there").exists()


def test_a_failed_refetch_leaves_the_earlier_file(folder):
    with DocumentServer({"/a.pdf": [Page(PDF), Page(HTML)]}) as server:
        assert one(folder, server) == ("fetched", None)
        outcome, _ = one(folder, server, present={"a": folder / "a.pdf"}.items(), force=True)
    assert outcome == "failed"
    assert (folder / "a.pdf").read_bytes() == PDF


def test_ids_that_are_no_file_names_stay_apart(folder):
    with DocumentServer({"/a.pdf": Page(PDF)}) as server:
        fetch(folder, {"10.1/x": server.url("/a.pdf"), "../up": server.url("/a.pdf"), "10.1%2Fx": server.url("/a.pdf")})
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    assert names == {"10.1%2Fx.pdf", "%2E.%2Fup.pdf", "10.1%252Fx.pdf"}


def test_a_run_that_is_killed_fetches_nothing_twice(folder, tmp_path):
    pages = {f"/{n}.pdf": Page(PDF, piece=20, drip_s=0.02) for n in range(12)}
    with DocumentServer(pages) as server:
        (tmp_path / "m.csv").write_text(
            "id,url\n" + "".join(f"d{n},{server.url(f'/{n}.pdf')}\n" for n in range(12)), encoding="utf-8"
        )
        (tmp_path / "kohaku.toml").write_text(
            f'store = "store"\n[corpus]\ndocuments = "{folder}"\nmetadata = "m.csv"\n'
            "[fetch]\nper_host = 3\nallow_private = true\n"
        )
        command = [sys.executable, "-m", "kohaku_assets.cli", "fetch", "--json"]
        environment = os.environ | {"NO_PROXY": "127.0.0.1", "PYTHONPATH": str(Path(__file__).resolve().parents[4])}
        with started_process(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL) as first:
            while len(list(folder.glob("d*.pdf"))) < 4:
                assert first.poll() is None
                time.sleep(0.005)
        stored = {path.name for path in folder.glob("d*.pdf")}
        again = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
        assert [name for name in stored if server.count(f"/{name[1:]}") != 1] == []
    outcomes = {row["id"]: row["outcome"] for row in json.loads(again.stdout)}
    assert {name for name, outcome in outcomes.items() if outcome == "cached"} == {name[:-4] for name in stored}
    assert set(outcomes.values()) == {"cached", "fetched"}
    assert {path.name for path in folder.iterdir()} == {f"d{n}.pdf" for n in range(12)}
    assert {(folder / f"d{n}.pdf").read_bytes() for n in range(12)} == {PDF}


# The ledger


def test_the_ledger_keeps_the_last_outcome_of_a_row_and_survives_a_torn_line(folder):
    path = folder.parent / "fetch.jsonl"
    with DocumentServer({"/a.pdf": [Page(HTML), Page(PDF)]}) as server:
        one(folder, server, environment=FakeTime().environment())
        assert FetchLedger(path).entries["a"].reason == "the server sent a web page (HTML) instead of a PDF"
        with path.open("ab") as file:
            file.write(b'{"id": "a", "outc')
        one(folder, server, environment=FakeTime().environment())
    entry = FetchLedger(path).entries["a"]
    assert (entry.outcome, entry.reason, entry.at) == ("fetched", None, "2023-11-14T22:13:20+00:00")
    assert FetchLedger(path).fetched("a").url == server.url("/a.pdf")


def test_an_outcome_that_is_no_news_is_not_repeated(folder):
    path = folder.parent / "fetch.jsonl"
    for _ in range(3):
        fetch(folder, {"a": "", "b": "x:y"})
    assert len(path.read_bytes().splitlines()) == 2


@pytest.mark.parametrize("url", ["http://", "https://[::1", "mailto:a@b.org", "//x.org/a.pdf", ""])
def test_an_address_without_a_host_is_none_of_the_web(url):
    assert web_host(url) is None


def test_a_client_follows_redirects_and_sends_its_user_agent():
    with http_client(FetchSettings(user_agent="bee/2")) as client:
        assert isinstance(client, httpx.Client)
        assert client.follow_redirects
        assert client.headers["user-agent"] == "bee/2"

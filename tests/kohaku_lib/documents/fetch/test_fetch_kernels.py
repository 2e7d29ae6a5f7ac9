"""What a URL and an address are, and the ledger of outcomes."""

import json
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.fetch.download import check_public, is_public, looks_like_pdf
from kohaku_lib.documents.fetch.fetch import web_host
from kohaku_lib.documents.fetch.ledger import FetchEntry, FetchLedger, FetchOutcome
from kohaku_lib.http_exchange import AddressError

NOON = 1_714_564_800.0  # 2024-05-01T12:00:00+00:00


@pytest.mark.parametrize(
    ("url", "is_pdf"),
    [
        ("https://example.org/a.pdf", True),
        ("https://example.org/A.PDF?download=1#page=2", True),
        ("https://example.org/pdf/1", False),
        ("https://arxiv.org/pdf/2301.00001v2", True),
        ("https://export.arxiv.org/pdf/2301.00001", True),
        ("https://arxiv.org/abs/2301.00001", False),
        ("https://notarxiv.org/pdf/1", False),
        ("https://example.org/?file=a.pdf", False),
        ("", False),
    ],
)
def test_a_url_looks_like_that_of_a_pdf_by_its_path(url, is_pdf):
    assert looks_like_pdf(url) is is_pdf


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("HTTPS://Example.ORG:8080/a", "example.org"),
        ("http://user:word@example.org", "example.org"),
        ("http://[::1]/a", "::1"),
        ("http://[::1/a", None),
        ("https:///a.pdf", None),
        ("example.org/a.pdf", None),
        ("file:///etc/passwd", None),
    ],
)
def test_the_host_is_that_of_an_http_url_in_lower_case(url, host):
    assert web_host(url) == host


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_inside_ipv6_is_judged_as_itself(address):
    number = int(address)
    for prefix in ("::ffff:0:0", "64:ff9b::"):
        assert is_public(ip_address(int(ip_address(prefix)) | number)) == is_public(address)
    assert is_public(ip_address((0x2002 << 112) | (number << 80))) == is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "172.16.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "100.64.0.1",
        "::",
        "::1",
        "fe80::1",
        "fec0::1",
        "fd00::1",
        "ff02::1",
    ],
)
def test_addresses_of_a_machine_or_its_network_are_not_public(address):
    assert not is_public(ip_address(address))
    with pytest.raises(AddressError, match=r"'host\.example' has the address .*, which is not public"):
        check_public("host.example", ip_address(address))


@pytest.mark.parametrize("address", ["93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_addresses_of_the_internet_are_public(address):
    assert is_public(ip_address(address))
    check_public("host.example", ip_address(address))


def outcome(name="a", kind="fetched", reason=None, url="https://example.org/a.pdf", sha256="5a"):
    return FetchOutcome(
        name, kind, reason, url, None, 9 if kind == "fetched" else None, sha256 if kind == "fetched" else None
    )


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_outcome_is_a_line_with_its_time_in_utc(tmp_path):
    path = tmp_path / "folder" / "ledger.jsonl"
    FetchLedger(path).add(outcome(), NOON)
    assert lines(path) == [
        {
            "id": "a",
            "outcome": "fetched",
            "reason": None,
            "url": "https://example.org/a.pdf",
            "sha256": "5a",
            "at": "2024-05-01T12:00:00+00:00",
        }
    ]
    assert FetchLedger(path).entries == {
        "a": FetchEntry("fetched", None, "https://example.org/a.pdf", "5a", "2024-05-01T12:00:00+00:00")
    }


def test_a_later_failure_does_not_replace_the_last_successful_fetch(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger = FetchLedger(path)
    ledger.add(outcome(), NOON)
    ledger.add(outcome(kind="failed", reason="the server answers 404"), NOON + 60)
    for known in (ledger, FetchLedger(path)):
        assert known.entries["a"].outcome == "failed"
        assert known.fetched("a").sha256 == "5a"
        assert known.fetched("b") is None


def test_a_repeated_failure_and_a_cached_file_are_not_written_again(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger = FetchLedger(path)
    for kind, reason in [("failed", "no"), ("failed", "no"), ("failed", "other"), ("cached", None)]:
        ledger.add(outcome(kind=kind, reason=reason), NOON)
    assert [line["reason"] for line in lines(path)] == ["no", "other"]


def test_a_repeated_fetch_is_written_again(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger = FetchLedger(path)
    for at in (NOON, NOON + 1):
        ledger.add(outcome(), at)
    assert len(lines(path)) == 2


@pytest.mark.parametrize("torn", [b'{"id": "b", "outc', b"\xff\xfe", b"[]", b'{"id": "b"}', b"null"])
def test_lines_of_another_form_are_ignored_and_the_next_begins_a_line(tmp_path, torn):
    path = tmp_path / "ledger.jsonl"
    FetchLedger(path).add(outcome(), NOON)
    path.write_bytes(path.read_bytes() + torn)
    ledger = FetchLedger(path)
    assert list(ledger.entries) == ["a"]
    ledger.add(outcome("c"), NOON)
    assert list(FetchLedger(path).entries) == ["a", "c"]


def test_a_ledger_that_is_missing_or_a_folder_is_empty(tmp_path):
    assert FetchLedger(tmp_path / "nowhere.jsonl").entries == {}
    assert FetchLedger(tmp_path).entries == {}

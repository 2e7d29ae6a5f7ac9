import gzip
import resource
import socket
import ssl
import subprocess
import threading
import time
import zlib
from importlib.util import find_spec

import httpx
import pytest
from hang_limit import HANG_S, ended
from raw_server import RawServer, drips, response, sends

from kohaku_lib.http_exchange import (
    AddressError,
    ExchangeError,
    InterruptedExchangeError,
    RedirectError,
    ReplyEncodingError,
    ReplyTooLargeError,
    deadline,
    exchange_client,
    same_server_only,
)
from kohaku_lib.parallel.interruption import interruptible_pool


def fetched(server, max_bytes=1_000_000, timeout=0.5, **options):
    with exchange_client(max_bytes, timeout=timeout, **options) as client:
        return client.get(server.url)


DRIPS = {
    "headers": drips(b"HTTP/1.1 200 OK\r\nX-Drip: ", b"a" * 2000),
    "informational": sends(*[b"HTTP/1.1 102 Processing\r\n\r\n"] * 2000, pause_s=0.05),
    "body": drips(b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n", b" " * 2000),
    "error body": drips(b"HTTP/1.1 401 No\r\nContent-Length: 2000\r\n\r\n", b" " * 2000),
    "chunks": sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", *[b"1\r\n \r\n"] * 2000, pause_s=0.05),
    "silence": sends(end=False),
    "redirects": sends(b"", response(status="302 Found", Location="/again"), pause_s=0.1),
}


@pytest.mark.parametrize("script", DRIPS.values(), ids=DRIPS)
def test_the_time_limit_holds_for_the_whole_exchange_however_it_drips(script):
    with RawServer(script) as server, pytest.raises(httpx.TimeoutException):
        ended(lambda: fetched(server))


def test_a_server_that_takes_no_bytes_ends_the_sending_in_time():
    given_up = threading.Event()
    with RawServer(lambda connection, head: given_up.wait(HANG_S)) as server, exchange_client(1, timeout=0.5) as client:
        with pytest.raises(httpx.WriteTimeout):
            client.post(server.url, content=b" " * 50_000_000)
        given_up.set()


def test_a_handshake_that_is_never_answered_ends_in_time():
    with (
        RawServer(sends(end=False)) as server,
        exchange_client(1, timeout=0.5) as client,
        pytest.raises(httpx.ConnectTimeout),
    ):
        client.get(server.url.replace("http", "https"))


def test_a_host_that_nobody_looks_up_in_time_is_given_up(monkeypatch):
    searching = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: list("a" * searching.wait(HANG_S)))
    with exchange_client(1, timeout=0.5) as client, pytest.raises(httpx.ConnectTimeout, match="was not found in time"):
        client.get("http://never-found.invalid/")
    searching.set()


def asked_while(raised, script):
    """Return what became of a request that was under way when its caller ended with `raised`; `script` answers then."""
    is_raised = threading.Event()

    def answer(connection, head):
        is_raised.wait(HANG_S)
        script(connection, head)

    def wait_and_raise():
        with interruptible_pool(1) as pool:
            futures.append(pool.submit(client.get, server.url))
            while not server.heads:
                time.sleep(0.01)
            is_raised.set()
            raise raised

    futures = []
    with RawServer(answer) as server, exchange_client(100, timeout=None) as client, pytest.raises(type(raised)):
        ended(wait_and_raise)
    return futures[0]


def test_an_interrupt_ends_an_exchange_soon():
    asked = asked_while(KeyboardInterrupt(), sends(end=False))
    assert isinstance(asked.exception(), InterruptedExchangeError)


@pytest.mark.parametrize(("raised", "grace_s"), [(KeyboardInterrupt(), HANG_S), (ValueError("beside"), 0.1)])
def test_a_reply_under_way_has_a_moment_after_an_interrupt_and_its_whole_time_after_an_error(
    raised, grace_s, monkeypatch
):
    monkeypatch.setattr(deadline, "GRACE_S", grace_s)
    asked = asked_while(raised, sends(b"", response(b"paid for"), pause_s=2 * deadline.POLL_S))
    assert asked.result().text == "paid for"


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def packed(megabytes_, wbits=31):
    packer = zlib.compressobj(9, wbits=wbits)
    return b"".join(packer.compress(bytes(1_000_000)) for _ in range(megabytes_)) + packer.flush()


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request"])
def test_a_body_is_counted_as_it_is_decompressed(status):
    bomb = packed(500)
    before = megabytes()
    with (
        RawServer(sends(response(bomb, status, Content_Encoding="gzip"))) as server,
        pytest.raises(ReplyTooLargeError, match="the body is larger than 3 MB"),
    ):
        fetched(server, 3_000_000, timeout=HANG_S)
    assert len(bomb) < 1_000_000
    assert megabytes() - before < 200


def test_a_small_bomb_is_counted_too():
    small = sends(response(packed(100), Content_Encoding="gzip"))
    with RawServer(small) as server, pytest.raises(ReplyTooLargeError, match="1 MB"):
        fetched(server, timeout=HANG_S)


@pytest.mark.parametrize("encoding", ["gzip, gzip", "deflate, gzip", "br", "zstd", "nonsense"])
def test_a_body_that_is_compressed_otherwise_or_twice_is_not_read(encoding):
    body = gzip.compress(gzip.compress(bytes(100)))
    packed_so = sends(response(body, Content_Encoding=encoding))
    with RawServer(packed_so) as server, pytest.raises(ReplyEncodingError, match="only one of gzip and deflate"):
        fetched(server, timeout=HANG_S)


def test_a_long_body_is_refused_by_its_length_and_else_by_its_bytes():
    told = b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n"
    untold = b"HTTP/1.1 500 No\r\nConnection: close\r\n\r\n"
    with RawServer(sends(told, end=False), sends(untold, *[bytes(100_000)] * 30)) as server:
        for _ in range(2):
            with pytest.raises(ReplyTooLargeError, match="larger than 1 MB"):
                fetched(server, timeout=HANG_S)


@pytest.mark.parametrize("wbits", [31, 15])
def test_a_body_of_the_largest_size_comes_whole(wbits):
    encoding = {31: "gzip", 15: "deflate"}[wbits]
    with RawServer(sends(response(packed(1, wbits), Content_Encoding=encoding))) as server:
        found = fetched(server, timeout=HANG_S)
    assert found.content == bytes(1_000_000)
    assert "content-encoding" not in found.headers


def test_members_of_gzip_are_joined_and_a_cut_one_is_an_error():
    two = gzip.compress(b"one ") + gzip.compress(b"two")
    with RawServer(
        sends(response(two, Content_Encoding="gzip")), sends(response(two[:-4], Content_Encoding="gzip"))
    ) as server:
        assert fetched(server).text == "one two"
        with pytest.raises(ReplyEncodingError, match="ends too early"):
            fetched(server)


def test_a_compressed_reply_without_a_body_is_empty():
    headers = b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 9999999\r\nConnection: close\r\n\r\n"
    with RawServer(sends(headers)) as server, exchange_client(1) as client:
        assert client.head(server.url).content == b""


def test_a_redirect_to_another_server_is_not_followed():
    with RawServer(sends(response(b"stolen"))) as other:
        away = sends(response(status="307 Temporary Redirect", Location=f"{other.url}/v1"))
        with RawServer(away) as server, pytest.raises(RedirectError, match=f"to another one, {other.url}, which"):
            fetched(server, check_redirect=same_server_only)
    assert other.heads == []


@pytest.mark.parametrize(
    "target",
    [
        "http://b.org/",
        "https://a.org:8443/",
        "http://a.org:81/",
        "http://a.org.b.org/",
        "ftp://a.org/",
        "http://a.org:443/",
    ],
)
def test_other_hosts_ports_and_schemes_are_other_servers(target):
    with pytest.raises(RedirectError):
        same_server_only(httpx.URL("http://a.org/v1"), httpx.URL(target))


def test_a_downgrade_to_an_unencrypted_server_is_refused():
    with pytest.raises(RedirectError):
        same_server_only(httpx.URL("https://a.org/v1"), httpx.URL("http://a.org/v1"))


def test_a_redirect_within_the_server_is_followed():
    moved = sends(response(status="308 Permanent Redirect", Location="/v1/"))
    with RawServer(moved, sends(response(b"here"))) as server:
        assert fetched(server, check_redirect=same_server_only).text == "here"


def test_every_address_of_a_host_is_checked_before_it_is_connected_to():
    seen = []

    def check(host, address):
        seen.append((host, str(address)))
        msg = "no"
        raise AddressError(msg)

    with RawServer(sends(response(b"reached"))) as server, pytest.raises(AddressError):
        fetched(server, check_address=check)
    assert (seen, server.heads) == ([("127.0.0.1", "127.0.0.1")], [])


def test_an_address_that_was_checked_is_the_one_that_is_connected_to(monkeypatch):
    addresses = []
    looked_up = socket.getaddrinfo

    def changing(host, port, **options):
        found = looked_up("127.0.0.1" if not addresses else "127.0.0.2", port, **options)
        addresses.extend(info[4][0] for info in found)
        return found

    monkeypatch.setattr(socket, "getaddrinfo", changing)
    checked = []
    with (
        RawServer(sends(response(b"reached"))) as server,
        exchange_client(100, check_address=lambda host, address: checked.append(str(address))) as client,
    ):
        assert client.get(f"http://rebound.invalid:{server.port}/").text == "reached"
    assert checked == addresses == ["127.0.0.1"]


def test_a_connection_that_is_refused_is_said_to_be():
    with RawServer(sends()) as server:
        pass
    with pytest.raises(httpx.ConnectError, match="refused"):
        fetched(server)


def test_a_connection_is_used_again():
    kept = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    def script(connection, head):
        for _ in range(2):
            connection.sendall(kept)
            connection.recv(65536)

    with RawServer(script) as server, exchange_client(10, timeout=HANG_S) as client:
        assert [client.get(server.url).text for _ in range(2)] == ["ok", "ok"]
    assert len(server.heads) == 1


def test_a_proxy_of_the_environment_is_used(monkeypatch):
    with RawServer(sends(response(b"by the proxy"))) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        with exchange_client(100, timeout=HANG_S) as client:
            assert client.get("http://somewhere.invalid/x").text == "by the proxy"
        with RawServer(sends(response(b"direct"))) as server:
            assert fetched(server).text == "direct"
    assert proxy.heads[0].startswith(b"GET http://somewhere.invalid/x ")


@pytest.fixture
def proxied(monkeypatch):
    """Set the proxy of all requests, and no exception."""

    def use(address):
        for name in ("HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("ALL_PROXY", address)

    return use


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_loopback_is_never_reached_by_a_proxy(proxied, host):
    with RawServer(sends(response(b"by the proxy"))) as proxy, RawServer(sends(response(b"direct"))) as server:
        proxied(proxy.url)
        with exchange_client(100, timeout=HANG_S) as client:
            assert client.get(server.url.replace("127.0.0.1", host)).text == "direct"
    assert proxy.heads == []


def error_at(url="http://somewhere.invalid/"):
    with exchange_client(100, timeout=HANG_S) as client, pytest.raises((httpx.TransportError, ExchangeError)) as caught:
        client.get(url)
    return caught.value


def test_a_proxy_that_fails_is_named_without_its_password(proxied):
    with RawServer(sends(response(status="407 Who are you"))) as proxy:
        proxied(proxy.url.replace("://", "://me:word@"))
        refusal = error_at("https://somewhere.invalid/")
    gone = error_at()
    with RawServer(sends(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut")) as cutting:
        proxied(cutting.url)
        cut = error_at()
    assert [type(error) for error in (refusal, gone, cut)] == [
        httpx.ProxyError,
        httpx.ConnectError,
        httpx.RemoteProtocolError,
    ]
    for error, named in ((refusal, proxy), (gone, proxy), (cut, cutting)):
        assert str(error).startswith(f"by the proxy {named.url}: ")
    proxied("nowhere.invalid:3128")
    assert str(error_at()).startswith("by the proxy http://nowhere.invalid:3128: the host 'nowhere.invalid' is not")


@pytest.mark.skipif(find_spec("socksio") is not None, reason="SOCKS is understood")
def test_a_proxy_of_socks_is_refused_in_one_sentence_and_the_loopback_still_answers(proxied):
    proxied("socks5://127.0.0.1:1080")
    with pytest.raises(httpx.ConnectError, match=r"by the proxy socks5://127\.0\.0\.1:1080: SOCKS needs a package"):
        raise error_at()
    with RawServer(sends(response(b"direct"))) as server:
        assert fetched(server).text == "direct"


@pytest.mark.parametrize(
    ("address", "why"),
    [("ftp://somewhere.invalid", "Unknown scheme for proxy"), ("http://a.invalid:b", "Invalid port")],
)
def test_a_proxy_of_another_kind_is_refused(proxied, address, why):
    proxied(address)
    assert str(error_at()).startswith(f"by the proxy {address}: {why}")


@pytest.fixture
def certificate(tmp_path):
    """A certificate of 127.0.0.1 signed by itself, and its key."""
    files = tmp_path / "cert.pem", tmp_path / "key.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    files_told = ["-days", "2", "-keyout", str(files[1]), "-out", str(files[0])]
    try:
        subprocess.run([*made, *files_told, *subject], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl")
    return files


def test_an_encrypted_exchange_reads_whole_bodies_and_ends_in_time(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*map(str, certificate))
    body = bytes(range(256)) * 2000
    with RawServer(sends(response(body), pause_s=0.5), DRIPS["headers"], context=context) as server:
        assert fetched(server, timeout=HANG_S).content == body
        with pytest.raises(httpx.TimeoutException):
            ended(lambda: fetched(server))

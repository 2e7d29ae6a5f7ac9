from document_server import PDF, DocumentServer, Page

from kohaku_lib.documents.fetch.download import http_client
from kohaku_lib.documents.fetch.fetch import FetchPlan, fetch_documents
from kohaku_lib.documents.fetch.ledger import FetchLedger
from kohaku_lib.settings import FetchSettings


def test_passwords_and_tokens_of_addresses_are_not_written_and_the_address_is_known_again(tmp_path):
    ledger, folder = tmp_path / "fetch.jsonl", tmp_path / "docs"

    def fetch(path, present=None):
        rows = {"a": {"url": server.url(path).replace("://", "://me:pass-word@") + "?access_token=t0k3n"}}
        plan = FetchPlan(rows, present or {}, folder)
        with http_client(FetchSettings(allow_private=True)) as client:
            return fetch_documents(plan, client, FetchLedger(ledger), FetchSettings(retries=0, allow_private=True))[
                0
            ].outcome

    with DocumentServer({"/a.pdf?access_token=t0k3n": Page(PDF)}) as server:
        assert fetch("/none.pdf") == "failed"
        assert fetch("/a.pdf") == "fetched"
        assert fetch("/a.pdf", present={"a": folder / "a.pdf"}) == "cached"
    text = ledger.read_text()
    assert "pass-word" not in text
    assert "t0k3n" not in text
    assert "/a.pdf?access_token=***" in text

"""Files that harm whoever reads them, uploaded: read within limits, named as failed, and the others are searchable."""

import time

import pytest
from hang_limit import ended
from hostile_pdfs import endless_pdf, greedy_pdf
from office_bombs import write_bombs
from running_server import running_server

pytestmark = pytest.mark.slow
NOTES = b"# Ferry times\n\nThe ferry to Nida leaves at 9:40 in the morning and carries 64 bicycles.\n"
END_S, POLL_S = 900.0, 0.2
BELOW_THE_LIMIT = 500_000_000


def finished(client, run_id):
    """Wait for the end of a run, while the server answers."""
    while (run := client.get(f"/v1/runs/{run_id}").json())["status"] in ("queued", "running"):
        assert client.get("/healthz").status_code == 200
        time.sleep(POLL_S)
    return run


def uploaded(home, files):
    """Upload the files to a server with small limits, and return the documents by path once the run has ended."""
    with (home / "kohaku.toml").open("a") as file:
        file.write("\n[documents]\ntime_limit_s = 5\nocr = 'off'\nmemory_limit_mb = 768\n")
    with running_server(home) as running:
        client = running.client
        reply = client.post("/v1/documents", files=[("file", one) for one in files])
        assert reply.status_code == 201, reply.text
        run = ended(lambda: finished(client, reply.json()["run"]["run_id"]), END_S)
        assert run["status"] == "succeeded", run["messages"]
        rows = {row["path"]: row for row in client.get("/v1/documents").json()["documents"]}
        answer = client.post("/v1/chat", json={"message": "How many bicycles does the ferry to Nida carry?"}).json()
        assert "64" in answer["content"]
    return rows


def test_files_that_unpack_to_gigabytes_or_never_end_are_named_as_failed(fresh, tmp_path):
    bombs = [(path.name, path.read_bytes()) for path in write_bombs(tmp_path)]
    small = [(f"below{path.suffix}", path.read_bytes()) for path in write_bombs(tmp_path, BELOW_THE_LIMIT)]
    pdfs = [("endless.pdf", endless_pdf()), ("greedy.pdf", greedy_pdf())]
    rows = uploaded(fresh().home, [*bombs, *small, *pdfs, ("ferry.md", NOTES)])
    for name, _ in [*bombs, *small, *pdfs]:
        assert (rows[name]["status"], bool(rows[name]["reason"]), rows[name]["indexed"]) == ("failed", True, False)
    assert rows["ferry.md"]["indexed"]

"""A server on the loopback that speaks OpenAI's Batch API, ends batches as it is told, and counts what it bills.

Faults are consumed in order, one per request to the route that they name: {"route": "files", "status": 500}. Routes:
"files" (upload), "content", "make", "list", "look", "cancel". `after=True` lets the server do its work before it
fails, `drop=True` hangs up in place of a reply, `text=` is sent in its place, `delay_s=` before it.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler
from typing import Any

from kohaku_lib.testing.joined_server import JoinedServer
from kohaku_lib.testing.openai_server import structured_reply

Outcome = Callable[[dict[str, Any]], "dict[str, Any] | None"]


class BatchAPI:
    """`with BatchAPI() as api: ... api.base_url`; `finish` ends every batch that is under way.

    `outcome` gives of a request body what becomes of it: None a reply (by `reply`), else {"status": 400, "message":
    ..., "code": ..., "param": ...}, {"missing": True}, {"line": "raw text"} or {"expired": True}.
    """

    def __init__(
        self,
        faults: Iterable[dict[str, Any]] = (),
        *,
        reply: Callable[[dict[str, Any]], str] = structured_reply,
        outcome: Outcome = lambda body: None,
        at_once: bool = False,
    ) -> None:
        self.faults = list(faults)
        self.reply, self.outcome = reply, outcome
        self.at_once = at_once  # batches end when they are first looked at
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.billed: list[str] = []  # bodies that a model was asked with
        self.seen: list[str] = []  # routes, in order
        self.page_size = 100
        self.lock = threading.RLock()
        self._number = itertools.count(1)
        self.http = JoinedServer(type("Handler", (_Handler,), {"owner": self}))
        self.base_url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def __enter__(self) -> BatchAPI:
        self.http.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.http.stop()

    def upload(self, data: bytes) -> dict[str, Any]:
        name = f"file-{next(self._number)}"
        self.files[name] = data
        return {"id": name, "object": "file", "bytes": len(data), "purpose": "batch"}

    def make(self, asked: dict[str, Any]) -> dict[str, Any]:
        made = {
            "id": f"batch_{next(self._number)}",
            "object": "batch",
            "endpoint": asked["endpoint"],
            "completion_window": asked["completion_window"],
            "input_file_id": asked["input_file_id"],
            "metadata": asked.get("metadata"),
            "status": "in_progress",
            "created_at": 0,
            "request_counts": {"total": len(self.requests(asked["input_file_id"])), "completed": 0, "failed": 0},
        }
        self.batches[made["id"]] = made
        return made

    def requests(self, file_id: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.files[file_id].splitlines()]

    def finish(self, status: str = "completed", answered: int | None = None, problem: str | None = None) -> None:
        """End every batch under way as `status`, the first `answered` of its requests answered (all by default)."""
        with self.lock:
            for batch in self.batches.values():
                if batch["status"] in ("in_progress", "cancelling"):
                    self._end(batch, status, answered)
                    if problem:
                        batch["errors"] = {"object": "list", "data": [{"message": problem, "line": 1}]}

    def _end(self, batch: dict[str, Any], status: str, answered: int | None) -> None:
        lines: dict[str, list[str]] = {"output": [], "error": []}
        for place, request in enumerate([] if status == "failed" else self.requests(batch["input_file_id"])):
            in_time = answered is None or place < answered
            kind, line = self._line(request) if in_time else ("error", _expired(request["custom_id"]))
            if line is not None:
                lines[kind].append(line)
        batch["status"] = status
        batch["request_counts"] |= {"completed": len(lines["output"]), "failed": len(lines["error"])}
        for kind, own in lines.items():
            batch[f"{kind}_file_id"] = self.upload("\n".join(own).encode() + b"\n")["id"] if own else None

    def _line(self, request: dict[str, Any]) -> tuple[str, str | None]:
        told = self.outcome(request["body"])
        if told is None or "line" in told:
            self.billed.append(json.dumps(request["body"], sort_keys=True))
        if told is None:
            return "output", _told(request["custom_id"], 200, _completion(request["body"], self.reply(request["body"])))
        if told.get("missing"):
            return "output", None
        if told.get("expired"):
            return "error", _expired(request["custom_id"])
        if "line" in told:
            return "output", told["line"]
        error = {"message": "scripted", "type": "scripted", "code": None, "param": None} | told
        return "error", _told(request["custom_id"], told["status"], {"error": error})


class _Handler(BaseHTTPRequestHandler):
    owner: BatchAPI
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].removeprefix("/v1")
        if found := re.fullmatch(r"/files/([\w-]+)/content", path):
            self._serve("content", lambda: self.owner.files[found[1]])
        elif path == "/batches":
            self._serve("list", self._page)
        elif found := re.fullmatch(r"/batches/(\w+)", path):
            self._serve("look", lambda: self._look(found[1]))
        else:
            self._send(404, _error("no such path"))

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        path = self.path.removeprefix("/v1")
        if path == "/files":
            self._serve("files", lambda: self.owner.upload(_part(sent, self.headers["Content-Type"])))
        elif path == "/batches":
            self._serve("make", lambda: self.owner.make(json.loads(sent)))
        elif found := re.fullmatch(r"/batches/(\w+)/cancel", path):
            self._serve("cancel", lambda: self._cancel(found[1]))
        else:
            self._send(404, _error("no such path"))

    def log_message(self, *args: Any) -> None:
        """Keep standard error clean."""

    def _page(self) -> dict[str, Any]:
        newest = list(reversed(self.owner.batches.values()))
        after = re.search(r"after=(\w+)", self.path)
        start = 1 + [one["id"] for one in newest].index(after[1]) if after else 0
        page = newest[start : start + self.owner.page_size]
        return {"object": "list", "data": page, "has_more": start + len(page) < len(newest)}

    def _look(self, batch_id: str) -> dict[str, Any]:
        if self.owner.at_once:
            self.owner.finish()
        return self.owner.batches[batch_id]

    def _cancel(self, batch_id: str) -> dict[str, Any]:
        self.owner.batches[batch_id]["status"] = "cancelling"
        return self.owner.batches[batch_id]

    def _serve(self, route: str, work: Callable[[], Any]) -> None:
        with self.owner.lock:
            self.owner.seen.append(route)
            fault = next((one for one in self.owner.faults if one["route"] == route), None)
            if fault is not None:
                self.owner.faults.remove(fault)
            try:
                done = work() if fault is None or fault.get("after") else None
            except KeyError:
                self._send(404, _error("no such batch"))
                return
        self.owner.http.pause((fault or {}).get("delay_s", 0))
        if fault is None:
            self._send(200, done if isinstance(done, bytes) else json.dumps(done).encode())
        elif fault.get("drop"):
            self.close_connection = True
            self.connection.close()
        elif "text" in fault:
            self._send(200, fault["text"].encode())
        else:
            self._send(fault["status"], _error(fault.get("message", "scripted")))

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _part(sent: bytes, content_type: str) -> bytes:
    """Return the bytes of the file in a multipart form."""
    boundary = content_type.split("boundary=")[1].encode()
    for part in sent.split(b"--" + boundary):
        head, _, data = part.partition(b"\r\n\r\n")
        if b"filename=" in head:
            return data.removesuffix(b"\r\n")
    raise KeyError("file")


def _told(key: str, status: int, body: dict[str, Any]) -> str:
    response = {"status_code": status, "request_id": "r", "body": body}
    return json.dumps({"id": f"batch_req_{key[:6]}", "custom_id": key, "response": response, "error": None})


def _expired(key: str) -> str:
    error = {
        "code": "batch_expired",
        "message": "This request could not be executed before the completion window expired.",
    }
    return json.dumps({"id": "x", "custom_id": key, "response": None, "error": error})


def _completion(body: dict[str, Any], text: str) -> dict[str, Any]:
    words = len(str(body["messages"][-1]["content"]).split())
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": body["model"],
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": words, "completion_tokens": len(text.split())},
    }


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "scripted", "code": None, "param": None}}).encode()

"""A server on the loopback that speaks the OpenAI protocol (chat, embeddings) and /rerank, fails on demand and counts its bills.

Run it by hand with `python -m kohaku_lib.testing.openai_server --port 0`; it prints its base URL. Faults are consumed in
order, one per request; without one, a request gets a structured answer derived from its prompt, vectors derived
from the words of its texts, or as a score the share of the query's words that a document has.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from kohaku_lib.testing.joined_server import JoinedServer

MODEL = "loopback-model"  # the one that it names; it answers to any name
_HANG_S = 120.0  # no healthy request waits so long for others
_FENCED = re.compile(r"<excerpts>(.*)</excerpts>", re.DOTALL)
_MARKER = re.compile(r"\[(?:ref_id=(?!\.\.\.))?([^\]\s]+)\](?: \([^)]*\))?([^\[]*)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


class OpenAIServer:
    """A server in a thread of its own: `with OpenAIServer() as server: ... server.base_url`.

    A fault is a dictionary of `kind` and its options, see `_FAULTS`. `requests` holds every request body; `billed`
    what was answered in full; `most_in_flight` the most requests that waited out `delay_s` at once. Before `together` of
    them were there at once, none is answered.
    """

    def __init__(  # noqa: PLR0913
        self,
        faults: Iterable[dict[str, Any]] = (),
        *,
        reply: Callable[[dict[str, Any]], str] | None = None,
        delay_s: float = 0.0,
        together: int = 1,
        port: int = 0,
        most_chars: int | None = None,
        odds: Callable[[dict[str, Any]], dict[str, float]] | None = None,
        adjust: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        self.faults = list(faults)
        self.reply = reply or structured_reply
        self.delay_s, self._together = delay_s, together
        self.most_chars = most_chars  # of the longest text to be embedded
        self.odds = odds  # the first token's candidates, where a chat asks for them
        self.adjust = adjust  # changes a completion before it is sent
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.billed: list[str] = []
        self.most_in_flight = self._in_flight = 0
        self.lock = threading.Lock()
        self._arrived = threading.Condition(self.lock)
        self.http = JoinedServer(type("Handler", (_Handler,), {"owner": self}), port)
        self.base_url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def __enter__(self) -> OpenAIServer:
        self.http.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.http.stop()

    def serve(self) -> None:
        """Serve in this thread until interrupted."""
        self.http.serve_forever()

    @contextmanager
    def in_flight_with_others(self) -> Iterator[None]:
        """Count a request for the block, which begins once `together` of them were there at once."""
        with self._arrived:
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
            self._arrived.notify_all()
            assert self._arrived.wait_for(lambda: self.most_in_flight >= self._together, _HANG_S), (
                "the others never came"
            )
        try:
            yield
        finally:
            with self.lock:
                self._in_flight -= 1

    def stats(self) -> dict[str, int]:
        """Return how many requests came, how many were billed, and how many of those were distinct prompts."""
        with self.lock:
            return {"requests": len(self.requests), "billed": len(self.billed), "distinct": len(set(self.billed))}


def structured_reply(request: dict[str, Any]) -> str:
    """Return an answer made of the first number of the first excerpt that has one, blank where none has."""
    prompt = prompt_of(request)
    fenced = _FENCED.search(prompt)
    for ref_id, text in _MARKER.findall(fenced[1] if fenced else prompt):
        number = _NUMBER.search(text)
        if number:
            sentence = text[max(0, number.start() - 40) : number.end() + 20].strip()
            return json.dumps(
                {
                    "explanation": "It stands in the snippet.",
                    "answer": f"It is {number[0]}.",
                    "answer_value": number[0],
                    "ref_id": [ref_id],
                    "supporting_materials": sentence,
                }
            )
    return json.dumps({"explanation": "Nothing.", "answer": "is_blank", "answer_value": "is_blank", "ref_id": []})


def prompt_of(request: dict[str, Any]) -> str:
    """Return the text of the last message of a request body."""
    return str(request["messages"][-1]["content"])


class _Handler(BaseHTTPRequestHandler):
    owner: OpenAIServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path.endswith("/models"):
            self._send(200, json.dumps({"data": [{"id": MODEL, "object": "model", "owned_by": "loopback"}]}))
        else:
            self._send(200, json.dumps(self.owner.stats()))

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        if len(sent) < int(self.headers["Content-Length"]):  # the caller was killed while it sent
            self.close_connection = True
            return
        body = json.loads(sent)
        if self.path.endswith("/faults"):
            with self.owner.lock:
                self.owner.faults.extend(body)
            self._send(200, "{}")
            return
        if not self.path.endswith(("/chat/completions", "/embeddings", "/rerank")):
            self._send(404, _error("no such path", None))
            return
        with self.owner.lock:
            self.owner.requests.append(body)
            self.owner.headers.append({name.lower(): value for name, value in self.headers.items()})
            fault = self.owner.faults.pop(0) if self.owner.faults else {"kind": "ok"}
        with self.owner.in_flight_with_others():
            self.owner.http.pause(self.owner.delay_s)
        try:
            _FAULTS[fault["kind"]](self, body, fault)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep standard error clean."""

    def answer(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        most_chars = self.owner.most_chars
        if most_chars and any(len(text) > most_chars for text in body.get("input") or body.get("documents") or ()):
            self._send(400, _error("This model's maximum context length is exceeded", "context_length_exceeded"))
            return
        self._bill(body)
        if body.get("stream") and not fault.get("whole"):
            self._send_parts(body, fault)
            return
        self._send(200, self._reply_to(body, fault.get("text")))

    def cut(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        """Send the first `parts` words of a reply in parts, then hang up; with `error` an event that says why."""
        self._bill(body)
        self._send_parts(body, fault, fault["parts"])

    def _send_parts(self, body: dict[str, Any], fault: dict[str, Any], most: int | None = None) -> None:
        completion = json.loads(self._reply_to(body, fault.get("text")))
        words = fault.get("pieces") or re.findall(r"\S+\s*|\s+", completion["choices"][0]["message"]["content"])
        deltas = [{"choices": [{"delta": {"content": word}, "finish_reason": None}]} for word in words[:most]]
        events = [": a comment", *(f"data: {json.dumps(delta)}" for delta in deltas)]
        if most is None:
            events.append(f"data: {json.dumps({'choices': [{'delta': {}, 'finish_reason': 'stop'}]})}")
            events.append(f"data: {json.dumps({'choices': [], 'usage': completion['usage']})}")
            events.append("data: [DONE]")
        elif "error" in fault:
            events.append(f"data: {json.dumps({'error': {'message': fault['error']}})}")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(f"{event}\n\n".encode())
            self.wfile.flush()
        self.close_connection = True

    def slow(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        self.owner.http.pause(fault["seconds"])
        self.answer(body, fault)

    def held(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        """Bill the request and never answer it."""
        self._bill(body)
        self.owner.http.pause(threading.TIMEOUT_MAX)

    def drip(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        """Send blanks every 20 ms for a while, as servers do to keep a connection alive, then the reply."""
        text = self._reply_to(body)
        blanks = int(fault["seconds"] / 0.02)
        self._head(200, blanks + len(text.encode()), "application/json", {})
        for _ in range(blanks):
            self.wfile.write(b" ")
            self.wfile.flush()
            self.owner.http.pause(0.02)
        self.wfile.write(text.encode())

    def status(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        text = _error(fault.get("message", "scripted"), fault.get("code"), fault.get("param"))
        self._send(fault["status"], text, fault.get("headers", {}))

    def drop(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        """Promise a whole body, send half of it, and hang up."""
        text = self._reply_to(body).encode()
        self._head(200, len(text), "application/json", {})
        self.wfile.write(text[: len(text) // 2])
        self.wfile.flush()
        self.close_connection = True

    def no_choices(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        self._send(200, json.dumps({"id": "x", "object": "chat.completion", "choices": []}))

    def empty_text(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        self._send(200, json.dumps(_completion(body, "")))

    def malformed(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        self._send(200, '{"id": "x", "choices": [{"mess')

    def reported(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        self._send(200, _error(fault.get("message", "scripted"), fault.get("code")))

    def wrong_type(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        self._bill(body)
        self._send(200, self._reply_to(body), kind="text/plain")

    def page(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        self._send(200, "<html><body>Bad gateway</body></html>", kind="text/html")

    def wrong_count(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        self._send(200, json.dumps(_embeddings(body) | {"data": _embeddings(body)["data"][1:]}))

    def unequal_dims(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        reply = _embeddings(body)
        reply["data"][-1]["embedding"].pop()
        self._send(200, json.dumps(reply))

    def no_vectors(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        reply = _embeddings(body)
        reply["data"][0]["embedding"] = fault["value"]
        self._send(200, json.dumps(reply))

    def results(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        self._send(200, json.dumps({"results": fault["value"]}))

    def shuffled(self, body: dict[str, Any], fault: dict[str, Any]) -> None:
        """Send the vectors backwards, as base64, and no usage."""
        data = _embeddings(body)["data"]
        for item in data:
            packed = struct.pack(f"<{len(item['embedding'])}f", *item["embedding"])
            item["embedding"] = base64.b64encode(packed).decode()
        self._send(200, json.dumps({"object": "list", "data": data[::-1]}))

    def _reply_to(self, body: dict[str, Any], text: str | None = None) -> str:
        if "input" in body:
            return json.dumps(_embeddings(body))
        if "documents" in body:
            return json.dumps({"results": _ranking(body)})
        completion = _completion(body, text or self.owner.reply(body))
        if self.owner.odds is not None and body.get("logprobs"):
            completion["choices"][0]["logprobs"] = _logprobs(self.owner.odds(body))
        if self.owner.adjust is not None:
            self.owner.adjust(completion)
        return json.dumps(completion)

    def _bill(self, body: dict[str, Any]) -> None:
        with self.owner.lock:
            self.owner.billed.append(json.dumps(body, sort_keys=True))

    def _send(
        self, status: int, text: str, headers: dict[str, str] | None = None, kind: str = "application/json"
    ) -> None:
        data = text.encode()
        self._head(status, len(data), kind, headers or {})
        self.wfile.write(data)
        self.wfile.flush()

    def _head(self, status: int, length: int, kind: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(length), **headers}.items():
            self.send_header(name, value)
        self.end_headers()


_FAULTS: dict[str, Callable[[Any, dict[str, Any], dict[str, Any]], None]] = {
    "ok": _Handler.answer,  # text=
    "status": _Handler.status,  # status=, message=, code=, param=, headers=
    "cut": _Handler.cut,  # parts=, text=, error=: a reply in parts that ends early
    "slow": _Handler.slow,  # seconds=
    "held": _Handler.held,
    "drip": _Handler.drip,  # seconds=
    "drop": _Handler.drop,
    "no_choices": _Handler.no_choices,
    "empty_text": _Handler.empty_text,
    "malformed": _Handler.malformed,
    "reported": _Handler.reported,  # message=, code=: an error under status 200
    "wrong_type": _Handler.wrong_type,
    "page": _Handler.page,
    "wrong_count": _Handler.wrong_count,  # of vectors
    "unequal_dims": _Handler.unequal_dims,
    "no_vectors": _Handler.no_vectors,  # value=, in the place of the first one
    "shuffled": _Handler.shuffled,
    "results": _Handler.results,  # value=, of /rerank
}


def word_vector(text: str, dimensions: int = 16) -> list[float]:
    """Return how often the words of `text` fall into each of `dimensions` classes, one more in the first."""
    counts = [1.0] + [0.0] * (dimensions - 1)
    for word in text.lower().split():
        counts[hashlib.sha256(word.encode()).digest()[0] % dimensions] += 1.0
    return counts


def _embeddings(request: dict[str, Any]) -> dict[str, Any]:
    texts, dimensions = request["input"], request.get("dimensions", 16)
    vectors = [word_vector(text, dimensions) for text in texts]
    words = sum(len(text.split()) for text in texts)
    return {
        "object": "list",
        "model": request.get("model"),
        "data": [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)],
        "usage": {"prompt_tokens": words, "total_tokens": words},
    }


def shared_words(query: str, document: str) -> float:
    """Return the share of the words of `query` that `document` has."""
    words = set(query.lower().split())
    return len(words & set(document.lower().split())) / len(words)


def _ranking(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The best first, as servers send them."""
    scores = [shared_words(request["query"], document) for document in request["documents"]]
    ranked = sorted(range(len(scores)), key=lambda at: -scores[at])
    return [{"index": at, "relevance_score": scores[at]} for at in ranked]


def _logprobs(odds: dict[str, float]) -> dict[str, Any]:
    candidates = [{"token": token, "logprob": logprob} for token, logprob in odds.items()]
    return {"content": [{**candidates[0], "top_logprobs": candidates}]}


def _completion(request: dict[str, Any], text: str) -> dict[str, Any]:
    words = len(prompt_of(request).split())
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model"),
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": words,
            "completion_tokens": len(text.split()),
            "total_tokens": words + len(text.split()),
            "prompt_tokens_details": {"cached_tokens": 0},
        },
    }


def _error(message: str, code: str | int | None, param: str | None = None) -> str:
    return json.dumps({"error": {"message": message, "type": "scripted", "code": code, "param": param}})


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay-s", type=float, default=0.0, help="time that every reply takes")
    parser.add_argument("--faults", default="[]", help="JSON list of faults, one per request")
    options = parser.parse_args()
    server = OpenAIServer(json.loads(options.faults), delay_s=options.delay_s, port=options.port)
    sys.stdout.write(server.base_url + "\n")
    sys.stdout.flush()
    server.serve()


if __name__ == "__main__":
    main()

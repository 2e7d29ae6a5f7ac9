"""A chat model for tests that answers from the excerpts of its prompt, as a value or as a text, and with faults."""

import json
import re
from zlib import crc32

from kohaku_lib.prompts import documents_overview
from kohaku_lib.testing.openai_server import prompt_of

_BLOCK = re.compile(r"^\[(?:Source )?(\d+)(?::[^\]]*\]| \([^)\n]*\)|\]) ?(.*?)(?=^---$|^</)", re.MULTILINE | re.DOTALL)
_ASKED = re.compile(r"^Question: (.*)$", re.MULTILINE)
FAULTS = ("none", "none", "none", "invented", "silent", "uncited", "wrong source")


def reply_from_excerpts(body):
    """Return the sentence that shares most words with the question, or a faulty reply, the same for a question each time."""
    if body["messages"][0]["content"].startswith(documents_overview.SYSTEM[:40]):
        return documents_overview.OTHERWISE  # none of its questions is about the documents as such
    prompt = prompt_of(body)
    question = _ASKED.findall(prompt)[-1]
    number, sentence = best_sentence(question, _BLOCK.findall(prompt))
    fault = FAULTS[crc32(question.encode()) % len(FAULTS)]
    if fault == "invented":
        sentence = f"It is {crc32(sentence.encode()) % 9000 + 90_000} in all."
    cited = {"uncited": "", "wrong source": "7"}.get(fault, number)
    if "answer_value" in prompt:
        value = "is_blank" if fault == "silent" else sentence
        refs = [cited] if cited and fault != "silent" else []
        return json.dumps({"answer": value, "answer_value": value, "ref_id": refs, "supporting_materials": sentence})
    if fault == "silent":
        return "The sources do not say."
    return f"{sentence.rstrip('.')} [Source {cited}]." if cited else sentence


def best_sentence(question, blocks):
    """Return the number of a block and that of its sentences which shares most words with a question."""
    asked = set(re.findall(r"\w{4,}", question.lower()))
    sentences = [
        (number, " ".join(sentence.split()))
        for number, text in blocks
        for sentence in re.split(r"(?<=[.!?])\s+", text)
        if sentence.strip()
    ]
    return max(sentences, key=lambda one: len(asked & set(re.findall(r"\w{4,}", one[1].lower()))))

"""The prompt for the intent of a question and the signals of its difficulty."""

from collections.abc import Iterable

VERSION = "question_class.v1"

SIGNALS = {
    "multi-hop": "it asks about something that has to be found first",
    "aggregation": "it asks for a sum, a mean or a count over several texts",
    "relation": "it asks how named things are related",
    "comparison": "it compares things",
    "reasoning": "it asks why or how",
    "temporal": "its answer depends on a time",
    "documents": "it spans several documents",
}
USER = "Question: {question}"


def system(intents: Iterable[str]) -> str:
    """Return the system message that offers these `intents`."""
    signals = "; ".join(f"{name} ({meaning})" for name, meaning in SIGNALS.items())
    return (
        "You sort questions about a collection of documents. Answer with one JSON object and nothing else: "
        f'{{"intent": one of {", ".join(intents)}, "signals": those of this list that apply: {signals}}}.'
    )

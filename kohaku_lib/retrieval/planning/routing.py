"""Classifies a question (intent, complexity) by rule or by a chat model, and derives its search strategy.

The weights of channels are decided here too: `channel_hints` returns a factor for each channel by the form of the question.
Weights planned by a model (`planner.style = "channels"`) take precedence; `search.prepare` multiplies them with those of the
settings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kohaku_lib.prompts import question_class as wording
from kohaku_lib.retrieval.planning.plan_chat import UnusableReplyError
from kohaku_lib.text.json_replies import last_json_value

HINT = 1.25  # factor of each hint on the weight of its channel
FULL_CONFIDENCE_HITS = 3
TIE_CONFIDENCE = 0.7
SURE = 0.6  # minimum confidence of the rules for which no model is called
BY_FORM = 0.4  # confidence in an intent that only the length of a statement suggests
BY_CHAT = 0.8  # confidence in an intent that a model names


@dataclass(frozen=True, slots=True)
class Route:
    """The intent and complexity of a question, and the resulting search strategy."""

    intent: str
    intent_confidence: float
    complexity: int  # 0 simple, 1 to 3 moderate, from 4 on complex
    signals: tuple[str, ...]  # from which the complexity was computed
    strategy: str
    confidence: float  # in the strategy, 0.5 to 1
    weights: Mapping[str, float] = field(default_factory=dict)  # by channel, times that of the settings
    hyde: bool = False
    step_back: bool = False
    variations: bool = False


def route(question: str) -> Route:
    """Return the route of `question`.

    Complex questions are searched with more results than simple and moderate ones. Aggregations use two stages;
    questions across documents are searched by document. All strategies use every channel: dense-only search of simple
    questions cost 0.14 of the recall@1 on WattBot.

    >>> found = route("How does the energy use of GPT-3 compare with that of BLOOM, and why?")
    >>> found.intent, found.complexity, found.strategy
    ('COMPARISON', 2, 'hybrid')
    """
    return route_of(question, *classify_intent(question), complexity_signals(question))


def route_of(question: str, intent: str, intent_confidence: float, signals: tuple[str, ...]) -> Route:
    """Return the route of a question with this intent and these signals.

    >>> route_of("PUE of site B?", "SUMMARY", 0.9, ("comparison",)).strategy
    'hierarchical'
    """
    complexity = sum(_SIGNALS[name][0] for name in signals)
    strategy = _search_strategy(intent, signals, complexity)
    return Route(
        intent,
        intent_confidence,
        complexity,
        signals,
        strategy,
        _strategy_confidence(complexity, len(signals)),
        channel_hints(question),
        hyde="reasoning" in signals,
        step_back=complexity >= _COMPLEX and "reasoning" in signals,
        variations="comparison" in signals,
    )


def by_complexity(complexity: int) -> tuple[str, int]:
    """Return the strategy for a complexity, and the results per channel.

    >>> [by_complexity(complexity) for complexity in (0, 1, 4)]
    [('dense_only', 5), ('hybrid', 10), ('fusion', 20)]
    """
    if complexity == 0:
        return "dense_only", 5
    return ("fusion", 20) if complexity >= _COMPLEX else ("hybrid", 10)


def classify_intent(question: str) -> tuple[str, float]:
    """Return the intent of `question` with most keyword hits, and its confidence.

    Ties are resolved in the order LIST, COMPARISON, SUMMARY, ANALYTICAL, FACTUAL. The confidence is a third per hit,
    times 0.7 for a tie. Without hits the form of the question decides.

    >>> classify_intent("List all data centres and name their sites")
    ('LIST', 0.6666666666666666)
    >>> classify_intent("show power")
    ('FACTUAL', 0.4)
    """
    hits = {intent: len(pattern.findall(question)) for intent, pattern in _INTENTS.items()}
    most = max(hits.values())
    if most == 0:
        return _intent_by_form(question)
    best = [intent for intent, count in hits.items() if count == most]
    return best[0], min(1.0, most / FULL_CONFIDENCE_HITS) * (TIE_CONFIDENCE if len(best) > 1 else 1.0)


def complexity_signals(question: str) -> tuple[str, ...]:
    """Return the signals of complexity in `question`, matched on whole words only.

    >>> complexity_signals("Show the total power of all sites")
    ('aggregation',)
    """
    return tuple(name for name, (_, pattern) in _SIGNALS.items() if pattern.search(question))


def channel_hints(question: str) -> dict[str, float]:
    """Return the factor on the weight of each channel for `question`.

    Quotes, at most two words, acronyms and digits favour lexical search; seven words and more favour dense search.

    >>> channel_hints("PUE 2023")
    {'dense': 1.0, 'lexical': 1.953125}
    """
    words = question.split()
    literal = [_QUOTE.search(question), len(words) <= _FEW_WORDS, _ACRONYM.search(question), _DIGIT.search(question)]
    return {"dense": HINT if len(words) >= _MANY_WORDS else 1.0, "lexical": min(HINT ** sum(map(bool, literal)), 2.0)}


def classify_by_chat(question: str, question_id: str, chat: Callable[[str, str, str], str], by_rule: Route) -> Route:
    """Return the route of `question` as classified by a model; signals that are counted are taken from the rules.

    Raises:
        UnusableReplyError: The reply names no known intent.

    >>> reply = '{"intent": "comparison", "signals": ["comparison", "aggregation"]}'
    >>> found = classify_by_chat("PUE of A or B?", "q1", lambda *_: reply, route("PUE of A or B?"))
    >>> found.intent, found.strategy
    ('COMPARISON', 'two_stage')
    """
    reply = chat(wording.system(intents()), wording.USER.format(question=question), question_id)
    reply_json = last_json_value(reply, lambda value: isinstance(value, dict) and "intent" in value)
    intent = str(reply_json["intent"]).strip().upper() if reply_json else ""
    if intent not in intents():
        msg = f"a classifier must name one of {', '.join(intents())}, got {reply[:80]!r}; try another planner.model"
        raise UnusableReplyError(msg)
    signal_names = reply_json.get("signals") if reply_json else None
    model_signals = (
        {str(name).strip().lower() for name in signal_names} if isinstance(signal_names, list) else set[str]()
    )
    rule_signals = set(by_rule.signals) - wording.SIGNALS.keys()
    all_signals = tuple(
        name for name in signals() if name in rule_signals or name in model_signals & wording.SIGNALS.keys()
    )
    return route_of(question, intent, BY_CHAT, all_signals)


def intents() -> tuple[str, ...]:
    """Return the names of all intents."""
    return tuple(_INTENTS)


def signals() -> tuple[str, ...]:
    """Return the names of all signals of complexity."""
    return tuple(_SIGNALS)


def _intent_by_form(question: str) -> tuple[str, float]:
    words = question.split()
    if not words:
        return "UNKNOWN", 0.0
    if len(words) <= _FEW_WORDS:
        return "FACTUAL", BY_FORM
    if question.rstrip().endswith("?"):
        return ("ANALYTICAL", 0.5) if _HOW_WHY.match(question) else ("FACTUAL", 0.5)
    return ("SUMMARY", BY_FORM) if len(words) >= _SOME_WORDS else ("FACTUAL", BY_FORM)


def _search_strategy(intent: str, signals: tuple[str, ...], complexity: int) -> str:
    if "aggregation" in signals:
        return "two_stage"
    if "documents" in signals or (intent == "SUMMARY" and complexity > 0):
        return "hierarchical"
    return "fusion" if complexity >= _COMPLEX else "hybrid"


def _strategy_confidence(complexity: int, signals: int) -> float:
    clear = min(0.15, 0.05 * signals)
    return min(1.0, max(0.5, 0.9 - min(0.3, 0.05 * complexity) + clear))


def _word_pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


_COMPLEX = 4
_FEW_WORDS, _SOME_WORDS, _MANY_WORDS, _LONG = 2, 5, 7, 15
_QUOTE = re.compile(r"[\"“”«»]|(?<!\w)'[^']+'(?!\w)")
_ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]+\b")
_DIGIT = re.compile(r"\d")
_HOW_WHY = re.compile(r"\s*(?:how|why)\b(?!\s+(?:many|much|long|large|often|far|old|tall|big))", re.IGNORECASE)

_INTENTS = {  # in the order of tie-breaking
    "LIST": _word_pattern(
        "list", "enumerate", "name (?:all|the|every)", "name their", "which (?:ones|of the)", "what are all"
    ),
    "COMPARISON": _word_pattern(
        "compar(?:e|ed|es|ing|ison)", "versus", "vs", "differ(?:s|ence|ences|ent)?", "than", "between"
    ),
    "SUMMARY": _word_pattern("summar(?:y|ise|ize|ies)", "overview", "main points?", "outline", "describe"),
    "ANALYTICAL": _word_pattern(
        "why", "explain", "reasons?", "causes?", "analy[sz]e", "impacts?", "effects?", "implications?"
    ),
    "FACTUAL": _word_pattern(
        "who", "when", "where", "how (?:many|much|long|old|tall|far|large)", "what (?:is|was|are|were)"
    ),
}
_SIGNALS = {  # (complexity, pattern)
    "multi-hop": (
        2,
        _word_pattern("whose", "of the .{3,60} (?:that|who|which)", "(?:that|who|which) (?:was|is|were|has|had)"),
    ),
    "aggregation": (2, _word_pattern("total", "sum of", "average", "mean of", "overall number", "combined")),
    "relation": (
        2,
        _word_pattern("relat(?:ed|ion|ionship)", "connect(?:ed|ion)", "belongs? to", "owned by", "works? for"),
    ),
    "comparison": (1, _INTENTS["COMPARISON"]),
    "reasoning": (1, _word_pattern("why", "explain", "how does", "how do", "how did", "because", "reasons?")),
    "temporal": (1, _word_pattern("before", "after", "since", "until", "during", "between \\d{4}", "in \\d{4}")),
    "long": (1, re.compile(rf"(?:\S+\s+){{{_LONG},}}\S")),
    "several": (1, re.compile(r"\?.*\?", re.DOTALL)),
    "documents": (
        0,
        _word_pattern("across", "all (?:documents|papers|studies|reports)", "(?:documents|papers) (?:that|which)"),
    ),
}

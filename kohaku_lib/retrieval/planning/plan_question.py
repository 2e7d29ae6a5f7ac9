"""Plans one question: its queries by rule or by a chat model, and the additions of its route."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kohaku_lib.prompts import broader_question as step_back_prompt
from kohaku_lib.prompts import hypothetical_passage as passage_prompt
from kohaku_lib.retrieval.channels.interface import CHANNELS
from kohaku_lib.retrieval.planning.plan_channels import plan_channels, simple_plan
from kohaku_lib.retrieval.planning.plan_chat import UnusableReplyError, plan_by_chat
from kohaku_lib.retrieval.planning.plan_rows import MOST_QUERIES, role_queries
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.retrieval.planning.routing import SURE, Route, by_complexity, classify_by_chat, route
from kohaku_lib.settings import PlannerSettings
from kohaku_lib.tables import PlannedQuery, QueryPlan
from kohaku_lib.text.equal_signs import equal_question
from kohaku_lib.text.json_replies import strip_thinking

PlannerChat = Callable[[str, str, str], str]  # (system prompt, user prompt, question id) -> reply
BY_RANK = "rrf"  # fusion of the variations of a question
MOST_PASSAGE_CHARS = 500
MOST_QUESTION_CHARS = 300  # of a step-back question
_FUSED_QUERIES = 3  # of a complex question, itself included
_ALL_WAYS = {"style": "variations", "hyde": "always", "step_back": "always"}
ABSTRACT_WORDS = 5  # questions with fewer words are too short to be close to their answers


@dataclass(slots=True)
class PlanningOutcome:
    """A plan, its problems, and whether an external failure left a gap that a retry may fill."""

    plan: QueryPlan
    problems: list[str] = field(default_factory=list)
    is_gap: bool = False

    def failed(self, what: str, error: Exception) -> None:
        """Record the failure of a part of the plan."""
        self.problems.append(f"{what} failed: {error}")
        self.is_gap = self.is_gap or not isinstance(error, UnusableReplyError)


def plan_question(
    question: str, question_id: str, settings: PlannerSettings, chat: PlannerChat | None
) -> PlanningOutcome:
    """Return the plan of a non-empty question; without `chat` by rule, without passages and step-back questions.

    Parts that fail are omitted and recorded. A plan has at most eight queries.
    """
    question = equal_question(question)
    outcome = PlanningOutcome(QueryPlan(question_id))
    question_route = _find_route(question, question_id, settings, chat, outcome)
    if chat and question_route is not None and settings.routing == "complexity" and _is_fused(question_route):
        update = _ALL_WAYS | {"max_queries": max(settings.max_queries, _FUSED_QUERIES)}
        settings = settings.model_copy(update=update)
    outcome.plan = _plan_queries(question, question_id, settings, chat, question_route, outcome)
    if chat is not None:
        _add_made_up(question, question_id, settings, chat, question_route, outcome)
    outcome.plan = replace(outcome.plan, queries=outcome.plan.queries[:MOST_QUERIES])
    if question_route is not None:
        outcome.plan = _add_route(outcome.plan, question_route, settings)
    return outcome


def _find_route(
    question: str, question_id: str, settings: PlannerSettings, chat: PlannerChat | None, outcome: PlanningOutcome
) -> Route | None:
    if settings.routing == "off":
        return None
    by_rule = route(question)
    is_sure = settings.routing != "rules" or by_rule.intent_confidence >= SURE
    if chat is None or is_sure or settings.classifier != "chat":
        return by_rule
    try:
        return classify_by_chat(question, question_id, chat, by_rule)
    except Exception as error:
        outcome.failed("the classifier", error)
        return by_rule


def _plan_queries(
    question: str,
    question_id: str,
    settings: PlannerSettings,
    chat: PlannerChat | None,
    question_route: Route | None,
    outcome: PlanningOutcome,
) -> QueryPlan:
    if chat is None:
        return QueryPlan(question_id, role_queries(plan_by_rule(question, settings.max_queries)))
    style = "variations" if question_route and question_route.variations else settings.style
    try:
        return _plan_by_chat(question, question_id, settings.max_queries, chat, style)
    except Exception as error:
        outcome.failed("the planner", error)
        if style == "channels":
            return simple_plan(question, question_id)
        return QueryPlan(question_id, role_queries([question]))


def _plan_by_chat(question: str, question_id: str, max_queries: int, chat: PlannerChat, style: str) -> QueryPlan:
    if style == "channels":
        return plan_channels(question, question_id, chat)
    queries = role_queries(plan_by_chat(question, question_id, max_queries, chat, variations=style == "variations"))
    if style != "variations":
        return QueryPlan(question_id, queries)
    # Each variation covers the whole question, so each has the weight of the question itself.
    return QueryPlan(question_id, tuple(replace(query, weight=1.0) for query in queries), merge=BY_RANK)


def _add_made_up(
    question: str,
    question_id: str,
    settings: PlannerSettings,
    chat: PlannerChat,
    question_route: Route | None,
    outcome: PlanningOutcome,
) -> None:
    """Add the hypothetical passage and the step-back question, if enabled, in place of planned queries."""
    extra_queries: list[PlannedQuery] = []
    if _is_enabled(settings.hyde, is_abstract(question) or bool(question_route and question_route.hyde)):
        try:
            extra_queries.append(PlannedQuery(hypothetical_passage(question, question_id, chat), "hyde", ("dense",)))
        except Exception as error:
            outcome.failed("the hypothetical passage", error)
    if _is_enabled(settings.step_back, bool(question_route and question_route.step_back)):
        try:
            extra_queries.append(PlannedQuery(broader_question(question, question_id, chat), "step_back"))
        except Exception as error:
            outcome.failed("the step back", error)
    queries = outcome.plan.queries[: MOST_QUERIES - len(extra_queries)]
    outcome.plan = replace(outcome.plan, queries=(*queries, *extra_queries))


def _is_enabled(setting: str, is_called_for: bool) -> bool:
    return setting == "always" or (setting == "auto" and is_called_for)


def _add_route(plan: QueryPlan, question_route: Route, settings: PlannerSettings) -> QueryPlan:
    """Return `plan` with the route, or with the strategy forced by the settings; its weights override the hints."""
    forced = None if settings.routing == "rules" else settings.routing
    limits: dict[str, int] = {}
    weights = question_route.weights if settings.routing == "rules" else {}
    if settings.routing == "complexity":
        forced, results = by_complexity(question_route.complexity)
        limits = dict.fromkeys(CHANNELS.names(), results)
        if not _is_fused(question_route):  # the further engines are searched for complex questions alone
            weights = {channel.name: 0.0 for channel in CHANNELS if not channel.is_basic}
    return replace(
        plan,
        channel_top_k=limits | dict(plan.channel_top_k),
        weights={**weights, **plan.weights},
        strategy=forced or question_route.strategy,
        intent=plan.intent or question_route.intent,
        intent_confidence=None if plan.intent else question_route.intent_confidence,
        complexity=question_route.complexity,
        signals=question_route.signals,
    )


def _is_fused(question_route: Route) -> bool:
    return by_complexity(question_route.complexity)[0] == "fusion"


def hypothetical_passage(question: str, question_id: str, chat: Callable[[str, str, str], str]) -> str:
    """Return a passage of at most 500 characters, cut at a word boundary. After Gao et al. (2022), HyDE.

    Raises:
        UnusableReplyError: The reply is empty.

    >>> hypothetical_passage("PUE?", "q1", lambda *_: "<think>hm</think> The PUE was 1.1.")
    'The PUE was 1.1.'
    """
    passage = " ".join(
        strip_thinking(chat(passage_prompt.SYSTEM, passage_prompt.USER.format(question=question), question_id)).split()
    )
    if not passage:
        msg = "a hypothetical passage must have a text, got an empty reply; try another planner.model"
        raise UnusableReplyError(msg)
    if len(passage) <= MOST_PASSAGE_CHARS:
        return passage
    return passage[: MOST_PASSAGE_CHARS + 1].rpartition(" ")[0] or passage[:MOST_PASSAGE_CHARS]


def broader_question(question: str, question_id: str, chat: Callable[[str, str, str], str]) -> str:
    """Return a more general question than `question`. After Zheng et al. (2023), step-back prompting.

    Raises:
        UnusableReplyError: The reply is empty, too long, or the same question.

    >>> broader_question("Why did the PUE of site B fall in 2021?", "q1", lambda *_: "What determines a PUE?")
    'What determines a PUE?'
    """
    reply = " ".join(
        strip_thinking(
            chat(step_back_prompt.SYSTEM, step_back_prompt.USER.format(question=question), question_id)
        ).split()
    )
    if not reply or len(reply) > MOST_QUESTION_CHARS or reply.casefold() == question.strip().casefold():
        msg = f"a step back must be one other question, got {reply[:80]!r}; try another planner.model"
        raise UnusableReplyError(msg)
    return reply


def is_abstract(question: str) -> bool:
    """Return whether `question` is too short to be close to its answers."""
    return len(question.split()) < ABSTRACT_WORDS

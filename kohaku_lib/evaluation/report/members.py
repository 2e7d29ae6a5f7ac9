"""The members of an ensemble compared: scores, answers that only one has right, blanks, costs, and pairwise agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kohaku_lib.evaluation.abstention.coverage_risk import risk_curve
from kohaku_lib.evaluation.metrics.scoring import ScoreReport, score_rows
from kohaku_lib.evaluation.voting.members import Rows
from kohaku_lib.values import is_blank, values_equal


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """The figures of one run, or of the vote of all.

    `right` counts right values of answerable questions; `unique` those that no other run has right; `blank` the
    questions left blank, `wrong_blank` the answerable ones among them. `area` is the area under the coverage-risk curve
    with the agreement of the other runs as confidence. `cost_usd` is the cost of its answers, None if unknown. `unique`
    and `area` are None for the vote and for a single run.
    """

    label: str
    scores: ScoreReport
    right: int
    unique: int | None
    blank: int
    wrong_blank: int
    area: float | None
    cost_usd: float | None
    is_vote: bool = False  # a run may have the same label as the vote


def member_facts(
    truth: Rows, members: Mapping[str, Rows], vote: tuple[str, Rows] | None, costs: Mapping[str, float]
) -> tuple[MemberFacts, ...]:
    """Return the figures of all runs, and of the `vote` of several, best first by the official metric."""
    truth_by_id = {row["id"]: row for row in truth}
    reports = {label: score_rows(truth, rows, "wattbot") for label, rows in members.items()}
    right_by_label = {label: right_ids(report, truth_by_id) for label, report in reports.items()}
    member_figures = []
    for label, report in reports.items():
        others = set().union(*(ids for other, ids in right_by_label.items() if other != label))
        alone = (
            (
                len(right_by_label[label] - others),
                _agreement_risk_area(label, members, truth_by_id, right_by_label[label]),
            )
            if len(members) > 1
            else None
        )
        member_figures.append(_build_facts(label, report, members[label], truth_by_id, alone, costs.get(label)))
    if vote:
        label, rows = vote
        known_costs = [costs[name] for name in members if name in costs]
        cost = sum(known_costs) if len(known_costs) == len(members) else None
        facts = _build_facts(label, score_rows(truth, rows, "wattbot"), rows, truth_by_id, None, cost)
        member_figures.append(replace(facts, is_vote=True))
    return tuple(sorted(member_figures, key=lambda one: -one.scores.score))


def right_ids(report: ScoreReport, truth: Mapping[str, Mapping[str, str]]) -> set[str]:
    """Return the ids of the answerable questions whose value is right."""
    return {row.id for row in report.rows if row.value == 1.0 and not is_blank(truth[row.id]["answer_value"])}


def agreements(truth: Rows, members: Mapping[str, Rows]) -> list[list[float]]:
    """Return for each pair of runs the share of the labelled questions that both answer equally, including blanks.

    Questions that one of the two lacks are skipped; without a shared question the share is 0.

    >>> rows = [{"id": "q", "answer_value": "5,000"}]
    >>> agreements(rows, {"a": rows, "b": [{"id": "q", "answer_value": "5000"}]})
    [[1.0, 1.0], [1.0, 1.0]]
    """
    ids = {row["id"] for row in truth}
    values = [
        {row["id"]: row.get("answer_value") or "" for row in rows if row["id"] in ids} for rows in members.values()
    ]
    return [[_answer_agreement(one, other) for other in values] for one in values]


def _answer_agreement(one: Mapping[str, str], other: Mapping[str, str]) -> float:
    shared_ids = [name for name in one if name in other]
    equal_count = sum(
        is_blank(one[name]) == is_blank(other[name]) and (is_blank(one[name]) or values_equal(one[name], other[name]))
        for name in shared_ids
    )
    return equal_count / len(shared_ids) if shared_ids else 0.0


def _agreement_risk_area(
    label: str, members: Mapping[str, Rows], truth: Mapping[str, Mapping[str, str]], right: set[str]
) -> float:
    values_by_label = {
        name: {row["id"]: row.get("answer_value") or "" for row in rows if row["id"] in truth}
        for name, rows in members.items()
    }
    own_values = {name: value for name, value in values_by_label[label].items() if not is_blank(value)}
    others = [values for name, values in values_by_label.items() if name != label]
    agreement_counts = [
        sum(values_equal(value, values.get(name, "")) for values in others) for name, value in own_values.items()
    ]
    return risk_curve(agreement_counts, [name in right for name in own_values]).area


def _build_facts(
    label: str,
    report: ScoreReport,
    rows: Sequence[Mapping[str, str]],
    truth: Mapping[str, Mapping[str, str]],
    alone: tuple[int, float] | None,
    cost_usd: float | None,
) -> MemberFacts:
    blank = [row["id"] for row in rows if row["id"] in truth and is_blank(row.get("answer_value"))]
    wrong_blanks = [name for name in blank if not is_blank(truth[name]["answer_value"])]
    unique, area = alone or (None, None)
    return MemberFacts(
        label, report, len(right_ids(report, truth)), unique, len(blank), len(wrong_blanks), area, cost_usd
    )

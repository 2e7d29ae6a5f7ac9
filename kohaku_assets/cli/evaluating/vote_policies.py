"""`kohaku vote-policies`: score every way to join files of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import PATH, KindOption, checks_settings, json_option
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS

if TYPE_CHECKING:
    from kohaku_lib.evaluation.voting.vote_policies import PolicyScore
    from kohaku_lib.evaluation.voting.vote_sizes import SizeScore, VaryBy


@click.command("vote-policies")
@click.argument("runs", type=PATH, nargs=-1, required=True)
@click.option("--truth", type=PATH, required=True, help="CSV with the true answers.")
@click.option("--metric", type=KindOption(ANSWER_METRICS), default="wattbot", show_default=True)
@click.option("--pools", type=click.IntRange(min=0), default=0, show_default=True, help="Random pools of 5 to 10 runs.")
@click.option(
    "--sizes",
    type=click.Choice(["ref_mode", "ignore_blank", "tie_break"]),
    help="Instead: votes of 1, 3, … 15 of the runs by the values of this setting of [ensemble].",
)
@verb(
    "kohaku answer --questions data/sample/questions.csv --out run.csv --runs 3\n"
    "      kohaku vote-policies run.1.csv run.2.csv run.3.csv --truth data/sample/questions.csv"
)
@json_option
@checks_settings
def vote_policies_command(
    runs: tuple[Path, ...], truth: Path, metric: Any, pools: int, sizes: VaryBy | None, as_json: bool
) -> None:
    """Score every policy for combining RUNS, files of answers to the same questions, best first.

    Covers the modes, blanks and ties of 'kohaku vote', with 95 % intervals and the p-value against the default. A
    single pool may favour a policy by chance: --pools scores each on random subsets of the runs, and sorts by that.
    --sizes votes over up to 32 evenly spaced combinations of each number of runs.
    """
    from kohaku_lib.answering import label_paths
    from kohaku_lib.evaluation import read_rows
    from kohaku_lib.evaluation.statistics.intervals import few_documents
    from kohaku_lib.evaluation.voting.vote_policies import score_policies
    from kohaku_lib.evaluation.voting.vote_sizes import score_sizes

    rows_by_run = {label: read_rows(path) for label, path in zip(label_paths(runs), runs, strict=True)}
    if sizes is not None:
        _show_sizes(score_sizes(rows_by_run, read_rows(truth), sizes, metric), sizes, metric, as_json=as_json)
        return
    scores = score_policies(rows_by_run, read_rows(truth), metric, pools)
    if as_json:
        print_json([_policy_json(one) for one in scores])
        return
    columns = ("mode", "blanks", "ties", metric, "95 % interval", "value", "ref", "na", "p", "pools", "no worse")
    print_table(f"{len(runs)} runs, {scores[0].report.n} questions", columns, [_policy_row(one) for one in scores])
    if warning := few_documents(one.report.interval for one in scores):
        say(warning)
    if not pools:
        say("this ranking rests on one pool of runs; --pools 20 scores the policies on random subsets of it")


def _show_sizes(scores: Sequence[SizeScore], vary: str, metric: str, *, as_json: bool) -> None:
    if as_json:
        print_json([asdict(one) for one in scores])
        return
    rows = [(one.value, one.runs, one.combinations, one.mean, f"{one.deviation:.4f}") for one in scores]
    print_table("", (f"ensemble.{vary}", "runs", "combinations", metric, "±"), rows)


def _policy_row(one: PolicyScore) -> tuple[Any, ...]:
    policy, report = one.policy, one.report
    blanks, ties = ("weighed", "weighed") if one.is_default else (_blanks(policy.ignore_blank), policy.tie_break)
    p_value = "default" if one.p_value is None else f"{one.p_value:.3f}"
    parts = (report.score, report.interval.text(), report.value, report.ref, report.na)
    return (policy.ref_mode, blanks, ties, *parts, p_value, one.pools_mean, one.pools_won)


def _blanks(ignored: bool) -> str:
    return "ignored" if ignored else "counted"


def _policy_json(one: PolicyScore) -> dict[str, Any]:
    report, policy = one.report, one.policy
    settings = {"ref_mode": policy.ref_mode}
    if not one.is_default:
        settings |= {"ignore_blank": policy.ignore_blank, "tie_break": policy.tie_break}
    interval = report.interval
    parts = {"score": report.score, "interval": [interval.low, interval.high], "clusters": interval.clusters}
    parts |= {"n": report.n, "value": report.value, "ref": report.ref, "na": report.na}
    return settings | parts | {"p_value": one.p_value, "pools_mean": one.pools_mean, "pools_won": one.pools_won}

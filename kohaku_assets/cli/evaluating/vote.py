"""`kohaku vote`: join several files of answers into one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import PATH, KindOption, with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import verb
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.voting.modes.interface import TIE_BREAKS, VOTE_MODES

if TYPE_CHECKING:
    import pyarrow as pa

    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.tables import StageReport


@click.command("vote")
@click.argument("runs", type=PATH, nargs=-1)
@click.option(
    "--experiments",
    metavar="NAME[,NAME…]",
    multiple=True,
    help="Also the answers of recorded experiments; see 'kohaku experiment'.",
)
@click.option("--out", type=PATH, required=True, help="CSV to write.")
@click.option(
    "--mode",
    "--ref-mode",
    "ref_mode",
    type=KindOption(VOTE_MODES),
    help="How values and references are combined in the vote.",
)
@click.option("--tie-break", type=KindOption(TIE_BREAKS), help="How ties are resolved.")
@click.option("--ignore-blank/--keep-blank", default=None, help="Whether blank votes count.")
@click.option(
    "--calibrate",
    multiple=True,
    metavar="TRUTH.csv[:RUN.csv]",
    help="Weight a run by labelled answers of the same member; once per run, in their order. TRUTH.csv alone, once: "
    "the runs themselves answer some of its questions.",
)
@verb(
    "kohaku answer --questions data/sample/questions.csv --out run.csv --runs 3\n"
    "      kohaku vote run.1.csv run.2.csv run.3.csv --out voted.csv"
)
@with_settings
def vote_command(
    project: Project,
    runs: tuple[Path, ...],
    experiments: tuple[str, ...],
    out: Path,
    calibrate: tuple[str, ...],
    **options: Any,
) -> None:
    """Combine RUNS, files of answers to the same questions, by the highest expected score or by majority."""
    from kohaku_assets.experiments.experiment_records import experiment_answers
    from kohaku_lib.evaluation import calibrate_files, vote_files, write_csv

    names = [name.strip() for listed in experiments for name in listed.split(",")]
    runs = (*runs, *(experiment_answers(project, name) for name in names))
    if not runs:
        msg = "a vote needs files of answers or --experiments, got neither; 'kohaku vote --help' has an example"
        raise InputFileError(msg)
    given = {name: value for name, value in options.items() if value is not None}
    if given and "ref_mode" not in given:
        given["ref_mode"] = "answer_priority"  # expected_score handles blanks and ties itself
    policy = project.settings.ensemble.model_copy(update=given)
    calibration = calibrate_files(runs, _calibration_pairs(calibrate, runs)) if calibrate else None
    votes, report = vote_files(runs, policy, calibration)
    write_csv(votes, out, escape_formulas=project.settings.submission.escape_formulas)
    for problem in report.problems:
        say(problem)
    _say_members(votes, report)
    say(f"{votes.num_rows} answers from {len(runs)} runs → {out}")


def _say_members(votes: pa.Table, report: StageReport) -> None:
    """Print the weight of each member, its number of answers, and how often it agrees with the vote."""
    from kohaku_lib.values import is_blank, values_equal

    cast: dict[str, list[tuple[str, str]]] = {}
    for row in votes.to_pylist():
        for entry in json.loads(row["votes_json"]):
            cast.setdefault(entry["member"], []).append((entry["answer_value"], row["answer_value"]))
    width = max(len(member) for member in cast)
    say(f"{'member':<{width}}  weight  answered  as voted")
    for member, pairs in cast.items():
        weight = report.metrics.get(f"weight of {member}")
        weight_text = "" if weight is None else f"{weight:.2f}"
        answer_count = sum(not is_blank(value) for value, _ in pairs)
        agreement_count = sum(values_equal(value, voted) for value, voted in pairs)
        say(f"{member:<{width}}  {weight_text:>6}  {answer_count:>8}  {agreement_count:>8}")


def _calibration_pairs(calibrate: tuple[str, ...], runs: tuple[Path, ...]) -> list[tuple[Path, Path]]:
    """Split each TRUTH:RUN at its last colon; a single truth applies to every run."""
    if len(calibrate) == 1 and Path(calibrate[0]).is_file():
        return [(Path(calibrate[0]), run) for run in runs]
    if len(calibrate) != len(runs):
        msg = f"--calibrate must be given once per run, got {len(calibrate)} for {len(runs)} runs"
        raise InputFileError(msg)
    pairs = [text.rpartition(":") for text in calibrate]
    unsplit = next((run for truth, _, run in pairs if not truth), None)
    if unsplit is not None:
        msg = f"--calibrate takes TRUTH.csv:RUN.csv, got {unsplit!r}"
        raise InputFileError(msg)
    return [(Path(truth), Path(run)) for truth, _, run in pairs]

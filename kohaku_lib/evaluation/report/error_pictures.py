"""The pictures of an error report: error classes, kinds of questions, and the comparison of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kohaku_lib.evaluation.error_classes import RIGHT
from kohaku_lib.evaluation.report.facts import ErrorFacts
from kohaku_lib.evaluation.report.members import MemberFacts
from kohaku_lib.evaluation.report.picture import COLOURS, Picture, percent_axis, short_name
from kohaku_lib.evaluation.report.shares import Share

_WIDTH = 7.2


def class_picture(facts: ErrorFacts) -> Picture:
    """Return the error classes as bars with the number of questions, in pipeline order."""
    class_counts = [(name, count) for name, count in facts.classes.items() if name != RIGHT]
    if not facts.knows_contexts:
        class_counts = [
            (name, count)
            for name, count in class_counts
            if name not in {"document not retrieved", "evidence not in context"}
        ]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        names, counts = zip(*class_counts, strict=True)
        places = range(len(names))
        axes.barh(places, counts, height=0.62, color=COLOURS["orange"])
        _label_rows(axes, names)
        for place, count in zip(places, counts, strict=True):
            text = f"{count}  ({count / facts.questions:.0%})" if count else "0"
            _write_beside(axes, count, place, text, COLOURS["ink"] if count else COLOURS["dim"])
        axes.set_xlim(0, max(*counts, 4) * 1.16)
        axes.set_xlabel(f"questions, of {facts.questions}")
        _whole_numbers(axes)

    counts_text = ", ".join(f"{name} {count}" for name, count in class_counts if count) or "none"
    return Picture(
        "classes", f"Questions by error class: {counts_text}.", (_WIDTH, 0.62 + 0.27 * len(class_counts)), draw
    )


def kind_picture(facts: ErrorFacts) -> Picture:
    """Return the share of right answers by kind of answer and by kind of evidence, with intervals and numbers."""

    def draw(figure: Any) -> None:
        heights = [len(facts.by_kind), len(facts.by_evidence)]
        upper, lower = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": heights})
        _draw_shares(upper, facts.by_kind, "kind of answer")
        _draw_shares(lower, facts.by_evidence, "kind of evidence")
        lower.set_xlabel("right answers, with 95 % interval")

    rows = len(facts.by_kind) + len(facts.by_evidence)
    shares_text = ", ".join(f"{one.label} {one.right} of {one.n}" for one in (*facts.by_kind, *facts.by_evidence))
    return Picture("kinds", f"Right answers: {shares_text}.", (_WIDTH, 1.3 + 0.27 * rows), draw)


def ranking_picture(facts: ErrorFacts) -> Picture:
    """Return the runs and their vote by the official score, the best above, with intervals."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for place, member in enumerate(facts.members):
            interval = member.scores.interval
            colour = _member_colour(member)
            axes.plot([interval.low, interval.high], [place, place], color=colour, linewidth=1.6, alpha=0.75)
            axes.plot(member.scores.score, place, marker="o", markersize=5.5, color=colour)
            _write_beside(axes, interval.high or 0.0, place, f"{member.scores.score:.3f}", colour)
        _label_rows(axes, [member.label for member in facts.members])
        lows = [member.scores.interval.low or 0.0 for member in facts.members]
        axes.set_xlim(max(0.0, min(lows) - 0.03), 1.05)
        axes.grid(visible=True, axis="x")
        axes.set_xlabel(f"official score on {facts.questions} questions, with 95 % interval")

    scores_text = ", ".join(f"{member.label} {member.scores.score:.3f}" for member in facts.members)
    return Picture("ranking", f"Official score: {scores_text}.", (_WIDTH, 0.75 + 0.25 * len(facts.members)), draw)


def habit_picture(facts: ErrorFacts) -> Picture:
    """Return for each run the questions that it alone has right, and the blank ones, rightly or not."""
    runs = [member for member in facts.members if not member.is_vote]

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": [2, 3]})
        places = range(len(runs))
        unique = [member.unique or 0 for member in runs]
        left.barh(places, unique, height=0.62, color=COLOURS["green"])
        _label_rows(left, [member.label for member in runs])
        for place, count in zip(places, unique, strict=True):
            _write_beside(left, count, place, str(count), COLOURS["ink"] if count else COLOURS["dim"])
        left.set_xlim(0, max(*unique, 3) * 1.2)
        left.set_title("right as the only run")
        left.set_xlabel("questions")
        wrong, due = [member.wrong_blank for member in runs], [member.blank - member.wrong_blank for member in runs]
        right.barh(places, wrong, height=0.62, color=COLOURS["orange"], label="an answer exists")
        right.barh(places, due, left=wrong, height=0.62, color=COLOURS["faint"], label="no answer exists")
        for place, member in enumerate(runs):
            text = f"{member.blank / facts.questions:.0%}" if member.blank else "0"
            _write_beside(right, member.blank, place, text, COLOURS["ink"])
        right.tick_params(axis="y", length=0)
        right.set_xlim(0, max(*(member.blank for member in runs), 1) * 1.2)
        right.set_title("left blank")
        right.set_xlabel(f"questions, of {facts.questions}")
        for axes in (left, right):
            _whole_numbers(axes)
        figure.legend(*right.get_legend_handles_labels(), loc="outside lower right", ncols=2)

    habits_text = ", ".join(f"{one.label}: {one.unique} alone right, {one.blank} blank" for one in runs)
    return Picture("habits", f"{habits_text}.", (_WIDTH, 1.35 + 0.25 * len(runs)), draw)


def agreement_picture(facts: ErrorFacts) -> Picture:
    """Return the pairwise agreement of the runs as a heat map."""
    order = [member.label for member in facts.members if not member.is_vote]
    places = [facts.labels.index(label) for label in order]
    shares = [[facts.agreement[row][column] for column in places] for row in places]
    size = len(order)

    def draw(figure: Any) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        axes = figure.add_subplot()
        colour_map = LinearSegmentedColormap.from_list("alike", ["#eef3f8", "#9fc3e0", "#3f82b8", "#0a3f70"])
        low = min(value for row in shares for value in row)
        lower = [
            [value if column <= row else float("nan") for column, value in enumerate(values)]
            for row, values in enumerate(shares)
        ]
        mesh = axes.pcolormesh(
            lower, cmap=colour_map, vmin=min(low, 0.5), vmax=1.0, edgecolors=COLOURS["paper"], linewidth=1.2
        )
        for row in range(size):
            for column in range(row):
                value = shares[row][column]
                ink = "#fefefe" if (value - min(low, 0.5)) / (1.0 - min(low, 0.5)) > 0.55 else "#101820"
                axes.text(
                    column + 0.5, row + 0.5, f"{value:.0%}"[:-1], ha="center", va="center", fontsize=7.5, color=ink
                )
        names = [short_name(name) for name in order]
        axes.set_yticks([place + 0.5 for place in range(size)], names)
        axes.set_xticks([place + 0.5 for place in range(size)], [str(place + 1) for place in range(size)])
        axes.set_yticklabels([f"{name}  {place}" for place, name in enumerate(names, start=1)])
        axes.invert_yaxis()
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_visible(False)
        bar = figure.colorbar(mesh, ax=axes, shrink=0.8, aspect=18, pad=0.02)
        percent_axis(bar.ax.yaxis)
        bar.set_label("questions answered equally")
        bar.outline.set_visible(False)

    return Picture("agreement", _describe_agreement(order, shares), (_WIDTH, max(2.0, 0.45 + 0.31 * size)), draw)


def cost_picture(members: Sequence[MemberFacts]) -> Picture | None:
    """Return the official score over the cost of the answers; None if fewer than two runs have a known cost."""
    member_by_label = {member.label: member for member in members if member.cost_usd is not None}
    if len(member_by_label) < 2:
        return None

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for member in member_by_label.values():
            colour, interval = _member_colour(member), member.scores.interval
            axes.plot([member.cost_usd] * 2, [interval.low, interval.high], color=colour, linewidth=1.2, alpha=0.6)
            axes.plot(member.cost_usd, member.scores.score, marker="o", markersize=5.5, color=colour)
            label = short_name(member.label)
            place = (member.cost_usd, member.scores.score)
            axes.annotate(label, place, xytext=(6, 3), textcoords="offset points", fontsize=8)
        axes.margins(x=0.25)
        axes.set_xlim(left=0)
        axes.grid(visible=True)
        axes.set_xlabel("cost of all answers (US$)")
        axes.set_ylabel("official score, 95 % interval")

    costs_text = ", ".join(
        f"{one.label} {one.cost_usd:.4g} US$ for {one.scores.score:.3f}" for one in member_by_label.values()
    )
    return Picture("cost", f"Cost and score: {costs_text}.", (_WIDTH, 3.4), draw)


def _describe_agreement(labels: Sequence[str], shares: Sequence[Sequence[float]]) -> str:
    pairs = [(shares[row][column], labels[row], labels[column]) for row in range(len(labels)) for column in range(row)]
    most_alike, least_alike = max(pairs), min(pairs)
    return (
        f"Agreement of runs: most alike {most_alike[1]} and {most_alike[2]} ({most_alike[0]:.0%}), "
        f"least {least_alike[1]} and {least_alike[2]} ({least_alike[0]:.0%})."
    )


def _draw_shares(axes: Any, shares: Sequence[Share], title: str) -> None:
    for place, one in enumerate(shares):
        interval = one.interval
        axes.plot([interval.low, interval.high], [place, place], color=COLOURS["blue"], linewidth=1.6, alpha=0.6)
        axes.plot(one.share, place, marker="o", markersize=5.5, color=COLOURS["blue"])
        _write_beside(axes, interval.high or 0.0, place, f"{one.right} of {one.n}", COLOURS["ink"])
    _label_rows(axes, [one.label for one in shares])
    axes.set_xlim(0, 1.14)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1.0])
    percent_axis(axes.xaxis)
    axes.grid(visible=True, axis="x")
    axes.set_title(title)


def _label_rows(axes: Any, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), [short_name(label) for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _write_beside(axes: Any, x: float, y: float, text: str, colour: str) -> None:
    axes.annotate(text, (x, y), xytext=(5, 0), textcoords="offset points", va="center", fontsize=8.5, color=colour)


def _whole_numbers(axes: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))


def _member_colour(member: MemberFacts) -> str:
    return COLOURS["orange"] if member.is_vote else COLOURS["blue"]

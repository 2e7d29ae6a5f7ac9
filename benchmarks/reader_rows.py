"""Makes rows for train_reader.py from this project's examples and from whole tables: JSON lines, gzipped.

    python benchmarks/reader_rows.py product OUT.jsonl.gz [--data FOLDER]    QAMR, COVID-QA, TAT-QA, written and made documents
    python benchmarks/reader_rows.py tables OUT.jsonl.gz [--data FOLDER]     cells of tables: WikiTableQuestions, half of TAT-QA

The documents of which reading_examples.py keeps the examples apart are marked as such.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from reading_examples import HELD_OUT, Example, all_examples, is_held_out
from reading_records import with_plain_dates
from reading_sets import json_lines
from reading_templates import made_examples
from reading_written import written_examples
from shared_data import data_parser

AS_WRITTEN = 0.4  # share of the examples to train on whose dates are not in the one spelling that the reader reads
MOST_WORDS, MOST_ROWS = 230, 22  # of a table
_COUNTED = re.compile(r"\b(how many|total|difference|average|number of)\b")
# Questions that compare rows: of all rows, and whether or not the row is there that answers.
_COMPARED = (
    "most|least|first|last|highest|lowest|next|previous|before|after|longest|largest|smallest|earliest|latest|top|best"
)
_COMPARED_ROWS = re.compile(rf"\b({_COMPARED})\b")
_COMPARED_WITH_ALL = re.compile(rf"\b({_COMPARED}|only|above|below)\b")

Row = dict[str, Any]
Table = Sequence[Sequence[Any]]


def product_rows(data: Path) -> Iterator[Row]:
    """Yield the examples of reading_*.py, those that are kept apart too; dates in the text's or in one spelling."""
    chance = random.Random(0)
    for is_kept_apart in (False, True):
        sets = all_examples(data, held_out=is_kept_apart, seed=0)
        written = list(written_examples(held_out=is_kept_apart, chance=random.Random(0)))
        chance.shuffle(written)
        sets |= {"written": written, "made": made_examples(600, 99) if is_kept_apart else made_examples(30_000, 0)}
        for name, examples in sets.items():
            most = 4000 if name == "written" else 1500
            for example in examples[:most] if is_kept_apart else examples:
                plain = with_plain_dates(example)
                spellings = [plain]
                if name == "written" and not is_kept_apart:
                    spellings = [example] if plain.passage == example.passage else [example, plain]
                elif not is_kept_apart and chance.random() < AS_WRITTEN:
                    spellings = [example]
                yield from (_example_row(one) | {"dev": is_kept_apart} for one in spellings)


def _example_row(example: Example) -> Row:
    return _row(
        example.source, example.question, example.passage, example.answer, example.span[0] if example.span else 0
    )


def _row(source: str, question: str, passage: str, answer: str | None = None, start: int = 0) -> Row:
    return {
        "set": source,
        "question": question,
        "passage": passage,
        "answers": [] if answer is None else [answer],
        "starts": [] if answer is None else [start],
        "answerable": answer is not None,
        "title": "",
        "lang": "en",
    }


def table_rows(data: Path) -> Iterator[Row]:
    """Yield questions whose answer is one cell of a table, over its Markdown rows, and some with the row taken out."""
    chance = random.Random(0)
    yield from _wiki_table_rows(data / "reading" / "wikitablequestions", chance)
    yield from _tatqa_rows(data / "reading" / "tatqa" / "tatqa_dataset_test_gold.json.gz", chance)


def _wiki_table_rows(folder: Path, chance: random.Random) -> Iterator[Row]:
    tables = {row["id"]: row["rows"] for row in json_lines(folder / "tables.jsonl.gz")}
    for asked in json_lines(folder / "questions.jsonl.gz"):
        question, table = asked["question"], tables.get(asked["table"])
        if not table or len(asked["answers"]) != 1 or _COUNTED.search(question):
            continue
        answer = _cell(asked["answers"][0]).lower()
        places = [
            (number, column)
            for number, row in enumerate(table)
            for column, cell in enumerate(row)
            if number and _cell(cell).lower() == answer
        ]
        if len(places) == 1:
            yield from _asked_of_cell(question, table, places[0], chance)


def _asked_of_cell(question: str, table: Table, place: tuple[int, int], chance: random.Random) -> Iterator[Row]:
    number, column = place
    kept = _rows_around(table, number, chance)
    if len(kept) < len(table) - 1 and _COMPARED_WITH_ALL.search(question):
        return
    found = _answered("wikitables", question, [table[0], *(table[row] for row in kept)], kept.index(number) + 1, column)
    if found is None:
        return
    yield found
    if chance.random() < 0.3 and len(kept) > 3:
        without = _text([table[0], *(table[row] for row in kept if row != number)])
        if found["answers"][0].lower() not in without.lower() and not _COMPARED_ROWS.search(question):
            yield _row("wikitables", question, without)


def _rows_around(table: Table, number: int, chance: random.Random) -> list[int]:
    """Return the numbers of rows around one, so many that they have MOST_WORDS words with the header."""
    kept = list(range(1, len(table)))
    while len(kept) > 1 and len(_text([table[0], *(table[row] for row in kept)]).split()) > MOST_WORDS:
        if kept[0] != number and (kept[-1] == number or chance.random() < 0.5):
            kept.pop(0)
        else:
            kept.pop()
    return kept


def _tatqa_rows(path: Path, chance: random.Random) -> Iterator[Row]:
    for context in json.loads(gzip.decompress(path.read_bytes())):
        is_kept_apart = is_held_out(context["table"]["uid"], HELD_OUT)
        table = context["table"]["table"]
        paragraphs = [one["text"] for one in sorted(context["paragraphs"], key=lambda one: one["order"])]
        filled = [number for number, row in enumerate(table) if any(map(_cell, row))][:MOST_ROWS]
        for asked in context["questions"]:
            place = asked["mappings"][0].get("table") if asked["answer_type"] == "span" else None
            if place is None or place[0] not in filled:
                continue
            rows, number = [table[row] for row in filled], filled.index(place[0])
            found = _answered("tatqa-raw", asked["question"], rows, number, place[1])
            if found is None:
                continue
            if paragraphs and chance.random() < 0.4 and len(chance.choice(paragraphs)) < 400:
                before = f"{chance.choice(paragraphs)}\n"
                found |= {"passage": before + found["passage"], "starts": [len(before) + found["starts"][0]]}
            yield found | {"dev": is_kept_apart}
            if chance.random() < 0.4:
                without = _text([*rows[:number], *rows[number + 1 :]])
                if found["answers"][0] not in without:
                    yield _row("tatqa-raw", asked["question"], without) | {"dev": is_kept_apart}


def _answered(source: str, question: str, table: Table, number: int, column: int) -> Row | None:
    """Return a question over a table with the place of the cell that answers; None if that is empty or there is none."""
    if column >= len(table[number]) or not _cell(table[number][column]):
        return None
    before = f"{_text(table[:number])}\n" if number else ""
    start = len(before) + len("| ") + sum(len(_cell(cell)) + len(" | ") for cell in table[number][:column])
    return _row(source, question, _text(table), _cell(table[number][column]), start)


def _text(rows: Table) -> str:
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in rows)


def _cell(value: Any) -> str:
    return " ".join(str(value).replace("|", "/").split())


def main() -> None:
    """Write the rows, and print how many there are of each set."""
    parser = data_parser(__doc__)
    makers = {"product": product_rows, "tables": table_rows}
    parser.add_argument("what", choices=makers)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    counts: Counter[tuple[str, bool]] = Counter()
    with gzip.open(options.out, "wt", encoding="utf-8") as stream:
        for row in makers[options.what](options.data):
            stream.write(f"{json.dumps(row, ensure_ascii=False)}\n")
            counts[row["set"], row["answerable"]] += 1
    for (name, is_answerable), count in counts.items():
        print(f"{name}, {'with' if is_answerable else 'without'} an answer: {count}")


if __name__ == "__main__":
    main()

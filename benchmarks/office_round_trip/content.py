"""Known content for the documents of office_round_trip.py: texts of several scripts, cells and tables from a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

LANGUAGES = (
    "the ledger of spring counts seven hives and a tired keeper who writes every evening about weather",
    "über größere Flüsse führen ältere Brücken deren Pfähle schön grün überwachsen übrigens öfter Überprüfung nötig hätten",
    "où l’été s’achève déjà près du chêne élevé un garçon reçoit sa première leçon de français à Besançon",
    "żółw łagodnie śledzi ćmę która źle lądowała wśród zielonych gałęzi późną jesienią",
    "пчела летит над полем и собирает нектар пока солнце ещё высоко стоит",
    "οι μέλισσες πετούν πάνω από τα λουλούδια όταν ο ήλιος λάμπει ψηλά",
    "蜂 は 花 から 花 へ 飛び 春 の 庭 で 蜜 を 集める 夕方 まで",
    "şehirde ığdır çiçekleri üzerinde uçuşan arılar güneşli öğle vakti dinleniyor",
)
SIGNS = ("§ 5", "a < b", "R&D", "½", "20 °C", "“so”", "№ 7", "→", "3 > 2", "Müller & Söhne", "€", "…", "O’Neill", "-40")


@dataclass(frozen=True)
class Piece:
    """A text that a reader should find: its kind, and the label that an item of a list is shown with."""

    kind: str  # heading, paragraph, item, cell, row (cells between tabs), note, around
    text: str
    label: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell, and how many columns and rows it takes; its text may have line breaks."""

    text: str
    across: int = 1
    down: int = 1


@dataclass
class Content:
    """What a document holds; every text that is made is recorded in the order in which it is asked for."""

    seed: str
    pieces: list[Piece] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with the same random numbers for the same seed."""
        self.random = random.Random(self.seed)
        self._made: set[str] = set()

    def text(self, kind: str, least: int = 6, most: int = 14, label: str = "") -> str:
        """Record a new text, and return it."""
        return self.record(kind, self.words(least, most), label)

    def words(self, least: int, most: int) -> str:
        """Return some words, a number that no other text has, and at times a sign."""
        words = self.random.choice(LANGUAGES).split()
        chosen = self.random.choices(words, k=self.random.randint(least, most))
        chosen.insert(1, str(self.number()))
        if self.random.random() < 0.4:
            chosen.insert(2, self.random.choice(SIGNS))
        return " ".join(chosen)

    def record(self, kind: str, text: str, label: str = "") -> str:
        """Record a text that the writer made, and return it."""
        self.pieces.append(Piece(kind, " ".join(text.split()), label))
        return text

    def record_row(self, texts: Sequence[str]) -> None:
        """Record the cells of a row and the row itself."""
        cells = [" ".join(text.split()) for text in texts]
        self.pieces += [*(Piece("cell", text) for text in cells), Piece("row", "\t".join(cells))]

    def table(self, rows: int, columns: int, *, merged: bool = True) -> list[list[Cell | None]]:
        """Return a table, None where a cell is covered: one across two columns, one down two rows, empty ones, line breaks."""
        grid: list[list[Cell | None]] = [[Cell(self._cell_text(row)) for _ in range(columns)] for row in range(rows)]
        if merged and columns > 2 and rows > 3:
            grid[0][1], grid[0][2] = Cell(self._cell_text(0), across=2), None
            grid[1][0], grid[2][0] = Cell(self._cell_text(0), down=2), None
        if rows > 2:
            grid[rows - 1][columns - 1] = Cell("")
        for cells in grid:
            self.record_row([cell.text for cell in cells if cell and cell.text])
        return grid

    def number(self) -> int:
        """Return a number of five or six digits that was not there before."""
        while True:
            number = self.random.randint(10_000, 999_999)
            if str(number) not in self._made:
                self._made.add(str(number))
                return number

    def as_json(self) -> list[dict[str, str]]:
        """Return the pieces as JSON."""
        return [asdict(piece) for piece in self.pieces]

    def _cell_text(self, row: int) -> str:
        number = self.number()
        word = self.random.choice(
            [word for word in self.random.choice(LANGUAGES).split() if len(word) > 3] or ["nectar"]
        )
        if row == 0:
            return f"{word} {number}"
        shape = self.random.randrange(4)
        return (f"{number}", f"{word} {number}", f"{word}\n{number}", f"{number:,}.50 €")[shape]

"""What persons decided about served questions: their answers became truth, or were dismissed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select

from kohaku_lib.conversation.cache.semantic_cache import normalised_question
from kohaku_lib.conversation.memory.tables import REVIEWS

if TYPE_CHECKING:
    from sqlalchemy import Engine


class Reviews:
    """The decisions of one organisation in `engine`. For several processes."""

    def __init__(self, engine: Engine, org_id: str) -> None:
        self._engine, self._org_id = engine, org_id

    def decide(self, question: str, *, is_accepted: bool, by: str) -> None:
        """Record that a person accepted the answer to a question, or dismissed the question."""
        values = {"org_id": self._org_id, "question": normalised_question(question), "is_accepted": is_accepted}
        with self._engine.begin() as connection:
            connection.execute(insert(REVIEWS).values(**values, reviewed_at=datetime.now(UTC), reviewed_by=by))

    def decided(self) -> dict[str, datetime]:
        """Return the time of the last decision about each question, by `normalised_question`."""
        newest = func.max(REVIEWS.c.reviewed_at)
        wanted = select(REVIEWS.c.question, newest).where(REVIEWS.c.org_id == self._org_id)
        with self._engine.connect() as connection:
            rows = connection.execute(wanted.group_by(REVIEWS.c.question)).all()
        times: dict[str, datetime] = {}
        for question, at in rows:  # an older version kept the punctuation within
            name, utc = normalised_question(question), at.replace(tzinfo=UTC)  # SQLite forgets the zone
            times[name] = max(utc, times.get(name, utc))
        return times

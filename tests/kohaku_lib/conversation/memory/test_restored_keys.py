"""Keys after a restore: what either store shuts out stays out, and a key that one of the two does not know is off."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, select

from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.restored_keys import settle_restored_keys
from kohaku_lib.conversation.memory.tables import KEYS

EARLIER = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def settled(tmp_path):
    """Settle the keys of a backup by those of the store in place; return what is told, and who is let in."""

    def settled(in_place, backup):
        folders = [tmp_path / "in place", tmp_path / "restored"]
        for folder, keys in zip(folders, (in_place, backup), strict=True):
            folder.mkdir()
            engine = open_database(folder)
            with engine.begin() as connection:
                for name, state in keys.items():
                    own = {"key_id": name, "digest": f"of {name}", "name": name, "org_id": "acme", "role": "reader"}
                    connection.execute(insert(KEYS).values(**own, created_at=EARLIER, **dict.fromkeys(state, EARLIER)))
            engine.dispose()
        told = settle_restored_keys(*folders)
        engine = open_database(folders[1])
        with engine.connect() as connection:
            rows = connection.execute(select(KEYS)).all()
        engine.dispose()
        let_in = {row.name for row in rows if row.revoked_at is None and row.unconfirmed_since is None}
        return told, let_in, {row.name for row in rows}

    return settled


def test_a_key_that_both_know_holds_and_one_that_either_has_revoked_does_not(settled):
    own = {"both": (), "revoked here": ("revoked_at",), "revoked there": ()}
    backup = {"both": (), "revoked here": (), "revoked there": ("revoked_at",)}
    assert settled(own, backup) == ([], {"both"}, set(own))


@pytest.mark.parametrize(("in_place", "backup"), [({}, {"ann": ()}), ({"ann": ()}, {})], ids=["backup", "in place"])
def test_a_key_that_one_of_the_two_alone_knows_is_kept_and_off(settled, in_place, backup):
    assert settled(in_place, backup) == (["ann (ann)"], set(), {"ann"})


def test_a_key_is_off_or_on_as_it_is_in_place(settled):
    own = {"confirmed": (), "off": ("unconfirmed_since",)}
    backup = {"confirmed": ("unconfirmed_since",), "off": ()}
    assert settled(own, backup) == (["off (off)"], {"confirmed"}, set(own))

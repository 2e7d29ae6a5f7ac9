"""Nobody waits for all of another's work: turns of organisations and keys, a thread that stays free, lines of sessions."""

import asyncio
import threading
from collections import Counter, defaultdict

import pytest
from hang_limit import HANG_S, ended
from hypothesis import given
from hypothesis import strategies as st

from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.session_turns import MOST_WAITING, SessionTurns
from kohaku_assets.server.turns import RECENT, Turns
from kohaku_assets.server.work_pool import WorkPool

ANN, ANNA, BOB = (
    Principal(org_id, "reader", name, name) for org_id, name in (("acme", "ann"), ("acme", "anna"), ("bolt", "bob"))
)
STEP = st.tuples(st.sampled_from(["add", "add", "take", "end"]), st.sampled_from("ab"), st.sampled_from("xy"))
STEPS = st.lists(STEP, min_size=20, max_size=60)


@given(STEPS, st.integers(1, 3))
def test_who_waits_is_served_after_at_most_one_turn_of_each_other(steps, share):
    turns, active, recent = Turns(share), Counter(), []
    waiting = defaultdict(list)  # numbers by organisation and key, as they came
    passed = defaultdict(Counter)  # by who waits: turns of the others since
    for number, (step, organisation, key) in enumerate(steps):
        if step == "add":
            turns.add(organisation, key, number)
            waiting[organisation, key].append(number)
        elif step == "end" and active[organisation]:
            turns.end(organisation)
            active[organisation] -= 1
        elif step == "take":
            present = {org for (org, _), numbers in waiting.items() if numbers} | set(+active) | set(recent[-RECENT:])
            most = share if len(present) == 1 else max(1, share - 1)
            able = {org for (org, _), numbers in waiting.items() if numbers and active[org] < most}
            taken = turns.take()
            assert (taken is None) == (not able)
            if taken is None:
                continue
            served, given_out = taken
            recent.append(served)
            [caller] = [one for one, numbers in waiting.items() if given_out in numbers]
            assert caller[0] == served
            assert waiting[caller].pop(0) == given_out  # of one key, as they came
            active[served] += 1
            for org in able - {served}:
                passed[org][served] += 1
                assert passed[org][served] <= 1
            passed.pop(served, None)
            for own in [one for one, numbers in waiting.items() if one[0] == served and numbers and one != caller]:
                passed[own][caller] += 1
                assert passed[own][caller] <= 1
            passed.pop(caller, None)
        assert all(count <= share for count in active.values())
        assert len(turns) == sum(map(len, waiting.values()))


def test_work_of_another_organisation_begins_while_one_keeps_all_its_threads():
    held, begun = threading.Event(), threading.Semaphore(0)

    def hold():
        begun.release()
        assert held.wait(HANG_S)

    async def use():
        long = [asyncio.ensure_future(pool.run(ANN, hold)) for _ in range(8)]
        for _ in range(2):
            await asyncio.to_thread(begun.acquire)
        assert await pool.run(BOB, lambda: "served") == "served"
        assert pool.waiting == 6
        held.set()
        await asyncio.gather(*long)

    pool = WorkPool(2)
    ended(lambda: asyncio.run(use()))
    pool.close(HANG_S)


def test_keys_of_an_organisation_take_turns():
    held, done = threading.Event(), []

    async def use():
        first = asyncio.ensure_future(pool.run(ANN, lambda: held.wait(HANG_S)))
        await asyncio.sleep(0)
        many = [asyncio.ensure_future(pool.run(ANN, lambda one=one: done.append(one))) for one in range(4)]
        other = asyncio.ensure_future(pool.run(ANNA, lambda: done.append("anna")))
        await asyncio.sleep(0)
        held.set()
        await asyncio.gather(first, *many, other)

    pool = WorkPool(1)
    ended(lambda: asyncio.run(use()))
    pool.close(HANG_S)
    assert done.index("anna") <= 1
    assert [one for one in done if one != "anna"] == [0, 1, 2, 3]


def test_messages_of_a_session_wait_on_no_thread_and_more_than_a_few_are_refused():
    held, done = threading.Event(), []

    async def message(number):
        async with sessions.turn(ANN, "one"):
            return await pool.run(ANN, lambda: (held.wait(HANG_S), done.append(number)))

    async def use():
        waiting = [asyncio.ensure_future(message(number)) for number in range(MOST_WAITING + 1)]
        await asyncio.sleep(0)
        with pytest.raises(Problem) as refused:
            await message(99)
        assert (refused.value.status_code, refused.value.headers) == (429, {"Retry-After": "5"})
        sessions.check(BOB, "one")  # whoever guesses an id meets a line of their own
        assert await pool.run(ANN, lambda: "another question") == "another question"  # a thread is free
        held.set()
        await asyncio.gather(*waiting)
        sessions.check(ANN, "one")

    sessions, pool = SessionTurns(), WorkPool(2)
    ended(lambda: asyncio.run(use()))
    pool.close(HANG_S)
    assert done == list(range(MOST_WAITING + 1))


def test_a_message_whose_caller_has_gone_keeps_its_session_until_its_thread_is_free():
    held, begun, done = threading.Event(), threading.Event(), []

    def hold():
        begun.set()
        assert held.wait(HANG_S)
        done.append("first")

    async def message(work):
        async with sessions.turn(ANN, "one"):
            return await pool.run(ANN, work)

    async def use():
        first = asyncio.ensure_future(message(hold))
        await asyncio.to_thread(begun.wait)
        second = asyncio.ensure_future(message(lambda: done.append("second")))
        first.cancel()
        for _ in range(3):  # on the one thread that is free, behind the second if that had its turn
            assert await pool.run(ANN, lambda: "another question") == "another question"
        assert done == []
        held.set()
        await second
        assert first.cancelled()

    sessions, pool = SessionTurns(), WorkPool(2)
    ended(lambda: asyncio.run(use()))
    pool.close(HANG_S)
    assert done == ["first", "second"]


def test_a_filter_of_too_many_entries_is_refused_with_one_sentence(client):
    for path, body in (("search", {"query": "amber"}), ("answers", {"question": "x"}), ("retrieve", {"question": "x"})):
        where = {"folders": [f"f{number}" for number in range(600)], "documents": ["d"] * 401}
        refused = client.post(f"/v1/{path}", json={**body, "filter": where})
        assert refused.status_code == 422
        told = "body.filter: a filter has at most 1,000 entries, got 1,001; name folders or collections in place of documents"
        assert refused.json()["detail"] == told

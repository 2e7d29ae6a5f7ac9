"""The memory of processes that parse beside each other, which must fit into the machine together."""

import itertools

import pytest

from kohaku_lib.documents.worker.supervisor import WorkerMemory, plan_memory


def test_where_there_is_room_every_process_may_take_the_whole_limit():
    assert plan_memory(2, 4096, 24_000, 2048) == WorkerMemory(2, 4096, 4096)


def test_otherwise_all_have_a_share_and_one_of_them_the_whole():
    # 16,000 x 0.8 = 12,800; 4,096 + 2,048 for one leave 6,656 for the others, of 1,024 + 2,048 at least: two.
    assert plan_memory(8, 4096, 16_000, 2048) == WorkerMemory(3, 6656 // 2 - 2048, 4096)


def test_a_small_machine_has_one_process_with_what_there_is():
    assert plan_memory(8, 4096, 4000) == WorkerMemory(1, 3200, 3200)


@pytest.mark.parametrize("extra_mb", [0, 2048])
def test_no_choice_of_processes_goes_beyond_the_machine(extra_mb):
    for workers, limit_mb, machine_mb in itertools.product((1, 3, 64), (256, 4096, 10**6), (4096, 17_000, 250_000)):
        plan = plan_memory(workers, limit_mb, machine_mb, extra_mb)
        taken = (plan.workers - 1) * plan.each_mb + plan.most_mb + plan.workers * extra_mb
        assert 1 <= plan.workers <= workers
        assert plan.each_mb <= plan.most_mb <= limit_mb
        assert taken <= 0.8 * machine_mb

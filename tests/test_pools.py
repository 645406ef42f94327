"""The threads that answer: every task is done once, and counted while it is there."""

import logging
import threading

import pytest
from phom_referee.pools import CountingPool
from waiting import eventually


def test_tasks_are_counted_running_and_waiting() -> None:
    pool = CountingPool(2, "test")
    go, running = threading.Event(), threading.Semaphore(0)
    done: list[int] = []

    def task(number: int, *, twice: bool) -> None:
        running.release()
        go.wait(60)
        done.append(2 * number if twice else number)

    for number in range(5):
        pool.submit(task, number, twice=True)
    assert pool.tasks == 5
    assert running.acquire(timeout=60)
    assert running.acquire(timeout=60)
    assert not running.acquire(timeout=0.1)  # two threads, and no more
    go.set()
    eventually(lambda: not pool.tasks)
    assert sorted(done) == [0, 2, 4, 6, 8]
    pool.shutdown()


def test_what_waits_is_done_before_the_threads_end() -> None:
    pool = CountingPool(1, "test")
    done: list[int] = []
    for number in range(100):
        pool.submit(done.append, number)
    pool.shutdown(wait=True)
    assert done == list(range(100))
    assert "test" not in {thread.name for thread in threading.enumerate()}


def test_a_task_that_fails_takes_no_thread_with_it(caplog: pytest.LogCaptureFixture) -> None:
    pool = CountingPool(1, "test")
    done = threading.Event()
    with caplog.at_level(logging.ERROR):
        pool.submit(int, "no number")
        pool.submit(done.set)
        assert done.wait(60)
    eventually(lambda: not pool.tasks)
    assert "no number" in caplog.text
    pool.shutdown()


def test_threads_are_started_as_they_are_needed() -> None:
    pool = CountingPool(50, "lazy")
    for _ in range(20):
        pool.submit(int)
        eventually(lambda: not pool.tasks)
    assert sum(thread.name == "lazy" for thread in threading.enumerate()) == 1
    pool.shutdown()

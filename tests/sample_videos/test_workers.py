"""Work spread over processes comes back whole, in order, and ends with its caller."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from itertools import count, islice
from pathlib import Path

import pytest

from calibration.errors import InputError
from sample_videos.workers import in_order

sys.path.insert(0, str(Path(__file__).parents[2]))  # Handed on to the workers, which import the jobs from this file.


def square(number: int) -> tuple[int, int]:
    """A job: its square, and the process that did it."""
    return number * number, os.getpid()


def refuse_the_third(number: int) -> int:
    """A job that fails for one number."""
    if number == 3:
        raise InputError("jobs: 3 cannot be done")
    return number


def die(number: int) -> int:
    """A job whose process is killed, as for want of memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_results_come_in_order_from_several_processes() -> None:
    """Endless jobs, read in part: squares in order, made by two processes that are not this one."""
    with closing(in_order(square, count(), workers=2)) as results:
        first = list(islice(results, 12))

    assert [value for value, _ in first] == [k * k for k in range(12)]
    assert len({process for _, process in first}) == 2
    assert os.getpid() not in {process for _, process in first}


def test_one_worker_is_this_process() -> None:
    """With one worker nothing is started."""
    assert list(in_order(square, range(3), workers=1)) == [(k * k, os.getpid()) for k in range(3)]


def test_an_error_in_a_job_reaches_the_caller() -> None:
    """The results before it are delivered, then the error itself is raised."""
    results = in_order(refuse_the_third, range(9), workers=2)

    assert list(islice(results, 3)) == [0, 1, 2]
    with pytest.raises(InputError, match="3 cannot be done"):
        next(results)


def test_a_killed_worker_ends_the_work() -> None:
    """No waiting for ever: the caller is told."""
    with pytest.raises(RuntimeError, match="a worker ended by itself"):
        list(in_order(die, range(4), workers=2))


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts a process group, which Windows has not")
def test_ctrl_c_ends_caller_and_workers(tmp_path: Path) -> None:
    """Ctrl-C at a terminal reaches all processes: only the caller's own line is said, and nobody holds the pipe to it any longer."""
    script = tmp_path / "endless.py"
    script.write_text(_ENDLESS)
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "1.0\n"
        os.killpg(process.pid, signal.SIGINT)
        try:
            said, _ = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise

    assert process.returncode == 130
    assert set(said.split()) <= {"1.0", "stopped"}
    assert said.endswith("stopped\n")


_ENDLESS = """
import math, signal, sys
from itertools import repeat
from sample_videos.workers import in_order

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # A shell starts its background jobs with Ctrl-C ignored.
    try:
        for result in in_order(math.sqrt, repeat(1), workers=2):
            print(result, flush=True)
    except KeyboardInterrupt:
        print("stopped", flush=True)
        sys.exit(130)
"""

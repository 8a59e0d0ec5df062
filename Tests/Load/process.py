"""The measured servers as processes: their start, their end, and their resources (from /proc)."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path


@contextlib.contextmanager
def running(command: list[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives as long as the block.

    Its output goes to a file, whose end is shown if the block fails. Ctrl-C does not reach the process directly,
    so that everything ends in order.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, start_new_session=True)
    try:
        yield process
    except Exception:
        print("\n".join(log.read_text().splitlines()[-10:]), file=sys.stderr)
        raise
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    """A free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_answer(process: subprocess.Popen[bytes], url: str, status: int = 200) -> None:
    """Waits until a server answers with a status; raises RuntimeError if it ends or takes more than 20 seconds."""
    end = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < end:
        if _status(url) == status:
            return
        time.sleep(0.02)
    raise RuntimeError(f"{process.args[0]} does not answer {url} (it ended with {process.poll()})")


def processor_seconds(pids: Iterable[int]) -> float:
    """The CPU time of processes, in user and in system mode."""
    ticks = 0
    for pid in pids:
        # The second field is the name in parentheses, which may contain anything.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def precise_processor_seconds(pid: int) -> float:
    """The CPU time of a process's threads that still run, to the nanosecond (proc(5), schedstat): for what takes less than many ticks."""
    nanoseconds = 0
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        # A thread may end meanwhile.
        with contextlib.suppress(OSError):
            nanoseconds += int(file.read_text().split()[0])
    return nanoseconds / 1e9


def family_processor_seconds(pid: int) -> float:
    """The CPU time of a process and of its children, those that ended included."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(stat.parent.name) == pid:
                ticks += sum(map(int, fields[11:15]))
            elif int(fields[1]) == pid:
                ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def child_processes(pid: int) -> list[int]:
    """The processes that a process has started, and that still run."""
    return [int(child) for task in Path("/proc").glob(f"{pid}/task/*/children") for child in task.read_text().split()]


def resident_mebibytes(pid: int) -> float:
    """The memory of a process."""
    return _mebibytes(pid, "VmRSS:")


def peak_mebibytes(pid: int) -> float:
    """The peak memory of a process."""
    return _mebibytes(pid, "VmHWM:")


def _mebibytes(pid: int, line: str) -> float:
    for words in map(str.split, Path(f"/proc/{pid}/status").read_text().splitlines()):
        if words[0] == line:
            return int(words[1]) / 1024
    raise RuntimeError(f"process {pid} has ended")


def _status(url: str) -> int | None:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None

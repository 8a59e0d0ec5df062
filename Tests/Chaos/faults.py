"""The faults: what can happen to which part, how often and for how long."""

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import link
from house import PROVIDERS, SERVERS, WORKERS, House

LINKS = tuple(f"{name} – postgres" for name in (*SERVERS, *WORKERS))
CLIENT_LINKS = tuple(f"clients – {name}" for name in SERVERS)
PROVIDER_LINKS = tuple(f"workers – {name}" for name in PROVIDERS)

MOODS = {
    "apns": {
        "hangs": "200 trick=silent", "answers late": "200 wait={s}", "refuses": "503 ServiceUnavailable", "is confused": "500 InternalServerError",
        "throttles": "429 TooManyRequests after=2", "resets": "200 trick=reset", "goes away": "200 trick=goaway",
    },
    "web_push": {
        "hangs": "201 trick=silent", "answers late": "201 wait={s}", "refuses": "503 Unavailable after=1", "is confused": "500 Error",
        "resets": "201 trick=reset", "closes": "201 trick=close",
    },
    "mail": {"hangs": "take 60", "answers late": "take {s}", "refuses": "451 4.3.0", "answers twice": "twice"},
    "sink": {
        "hangs": "/never", "answers late": "/slow/{s}", "refuses": "/status/503", "is confused": "/status/500",
        "throttles": "/retry-after/2/429", "resets": "/reset", "breaks off": "/half",
    },
}
"""What a provider can do, in the words of its program (House.set_mood). A provider over HTTP/1.1 that answers twice is left out: libcurl 7.88
takes the second answer for that to the next request on the connection (README.md)."""


@dataclass(frozen=True)
class Fault:
    """A fault of the plan. Two faults never hold the same part at the same time."""

    number: int
    at: float
    seconds: float
    kind: str
    part: str
    detail: float | str = 0

    def __str__(self) -> str:
        detail = {float: lambda: f" ({self.detail:+g} s)", str: lambda: f" ({self.detail})"}.get(type(self.detail), str)()
        return f"{self.kind}{detail if self.detail else ''}: {self.part}, {self.seconds:.1f} s"


@dataclass(frozen=True)
class Kind:
    """A kind of fault: its weight among all, the parts that it hits, how long it lasts, and the detail drawn for it."""

    name: str
    weight: float
    parts: tuple[str, ...]
    seconds: tuple[float, float]
    detail: Callable[[random.Random, str], float | str] = lambda chance, part: 0


JUMPS = (-3600.0, -90.0, -20.0, 20.0, 90.0, 1200.0, 3600.0)
KINDS = (
    Kind("killed", 10, (*SERVERS, *WORKERS), (0.1, 2.5)),
    Kind("stopped", 8, (*SERVERS, *WORKERS), (0.5, 8)),
    Kind("stopped for longer than a lease", 0.5, (*SERVERS, *WORKERS), (65, 80)),
    Kind("clock jumps", 5, (*SERVERS, *WORKERS), (1, 8), lambda chance, part: chance.choice(JUMPS)),
    Kind("backend killed", 2, ("postgres",), (0.5, 0.5)),
    Kind("backend terminated", 5, ("postgres",), (0.1, 0.1)),
    Kind("backend stopped", 4, ("a backend",), (0.5, 6)),
    Kind("PostgreSQL killed", 2, ("postgres",), (0.2, 3)),
    Kind("disk full", 2, ("postgres",), (1, 4), lambda chance, part: chance.choice(["data", "wal"])),
    Kind("disk slow", 3, ("postgres",), (2, 8), lambda chance, part: chance.choice([0.02, 0.1, 0.4])),
    Kind("cut", 8, (*LINKS, *CLIENT_LINKS, *PROVIDER_LINKS), (0.1, 3)),
    Kind("stalled", 7, (*LINKS, *CLIENT_LINKS, *PROVIDER_LINKS), (0.5, 8)),
    Kind("deaf", 6, (*LINKS, *CLIENT_LINKS, *PROVIDER_LINKS), (0.5, 6)),
    Kind("delayed", 5, (*LINKS, *CLIENT_LINKS, *PROVIDER_LINKS), (1, 8), lambda chance, part: chance.choice([0.05, 0.3, 1.0])),
    Kind("provider", 14, PROVIDERS, (0.5, 10), lambda chance, part: chance.choice(sorted(MOODS[part]))),
    Kind("both servers stopped", 0.05, ("servers",), (75, 90)),
)
LONG = 60
"""Faults that last longer are left out of short runs."""


def plan(seed: int, seconds: float, mean_pause: float, can_fill: bool) -> Iterator[Fault]:
    """The faults of a run. They depend on the arguments only."""
    chance = random.Random(seed)
    kinds = [kind for kind in KINDS if kind.seconds[0] < LONG or seconds >= 300]
    busy: dict[str, float] = {}
    at, number = 1.0, 0
    while (at := at + chance.expovariate(1 / mean_pause)) < seconds:
        kind = chance.choices(kinds, [kind.weight for kind in kinds])[0]
        part = chance.choice(kind.parts)
        lasts = chance.uniform(*kind.seconds)
        detail = kind.detail(chance, part)
        held = SERVERS if part == "servers" else (part,)
        if kind.name == "disk full" and not can_fill or any(busy.get(each, 0) > at for each in held):
            continue
        # A server that has just been started takes a moment.
        busy.update({each: at + lasts + 0.5 for each in held})
        number += 1
        yield Fault(number, at, lasts, kind.name, part, detail)


class Faults:
    """Makes the faults of a plan happen, each in a thread of its own while it lasts."""

    def __init__(self, house: House, seed: int):
        self._house = house
        self._chance = random.Random(seed)
        self._threads: list[threading.Thread] = []
        self.errors: list[str] = []

    def happen(self, fault: Fault) -> None:
        """Lets a fault begin."""
        thread = threading.Thread(target=self._happen, args=(fault,), daemon=True)
        thread.start()
        self._threads.append(thread)

    def end(self) -> None:
        """Waits until everything is whole again."""
        for thread in self._threads:
            thread.join()

    def _happen(self, fault: Fault) -> None:
        try:
            undo = self._begin(fault)
            time.sleep(fault.seconds)
            undo()
        except Exception as error:  # noqa: BLE001 - shown by the run, which fails
            self.errors.append(f"fault {fault.number} ({fault}): {error!r}")

    def _begin(self, fault: Fault) -> Callable[[], None]:
        """Begins a fault; what ends it."""
        house, database = self._house, self._house.database
        match fault.kind:
            case "killed":
                program = house.programs[fault.part]
                program.kill()
                return program.start
            case "stopped" | "stopped for longer than a lease":
                return _stop([house.programs[fault.part]])
            case "both servers stopped":
                return _stop([house.programs[name] for name in SERVERS])
            case "clock jumps":
                machine = house.programs[fault.part].machine
                machine.is_ahead(fault.detail)
                return lambda: machine.is_ahead(0)
            case "backend killed" | "backend terminated" | "backend stopped":
                return self._hit_backend(fault.kind)
            case "PostgreSQL killed":
                database.kill()
                return database.restart
            case "disk full":
                database.fill(fault.detail)
                return lambda: database.empty(fault.detail)
            case "disk slow":
                database.machine.flushes_late(fault.detail)
                return lambda: database.machine.flushes_late(0)
            case "provider":
                house.set_mood(fault.part, MOODS[fault.part][fault.detail].format(s=round(fault.seconds, 1)))
                return lambda: house.set_mood(fault.part, "")
        there = house.links[fault.part]
        mode = {"cut": link.CUT, "stalled": link.STALL, "deaf": link.DEAF, "delayed": link.DELAY}[fault.kind]
        there.become(mode, float(fault.detail or 0))
        return lambda: there.become(link.PASS)

    def _hit_backend(self, kind: str) -> Callable[[], None]:

        pid = self._house.database.backend(self._chance)
        number = {"backend killed": signal.SIGKILL, "backend terminated": signal.SIGTERM, "backend stopped": signal.SIGSTOP}[kind]

        def send(number: int) -> None:
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)

        send(number)
        return lambda: send(signal.SIGCONT) if kind == "backend stopped" else None


def _stop(programs: list) -> Callable[[], None]:
    for program in programs:
        program.signal(signal.SIGSTOP)

    def go_on() -> None:
        for program in programs:
            program.signal(signal.SIGCONT)

    return go_on

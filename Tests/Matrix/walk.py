"""Walks the cells of the matrix through the procedures, and compares each with the oracle."""

import argparse
import os
import re
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import oracle
from axes import AWAY, LOSING, MEANWHILE, MORNING, NOON, RETURN, Cell, cells
from breaks import BREAKS, statement
from causes import CAUSES, PINGS
from house import House
from oracle import Outcome, Type
from shortfalls import SHORTFALLS

NOON_PASSES = (5, 12, 25, 45, 70, 110, 125, 140, 150, 165, 180, 200, 245, 320, 900, 1900, 3700, 7200)
#: The worker's passes for cells by day, by night, and without a worker: in seconds after noon, after the quiet hours, and after its return.
PASSES = {
    "day": {NOON: NOON_PASSES, MORNING: (5,)},
    "night": {NOON: NOON_PASSES, MORNING: (5, 20, 45, 70, 125, 320, 3700)},
    AWAY: {RETURN: (5, 12, 25, 45, 70, 125, 320, 3700)},
}
#: When misses are judged: 10 seconds after their deadlines, in minutes before noon.
JUDGED = {39.8, 29.8, 19.8}
#: Pairs in a transaction.
SHARE = 450
#: What a provider of pushes says of a device that its app has left.
GONE = {"outcome": "gone", "error": "Unregistered"}
CHANNEL_NAMES = {"apns": "push", "web_push": "push", "email": "e-mail", "sms": "text", "voice": "call"}


class Walk:
    """One walk of some cells, all at the same times."""

    def __init__(self, house: House, walked: list[Cell]):
        self._house, self._cells, self._by_n = house, walked, {cell.n: cell for cell in walked}
        self._is_away = clock(walked[0]) == AWAY
        #: When each cell's provider in trouble was asked first.
        self._asked_at: dict[int, datetime] = {}
        #: The cells whose message was written at noon.
        self._written: set[int] = set()
        #: The newest invitation of each cell.
        self._tokens: dict[int, str] = {}

    def outcomes(self) -> dict[int, Outcome]:
        self._house.begin(self._cells)
        try:
            self._history()
            self._noon()
            if self._is_away:
                self._house.beat(RETURN)
                self._house.work(RETURN)
            for start, passes in PASSES[clock(self._cells[0])].items():
                for seconds in passes:
                    self._pass(start + timedelta(seconds=seconds))
            return self._seen()
        finally:
            self._house.end()

    def _history(self) -> None:
        for name, (status, scheduled, deadline) in PINGS.items():
            self._house.rows(
                """
                insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at, asked_at)
                select connection.tenant_id, '2027-03-10', connection.id, internal.uuid7(%(scheduled)s), sender_id, receiver_id, %(status)s, %(scheduled)s,
                  %(deadline)s::timestamptz - interval '15 minutes', %(deadline)s, case when %(status)s = 'due' then %(scheduled)s::timestamptz end
                from pair join kith.connections as connection on connection.tenant_id = pair.tenant_id and connection.sender_id = pair.sender
                """, [cell for cell in self._cells if cell.cause.pings == name],
                status=status, scheduled=NOON - timedelta(minutes=scheduled), deadline=NOON - timedelta(minutes=deadline))
        self._house.analyze()
        for minutes in sorted({minutes for cell in self._cells for minutes, _, _ in cell.cause.before} | JUDGED, reverse=True):
            now = NOON - timedelta(minutes=minutes)
            self._act(now, [(cell, role, call) for cell in self._cells for at, role, call in cell.cause.before if at == minutes])
            self._house.work(now)
            self._house.plan(now)
            # The sender of a miss hears of it a moment before the receivers.
            self._house.deliver(now + timedelta(seconds=30), lambda n, channel, address, now: GONE if address.startswith("dead-") else {"outcome": "sent"})

    def _noon(self) -> None:
        self._act(NOON, [(cell, role, call) for cell in self._cells for role, call in cell.cause.now])
        self._house.work(NOON)
        self._written = self._house.caused()
        self._house.analyze()
        if self._is_away:
            self._house.beat(NOON)
            return
        self._house.plan(NOON + timedelta(seconds=1))
        self._house.analyze()
        self._meanwhile(NOON + timedelta(seconds=2), lambda cell: cell.provider in ("up", "slow"))
        self._house.deliver(NOON + timedelta(seconds=3), self._answer)
        self._meanwhile(NOON + timedelta(seconds=4), lambda cell: cell.provider not in ("up", "slow"))

    def _meanwhile(self, now: datetime, is_their_turn) -> None:
        self._act(now, [(cell, role, call) for cell in self._cells if is_their_turn(cell) for role, call in MEANWHILE[cell.meanwhile].acts])

    def _act(self, now: datetime, acts: list[tuple[Cell, str, str]]) -> None:
        for consent in (True, False):
            self._house.require_consent(consent)
            for cell, role, call in acts:
                if cell.cause.consent != consent:
                    continue
                if call == "lose":
                    call = LOSING[next(has for has in cell.has if has in LOSING)]
                call = call.replace("{token}", f"'{self._tokens.get(cell.n)}'").replace("{new device}", f"'new-{cell.n}-{cell.cause.reader}'")
                answer = self._house.act(cell, cell.cause.reader if role == "reader" else role, call, now)
                if answer.startswith("refused") or '"problem"' in answer:
                    raise SystemExit(f"{cell}: the {role} cannot: {answer}")
                if token := re.search(r'"token" ?: ?"([0-9a-f-]{36})"', answer):
                    self._tokens[cell.n] = token[1]

    def _pass(self, now: datetime) -> None:
        self._house.plan(now)
        self._house.deliver(now, self._answer)
        # What has failed goes on to the next channel in the worker's next round, a moment later.
        self._house.plan(now + timedelta(seconds=1))
        self._house.deliver(now + timedelta(seconds=2), self._answer)
        self._house.hang_up(now + timedelta(seconds=22), lambda n: self._by_n[n].provider == "unanswered")

    def _answer(self, n: int, channel: str, address: str, now: datetime) -> dict | None:
        cell = self._by_n[n]
        if address.startswith("dead-"):
            return GONE
        is_reader = channel in ("email", "sms", "voice") or address.endswith("-" + cell.cause.reader)
        ways = oracle.ways(cell)
        if cell.provider == "up" or not is_reader or address.startswith("new-") or CHANNEL_NAMES[channel] != ways[0]:
            return {"outcome": "sent"}
        first = self._asked_at.setdefault(n, now)
        match cell.provider:
            case "gone":
                return GONE if channel in ("apns", "web_push") else {"outcome": "failed", "error": "no such address"}
            case "failing":
                return {"outcome": "retry", "error": "500"}
            case "429" if now < first + timedelta(seconds=100):
                return {"outcome": "retry", "error": "429", "retry_after": 3600}
            case "breaker" if now < first + timedelta(minutes=30):
                return {"outcome": "later", "error": "the breaker is open", "retry_after": 10}
            case "slow" if now == first:
                return None
        return {"outcome": "sent"}

    def _seen(self) -> dict[int, Outcome]:
        told, reported, others = self._house.told(), self._house.reported(), self._house.others()
        result = {}
        for cell in self._cells:
            if cell.n not in self._written:
                result[cell.n] = Outcome(when="not written")
                continue
            taken = [(CHANNEL_NAMES[channel], at) for channel, at, _ in told.get(cell.n, [])]
            if not taken:
                result[cell.n] = Outcome(is_reported=cell.n in reported, others=others.get(cell.n, frozenset()))
                continue
            first = taken[0][1]
            in_the_morning = MORNING <= first < RETURN
            # A provider in trouble has been asked in time. The question of a ping is spread over its first minute.
            start = max(RETURN if self._is_away else MORNING if in_the_morning else NOON, self._asked_at.get(cell.n, NOON))
            whens = [when(at - start) for _, at in taken]
            result[cell.n] = Outcome(
                frozenset(channel for (channel, at), late in zip(taken, whens) if late == whens[0]), whens[0], in_the_morning, cell.n in reported,
                others=others.get(cell.n, frozenset()), says=told[cell.n][0][2])
        return result


def when(late: timedelta) -> str:
    for limit, name in ((75, "at once"), (150, "within two minutes"), (310, "within four minutes"), (3700, "within the hour")):
        if late.total_seconds() <= limit:
            return name
    return "later"


def failures(walked: list[Cell], seen: dict[int, Outcome], known: dict[str, Type]) -> tuple[list[str], list[str]]:
    """The cells that fail and are no known shortfall; and the shortfalls that are none, or of cells that are none."""
    wrong, stale = [], []
    for cell in walked:
        right = oracle.expected(cell, known)
        shortfall = next((shortfall for shortfall in SHORTFALLS if shortfall.has(cell)), None)
        if right is None:
            wrong.append(f"{cell}: the oracle expects nothing")
        elif not right.allows(seen[cell.n]) and shortfall is None:
            wrong.append(f"{cell}: expected {right}, seen {seen[cell.n]}")
        elif right.allows(seen[cell.n]) and shortfall is not None:
            stale.append(f"{cell}: as expected, {right}, but listed: {shortfall.reason}")
    return wrong, stale


def clock(cell: Cell) -> str:
    return AWAY if cell.meanwhile == AWAY else cell.hours


def shares(walked: list[Cell]) -> Iterator[list[Cell]]:
    """The cells in parts that share a transaction, and so a clock."""
    for passes in PASSES:
        some = [cell for cell in walked if clock(cell) == passes]
        yield from (some[first : first + SHARE] for first in range(0, len(some), SHARE))


def walk(house: House, walked: list[Cell], known: dict[str, Type]) -> tuple[list[str], list[str]]:
    """The failures of all these cells."""
    wrong, stale = [], []
    for share in shares(walked):
        found = failures(share, Walk(house, share).outcomes(), known)
        print(*(found[0] + found[1]), sep="\n", end="\n" * bool(found[0] + found[1]), flush=True)
        wrong, stale = wrong + found[0], stale + found[1]
    return wrong, stale


def find_breaks(url: str, walked: list[Cell], known: dict[str, Type], names: list[str]) -> int:
    """Breaks the rules one at a time, and says whether the cells that show it fail."""
    missed = 0
    for name in names:
        some = [cell for cell in walked if re.search(BREAKS[name].cells, str(cell))]
        wrong, _ = walk(House(url, (statement(url, name),)), some, known)
        missed += not wrong
        print(f"{name}: {BREAKS[name].does}: {wrong[0] if wrong else 'not seen'}", flush=True)
    print(f"{len(names) - missed} of {len(names)} breaks found")
    return 1 if missed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only the cells whose names match this regular expression")
    parser.add_argument("--break", dest="broken", choices=[*BREAKS, "all"], help="break a rule on purpose, and see that it is found")
    options = parser.parse_args()
    url = os.environ["KITH_DATABASE_URL"]
    house = House(url)
    known = {type: Type(frozenset(traits), relation, tuple(channels)) for type, traits, relation, channels in house.types()}
    began = time.monotonic()
    wrong = [f"{type}: nothing in causes.py makes it" for type in sorted(known.keys() - {cause.type for cause in CAUSES.values()})]
    walked = [cell for cell in (Cell(n, *axis) for n, axis in enumerate(cells(known), 1)) if re.search(options.only, str(cell))]
    if options.broken:
        return find_breaks(url, walked, known, list(BREAKS) if options.broken == "all" else [options.broken])
    for name in BREAKS:
        # Ends here if a break does not fit the functions any more.
        statement(url, name)
    unused = [f"no cell has this shortfall: {shortfall.reason}" for shortfall in SHORTFALLS if not options.only and not any(map(shortfall.has, walked))]
    print(*wrong, *unused, sep="\n", end="\n" * bool(wrong + unused))
    found, stale = walk(house, walked, known)
    wrong, stale = wrong + found, stale + unused
    short = sum(any(shortfall.has(cell) for shortfall in SHORTFALLS) for cell in walked)
    print(
        f"{len(walked)} cells: {len(wrong)} are not as the product says, {short} are known shortfalls and {len(stale)} of these wrongly, "
        f"{time.monotonic() - began:.0f} s")
    return 1 if wrong or stale else 0


if __name__ == "__main__":
    sys.exit(main())

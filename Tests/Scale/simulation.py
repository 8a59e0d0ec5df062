"""A day of many users: what they do in each minute, and what it costs each cell.

Every sender is asked once a day at a time of their own. How many do what in a minute is drawn around what is expected, from a seed, because
senders act independently of each other. All that they share is the clock: the world's nine o'clocks.
"""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy
from model import FOLDER, NOTHING, Cost, Costs

MINUTES = 24 * 60
REGIONS = {"Americas": (-720, -90), "Europe, Africa": (-90, 200), "West, South Asia": (200, 400), "East Asia, Oceania": (400, 840)}
"""By the distance from UTC, in minutes."""


@dataclass(frozen=True)
class Assumptions:
    """What nothing here can measure. The texts are those of docs/scale.md."""

    senders: float = field(default=0.5, metadata={"text": "part of the users who are senders; the others are receivers alone"})
    receivers: float = field(default=2.0, metadata={"text": "receivers of a sender"})
    at_nine: float = field(default=0.45, metadata={"text": "part of the senders who are asked at 09:00 sharp, the time that the form proposes"})
    spread_hours: float = field(default=2.0, metadata={"text": "standard deviation of the other senders' times around 09:00, in hours; they choose half hours"})
    before: float = field(default=0.25, metadata={"text": "part of the senders who check in before they are asked, within two hours"})
    reminded: float = field(default=0.13, metadata={"text": "part who check in only after the reminder, 75 minutes later"})
    missed: float = field(default=0.02, metadata={"text": "part who do not check in at all, 90 minutes later"})
    delay_minutes: float = field(default=10.0, metadata={"text": "mean time from a message to what its reader does, in minutes"})
    looking: float = field(default=0.3, metadata={"text": "part of the receivers who open the app when they are told of a check-in"})
    stream_minutes: float = field(default=5.0, metadata={"text": "how long an app stays open, with a stream of events, in minutes"})
    tenant_slope: float = field(default=1.0, metadata={"text": "the tenant of rank r has users in proportion to 1/r to the power of this"})
    busy: float = field(default=0.5, metadata={"text": "part of the processors that may be busy in the busiest minute; the rest is for a fail-over's catching up, back-ups and a bad day"})


@dataclass(frozen=True)
class Machine:
    """A database server, or one of `kith serve`."""

    processors: int
    disk_terabytes: float
    network_gigabits: float


@dataclass(frozen=True)
class Scenario:
    """A number of users, and the machines that carry them."""

    users: int
    tenants: int
    cell: Machine
    cells: int | None
    """How many cells there are; None for as many as are needed."""


@dataclass
class Day:
    """What the cells do in each minute. Arrays are of cells × minutes."""

    acts: dict[str, numpy.ndarray]
    postgres: numpy.ndarray
    """Busy processors."""
    kith: numpy.ndarray
    wal: numpy.ndarray
    """Bytes a second."""
    network: numpy.ndarray
    """Bytes a second out of the servers, with those to providers."""
    streams: numpy.ndarray
    """Open at once."""
    senders: numpy.ndarray
    """Of each cell."""

    def peak(self, values: numpy.ndarray) -> float:
        """The largest sum over all cells."""
        return float(values.sum(axis=0).max())


class World:
    """The people of the world by time zone."""

    def __init__(self) -> None:
        rows = list(csv.DictReader((FOLDER / "zones.csv").open()))
        self.offsets = numpy.array([int(row["utc_offset_minutes"]) for row in rows])
        self.people = numpy.array([int(row["people"]) for row in rows], dtype=float)

    def shares(self, region: str | None = None) -> numpy.ndarray:
        """The part of the people of a region, or of the world, in each zone."""
        inside = numpy.ones(len(self.offsets), dtype=bool)
        if region:
            low, high = REGIONS[region]
            inside = (self.offsets >= low) & (self.offsets < high)
        people = numpy.where(inside, self.people, 0)
        return people / people.sum()

    def region_share(self, region: str) -> float:
        """The part of the world's people in a region."""
        low, high = REGIONS[region]
        return float(self.people[(self.offsets >= low) & (self.offsets < high)].sum() / self.people.sum())


class Simulation:
    """Days of any size, with the same costs and assumptions."""

    def __init__(self, costs: Costs, assumptions: Assumptions, seed: int):
        self.costs = costs
        self.assumptions = assumptions
        self.world = World()
        self._chance = numpy.random.default_rng(seed)

    def day(self, senders: numpy.ndarray) -> Day:
        """The day of cells with so many senders in each zone: an array of cells × zones."""
        acts = {name: self._drawn(values) for name, values in self._expected(senders).items()}
        receivers = self.assumptions.receivers
        postgres, kith, wal = (numpy.zeros((len(senders), MINUTES)) for _ in range(3))
        for name, counts in acts.items():
            cost = self.cost(name)
            postgres += counts * cost.postgres / 60e6
            kith += counts * cost.kith / 60e6
            wal += counts * cost.wal / 60
        # What the database tidies up, whenever it has time.
        postgres += senders.sum(axis=1)[:, None] * self.costs.of("vacuum", receivers).postgres / 86400e6
        sizes = self.costs.measured["network_bytes"]
        network = sum(
            acts[name] * (sizes[name]["answer"] + sizes[name]["request"]) / 60 for name in ("check-in", "home", "dashboard")
        ) + (acts["message"] + acts["message-of-check-in"]) * MESSAGE_BYTES / 60
        streams = _kept(acts["first-call"], round(self.assumptions.stream_minutes))
        return Day(acts, postgres, kith, wal, network, streams, senders.sum(axis=1))

    def cost(self, act: str) -> Cost:
        """What one act costs; that of a first call includes opening a stream and an event on it."""
        cost = self.costs.of(act, self.assumptions.receivers)
        if act == "generate":
            return cost
        if act == "first-call":
            streams = self.costs.measured["streams"]
            return cost + Cost(
                streams["postgres_us_to_open"] + streams["postgres_us_an_event"], streams["kith_us_to_open"] + streams["kith_us_an_event"], 0
            )
        return cost

    def of_a_sender(self) -> dict[str, float]:
        """How many acts of each kind a sender's day has."""
        it = self.assumptions
        asked = 1 - it.before
        checking_in = 1 - it.missed
        looking = checking_in * it.receivers * it.looking
        return {
            "generate": 1, "announce": asked, "message": asked + it.reminded + it.missed * (1 + it.receivers), "check-in": checking_in,
            "message-of-check-in": checking_in * it.receivers, "first-call": checking_in + looking, "home": checking_in,
            "dashboard": looking, "remind": it.reminded + it.missed, "miss": it.missed,
        }

    def _expected(self, senders: numpy.ndarray) -> dict[str, numpy.ndarray]:
        it = self.assumptions
        due = numpy.zeros((len(senders), MINUTES))
        midnight = numpy.zeros((len(senders), MINUTES))
        times = self._times()
        for zone, offset in enumerate(self.world.offsets):
            due += senders[:, zone, None] * numpy.roll(times, -offset)[None, :]
            midnight[:, -offset % MINUTES] += senders[:, zone]
        delay = numpy.exp(-numpy.arange(MINUTES) / it.delay_minutes)
        delay /= delay.sum()
        early = numpy.zeros(MINUTES)
        early[-120:] = 1 / 120
        at_once = 1 - it.before - it.reminded - it.missed
        reminding = numpy.roll(due, 75, axis=1)
        missing = numpy.roll(due, 90, axis=1)
        check_ins = (
            _after(due, early) * it.before + _after(due, delay) * at_once + _after(reminding, delay) * it.reminded
        )
        looks = _after(check_ins, delay) * it.receivers * it.looking
        messages = due * (1 - it.before) + reminding * (it.reminded + it.missed) + missing * it.missed * it.receivers
        return {
            "generate": self._yielding(midnight), "announce": due * (1 - it.before), "message": messages, "check-in": check_ins,
            "message-of-check-in": check_ins * it.receivers, "first-call": check_ins + looks, "home": check_ins, "dashboard": looks,
            "remind": reminding * (it.reminded + it.missed), "miss": missing * it.missed,
        }

    def _times(self) -> numpy.ndarray:
        """The part of the senders who are asked in each minute of their day."""
        it = self.assumptions
        times = numpy.zeros(MINUTES)
        slots = numpy.arange(0, MINUTES, 30)
        weights = numpy.exp(-0.5 * ((slots - 540) / (60 * it.spread_hours)) ** 2)
        times[slots] = (1 - it.at_nine) * weights / weights.sum()
        times[540] += it.at_nine
        return times

    def _yielding(self, midnight: numpy.ndarray) -> numpy.ndarray:
        """Pings are made from midnight on by workers that rest for twice as long as each batch took."""
        a_minute = WORKERS * 60e6 / 3 / self.costs.of("generate", self.assumptions.receivers).postgres
        made = numpy.zeros_like(midnight)
        left = numpy.zeros(len(midnight))
        # Twice around, so that what was begun before midnight UTC is finished after it.
        for minute in range(2 * MINUTES):
            now = minute % MINUTES
            if minute >= MINUTES:
                made[:, now] = 0
            left += midnight[:, now]
            made[:, now] = numpy.minimum(left, a_minute)
            left -= made[:, now]
        return made

    def _drawn(self, expected: numpy.ndarray) -> numpy.ndarray:
        return self._chance.poisson(numpy.maximum(expected, 0)).astype(float)

    def place(self, users: int, tenants: int, cells: int, region: str | None = None) -> numpy.ndarray:
        """Senders by cell and zone: tenants of the region, or of the world, go one after the other into the emptiest cell.

        A tenant has most of its people in one zone, and the others where the region has them.
        """
        it = self.assumptions
        sizes = self._tenants(users, tenants)
        shares = self.world.shares(region)
        placed = numpy.zeros((cells, len(shares)))
        for size in sizes:
            home = self._chance.choice(len(shares), p=shares)
            zones = 0.3 * shares
            zones[home] += 0.7
            # The largest tenant is everywhere: with one home it would move the peak of the world.
            placed[placed.sum(axis=1).argmin()] += size * (zones if size < users * it.senders / 20 else shares)
        return placed

    def largest_tenant(self, users: int, tenants: int) -> float:
        """The senders of the largest tenant."""
        return float(self._tenants(users, tenants)[0])

    def _tenants(self, users: int, tenants: int) -> numpy.ndarray:
        """The senders of each tenant, the largest first."""
        sizes = numpy.arange(1.0, tenants + 1) ** -self.assumptions.tenant_slope
        return sizes / sizes.sum() * users * self.assumptions.senders

    def cells_needed(self, users: int, machine: Machine, region: str | None = None) -> int:
        """How many cells of such machines carry so many users, by processors and by disk."""
        senders = users * self.assumptions.senders
        day = self.day(senders * self.world.shares(region)[None, :])
        by_processors = day.postgres.max() / (machine.processors * self.assumptions.busy)
        by_disk = self.kept_bytes(users) / (machine.disk_terabytes * 1e12 * DISK_FULL)
        # The largest tenants do not fill their cells evenly.
        return max(1, math.ceil(max(by_processors, by_disk) * 1.1))

    def kept_bytes(self, users: float) -> float:
        """The bytes of the database once the retentions by default have passed."""
        return users * self._bytes("person_at_rest") + users * self.assumptions.senders * self._bytes("kept_of_daily_pings")

    def _bytes(self, what: str) -> float:
        (fewer, few), (more, many) = sorted((int(receivers), found[what]) for receivers, found in self.costs.measured["bytes"].items())
        return few + (many - few) * (self.assumptions.receivers - fewer) / (more - fewer)

    def ping_day(self) -> Cost:
        """What a sender's day costs in all."""
        total = NOTHING
        for act, count in self.of_a_sender().items():
            total += self.cost(act) * count
        return total + Cost(self.costs.of("vacuum", self.assumptions.receivers).postgres, 0, 0)


WORKERS = 2
"""Of a cell."""
MESSAGE_BYTES = 1500
"""A message to a provider with its answer, over a connection that stays open."""
DISK_FULL = 0.7
"""The part of a disk that the database may take."""


def _after(counts: numpy.ndarray, delay: numpy.ndarray) -> numpy.ndarray:
    """Each act followed by another one after a random delay, around the clock."""
    spectrum = numpy.fft.rfft(counts, axis=1) * numpy.fft.rfft(delay)[None, :]
    return numpy.fft.irfft(spectrum, n=MINUTES, axis=1)


def _kept(counts: numpy.ndarray, minutes: int) -> numpy.ndarray:
    """How many of what begins in each minute, and lasts so many, there are at once."""
    return sum(numpy.roll(counts, minute, axis=1) for minute in range(minutes))


def regions() -> Iterator[str]:
    """The names of the regions."""
    yield from REGIONS

"""Runs Kith under load and random faults, waits until it is quiet, and checks what it promised.

The faults depend on the seed and the length only. Each is printed with the second in which it begins. Exit status 1 means that a promise
was broken, 2 that the run itself failed.
"""

import argparse
import collections
import contextlib
import datetime
import os
import pickle
import signal
import sys
import threading
import time
import unittest

import checker
import clock_hand
import faults
import facts
from house import SERVERS, WORKERS, House
from people import People

QUIET = 600
"""Seconds after which whatever is still under way counts as lost. Usually it takes a few."""

TOLD = 30
"""Seconds between two lines that say what is still under way."""

SHOWN = 8
"""How many violations of a promise are printed."""

BUSY = """
select 'pings' as what, count(*) from kith.pings
where status = 'scheduled' and scheduled_at < now() + interval '70 minutes' or status = 'due' and deadline_at < now() + interval '70 minutes'
union all select 'runs', count(*) from kith.ping_runs where finished_at is null and starts_at < now()
union all select 'notifications to plan', count(*) from kith.notifications where planned_at is null
union all select 'deliveries', count(*) from kith.deliveries where status in ('queued', 'sending')
union all select 'webhooks', count(*) from kith.webhooks where has_news or batch_id is not null
union all select 'emergency waits', count(*) from kith.emergency_requests where ended_at is null and (grants_at > now() or notice_at < now())
union all select 'silences', count(*) from kith.signs_of_life where recount_at < now()
union all select 'alarms', count(*) from kith.alarms
where next_at < now() + case when taken_at is null then interval '5 minutes' else '0' end and (kind = 'help' and taken_at is null or not internal.rests_for_outage(now()))
union all select 'outages', count(*) from kith.outages where ended_at is null
"""
"""What is still under way. Pings of tomorrow are not, nor are alarms that somebody looks after until later."""


MISTAKE = signal.SIGUSR1
"""Ends the run, because one of its threads met an error that no fault explains."""


class Arguments(argparse.ArgumentParser):
    """Refuses what it does not know with the status of sysexits.h."""

    def error(self, message: str) -> None:
        print(f"chaos: {message}; --help lists the options", file=sys.stderr)
        sys.exit(os.EX_USAGE)


def main() -> int:
    arguments = Arguments(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=_positive, default=60, help="how long faults happen (default 60)")
    arguments.add_argument("--seed", type=int, default=1, help="chooses the faults (default 1)")
    arguments.add_argument("--pause", type=_positive, default=1.2, help="mean seconds between two faults (default 1.2)")
    arguments.add_argument("--check-the-checker", action="store_true", help="only breaks each promise once, on paper, and ends")
    options = arguments.parse_args()
    if options.check_the_checker:
        suite = unittest.defaultTestLoader.loadTestsFromNames(["test_ping_rules", "test_checker"])
        return 0 if unittest.TextTestRunner(stream=sys.stdout).run(suite).wasSuccessful() else 1
    if not os.access(os.environ["KITH_BINARY"], os.X_OK):
        print(f"chaos: {os.environ['KITH_BINARY']} is missing: make build, or set KITH_BINARY", file=sys.stderr)
        return os.EX_UNAVAILABLE
    # Ends everything that it started, also when it is started in the background, where a shell lets Ctrl-C be ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(130))
    signal.signal(MISTAKE, lambda *_: _fail())
    threading.excepthook = _end_run
    with House() as house:
        return run(house, options.seed, options.seconds, options.pause)


def run(house: House, seed: int, seconds: float, pause: float) -> int:
    """Plays the faults of a seed; the exit status."""
    people = People(house, seed)
    people.settle()
    plan = list(faults.plan(seed, seconds, pause, house.database.can_fill))
    print(f"chaos: seed {seed}, {seconds:g} s, {len(plan)} faults" + ("" if house.database.can_fill else "; no full disks: this needs mount"))
    with clock_hand.ClockHand(house) as hand:
        people.begin()
        failed = play(house, people, plan, seed, seconds)
        people.end()
        left, outages, released_at = await_quiet(house, hand)
    people.stop_reading(60)
    found = checker.violations(known := facts.gather(house, people, outages, released_at))
    found += [f"nothing_stays_open: {left}"] if left else []
    if os.environ.get("KITH_CHAOS_KEEP"):
        (house.folder / "facts.pickle").write_bytes(pickle.dumps(known))
    report(known, people, plan, found, failed, f"--seed {seed} --seconds {seconds:g} --pause {pause:g}")
    return 2 if failed else 1 if found else 0


def play(house: House, people: People, plan: list, seed: int, seconds: float) -> list[str]:
    """Lets the faults happen while people act; what went wrong with the faults themselves."""
    happening = faults.Faults(house, seed)
    began = time.monotonic()
    stops = threading.Event()

    def arrive() -> None:
        while not stops.is_set():
            people.arrive()
            stops.wait(6)

    arriving = threading.Thread(target=arrive, daemon=True)
    arriving.start()
    for fault in plan:
        time.sleep(max(0, began + fault.at - time.monotonic()))
        print(f"{time.monotonic() - began:8.3f} s  fault {fault.number}: {fault}", flush=True)
        happening.happen(fault)
    time.sleep(max(0, began + seconds - time.monotonic()))
    happening.end()
    stops.set()
    arriving.join()
    return happening.errors


def await_quiet(house: House, hand: clock_hand.ClockHand) -> tuple[str, list[dict], datetime.datetime | None]:
    """Waits until everything has been done that was begun.

    Returns what has not, after all that time, the outages that Kith knew of, and when the clock's hand ended what they hold back.
    """
    outages: list[dict] = []
    released_at = None
    # A worker keeps away from a provider that refused, for up to five minutes; a new one does not know that.
    for name in WORKERS:
        house.programs[name].kill()
    with house.database.session() as session:
        for statement in clock_hand.LEASES:
            session.execute(statement)
    for name in (*SERVERS, *WORKERS):
        house.programs[name].start()
    began = time.monotonic()
    told = began + TOLD
    left: dict[str, int] = {"everything": 1}
    calm = 0
    while time.monotonic() < began + QUIET and calm < 3:
        hand.move(clock_hand.MINUTE, *clock_hand.RETRIES)
        with house.database.session() as session:
            left = {row["what"]: row["count"] for row in session.execute(BUSY).fetchall() if row["count"]}
            if set(left) == {"pings"} and not session.execute(
                "select from kith.pings where status in ('scheduled', 'due') and deadline_at between now() - interval '20 s' and now() + interval '70 minutes'"
            ).fetchone():
                # Only what an outage holds back: nobody heard of it yet, and in a quarter of an hour they shall.
                outages = outages or session.execute("select * from kith.outages").fetchall()
                released_at = released_at or session.execute("select clock_timestamp() as now").fetchone()["now"]
                session.execute(clock_hand.OUTAGES)
        if time.monotonic() >= told:
            told += TOLD
            print(f"{time.monotonic() - began:8.3f} s  still under way: {_counts(left)}", flush=True)
        calm = calm + 1 if not left and all(house.readiness(name) == 200 for name in SERVERS) else 0
        time.sleep(0.5)
    with house.database.session() as session:
        outages = outages or session.execute("select * from kith.outages").fetchall()
    print(f"chaos: {'quiet' if calm == 3 else 'not quiet'} after {time.monotonic() - began:.1f} s")
    return "" if calm == 3 else _counts(left), outages, released_at


def _counts(left: dict[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in left.items()) or "nothing, but a server is not ready"


def report(known: facts.Facts, people: People, plan: list, found: list[str], failed: list[str], again: str) -> None:
    """Prints what happened."""
    kinds = collections.Counter(f"{fault.kind} {fault.detail}" if fault.kind in ("provider", "disk full") else fault.kind for fault in plan)
    print("faults: " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    acts = collections.Counter((act.kind, "acknowledged" if act.is_acknowledged else "refused" if act.status else "unknown") for act in known.acts)
    print("acts: " + ", ".join(f"{kind} {how} {count}" for (kind, how), count in sorted(acts.items())))
    for name, rows, column in (
        ("pings", known.pings, "status"), ("notifications", known.notifications, "type"), ("deliveries", known.deliveries, "status"),
        ("emergency requests", known.requests, "cause"), ("alarms", known.alarms, "kind"), ("timelines", known.entries, "kind"),
    ):
        print(f"{name}: " + ", ".join(f"{value} {count}" for value, count in sorted(collections.Counter(row[column] for row in rows).items())))
    twice = collections.Counter((each.channel, each.delivery or each.notification, each.address) for each in known.taken)
    print(
        f"taken: {len(known.taken)} messages, {sum(count > 1 for count in twice.values())} more than once; {len(known.posts)} requests to webhooks,"
        f" {sum(post.is_taken for post in known.posts)} taken; outages: {len(known.outages)}"
    )
    print(
        f"documents: {len(known.documents)} with {sum(row['size'] for row in known.documents) >> 20} MiB; streams:"
        f" {sum(len(stream.events) for stream in known.streams)} events in {sum(stream.connections for stream in known.streams)} connections"
    )
    for line in failed:
        print(f"NOT PLAYED: {line}")
    shown = collections.Counter()
    for line in found:
        name = line.partition(":")[0]
        shown[name] += 1
        if shown[name] <= SHOWN:
            print(f"VIOLATION: {line}")
    for name, count in shown.items():
        if count > SHOWN:
            print(f"VIOLATION: {name}: {count - SHOWN} more")
    print(f"again: Tests/Chaos/run {again}")
    print(f"chaos: {len(plan)} faults, {len(known.acts)} acts, {len(checker.PROMISES)} promises, {len(found)} violations")


def _end_run(arguments: threading.ExceptHookArgs) -> None:
    threading.__excepthook__(arguments)
    signal.pthread_kill(threading.main_thread().ident, MISTAKE)


def _fail() -> None:
    # Threads that lose the database because the run ends are no reason to end it again.
    signal.signal(MISTAKE, signal.SIG_IGN)
    print("chaos: the run failed with the error above", flush=True)
    sys.exit(2)


def _positive(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < float(text) < 1e6:
            return float(text)
    raise argparse.ArgumentTypeError("must be a positive number of seconds")


if __name__ == "__main__":
    sys.exit(main())

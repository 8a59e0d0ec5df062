"""10,000 open event streams: their memory, their delay, and their effect on the rate of requests."""

import threading
import time
from statistics import median, quantiles

import psycopg
import tokens
from listening import Listeners
from process import resident_mebibytes
from reading import Reading
from result import at_most, ours_at_most, report
from rounds import in_turns
from stage import Stage

STREAMS = 10_000
SMALL = 500
MEMORY_TARGET = 20
EVENTS = 1000
EVENTS_PER_SECOND = 100
ROUNDS = 3
CONNECTIONS = 16

TELL = """
insert into kith.notifications (tenant_id, id, user_id, type, body, data, delivery_status, created_at)
values (%s, %s, %s, 'ping_completed', 'Alice checked in.', '{}', 'sent', now())
"""


def run(stage: Stage) -> None:
    with stage.people() as database, stage.serving(database, address_connections=0) as server:
        count = min(STREAMS if stage.size.rounds > 1 else SMALL, stage.size.senders)
        with stage.cluster.connect(database) as session:
            people = session.execute(
                "select tenant_id, user_id::text from load.receivers order by n limit %s", (count,)
            ).fetchall()
        keys = [tokens.mint(tenant, user) for tenant, user in people]
        reading = Reading.connections(stage, database)

        def requests() -> float:
            return reading.over_http(server.url, CONNECTIONS).rate

        def requests_meanwhile() -> float:
            with Listeners(server.url, keys) as listeners:
                rate = requests()
                listeners.check()
            return rate

        reading.warm_up(server.url, CONNECTIONS)
        before = resident_mebibytes(server.pid)
        with Listeners(server.url, keys) as listeners:
            time.sleep(1)
            each = (resident_mebibytes(server.pid) - before) * 1024 / count
            late = _delays(stage, database, people, listeners)
            crowd = _delays_of_crowd(stage, database, people, listeners)
            # Two rounds of keep-alive comments.
            time.sleep(30 if stage.size.rounds > 1 else 1)
            later = (resident_mebibytes(server.pid) - before) * 1024 / count
            listeners.check()
        notified = _delays_of_notify(stage, database, people)
        ours, peer = in_turns(ROUNDS, requests_meanwhile, requests)
    what = f"{count} open streams"
    report(
        "streams-memory", [max(each, later)], [MEMORY_TARGET],
        f"KiB of kith serve a stream, {what}, after events for each of them; the peer is the limit",
        at_most(1),
    )
    against = "LISTEN in a session of its own, notified in the same transaction"
    report(
        "streams-delay", [median(late)], [median(notified)],
        f"milliseconds from the commit to the reader, median of {len(late)} events, {what}, against {against}",
        ours_at_most(250),
    )
    report("streams-delay-p99", [_p99(late)], [_p99(notified)], f"the same, p99, against {against}", ours_at_most(250))
    report(
        "streams-delay-crowd", [_p99(crowd)], [500],
        f"p99 in milliseconds when each of {what} gets an event of one transaction; the peer is the limit",
        at_most(1),
    )
    report("streams-requests", ours, peer, f"GET requests a second with {what}, against none")


def _delays(stage: Stage, database: str, people: list[tuple[int, str]], listeners: Listeners) -> list[float]:
    """Milliseconds from each of a series of commits to its event, each for a different user."""
    committed = {}
    with stage.cluster.connect(database) as session:
        for number in range(EVENTS if stage.size.rounds > 1 else 50):
            id = _tell(session, *people[number * 7919 % len(people)])
            committed[id] = time.monotonic()
            # Out of step with the server's polling.
            time.sleep(1 / EVENTS_PER_SECOND)
    return [1000 * (came - committed[id]) for id, came in zip(committed, listeners.await_arrivals(list(committed)))]


def _delays_of_crowd(stage: Stage, database: str, people: list[tuple[int, str]], listeners: Listeners) -> list[float]:
    with stage.cluster.connect(database) as session:
        with session.transaction():
            ids = [_tell(session, tenant, user) for tenant, user in people]
        committed = time.monotonic()
    return [1000 * (came - committed) for came in listeners.await_arrivals(ids)]


def _delays_of_notify(stage: Stage, database: str, people: list[tuple[int, str]]) -> list[float]:
    """Commits the same events, each with a NOTIFY."""
    arrivals: dict[str, float] = {}
    events = EVENTS if stage.size.rounds > 1 else 50

    def listen(session: psycopg.Connection) -> None:
        for notify in session.notifies(stop_after=events, timeout=60):
            arrivals[notify.payload] = time.monotonic()

    committed = {}
    with stage.cluster.connect(database) as listening, stage.cluster.connect(database) as session:
        listening.execute("listen events")
        thread = threading.Thread(target=listen, args=(listening,))
        thread.start()
        for number in range(events):
            with session.transaction():
                id = _tell(session, *people[number * 7919 % len(people)])
                session.execute("select pg_notify('events', %s)", (id,))
            committed[id] = time.monotonic()
            time.sleep(1 / EVENTS_PER_SECOND)
        thread.join()
    if len(arrivals) < events:
        raise RuntimeError(f"of {events} notifications only {len(arrivals)} came")
    return [1000 * max(arrivals[id] - committed[id], 0) for id in committed]


def _tell(session: psycopg.Connection, tenant: int, user: str) -> str:
    (id,) = session.execute("select internal.uuid7(now())::text").fetchone()
    session.execute(TELL, (tenant, id, user))
    return id


def _p99(values: list[float]) -> float:
    return quantiles(values, n=100)[98]

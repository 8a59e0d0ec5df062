"""Messages claimed, sent to a provider and completed, by `kith worker`, compared with a conventional job queue and with libcurl alone."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from process import running
from provider import Provider, provider
from result import at_least, report
from rounds import best, in_turns
from stage import Stage

COUNTERPARTS = Path(__file__).parents[1] / "counterpart"
PROGRAM = COUNTERPARTS / "job_queue.py"
TENANTS = 10
CONCURRENCIES = [10, 50, 200]
CONNECTIONS = [4, 16, 64]

QUEUED = """
insert into kith.deliveries (
  tenant_id, id, channel, purpose, address, body, is_urgent, next_attempt_at, expires_at, created_at
)
select n %% %(tenants)s + 1, internal.uuid7(now()), 'sms', 'invitation', '+4915' || lpad(n::text, 9, '0'),
  'Let your receivers know you''re safe.', false, now(), now() + interval '1 day', now()
from generate_series(1, %(messages)s) as n
"""


def run(stage: Stage) -> None:
    # As many as either side sends in a few seconds, so that start and end matter little.
    ours_messages = 2500 * stage.size.round_seconds * 2
    peer_messages = 250 * stage.size.round_seconds * 2
    # Every ping exists and is due already, so that the worker has nothing else to do.
    with stage.morning() as database, provider(stage) as sink:
        sink.serve(stage, database, TENANTS)
        peer = _JobQueue(stage, sink)
        concurrency = best(CONCURRENCIES, lambda tried: peer.rate(peer_messages // 4, tried))
        limit = _Sender(stage, sink)
        connections = best(CONNECTIONS, lambda tried: limit.rate(ours_messages // 4, tried))
        ours, theirs, most = in_turns(
            stage.size.rounds,
            lambda: by_worker(stage, database, sink, ours_messages),
            lambda: peer.rate(peer_messages, concurrency),
            lambda: limit.rate(ours_messages, connections),
        )
    report(
        "deliver", ours, theirs,
        f"messages a second claimed, sent to an HTTP provider and completed, of {TENANTS} tenants by one `kith worker`"
        f" against procrastinate with a concurrency of {concurrency}",
        at_least(7),
    )
    report(
        "deliver-limit", ours, most,
        f"the same messages a second against those that libcurl alone sends to this provider over {connections} connections",
        at_least(0.6),
    )


def by_worker(
    stage: Stage, database: str, sink: Provider, messages: int, at_end: Callable[[int], None] = lambda worker: None
) -> float:
    """Messages a second by one worker, from its first to the last of them; `at_end` is given the worker's process."""
    with stage.cluster.connect(database) as session:
        session.execute("truncate kith.deliveries")
        session.execute(QUEUED, {"tenants": TENANTS, "messages": messages})
        session.execute("vacuum analyze kith.deliveries")
        session.execute("checkpoint")
        # The hourly check of all connections, with which a worker may begin, delivers nothing.
        session.execute("update kith.gap_checks set began_at = now(), finished_at = now()")
        with stage.working(database, sink.certificate) as worker:
            rate = _measure(
                sink, messages,
                lambda: session.execute("select count(*) from kith.deliveries where status = 'sent'").fetchone()[0],
            )
            at_end(worker)
            return rate


class _JobQueue:
    """procrastinate, in a database of its own."""

    DATABASE = "job_queue"

    def __init__(self, stage: Stage, sink: Provider):
        self._stage = stage
        self._sink = sink
        stage.cluster.create(self.DATABASE, "template0")
        self._environment = {
            **os.environ, "DATABASE_URL": stage.cluster.url(self.DATABASE), "SINK": sink.url,
            "CERTIFICATE": str(sink.certificate),
        }
        self._do("schema")

    def rate(self, messages: int, concurrency: int) -> float:
        """Jobs per second."""
        with self._stage.cluster.connect(self.DATABASE) as session:
            session.execute("truncate procrastinate_jobs cascade")
            self._do("defer", str(messages))
            session.execute("vacuum analyze")
            session.execute("checkpoint")
            command = [sys.executable, str(PROGRAM), "work", str(concurrency)]
            with running(command, self._environment, self._stage.folder / "job-queue.log"):
                return _measure(
                    self._sink, messages,
                    lambda: session.execute(
                        "select count(*) from procrastinate_jobs where status = 'succeeded'"
                    ).fetchone()[0],
                )

    def _do(self, *arguments: str) -> None:
        subprocess.run([sys.executable, str(PROGRAM), *arguments], env=self._environment, check=True)


class _Sender:
    """A loop of libcurl that does nothing but send."""

    def __init__(self, stage: Stage, sink: Provider):
        self._sink = sink
        self._program = stage.folder / "sender"
        source = COUNTERPARTS / "sender.c"
        subprocess.run(["clang", "-O2", "-Wall", "-Werror", "-o", str(self._program), str(source), "-lcurl"], check=True)

    def rate(self, messages: int, connections: int) -> float:
        """Messages per second."""
        before = self._sink.taken
        began = time.monotonic()
        subprocess.run([str(self._program), self._sink.url, str(self._sink.certificate), str(messages), str(connections)], check=True)
        seconds = time.monotonic() - began
        if self._sink.taken - before != messages:
            raise RuntimeError("what is said to be sent has not arrived")
        return messages / seconds


def _measure(sink: Provider, messages: int, completed) -> float:
    before = sink.taken
    sink.await_first(before)
    began = time.monotonic()
    while (done := completed()) < messages:
        if time.monotonic() > began + 300:
            raise RuntimeError(f"only {done} of {messages} messages were completed")
        time.sleep(0.05)
    seconds = time.monotonic() - began
    if sink.taken - before < messages:
        raise RuntimeError("what is said to be completed has not arrived")
    return messages / seconds

"""The write that is measured: POST /v1/pings/check-in."""

import random
import pgbench
import tokens
import wrk
from stage import Stage

BATCH = 50
STATEMENT = (
    "select case when set_config('kith.tenant_id', :t{0}, true) is not null"
    " and set_config('kith.user_id', :u{0}, true) is not null and set_config('kith.actor', :a{0}, true) is not null"
    " then api.check_in(null::text, :now::timestamptz) end;\n"
)
"""As Sources/API/Server/Service.swift makes it; a request without a note sends null."""


class CheckIns:
    """Senders each of whom checks in for the first time today, which answers their pings and tells their receivers."""

    def __init__(self, stage: Stage, database: str, numbers: range | None = None):
        """Takes the senders of these numbers, or as many as a round needs.

        Another measurement in the same database takes others.
        """
        self._stage = stage
        self._database = database
        numbers = numbers or range(stage.size.senders_per_round)
        with stage.cluster.connect(database) as session:
            self._senders: list[tuple[int, str]] = session.execute(
                "select tenant_id, user_id::text from load.senders where n between %s and %s", (numbers[0], numbers[-1])
            ).fetchall()
        random.Random(0).shuffle(self._senders)
        # wrk's requests: a look at the own profile, after which a server knows the token, and the check-in.
        credentials = [tokens.mint(tenant, user) for tenant, user in self._senders]
        self._looks, self._check_ins = (stage.folder / f"{name}.walk" for name in ("looks", "check-ins"))
        self._looks.write_text("".join(f"GET\t/v1/me\t{token}\t\n" for token in credentials))
        self._check_ins.write_text("".join(f"POST\t/v1/pings/check-in\t{token}\t{{}}\n" for token in credentials))

    def introduce(self, url: str) -> None:
        """Shows a server the senders' tokens, which it then knows for a minute: pgbench has none to check either."""
        wrk.once(url, self._looks)

    def over_http(self, url: str, connections: int, rest: int = 0) -> wrk.Outcome:
        """What a server answers. `rest` is how many milliseconds a connection rests between two check-ins."""
        outcome = wrk.load(url, self._check_ins, connections, self._stage.size.round_seconds, rest)
        self._check()
        return outcome

    def by_pgbench(self, clients: int) -> float:
        """The same statement: check-ins a second.

        Each is a transaction of its own, as a request is. In pgbench a pipeline is one transaction: so none of several.
        """
        self._store_batches()
        script = self._stage.folder / "check-ins.pgbench"
        script.write_text("\n".join([
            r"\set batch :pass * :clients + :client_id",
            r"\set pass :pass + 1",
            "select clock_timestamp() as now, * from load.batches where n = :batch",
            r"\gset",
            "".join(STATEMENT.format(i) for i in range(BATCH)),
        ]))
        rate = pgbench.load(
            self._stage.cluster, self._database, script, BATCH, clients, self._stage.size.round_seconds,
            {"pass": 0, "clients": clients},
        )
        self._check()
        return rate

    def _check(self) -> None:
        with self._stage.cluster.connect(self._database) as session:
            counts = session.execute("select count(*), count(distinct user_id) from kith.check_ins").fetchone()
        if counts[0] != counts[1]:
            raise RuntimeError(f"the {counts[0]} check-ins were not each their sender's first: they are too few")

    def _store_batches(self) -> None:
        # A row holds a batch, so that pgbench fetches its variables seldom.
        columns = ", ".join(f"t{i} text, u{i} text, a{i} text" for i in range(BATCH))
        with self._stage.cluster.connect(self._database) as session:
            session.execute(f"create table load.batches (n integer primary key, {columns})")
            with session.cursor().copy("copy load.batches from stdin") as copy:
                for n in range(len(self._senders) // BATCH):
                    batch = self._senders[n * BATCH:(n + 1) * BATCH]
                    copy.write_row([n, *(value for tenant, user in batch for value in (tenant, user, f"user:{user}"))])
            session.execute("grant usage on schema load to kith_api")
            session.execute("grant select on load.batches to kith_api")
            session.execute("vacuum analyze load.batches")

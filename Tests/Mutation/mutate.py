"""Changes one place of one function at a time, and reports the changes that no file of Tests/SQL notices."""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import psycopg

from mutations import Mutation, mutations
from postgres import Cluster

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for path in (ROOT / "Tests/SQL").glob("*.sql") if path.name not in ("people.sql", "emergency_house.sql"))
CATALOGUE = {"catalogue.sql", "search_path.sql", "static_analysis.sql", "privileges.sql", "plans.sql", "batch_plans.sql"}
"""Files about how functions are written and planned. They notice no rule, and take long."""


@dataclass(frozen=True)
class Function:
    """A function of the schema, as the database has it."""

    oid: int
    name: str
    body: str
    definition: str
    is_sql: bool

    def changed(self, mutation: Mutation) -> str:
        """The statement that replaces it by a changed one."""
        return self.definition.replace(self.body, mutation.applied(self.body), 1)


@dataclass(frozen=True)
class Run:
    """What a test file printed: whether it passed, and how long it took."""

    passed: bool
    seconds: float


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many changes (200)")
    parser.add_argument("--seed", type=int, default=1, help="which changes: the same seed chooses the same ones of functions that are the same (1)")
    parser.add_argument("--seconds", type=float, default=7200, help="begin no further change after this time (7200)")
    parser.add_argument("--only", default="", help="a regular expression for the names of the functions")
    parser.add_argument("--again", type=Path, help="only the changes that survived by this report of an earlier run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at the same time (one a processor)")
    parser.add_argument("--caught", type=float, default=0.95, help="the share that the tests must notice (0.95)")
    parser.add_argument("--check-the-changes", action="store_true", help="only tests mutations.py, and ends")
    return parser.parse_args()


def migrate(url: str) -> None:
    """Gives a database the schema of the program."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KITH_", "PG"))}
    subprocess.run([os.environ["KITH_BINARY"], "migrate"], env={**environment, "KITH_DATABASE_URL": url}, stdout=subprocess.DEVNULL, check=True)


def functions(session: psycopg.Connection) -> list[Function]:
    """Every function of Kith that has a body in text."""
    rows = session.execute(
        """
        select routine.oid, format('%s.%s', routine.pronamespace::regnamespace, routine.proname), routine.prosrc,
          pg_get_functiondef(routine.oid), language.lanname = 'sql'
        from pg_proc as routine
        join pg_language as language on language.oid = routine.prolang
        where routine.pronamespace::regnamespace::text in ('kith', 'api', 'internal', 'worker', 'admin') and routine.prokind <> 'a'
          and language.lanname in ('sql', 'plpgsql') and routine.prosqlbody is null
        order by 2, pg_get_function_identity_arguments(routine.oid)
        """
    )
    return [Function(*row) for row in rows]


def play(cluster: Cluster, database: str, file: Path, limit: float = 600) -> Run:
    """Runs a test file, which is one transaction that is rolled back, until its first test that fails, or for `limit` seconds."""
    began = time.monotonic()
    environment = {**os.environ, "PGOPTIONS": f"-c statement_timeout={limit:.0f}s -c track_functions=all"}
    command = ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", cluster.url(database), "-f", str(file)]
    planned, ok, failed = None, 0, False
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment, cwd=ROOT) as psql:
        timer = threading.Timer(limit, psql.kill)
        timer.start()
        for line in psql.stdout:
            if match := re.match(r"1\.\.(\d+)", line):
                planned = int(match.group(1))
            ok += line.startswith("ok ")
            if line.startswith("not ok"):
                failed = True
                psql.terminate()
                break
        status = psql.wait()
        timer.cancel()
    return Run(not failed and status == 0 and planned is not None and ok == planned, time.monotonic() - began)


def called(cluster: Cluster, database: str, file: Path) -> set[int]:
    """The functions that a test file calls, as PostgreSQL counts them; those that the planner inlines are not among them."""
    with cluster.connect(database) as session:
        session.execute("select pg_stat_reset()")
        run = play(cluster, database, file)
        if not run.passed:
            raise SystemExit(f"{file.name} fails without any change: run it by itself first")
        session.execute("select pg_sleep(0.1)")
        rows = session.execute("select funcid from pg_stat_user_functions where calls > 0")
        return {oid for (oid,) in rows} | {-round(run.seconds * 1000)}


def coverage(cluster: Cluster, databases: list[str], routines: list[Function]) -> tuple[dict[int, list[Path]], dict[Path, float]]:
    """For each function, the files that can notice a change of it, the quickest first; and how long each file takes."""
    covering: dict[int, set[Path]] = defaultdict(set)
    seconds: dict[Path, float] = {}
    files = [file for file in FILES if file.name not in CATALOGUE]

    # One file at a time in each database: the counts are the database's.
    def measure(index: int) -> None:
        for file in files[index :: len(databases)]:
            for oid in called(cluster, databases[index], file):
                if oid <= 0:
                    seconds[file] = -oid / 1000
                else:
                    covering[oid].add(file)

    with ThreadPoolExecutor(len(databases)) as threads:
        list(threads.map(measure, range(len(databases))))
    # A function that is inlined, or called by a view or a policy alone, is covered by what covers the functions that name it.
    texts = {file: file.read_text() for file in files}
    for _ in range(3):
        for routine in routines:
            if not routine.is_sql and covering[routine.oid]:
                continue
            pattern = re.compile(rf"\b{re.escape(routine.name)}\s*\(")
            for other in routines:
                if other.oid != routine.oid and pattern.search(other.body):
                    covering[routine.oid] |= covering[other.oid]
            covering[routine.oid] |= {file for file, text in texts.items() if pattern.search(text)}
    # A file that names the function itself is the likeliest to notice.
    names = {routine.oid: routine.name for routine in routines}
    order = {
        oid: sorted(files, key=lambda file: (names.get(oid, " ") not in texts[file], seconds[file])) for oid, files in covering.items()
    }
    return order, seconds


def reasons() -> dict[tuple[str, str], str]:
    """Why a change is no change of behaviour: blocks of name, the line before, the line after, and the reason, in equivalent.txt."""
    blocks = [block.split("\n") for block in (Path(__file__).parent / "equivalent.txt").read_text().split("\n\n") if block.strip()]
    blocks = [[line for line in block if line and not line.startswith("#")] for block in blocks]
    return {(block[0], "\n".join(block[1:3])): " ".join(block[3:]) for block in blocks if len(block) >= 4}


def outdated(routines: list[Function]) -> list[str]:
    """The blocks of equivalent.txt whose change no function admits any more."""
    possible = {(routine.name, change.shown(routine.body)) for routine in routines for change in mutations(routine.body)}
    return [f"{name}:\n{shown}" for name, shown in reasons() if (name, shown) not in possible]


def survived(report: Path) -> set[tuple[str, str]]:
    """The names of the functions and the changes that survived by a report."""
    found = re.findall(r"^survived: ([\w.]+), line .*\n(- .*\n\+.*)$", report.read_text(), re.MULTILINE)
    return {(name, shown) for name, shown in found}


class Mutants:
    """The changes that are tried, and what became of each."""

    def __init__(
        self, cluster: Cluster, routines: list[Function], covering: dict[int, list[Path]], seconds: dict[Path, float],
        options: argparse.Namespace,
    ):
        self._cluster = cluster
        self._covering = covering
        self._seconds = seconds
        self._options = options
        self._lock = threading.Lock()
        self._ends = time.monotonic() + options.seconds
        self._reasons = reasons()
        chosen = [(routine, change) for routine in routines if re.search(options.only, routine.name) for change in mutations(routine.body)]
        self.possible = len(chosen)
        if options.again is not None:
            again = survived(options.again)
            chosen = [(routine, change) for routine, change in chosen if (routine.name, change.shown(routine.body)) in again]
        # Ordered by a checksum of each, so that a change of one function leaves the choice among the others as it was.
        chosen.sort(key=lambda pair: hashlib.sha256(f"{options.seed} {pair[0].name} {pair[1].shown(pair[0].body)}".encode()).digest())
        self._waiting = chosen[::-1]
        self._taken = 0
        self.caught = self.stillborn = self.equivalent = 0
        self.survivors: list[str] = []

    def work(self, database: str) -> None:
        """Tries changes in one database until enough were tried."""
        while (taken := self._take()) is not None:
            self._try(database, *taken)

    def _take(self) -> tuple[Function, Mutation] | None:
        with self._lock:
            if self._taken >= self._options.count or not self._waiting or time.monotonic() > self._ends:
                return None
            self._taken += 1
            return self._waiting.pop()

    def _try(self, database: str, routine: Function, change: Mutation) -> None:
        with self._cluster.connect(database) as session:
            try:
                session.execute(routine.changed(change))
            except psycopg.Error:
                # Not a function any more, so no change: another one takes its place.
                with self._lock:
                    self.stillborn += 1
                    self._taken -= 1
                return
            try:
                catcher = next((file for file in self._covering.get(routine.oid, []) if not self._passes(database, file)), None)
            finally:
                session.execute(routine.definition)
        self._judge(routine, change, catcher)

    def _passes(self, database: str, file: Path) -> bool:
        # A change can make a loop endless, and a busy machine can make a file slow.
        return play(self._cluster, database, file, max(60, 10 * self._seconds[file])).passed

    def _judge(self, routine: Function, change: Mutation, catcher: Path | None) -> None:
        shown = change.shown(routine.body)
        with self._lock:
            if catcher is not None:
                self.caught += 1
                return
            reason = self._reasons.get((routine.name, shown))
            if reason is not None:
                self.equivalent += 1
                return
            tried = len(self._covering.get(routine.oid, []))
            self.survivors.append(f"{routine.name}, line {change.line(routine.body)}, {tried} files:\n{shown}")
            print(f"\nsurvived: {self.survivors[-1]}", flush=True)


def main() -> int:
    options = arguments()
    if options.check_the_changes:
        suite = unittest.defaultTestLoader.loadTestsFromName("test_mutations")
        return 0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1
    with tempfile.TemporaryDirectory(prefix="kith-mutation-") as folder:
        os.chmod(folder, 0o755)
        with Cluster(Path(folder) / "cluster", fsync="off", synchronous_commit="off", shared_buffers="256MB") as cluster:
            cluster.execute("postgres", "create database kith")
            migrate(cluster.url("kith"))
            cluster.execute("kith", "create extension pgtap")
            # The partitions that people.sql makes, which would take a third of each file's time.
            cluster.execute("kith", "select internal.make_partitions('2026-03-02T00:00:00Z', 100)")
            databases = [f"kith_{number}" for number in range(options.jobs)]
            for database in databases:
                cluster.create(database, "kith")
            with cluster.connect(databases[0]) as session:
                routines = functions(session)
            if old := outdated(routines):
                raise SystemExit("\n\n".join(["equivalent.txt explains what no function admits any more: remove it", *old]))
            print(f"{len(routines)} functions; running each of {len(FILES)} files once", flush=True)
            began = time.monotonic()
            covering, seconds = coverage(cluster, databases, routines)
            print(f"the files take {sum(seconds.values()):.0f} s; {time.monotonic() - began:.0f} s so far", flush=True)
            mutants = Mutants(cluster, routines, covering, seconds, options)
            with ThreadPoolExecutor(options.jobs) as threads:
                list(threads.map(mutants.work, databases))
    survived = len(mutants.survivors)
    tried = mutants.caught + survived
    share = mutants.caught / tried if tried else 0.0
    print(
        f"\nseed {options.seed}: {tried} changes of {mutants.possible} possible ones, {mutants.caught} caught ({share:.1%}), {survived} survived; "
        f"besides, {mutants.equivalent} change nothing by equivalent.txt, and {mutants.stillborn} are no functions"
    )
    return 0 if tried and share >= options.caught else 1


if __name__ == "__main__":
    sys.exit(main())

"""Writes docs/performance.md: the newest result of each benchmark, of full size and of this kind of machine, beside its target.

Tests/Load/performance runs it. Nobody types a figure: `make bench` and `Tests/Load/against` keep what they measure under .build/bench. What the page has
of another checkout stays until it is measured again; each row names the processor that it was measured on.
"""

import datetime
import json
from pathlib import Path
from statistics import median

from history import FOLDER, ROOT, History, Machine, Record
from result import number

PAGE = ROOT / "docs" / "performance.md"
COMPARISON = FOLDER / "against.json"

RELEASE = "8899bfe"
"""The build with which the page compares."""

COMPARED = "## Cost of a call compared with release "

FORMER_COSTS = {
    "check-in": 0.95, "second-check-in": 0.95, "list": 0.95, "announce": 0.95, "generate": 0.95, "connection-receiver": 0.95,
    "connection-sender": 0.95, "connections": 0.95, "dashboard": 0.95, "home": 0.95, "event": 0.9, "events": 0.9, "remind": 0.9, "miss": 0.5,
}
"""The least ratio of what a call cost in that release to what it costs now."""

HEAD = """# Performance

What Kith costs and how fast it is, each figure beside its counterpart in the same run. Machines are noisy, so only ratios say something: a ratio is
ours over the peer's. `make bench` measures, `Tests/Load/performance` writes this page from what it kept, and nobody types a figure.
[Tests/Load/README.md](../Tests/Load/README.md) says what each benchmark does. What a call does in the database, whatever the machine, stands in
[Tests/Growth/ledger.tsv](../Tests/Growth/ledger.tsv).
"""


def keep_comparison(before: str, after: str, senders: int, rows: list[dict]) -> None:
    """Keeps the result of Tests/Load/against for the page, unless it is that of a trial or of another build than the release."""
    if RELEASE not in before or senders < 1000 or len(rows) == 0 or rows[0]["pairs"] < 6:
        return
    COMPARISON.parent.mkdir(parents=True, exist_ok=True)
    at = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    COMPARISON.write_text(json.dumps(
        {"at": at, "before": before, "after": after, "senders": senders, "machine": str(Machine.this()), "rows": rows}
    ))


def write(records: list[Record], page: Path = PAGE) -> None:
    """Writes the page of these results, oldest first, all of one machine and of full size."""
    newest = {record.result.name: record for record in records}
    known = page.read_text(encoding="utf-8") if page.exists() else ""
    page.write_text("\n".join([HEAD, *_benchmarks(newest, known), *(_comparison() or _known_comparison(known))]) + "\n", encoding="utf-8")


def _benchmarks(newest: dict[str, Record], known: str) -> list[str]:
    if not newest:
        return [line for line in known.partition(COMPARED)[0].splitlines()[len(HEAD.splitlines()) + 1:]]
    last = max(newest.values(), key=lambda record: record.at)
    rows = _known_rows(known)
    lines = [
        "## Benchmarks", "",
        f"With a million connections of 500,000 senders, on machines with {last.machine.processors} processors and {last.machine.memory_gib} GiB; the newest "
        f"with {last.machine.system} and {last.machine.postgres}.", "",
        "| benchmark | what | ours | peer | ratio | target | | commit, day, processor |", "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, record in sorted(newest.items()):
        result = record.result
        ours, peer = median(result.ours), median(result.peer)
        verdict = "" if result.target is None else "met" if result.target.is_met(ours, result.ratio) else "**missed**"
        rows[name] = (
            f"| `{name}` | {result.what.replace('|', ' ')} | {number(ours)} | {number(peer)} | {result.ratio:.2f} "
            f"| {str(result.target).removeprefix('target ') if result.target else '–'} | {verdict} | {record.commit}, {record.at[:10]}, {record.machine.processor} |"
        )
    return [*lines, *(row for _, row in sorted(rows.items())), ""]


def _known_rows(known: str) -> dict[str, str]:
    """The rows that the page has, by the names of their benchmarks."""
    return {line.split("`")[1]: line for line in known.splitlines() if line.startswith("| `")}


def _known_comparison(known: str) -> list[str]:
    """The comparison that the page has."""
    found = known.partition(COMPARED)
    return (found[1] + found[2]).rstrip("\n").splitlines()


def _comparison() -> list[str]:
    if not COMPARISON.exists():
        return []
    kept = json.loads(COMPARISON.read_text())
    lines = [
        f"{COMPARED}{RELEASE}", "",
        f"Processor time of PostgreSQL's backend in microseconds, by `Tests/Load/against` with {kept['senders']} senders on {kept['at']}, on "
        f"{kept['machine']}: {kept['before']}, and {kept['after']}. The ratio is before over now, with its 95 % interval.", "",
        "| call | before | now | ratio | target | |", "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in kept["rows"]:
        target = FORMER_COSTS.get(row["what"])
        verdict = "" if target is None else "met" if row["ratio"] >= target else "**missed**"
        lines.append(
            f"| {row['what']} | {row['before']} | {row['after']} | {row['ratio']:.2f} [{row['low']:.2f}, {row['high']:.2f}] "
            f"| {f'≥ {target:g}' if target else '–'} | {verdict} |"
        )
    return lines


if __name__ == "__main__":
    write(History("full").records())

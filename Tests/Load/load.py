"""Runs the named benchmarks, or all of them, one after the other.

Prints a line per result, `bench <name> ours=<n> peer=<n> ratio=<r>`, and writes .build/bench/report.html. A missed
target is a result; only a failed run exits with a status other than 0.
"""

import importlib
import pkgutil
import signal
import sys
import traceback

import benchmarks
import report_page
import result
from history import FOLDER, History
from size import Size
from stage import Stage


def names() -> list[str]:
    """The names of all benchmarks, in alphabetical order."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(benchmarks.__path__))


def main(wanted: list[str]) -> int:
    known = names()
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"load: no benchmark {unknown[0]}; there are: {' '.join(known)}", file=sys.stderr)
        return 64
    broken = []
    size = Size.chosen()
    history = History(size.name)
    try:
        history.records()
    except ValueError as error:
        print(f"load: {error}", file=sys.stderr)
        return 65
    result.on_result.append(history.append)
    with Stage(size) as stage:
        for name in wanted or known:
            try:
                importlib.import_module(f"benchmarks.{name.replace('-', '_')}").run(stage)
            except Exception:
                traceback.print_exc()
                print(f"broken {name}", file=sys.stderr, flush=True)
                broken.append(name)
    report_page.write(FOLDER / "report.html", history.records())
    print(f"# report: {FOLDER / 'report.html'}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    # SIGTERM unwinds the stack like Ctrl-C, so that the servers stop and the files are deleted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

"""Runs one rehearsal. Exits with 1 if a promise was broken or the rehearsal failed."""

import importlib
import os
import signal
import sys

from rehearsals.arguments import EX_UNAVAILABLE, ROOT, Missing, parse
from rehearsals.report import Report


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    os.environ["KITH_BINARY"] = str(options.kith.resolve())
    report = Report(options.name, options.report or ROOT / ".build" / "rehearsals" / f"{options.name}.json")
    try:
        with report:
            importlib.import_module(f"rehearsals.{options.name.replace('-', '_')}").rehearse(options, report)
    except Missing as error:
        print(f"rehearse: {error}", file=sys.stderr)
        return EX_UNAVAILABLE
    except RuntimeError as error:
        print(f"rehearse: {str(error).strip()}", file=sys.stderr)
        return 1
    return 0 if report.is_kept else 1


if __name__ == "__main__":
    # SIGTERM unwinds the stack like Ctrl-C, so that the servers stop and the files are deleted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

"""The arguments of `deploy/rehearse`. Imports only the standard library, so that they are read before anything is installed."""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
EX_USAGE = 64
EX_UNAVAILABLE = 69
FAULTS = ("kill", "kill-all", "freeze", "switchover", "partition", "isolation", "standby")
WAYS = ("pg_upgrade", "replication")
SUITES = {12: "bookworm", 13: "trixie"}
"""The releases of Debian for which the package is."""


class Missing(RuntimeError):
    """A program that a rehearsal needs is not installed."""


class Parser(argparse.ArgumentParser):
    """A parser that reports a wrong argument in one line and exits as sysexits.h says."""

    def __init__(self, **settings: object):
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        print(f"rehearse: {message}; try: {self.prog} --help", file=sys.stderr)
        raise SystemExit(EX_USAGE)


def parse(arguments: list[str]) -> argparse.Namespace:
    """The rehearsal's name and its options; exits with 64 and one line if they are wrong."""
    parser = Parser(
        prog="deploy/rehearse",
        description="Rehearses a restore, a fail-over, an upgrade of Kith or of PostgreSQL, the loss of a cell, the move of a tenant, a first installation, or the package.",
    )
    names = parser.add_subparsers(
        dest="name", required=True, metavar="restore|failover|upgrade|upgrade-postgres|cells|move|newcomer|package", parser_class=Parser,
    )
    for add in (_restore, _failover, _upgrade, _upgrade_postgres, _cells):
        _add_load(_add_common(add(names)))
    _add_common(_move(names))
    _add_common(_newcomer(names))
    _add_common(_package(names))
    options = parser.parse_args(arguments)
    _check_program(parser, "--kith", options.kith)
    if options.name == "upgrade":
        _check_program(parser, "--from-binary", options.from_binary)
        if options.from_binary is None and commit(options.from_commit) is None:
            parser.error(f"--from: there is no commit {options.from_commit}")
    return options


def commit(name: str) -> str | None:
    """The full name of a commit of this repository; None if there is none."""
    found = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"], capture_output=True, text=True,
    )
    return found.stdout.strip() or None


def seconds(text: str) -> int:
    """A number of seconds of load."""
    if not text.isascii() or not text.isdigit() or not 3 <= int(text) <= 86400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 3 to 86400")
    return int(text)


def clients(text: str) -> int:
    """A number of clients."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 500:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of clients from 1 to 500")
    return int(text)


def senders(text: str) -> int:
    """A number of senders."""
    if not text.isascii() or not text.isdigit() or not 1000 <= int(text) <= 5_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of senders from 1000 to 5000000")
    return int(text)


def _add_load(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=seconds, default=20, help="seconds of load in each part (default: %(default)s)")
    parser.add_argument("--clients", type=clients, default=16, help="clients that check in without pause (default: %(default)s)")


def _add_common(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument(
        "--kith", type=Path, metavar="PROGRAM", help="the program (default: KITH_BINARY, or .build/release/kith)",
        default=Path(os.environ.get("KITH_BINARY") or ROOT / ".build/release/kith"),
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="where the figures go as JSON (default: .build/rehearsals/NAME.json)")
    return parser


def _restore(names: argparse._SubParsersAction) -> argparse.ArgumentParser:
    return names.add_parser("restore", help="back-ups under load, a disaster, a restore to an instant and to the archive's end")


def _failover(names: argparse._SubParsersAction) -> argparse.ArgumentParser:
    parser = names.add_parser("failover", help="a primary that is killed, stopped, cut off or replaced under load; as root")
    parser.add_argument("--faults", nargs="+", choices=FAULTS, metavar="FAULT", help=f"only these: {', '.join(FAULTS)}")
    parser.add_argument("--settings", choices=("defaults", "tuned"), help="only Patroni's defaults, or only those of deploy/patroni.yml")
    parser.add_argument("--logs", type=Path, metavar="FOLDER", default=ROOT / ".build/rehearsals/failover",
                        help="where the logs of all programs are kept (default: %(default)s)")
    return parser


def _upgrade(names: argparse._SubParsersAction) -> argparse.ArgumentParser:
    parser = names.add_parser("upgrade", help="a new release replaces the previous one under load, and back again")
    previous = parser.add_mutually_exclusive_group()
    previous.add_argument("--from", dest="from_commit", metavar="COMMIT", default="HEAD~1",
                          help="the previous release's commit, which is built (default: %(default)s)")
    previous.add_argument("--next", action="store_true",
                          help="--kith is the previous release, and the new one is made of this commit by next_release.py")
    previous.add_argument("--from-binary", type=Path, metavar="PROGRAM", help="the previous release's program")
    return parser


def _upgrade_postgres(names: argparse._SubParsersAction) -> argparse.ArgumentParser:
    parser = names.add_parser("upgrade-postgres", help="from this machine's PostgreSQL to the newest under load, by pg_upgrade and by logical replication")
    parser.add_argument("--ways", nargs="+", choices=WAYS, metavar="WAY", default=WAYS, help=f"only these: {', '.join(WAYS)}")
    return parser


def _cells(names: argparse._SubParsersAction) -> argparse.ArgumentParser:
    parser = names.add_parser("cells", help="three cells under load, whose databases, server and worker are killed in turn")
    parser.add_argument("--senders", type=senders, default=5_000, help="the senders of each cell, each with two connections (default: %(default)s)")
    parser.add_argument("--tenants", type=int, choices=range(1, 101), default=10, metavar="N", help="the tenants of each cell (default: %(default)s)")
    parser.add_argument("--moves", action="store_true", help="only the moves of a tenant")
    return parser


def _move(names: argparse._SubParsersAction) -> argparse.ArgumentParser:
    parser = names.add_parser("move", help="a tenant moves to another installation, and each command is killed on the way")
    parser.add_argument("--senders", type=senders, default=50_000, help="the tenant's senders, each with two connections (default: %(default)s)")
    return parser


def _newcomer(names: argparse._SubParsersAction) -> argparse.ArgumentParser:
    parser = names.add_parser("newcomer", help="the commands of deploy/README.md, one after the other, in a fresh Debian; as root")
    parser.add_argument("--debian", type=int, choices=SUITES, metavar="RELEASE", default=12, help="the release of Debian (default: %(default)s)")
    return parser


def _package(names: argparse._SubParsersAction) -> argparse.ArgumentParser:
    parser = names.add_parser("package", help="the package and the image are installed, upgraded, removed and purged in a fresh Debian; as root")
    parser.add_argument("--debian", nargs="+", type=int, choices=SUITES, metavar="RELEASE", default=list(SUITES),
                        help=f"only these: {', '.join(map(str, SUITES))}")
    return parser


def _check_program(parser: Parser, option: str, program: Path | None) -> None:
    if program is not None and not (program.is_file() and os.access(program, os.X_OK)):
        parser.error(f"{option}: there is no program {program}: make build")


if __name__ == "__main__":
    parse(sys.argv[1:])

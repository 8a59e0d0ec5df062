"""A newcomer: a fresh Debian, the package, and the commands of deploy/README.md as they stand there."""

import argparse
import json
import shlex
import shutil
import time
from collections.abc import Callable

from rehearsals import commands, installation
from rehearsals.machine import HOST, Machine
from rehearsals.mail_server import MailServer
from rehearsals.package import make
from rehearsals.report import Report

NAME = "kith.localhost"
"""Caddy signs the certificate of such a name itself."""
CA = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
MAIL_PORT = 2525
SEEN = (
    'count(up{instance=~"127.0.0.1:.*"} == 1) == 3 and count(pg_up == 1) == 1'
    " and count(kith_backup_end_timestamp_seconds > time() - 3600) == 1"
)
EDITOR = f"""#!/bin/sh
# Stands for a person who fills in alertmanager.yml.
sed -i -e 's/smtp.example.com:587/{HOST}:{MAIL_PORT}/' -e '/smtp_auth/d' -e '/smtp_from/a\\  smtp_require_tls: false' "$1"
"""


def rehearse(options: argparse.Namespace, report: Report) -> None:
    """Runs the rehearsal."""
    # Read first, so that a section without its commands is reported at once.
    set_up, use, restore = commands.of_set_up(NAME), commands.of_first_minutes(NAME), commands.of_restore(NAME)
    with installation.scratch() as folder:
        package = make("package", options.kith.resolve(), folder / "packages")
        report.step(f"a fresh Debian {options.debian} boots")
        with Machine(folder, options.debian) as machine, MailServer(HOST, MAIL_PORT) as mail:
            shutil.copy(package, machine.root / "root")
            editor = machine.root / "usr/local/bin/editor"
            editor.write_text(EDITOR)
            editor.chmod(0o755)
            report.step("deploy/README.md: from a fresh machine to an address with TLS, back-ups and alerts")
            said = _run(machine, report, set_up, "set-up")
            report.promise("an alert fires, and rests", "KithWorkerSilent" in said)
            report.promise("somebody is paged by e-mail", any("FIRING" in subject for subject in mail.subjects))
            report.promise("Alertmanager says by e-mail that it is over", _within(120, lambda: any("RESOLVED" in subject for subject in mail.subjects)))
            report.promise("Prometheus sees the server, the machine, PostgreSQL and the age of its back-ups", _within(60, lambda: _asked(machine, SEEN) == 1))
            report.promise("then no alert fires", _asked(machine, 'ALERTS{alertstate="firing"}') == 0)
            report.promise("only the proxy is reachable from elsewhere", set(_reachable(machine)) == {80, 443})
            report.step("README.md: the first minutes, through TLS")
            report.promise("two people connect, and one is told of the other's check-in", "Dora checked in." in _run(machine, report, use, "first minutes"))
            report.step("deploy/README.md: an incremental back-up, a mistake, and a restore to the instant before it")
            said = _run(machine, report, restore, "restore to an instant")
            report.promise("kith doctor says that the database was restored", "the database was restored to" in said)
            report.promise("what was made before the instant is there, and the mistake is not", "tenants: acme,before" in said)


def _run(machine: Machine, report: Report, script: str, name: str) -> str:
    began = time.monotonic()
    said = machine.check(script, CURL_CA_BUNDLE=CA)
    report.figure(name, time.monotonic() - began, "s")
    return said


def _reachable(machine: Machine) -> list[int]:
    """The TCP ports on which something listens for other machines."""
    _, said = machine.run("ss --no-header --listening --tcp --numeric --ipv4 --ipv6")
    addresses = (line.split()[3] for line in said.splitlines() if line.startswith("LISTEN"))
    return [int(address.rsplit(":", 1)[1]) for address in addresses if not address.startswith(("127.", "[::1]"))]


def _asked(machine: Machine, query: str) -> int:
    """The number of series with which Prometheus answers."""
    _, said = machine.run(f"curl -fsS http://127.0.0.1:9090/api/v1/query --data-urlencode {shlex.quote(f'query={query}')}; echo")
    return len(json.loads(said)["data"]["result"])


def _within(seconds: int, condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(1)
    return condition()

"""The package and the image on fresh machines with Debian 12 and 13: installed, upgraded, removed and purged over each Debian's PostgreSQL."""

import argparse
import json
import shutil
import subprocess
import tarfile
from pathlib import Path

from rehearsals import installation
from rehearsals.arguments import ROOT, SUITES
from rehearsals.machine import Machine
from rehearsals.report import Report

PREVIOUS = "0~previous-1"
"""Sorts before each version of a release."""
UNITS = "kith-serve@1 kith-worker@1"
FILES = "find /etc /usr /var/lib -xdev -not -path '/var/lib/apt/*' -not -path '/var/lib/dpkg/*' -not -path '/var/lib/postgresql/*' -not -path '/var/lib/systemd/*' | sort"
OWN = ["/etc/kith", "/etc/kith/kept.env", "/etc/kith/master.key", "/etc/kith/owner.env"]
"""What the set-up makes and a purge leaves."""
PREPARE = f"""
apt-get update -qq
apt-get install -qq -y --no-install-recommends postgresql curl needrestart > /dev/null
apt-get satisfy -qq -y --no-install-recommends "$(dpkg-deb --field /root/current/kith_*.deb Depends)" > /dev/null
{FILES} > /root/before
pg_lsclusters --no-header | cut -d' ' -f1 > /root/postgres
"""
INSTALL = f"""
apt-get install -qq -y --no-install-recommends /root/previous/kith_*.deb > /dev/null
cd /
runuser -u postgres -- createdb kith
runuser -u postgres -- psql -q <<< "alter role postgres password 'owner'"
( umask 077; openssl rand -hex 32 > /etc/kith/master.key )
chgrp kith /etc/kith/master.key; chmod 640 /etc/kith/master.key
( umask 077; printf '%s\\n' KITH_OWNER_DATABASE_URL=postgresql://postgres:owner@127.0.0.1/kith \\
  KITH_MASTER_KEY_FILE=/etc/kith/master.key > /etc/kith/owner.env )
cat > /etc/kith/kith.env <<'END'
KITH_DATABASE_URL=postgresql://kith_api:server@127.0.0.1/kith
KITH_WORKER_DATABASE_URL=postgresql://kith_worker:worker@127.0.0.1/kith
KITH_MASTER_KEY_FILE=/etc/kith/master.key
KITH_DELIVERY=console
END
systemctl start kith-migrate
runuser -u postgres -- psql -q kith -c "alter role kith_api password 'server'" -c "alter role kith_worker password 'worker'"
systemctl enable --quiet --now {UNITS}
curl -fsS --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:8080/readyz > /dev/null
kith tenant create acme --name Acme --env-file /etc/kith/owner.env > /dev/null
systemd-analyze verify --man=no kith-serve@1.service kith-worker@1.service kith-migrate.service
"""
READY = """
curl -fsS --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:8080/readyz > /dev/null
kith tenant list --env-file /etc/kith/owner.env
"""
UPGRADE = "apt-get install -qq -y --no-install-recommends /root/current/kith_*.deb > /dev/null"
# As an operator lets needrestart do it, and as a security update of a library does.
UPDATE = """
echo "\\$nrconf{restart} = 'a';" > /etc/needrestart/conf.d/restart.conf
apt-get install -qq -y --reinstall libjansson4
rm /etc/needrestart/conf.d/restart.conf
"""
# The server of the image, in a root of its own, over the machine's database.
IMAGE = """
mkdir /srv/image
tar -xzf /root/image/layer.tar.gz -C /srv/image
mount -t proc proc /srv/image/proc
set -a; . /etc/kith/kith.env; set +a
unset KITH_MASTER_KEY_FILE
export KITH_MASTER_KEY=$(cat /etc/kith/master.key) KITH_LISTEN=127.0.0.1:8090 KITH_METRICS_LISTEN=127.0.0.1:8091
chroot --userspec=kith:kith /srv/image kith serve & server=$!
chroot --userspec=kith:kith /srv/image curl -fsS --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:8090/readyz
chroot --userspec=kith:kith /srv/image kith version --libraries
kill $server; wait $server
umount /srv/image/proc
"""
REMOVE = f"""
apt-get remove -qq -y kith > /dev/null
refuse systemctl is-active {UNITS}
refuse curl -fsS http://127.0.0.1:8080/livez
grep -q kith_api /etc/kith/kith.env
cp /etc/kith/kith.env /etc/kith/kept.env
"""
PURGE = f"""
apt-get purge -qq -y kith 2>&1
{FILES} > /root/after
refuse getent passwd kith
refuse getent group kith
cd /; runuser -u postgres -- psql -qAtc "select 'tenants: ' || string_agg(slug, ',') from kith.tenants" kith
"""
INSTALL_LINTIAN = "apt-get install -qq -y --no-install-recommends lintian > /dev/null"
LINTIAN = """
lintian --allow-root --fail-on error,warning /root/current/kith_*.deb
"""


def rehearse(options: argparse.Namespace, report: Report) -> None:
    """Runs the rehearsal."""
    program = options.kith.resolve()
    with installation.scratch() as folder:
        packages = folder / "packages"
        make("package", program, packages / "previous", PREVIOUS)
        current = make("package", program, packages / "current")
        for debian in options.debian:
            name = f"Debian {debian}"
            report.step(f"{name}: the image")
            image = _unpack(make("image", current, SUITES[debian]), folder / f"image-{debian}")
            report.step(f"{name} boots")
            machine_folder = folder / f"machine-{debian}"
            machine_folder.mkdir()
            with Machine(machine_folder, debian) as machine:
                shutil.copytree(packages, machine.root / "root", dirs_exist_ok=True)
                shutil.copytree(image, machine.root / "root/image")
                _rehearse(machine, report, name)
            shutil.rmtree(image)


def _rehearse(machine: Machine, report: Report, name: str) -> None:
    machine.check(PREPARE)
    report.figure(f"{name}: PostgreSQL", (machine.root / "root/postgres").read_text().strip())
    machine.check(INSTALL)
    first = _processes(machine)
    report.promise(f"{name}: the package installs, migrates and serves", "slug=acme" in machine.check(READY))
    machine.check(UPGRADE)
    second = _processes(machine)
    report.promise(f"{name}: an upgrade restarts the server and the worker, which go on", first.isdisjoint(second) and "slug=acme" in machine.check(READY))
    machine.check(UPDATE)
    report.promise(f"{name}: needrestart restarts both for the update of a library", second.isdisjoint(_processes(machine)) and "slug=acme" in machine.check(READY))
    said = machine.check(IMAGE)
    report.promise(f"{name}: the image serves", '"ready"' in said)
    report.figure(f"{name}: libraries of the image", ", ".join(line for line in said.splitlines() if line.startswith(("OpenSSL", "libpq"))))
    report.promise(f"{name}: the removed package has stopped, and its configuration stays", _passes(machine, REMOVE))
    said = machine.check(PURGE)
    before, after = ((machine.root / "root" / file).read_text().splitlines() for file in ("before", "after"))
    left = sorted(set(after) - set(before))
    if left != OWN:
        report.step(f"{name}: left: {left}")
    report.promise(f"{name}: a purge leaves the database and what the operator made, and nothing else", left == OWN and "tenants: acme" in said)
    machine.check(INSTALL_LINTIAN)
    report.promise(f"{name}: its lintian has no objection", _passes(machine, LINTIAN))


def _passes(machine: Machine, script: str) -> bool:
    try:
        machine.check(script)
    except RuntimeError:
        return False
    return True


def _processes(machine: Machine) -> set[str]:
    """The processes of the server and the worker."""
    return set(machine.check(f"systemctl show --property MainPID --value {UNITS}").split())


def make(program: str, *arguments: str | Path) -> Path:
    """The file that deploy/package or deploy/image makes."""
    done = subprocess.run([ROOT / "deploy" / program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return Path(done.stdout.splitlines()[-1])


def _unpack(image: Path, folder: Path) -> Path:
    """The folder with the only layer of an image, as its manifest names it."""
    with tarfile.open(image) as archive:
        archive.extractall(folder)
    layers = json.loads((folder / "manifest.json").read_text())[0]["Layers"]
    if layers != ["layer.tar.gz"]:
        raise RuntimeError(f"the image has the layers {layers}")
    image.unlink()
    return folder

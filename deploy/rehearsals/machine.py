"""A fresh Debian that systemd boots in a container with a network of its own, from which it reaches this machine and the Internet."""

import contextlib
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from rehearsals.arguments import ROOT, SUITES, Missing

HOST = "10.87.0.1"
"""This machine's address, as the container sees it."""
_ADDRESS = "10.87.0.2"
_NETWORK = "10.87.0.0/24"
_NAME = "kith-fresh"
_FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
_BOOT_SECONDS = 120
# The first command that fails ends a script, and so does one after `refuse` that succeeds: `!` would tolerate both.
_STRICT = """set -eEu -o pipefail
trap 'echo "FAILED ($?): $BASH_COMMAND"' ERR
refuse() { if "$@"; then echo "FAILED: $* succeeds"; exit 1; fi; }
export DEBIAN_FRONTEND=noninteractive
"""
_SCRIPT_SECONDS = 1200


class Machine:
    """The container; exists within the block. Needs root."""

    def __init__(self, folder: Path, debian: int = 12):
        """`folder` holds its root and the log of its boot. `debian` is a release of Debian."""
        if os.geteuid() != 0:
            raise Missing("a fresh Debian needs namespaces and mounts: run it as root")
        for program in ("mmdebstrap", "systemd-nspawn", "ip", "iptables"):
            if shutil.which(program) is None:
                raise Missing(f"{program} is missing: ./setup rehearse")
        self.root = folder / "root"
        self._log = folder / "boot.log"
        self._suite = SUITES[debian]
        self._undo = contextlib.ExitStack()
        self._leader = 0

    def __enter__(self) -> "Machine":
        with contextlib.ExitStack() as undo:
            self._install(undo)
            self._connect(undo)
            self._boot(undo)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._undo.close()

    def run(self, script: str, **environment: str) -> tuple[int, str]:
        """Runs a script of bash as root, as after a login, and shows its output as it comes; its status and output.

        A script that waits for what never comes ends with the status 124.
        """
        variables = {"HOME": "/root", "USER": "root", "TERM": "dumb", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        process = subprocess.Popen(
            ["nsenter", "--target", str(self._leader), "--all", "timeout", str(_SCRIPT_SECONDS), "bash", "-s"],
            env=variables | environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )
        # Programs that read standard input must not read the script.
        process.stdin.write("cd /root\n{\n" + script + "\n} < /dev/null\n")
        process.stdin.close()
        output = []
        for line in process.stdout:
            sys.stdout.write(f"    {line}")
            sys.stdout.flush()
            output.append(line)
        return process.wait(), "".join(output)

    def check(self, script: str, **environment: str) -> str:
        """Runs a script, which the first command that fails ends; its output.

        Raises RuntimeError with that command.
        """
        status, said = self.run(_STRICT + script, **environment)
        if status != 0:
            failed = re.findall(r"^FAILED.*$", said, re.MULTILINE)
            raise RuntimeError(failed[0] if failed else f"the shell ended with {status}")
        return said

    def _install(self, undo: contextlib.ExitStack) -> None:
        """Debian as its installer leaves it, from the mirrors of this machine's apt."""
        sources = _run(
            "apt-get", "indextargets", "--format", "deb $(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages", "Origin: Debian",
        )
        sources = re.sub(rf"\b{platform.freedesktop_os_release()['VERSION_CODENAME']}\b", self._suite, sources)
        image = ROOT / ".build" / "rehearsals" / f"{self._suite}.tar"
        image.parent.mkdir(parents=True, exist_ok=True)
        if not image.exists():
            listed = image.with_suffix(".list")
            listed.write_text("\n".join(sorted(set(sources.splitlines()))) + "\n")
            unfinished = image.with_suffix(".unfinished.tar")
            _run("mmdebstrap", "--variant=important", self._suite, str(unfinished), str(listed))
            unfinished.rename(image)
        self.root.mkdir()
        undo.callback(shutil.rmtree, self.root, ignore_errors=True)
        _run("tar", "--extract", "--file", str(image), "--directory", str(self.root))
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        (self.root / "etc/hostname").write_text("fresh\n")
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost\n127.0.1.1 fresh\n")

    def _connect(self, undo: contextlib.ExitStack) -> None:
        _run("ip", "netns", "add", _NAME)
        undo.callback(_run, "ip", "netns", "delete", _NAME)
        _run("ip", "link", "add", _NAME, "type", "veth", "peer", "name", "host0", "netns", _NAME)
        _run("ip", "address", "add", f"{HOST}/24", "dev", _NAME)
        _run("ip", "link", "set", _NAME, "up")
        for command in (
            ("address", "add", f"{_ADDRESS}/24", "dev", "host0"), ("link", "set", "host0", "up"), ("link", "set", "lo", "up"),
            ("route", "add", "default", "via", HOST),
        ):
            _run("ip", "-n", _NAME, *command)
        undo.callback(_FORWARDING.write_text, _FORWARDING.read_text())
        _FORWARDING.write_text("1\n")
        rule = ("POSTROUTING", "--source", _NETWORK, "!", "--out-interface", _NAME, "--jump", "MASQUERADE")
        _run("iptables", "--wait", "--table", "nat", "--append", *rule)
        undo.callback(_run, "iptables", "--wait", "--table", "nat", "--delete", *rule)

    def _boot(self, undo: contextlib.ExitStack) -> None:
        # It must not depend on a systemd of this machine, which may have none.
        process = subprocess.Popen(
            ["systemd-nspawn", "--boot", "--directory", self.root, "--register=no", "--keep-unit", "--console=pipe", "--resolv-conf=off",
             f"--network-namespace-path=/run/netns/{_NAME}"],
            env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
            stdin=subprocess.DEVNULL, stdout=self._log.open("wb"), stderr=subprocess.STDOUT, start_new_session=True,
        )
        undo.callback(self._end, process)
        end = time.monotonic() + _BOOT_SECONDS
        while not self._is_running(process):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"Debian does not boot:\n{self._log.read_text(errors='replace')}")
            time.sleep(0.1)

    def _is_running(self, process: subprocess.Popen[bytes]) -> bool:
        self._leader = _init(process.pid) or 0
        if not self._leader:
            return False
        done = subprocess.run(
            ["nsenter", "--target", str(self._leader), "--all", "systemctl", "is-system-running"], capture_output=True, text=True,
        )
        return done.stdout.strip() == "running"

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        """Kills the container with all its processes, which end with its init."""
        leader = _init(process.pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(leader or process.pid, signal.SIGKILL)
        process.wait()


def _init(process: int) -> int | None:
    """The init of the container that `process` started: the last in a line of only children."""
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()[:1]:
            return int(child) if Path(f"/proc/{child}/comm").read_text() == "systemd\n" else _init(int(child))
    return None


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stdout}{done.stderr}")
    return done.stdout

"""Hosts of a rehearsal's own: network namespaces on a bridge, with files of their own under /var/lib/postgresql and /run/postgresql."""

import contextlib
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

GATEWAY = "10.0.0.1"
_ENTERED = "KITH_REHEARSAL_NETWORK"


def enter() -> None:
    """Runs this program again in a network and a mount namespace of its own, unless it is there; needs root."""
    if os.environ.get(_ENTERED):
        return
    if os.geteuid() != 0:
        raise SystemExit("rehearse: the fail-over needs network namespaces: run it as root")
    os.environ[_ENTERED] = "1"
    os.execvp("unshare", ["unshare", "--net", "--mount", sys.executable, "-m", "rehearsals", *sys.argv[1:]])


@contextlib.contextmanager
def bridge() -> Iterator[None]:
    """A bridge to which hosts are plugged; this process has the address 10.0.0.1 there."""
    _run("ip", "link", "set", "lo", "up")
    _run("ip", "link", "add", "br0", "type", "bridge")
    _run("ip", "address", "add", f"{GATEWAY}/24", "dev", "br0")
    _run("ip", "link", "set", "br0", "up")
    try:
        yield
    finally:
        _run("ip", "link", "delete", "br0")


class Host:
    """A host on the bridge. Its processes end with the block."""

    def __init__(self, folder: Path, number: int):
        """`folder` becomes its /var/lib/postgresql."""
        self.name = f"node{number}"
        self.address = f"10.0.0.{10 + number}"
        self.folder = folder
        self._link = f"veth{number}"

    def __enter__(self) -> "Host":
        self.folder.mkdir(parents=True)
        os.chown(self.folder, *_account("postgres"))
        self._holder = subprocess.Popen(["unshare", "--net", "--mount", "sleep", "infinity"], start_new_session=True)
        while self._namespace(self._holder.pid) in (None, self._namespace(os.getpid())):
            time.sleep(0.01)
        # The mount namespace comes after the network's.
        time.sleep(0.2)
        _run("ip", "link", "add", self._link, "type", "veth", "peer", "name", "eth0", "netns", str(self._holder.pid))
        _run("ip", "link", "set", self._link, "master", "br0", "up")
        self.run("ip", "link", "set", "lo", "up")
        self.run("ip", "address", "add", f"{self.address}/24", "dev", "eth0")
        self.run("ip", "link", "set", "eth0", "up")
        self.run("mount", "--bind", str(self.folder), "/var/lib/postgresql")
        self.run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/run/postgresql")
        return self

    def __exit__(self, *error: object) -> None:
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._holder.kill()
        self._holder.wait()
        subprocess.run(["ip", "link", "delete", self._link], stderr=subprocess.DEVNULL)

    def run(self, *command: str) -> str:
        """Runs a command on the host as root, to its end; its output."""
        return _run("nsenter", "--target", str(self._holder.pid), "--net", "--mount", *command)

    def start(self, *command: str, log: Path, account: str = "postgres", **environment: str) -> subprocess.Popen[bytes]:
        """Starts a command on the host, whose output is appended to a file."""
        user, group = _account(account)
        return subprocess.Popen(
            ["nsenter", "--target", str(self._holder.pid), "--net", "--mount", f"--setuid={user}", f"--setgid={group}", *command],
            env={"PATH": os.environ["PATH"], "HOME": "/var/lib/postgresql", "LANG": "C.UTF-8", **environment},
            cwd="/", stdout=log.open("ab"), stderr=subprocess.STDOUT, start_new_session=True,
        )

    def processes(self, name: str = "") -> list[int]:
        """The host's processes with this name (comm), the oldest first; all of them without a name."""
        namespace = self._namespace(self._holder.pid)
        pids = sorted(int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
        return [
            pid for pid in pids
            if pid != self._holder.pid and self._namespace(pid) == namespace and (not name or _name(pid) == name)
        ]

    def send(self, number: signal.Signals, name: str = "") -> None:
        """Sends a signal to the host's processes with this name; to all of them without a name."""
        for pid in self.processes(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def cut_off(self, *addresses: str) -> None:
        """Drops everything between this host and these addresses; between it and all others without any."""
        for other in addresses or ("0.0.0.0/0",):
            self.run("iptables", "--wait", "--append", "INPUT", "!", "--in-interface", "lo", "--source", other, "--jump", "DROP")
            self.run("iptables", "--wait", "--append", "OUTPUT", "!", "--out-interface", "lo", "--destination", other, "--jump", "DROP")

    def reconnect(self) -> None:
        """Lets everything through again."""
        self.run("iptables", "--wait", "--flush")

    @staticmethod
    def _namespace(pid: int) -> str | None:
        with contextlib.suppress(OSError):
            return os.readlink(f"/proc/{pid}/ns/net")
        return None


def _name(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _account(name: str) -> tuple[int, int]:
    entry = pwd.getpwnam(name)
    return entry.pw_uid, entry.pw_gid


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stdout}{done.stderr}")
    return done.stdout

"""The program under test."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tokens
from process import await_answer, free_port, running


@dataclass(frozen=True)
class Server:
    """A running `kith serve`."""

    pid: int
    url: str


class Kith:
    """The release binary, without the caller's configuration."""

    def __init__(self, folder: Path, binary: Path | None = None):
        """`folder` holds its log. `binary` is another program than that of KITH_BINARY."""
        self._log = folder / "kith.log"
        self._binary = str(binary or os.environ["KITH_BINARY"])
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith(("KITH_", "PG"))}

    def migrate(self, url: str) -> None:
        """Migrates a database."""
        self.command(url, "migrate")

    def command(self, url: str, *arguments: str, text: str = "") -> str:
        """Runs a command to its end with `text` as its input; its output."""
        done = subprocess.run(
            [self._binary, *arguments], env=self._with(url), capture_output=True, text=True, input=text,
        )
        if done.returncode != 0:
            raise RuntimeError(f"kith {' '.join(arguments)} failed: {done.stdout}{done.stderr}")
        return done.stdout

    @contextlib.contextmanager
    def start(self, url: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        """Starts a command, whose output goes nowhere; its process, which ends with the context."""
        with subprocess.Popen(
            [self._binary, *arguments], env=self._with(url), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as process:
            yield process

    @contextlib.contextmanager
    def work(self, url: str, certificate: Path | None = None) -> Iterator[int]:
        """Runs `kith worker`; its process. It may send to a server with this certificate on this machine; without one it sends nothing."""
        with running([self._binary, "worker"], self._sending(url, certificate), self._log) as process:
            yield process.pid

    @contextlib.contextmanager
    def work_into(self, url: str, file: Path) -> Iterator[int]:
        """Runs `kith worker`, which writes its messages to a file; its process."""
        with running([self._binary, "worker"], {**self._with(url), "KITH_DELIVERY": f"file:{file}"}, self._log) as process:
            yield process.pid

    def work_once(self, url: str, certificate: Path | None = None, now: str | None = None) -> dict[str, int]:
        """Runs `kith worker --once`, at an instant if there is one; what each of its loops did. It sends as `work` does."""
        arguments = ["worker", "--once", *(["--now", now] if now else [])]
        done = subprocess.run([self._binary, *arguments], env=self._sending(url, certificate), capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"kith {' '.join(arguments)} failed: {done.stdout}{done.stderr}")
        return {words[0]: int(words[1]) for words in map(str.split, done.stdout.splitlines()) if len(words) == 2 and words[1].isdigit()}

    def doctor(self, url: str, master_key: str | None) -> str:
        """What `kith doctor` says with a master key, or without any."""
        environment = {**self._with(url), "KITH_MASTER_KEY": master_key or ""}
        return subprocess.run([self._binary, "doctor"], env=environment, capture_output=True, text=True).stdout

    @contextlib.contextmanager
    def serve(self, url: str, is_awaited: bool = True, port: int | None = None, **settings: int | str) -> Iterator[Server]:
        """Runs `kith serve` without rate limits, and waits until it is ready unless told otherwise.

        Settings are its environment variables without KITH_, in lower case.
        """
        port = port or free_port()
        environment = {
            **self._with(url),
            "KITH_LISTEN": f"127.0.0.1:{port}",
            "KITH_METRICS_LISTEN": f"127.0.0.1:{free_port()}",
            "KITH_ADDRESS_LIMIT": "0",
            "KITH_USER_LIMIT": "0",
            "KITH_TENANT_LIMIT": "0",
            **{f"KITH_{name.upper()}": str(value) for name, value in settings.items()},
        }
        with running([self._binary, "serve"], environment, self._log) as process:
            server = Server(process.pid, f"http://127.0.0.1:{port}")
            if is_awaited:
                await_answer(process, server.url + "/readyz")
            yield server

    def _sending(self, url: str, certificate: Path | None) -> dict[str, str]:
        environment = {**self._with(url), "KITH_DELIVERY": "none"}
        if certificate:
            environment |= {
                "KITH_DELIVERY": "channels", "KITH_OUTBOUND_ALLOW": "127.0.0.0/8", "KITH_CA_FILE": str(certificate),
            }
        return environment

    def _with(self, url: str) -> dict[str, str]:
        return {**self._environment, "KITH_DATABASE_URL": url, "KITH_MASTER_KEY": tokens.MASTER_KEY.hex()}

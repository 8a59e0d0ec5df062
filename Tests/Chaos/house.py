"""An installation of Kith with all that it depends on, each part of which can fail by itself."""

import contextlib
import json
import os
import shutil
import ssl
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import texts
import tokens
from database import Database
from link import Link, Network
from program import Machine, Program
from provider import _certificate as make_certificate

TENANTS = (1, 2)
COUNTERPARTS = Path(__file__).parents[1] / "Counterparts"
SERVERS = ("server-1", "server-2")
WORKERS = ("worker-1", "worker-2")
ADDRESS = f"127.77.{os.getpid() >> 8 & 255}.{os.getpid() & 255}"
"""The servers listen at a loopback address of this process's own and at ports that the kernel gives to nobody, because a server that was
killed needs the same port again."""
FIRST_PORT = 18080
PROVIDERS = ("apns", "web_push", "mail", "sink")


class House:
    """Two servers, two workers, PostgreSQL, the providers, and a link between each pair that talks."""

    def __enter__(self) -> "House":
        with contextlib.ExitStack() as exits:
            # Not /tmp, which others clean.
            self.folder = Path(tempfile.mkdtemp(prefix="kith-chaos-", dir="/var/tmp"))
            self.folder.chmod(0o755)
            self._keeps = bool(os.environ.get("KITH_CHAOS_KEEP"))
            if not self._keeps:
                exits.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self._library = self.folder / "machine.so"
            subprocess.run(
                ["clang", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", self._library, Path(__file__).with_name("machine.c")],
                check=True,
            )
            self.network = exits.enter_context(Network())
            self.database = exits.enter_context(Database(self.folder / "postgres", self._machine("postgres")))
            self._certificate = self.folder / "provider.pem"
            self._certificate.write_bytes(make_certificate())
            self.links: dict[str, Link] = {}
            self.moods: dict[str, Path] = {}
            self._ports: dict[str, int] = {}
            for name in PROVIDERS:
                self._start_provider(name, exits)
            self._prepare_database()
            self.programs: dict[str, Program] = {}
            self.urls: dict[str, str] = {}
            for name in (*SERVERS, *WORKERS):
                self.programs[name] = program = self._program(name)
                exits.callback(program.kill)
                program.start()
            for name in SERVERS:
                self._await_readiness(name)
            self._prepare_tenants()
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._exits.close()
        if self._keeps:
            print(f"kept: {self.folder}")

    def log(self, name: str) -> list[dict]:
        """What a provider has logged: a line for each request or mail."""
        lines = (self.folder / f"{name}.log").read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines[1:] if line.endswith("\n")]

    def set_mood(self, provider: str, mood: str) -> None:
        """Makes a provider meet everybody as `mood` says: in the words of http2.Script, of mail.py, or a path of sink.py."""
        if provider in self.moods:
            self.moods[provider].write_text(mood)
            return
        for name in ("sms", "webhook"):
            self._name(name, mood or "/status/200")

    def device(self, kind: str, tenant: int, number: int) -> str:
        """A device token whose pushes are taken: `ios` or `web`."""
        script = f"{200 if kind == 'ios' else 201} user={number}".encode().hex()
        return script if kind == "ios" else f"https://127.0.0.1:{self.links['workers – web_push'].port}/push/{self.push_keys[tenant]}/{script}"

    def readiness(self, server: str) -> int | None:
        """The status of /readyz, asked without a link between."""
        try:
            with urllib.request.urlopen(f"{self.urls[server]}/readyz", timeout=5) as answer:
                return answer.status
        except OSError as error:
            return getattr(error, "code", None)

    def _await_readiness(self, server: str) -> None:
        end = time.monotonic() + 300
        while self.readiness(server) != 200:
            if not self.programs[server].is_running or time.monotonic() > end:
                raise RuntimeError(f"{server} does not start: {(self.folder / f'{server}.log').read_text()[-2000:]}")
            time.sleep(0.05)

    def _machine(self, name: str) -> Machine:
        return Machine(self.folder / f"{name}.machine", self._library)

    def _link(self, name: str, target: tuple[str, int] | str) -> int:
        self.links[name] = Link(self.network, name, target)
        return self.links[name].port

    def _start_provider(self, name: str, exits: contextlib.ExitStack) -> None:
        arguments = ["--certificate", str(self._certificate)]
        if name != "sink":
            self.moods[name] = self.folder / f"{name}.mood"
            self.moods[name].write_text("")
            arguments += ["--mood", str(self.moods[name])]
        if name == "apns":
            key = ec.generate_private_key(ec.SECP256R1())
            self._apns_key = key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            ).decode()
            public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
            known = {"CHAOSKEY01": {"team": "CHAOSTEAM1", "pem": public.decode(), "topics": ["example.app"]}}
            arguments += ["--keys", json.dumps(known)]
        log = self.folder / f"{name}.log"
        with log.open("wb") as output, (self.folder / f"{name}.errors").open("wb") as errors:
            process = subprocess.Popen(
                [str(COUNTERPARTS / "run"), name, *arguments], stdin=subprocess.PIPE, stdout=output, stderr=errors,
                start_new_session=True,
            )
        exits.callback(process.wait)
        exits.callback(process.kill)
        lines = 2 if name == "web_push" else 1
        end = time.monotonic() + 300
        while log.read_bytes().count(b"\n") < lines:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{name}.py did not start: {(self.folder / f'{name}.errors').read_text()}")
            time.sleep(0.05)
        first = [json.loads(line) for line in log.read_text().splitlines()[:2]]
        self._ports[name] = first[0]["port"]
        if name == "web_push":
            self.browser = first[1]
        self._link(f"workers – {name}", ("127.0.0.1", first[0]["port"]))

    def _prepare_database(self) -> None:
        self.database.execute("postgres", "create database kith template template0")
        self._kith("migrate")
        now = "now() - interval '1 year'"
        with self.database.session() as session:
            for tenant in TENANTS:
                session.execute(
                    "insert into kith.tenants (tenant_id, slug, name, brand_name, sms_enabled, created_at, updated_at)"
                    f" values (%s, %s, %s, %s, true, {now}, {now})",
                    (tenant, f"tenant-{tenant}", f"Tenant {tenant}", f"Tenant {tenant}"),
                )
                session.execute("insert into kith.tenant_usage (tenant_id, users) values (%s, 0)", (tenant,))
            tokens.store_keys(session, len(TENANTS))
        sink = self.links["workers – sink"].port
        self._name("sms", "/status/200")
        self._name("webhook", "/status/200")
        channels = {
            "apns": {"team_id": "CHAOSTEAM1", "key_id": "CHAOSKEY01", "topic": "example.app", "private_key": self._apns_key},
            "web_push": {"subject": "mailto:ops@example.com"},
            "email": {"host": "127.0.0.1", "port": self.links["workers – mail"].port, "from": "care@example.com", "from_name": "Kith"},
        }
        for tenant in TENANTS:
            sms = {"url": f"https://127.0.0.1:{sink}/named/sms", "from": "Kith", "inbound": texts.INBOUND[tenant]}
            for channel, settings in (channels | {"sms": sms}).items():
                self._kith("tenant", "channel", "set", f"tenant-{tenant}", channel, "-", text=json.dumps(settings))

    def _prepare_tenants(self) -> None:
        """Makes each tenant's webhook, which only a server can, and looks up its public key for browsers and where its provider forwards
        text messages."""
        with self.database.session() as session:
            rows = session.execute("select tenant_id, inbound_token from kith.channel_credentials where channel = 'sms'")
            self.inbound = {row["tenant_id"]: f"/v1/inbound/sms/{row['inbound_token']}" for row in rows}
            rows = session.execute("select tenant_id, summary ->> 'public_key' as key from kith.channel_credentials where channel = 'web_push'")
            self.push_keys = {row["tenant_id"]: row["key"] for row in rows}
        for tenant in TENANTS:
            secret = json.loads(self._kith("tenant", "key", "create", f"tenant-{tenant}", "--name", "chaos", "--json"))["secret_key"]
            url = f"https://127.0.0.1:{self.links['workers – sink'].port}/named/webhook"
            self._call(secret, "POST", "/v1/tenant/webhooks", {"url": url})

    def _call(self, secret: str, method: str, path: str, body: dict | None = None) -> dict:
        request = urllib.request.Request(
            f"{self.urls[SERVERS[0]]}{path}", data=json.dumps(body).encode() if body else None, method=method,
            headers={"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.load(answer)

    def _kith(self, *arguments: str, text: str = "") -> str:
        done = subprocess.run(
            [os.environ["KITH_BINARY"], *arguments], env=self._environment("owner", self.database.url("kith")), input=text,
            capture_output=True, text=True,
        )
        if done.returncode != 0:
            raise RuntimeError(f"kith {' '.join(arguments)} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def _environment(self, name: str, url: str) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("KITH_", "PG", "LD_"))}
        return {
            **kept, "KITH_DATABASE_URL": url, "KITH_MASTER_KEY": tokens.MASTER_KEY.hex(), "KITH_OUTBOUND_ALLOW": "127.0.0.0/8",
            "KITH_CA_FILE": str(self._certificate),
        }

    def _program(self, name: str) -> Program:
        # Through the link, PostgreSQL is on a port; it listens on its socket only.
        is_server = name in SERVERS
        port = self._link(f"{name} – postgres", self.database.socket)
        role = "kith_api" if is_server else "kith_worker"
        environment = self._environment(name, f"postgresql://{role}@127.0.0.1:{port}/kith?sslmode=disable&gssencmode=disable")
        environment |= {"KITH_APNS_URL": f"https://127.0.0.1:{self.links['workers – apns'].port}"}
        if is_server:
            listen, metrics = (FIRST_PORT + 2 * SERVERS.index(name) + number for number in range(2))
            self.urls[name] = f"http://{ADDRESS}:{listen}"
            self._link(f"clients – {name}", (ADDRESS, listen))
            environment |= {
                "KITH_LISTEN": f"{ADDRESS}:{listen}", "KITH_METRICS_LISTEN": f"{ADDRESS}:{metrics}",
                "KITH_LOOPS": "1", "KITH_READ_CONNECTIONS": "2", "KITH_WRITE_CONNECTIONS": "3", "KITH_CHECK_IN_CONNECTIONS": "3",
                "KITH_ADDRESS_LIMIT": "0", "KITH_USER_LIMIT": "0", "KITH_TENANT_LIMIT": "0",
                "KITH_INBOUND_LIMIT": "0",
            }
        else:
            environment |= {"KITH_DELIVERY": "channels"}
        command = [os.environ["KITH_BINARY"], "serve" if is_server else "worker"]
        return Program(name, command, environment, self.folder / f"{name}.log", self._machine(name))

    def _name(self, name: str, path: str) -> None:
        tls = ssl.create_default_context(cafile=str(self._certificate))
        request = urllib.request.Request(
            f"https://127.0.0.1:{self._ports['sink']}/named/{name}", data=path.encode(), method="PUT"
        )
        urllib.request.urlopen(request, timeout=300, context=tls).close()

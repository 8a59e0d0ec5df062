"""A provider of text messages that accepts everything, and tenants who use it."""

import contextlib
import datetime
import ipaddress
import json
import os
import ssl
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from process import free_port, running
from stage import Stage

PROGRAM = Path(__file__).parent / "counterpart" / "sink.py"


@dataclass(frozen=True)
class Provider:
    """The provider that messages go to."""

    url: str
    certificate: Path
    """The file with its certificate and key."""

    @property
    def taken(self) -> int:
        """The number of messages that it has accepted."""
        tls = ssl.create_default_context(cafile=str(self.certificate))
        with urllib.request.urlopen(self.url, timeout=30, context=tls) as answer:
            return int(answer.read())

    def await_first(self, before: int) -> None:
        """Waits until it has accepted more messages than `before`."""
        end = time.monotonic() + 30
        while self.taken <= before:
            if time.monotonic() > end:
                raise RuntimeError("nothing was sent within 30 seconds")
            time.sleep(0.01)

    def serve(self, stage: Stage, database: str, tenants: int) -> None:
        """Makes it the provider of the first tenants of a database."""
        settings = json.dumps({
            "url": self.url, "from": "Kith", "format": "form", "to_field": "To", "from_field": "From", "text_field": "Body",
            "id_field": "id",
        })
        for tenant in range(1, tenants + 1):
            stage.kith.command(
                stage.cluster.url(database), "tenant", "channel", "set", f"tenant-{tenant}", "sms", "-", text=settings,
            )


@contextlib.contextmanager
def provider(stage: Stage) -> Iterator[Provider]:
    """A provider on this machine, in a process of its own."""
    port = free_port()
    certificate = stage.folder / "provider.pem"
    certificate.write_bytes(_certificate())
    found = Provider(f"https://127.0.0.1:{port}/", certificate)
    command = [sys.executable, str(PROGRAM), str(port), str(certificate)]
    with running(command, dict(os.environ), stage.folder / "sink.log"):
        end = time.monotonic() + 20
        while True:
            with contextlib.suppress(OSError):
                found.taken
                break
            if time.monotonic() > end:
                raise RuntimeError("the provider does not answer")
            time.sleep(0.05)
        yield found


def _certificate() -> bytes:
    """A self-signed certificate for this machine, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "provider")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    return certificate.public_bytes(pem) + key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )

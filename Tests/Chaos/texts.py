"""What people answer by text message, and how the tenant's provider signs what it forwards (docs/inbound.md)."""

import hmac
import time
import urllib.parse

SECRET = "secret-of-the-provider"
INBOUND = {
    1: {"signature": "bearer", "secret": SECRET},
    2: {"signature": "hmac_sha256", "secret": SECRET, "signature_header": "X-Sign", "timestamp_header": "X-Time"},
}
"""How each tenant's provider signs: the member `inbound` of the settings of its channel."""

SAFE = {
    "en": ("safe", "I'm safe", "I am safe.", "SAFE!", "im safe 👍"),
    "de": ("mir geht es gut", "Entwarnung", "Mir gehts gut!", "bin in Sicherheit"),
}
"""What checks a sender in, in each language, also while they call for help."""
NOTHING = {
    "en": ("ok?", "not ok", "ok but I fell", "no", "ok ok", "2", "help", "gut"),
    "de": ("ja?", "nicht gut", "ja aber ich bin gestürzt", "nein", "geht so", "2", "info", "keine Hilfe"),
}
"""What must not check anybody in. An English reader's "gut" is nothing."""
TAKE = ("1", "1.")
"""What takes the one alarm of which a text message has told somebody."""
END = ("2", "2.")
"""What ends it as safe."""


def form(phone: str, text: str, id: str) -> bytes:
    """The body of a forwarded message, whose id is the provider's."""
    return urllib.parse.urlencode({"From": phone, "Body": text, "MessageSid": id}).encode()


def headers(tenant: int, body: bytes) -> dict[str, str]:
    """The headers of a forwarded message, signed now."""
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    if INBOUND[tenant]["signature"] == "bearer":
        return kind | {"Authorization": f"Bearer {SECRET}"}
    at = str(int(time.time()))
    code = hmac.new(SECRET.encode(), f"{at}.".encode() + body, "sha256").hexdigest()
    return kind | {"X-Time": at, "X-Sign": code}

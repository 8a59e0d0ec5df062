"""A push service (RFC 8030, 8291, 8292) and the one browser that has all its subscriptions and decrypts every message.

An endpoint is /push/<public key of the application server>/<hexadecimal form of a script, see http2.Script>. The
second line of the log has the browser's keys.
"""

import argparse
import asyncio
import base64
import json
import os
import re
import time

import http_ece
import jwt
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from http2 import Answer, Script, Server


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Refusal(Exception):
    """A status and the reason."""


class WebPush:
    def __init__(self, mood):
        self.script = Script(mood)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = os.urandom(16)
        self.count = 0
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.keys = {"p256dh": base64url(point), "auth": base64url(self.secret)}

    def opened(self, connection):
        pass

    def record(self, request):
        return {
            "headers": {name: value for name, value in request.headers if name != "authorization"},
            "payload": getattr(request, "payload", None), "size": len(request.body)}

    async def answer(self, request):
        origin = f"https://{request.authority}"
        try:
            endpoint = re.fullmatch("/push/([A-Za-z0-9_-]{87})/([0-9a-f]*)", request.path)
            if not endpoint:
                raise Refusal(404, "no such subscription")
            self.check_token(request, endpoint[1], origin)
            self.check_message(request)
            status, reason, named = await self.script.next(request.path, bytes.fromhex(endpoint[2]).decode(), 201)
        except Refusal as refusal:
            (status, reason), named = refusal.args, {}
        headers = []
        if status == 201:
            self.count += 1
            headers.append(("location", f"{origin}/message/{self.count}"))
        if "after" in named:
            headers.append(("retry-after", named["after"]))
        return Answer(status, headers, reason.encode(), named.get("trick", ""))

    def check_token(self, request, application_server, origin):
        """Checks the VAPID token (RFC 8292 §2 to §4)."""
        given = re.fullmatch("vapid t=([^,]+), *k=([A-Za-z0-9_-]+)", request.header("authorization") or "")
        if not given:
            raise Refusal(401, "no VAPID token")
        if given[2] != application_server:
            raise Refusal(403, "another key than the subscription was made with")
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_base64url(given[2]))
        try:
            claims = jwt.decode(given[1], key, algorithms=["ES256"], audience=origin, options={"require": ["exp", "aud"]})
        except jwt.PyJWTError as error:
            raise Refusal(401, str(error)) from None
        if claims["exp"] > time.time() + 86400:
            raise Refusal(401, "the token is valid for too long")
        if not re.match("mailto:|https:", claims.get("sub", "")):
            raise Refusal(401, "the token has no subject")

    def check_message(self, request):
        if request.header("content-encoding") != "aes128gcm" or not (request.header("ttl") or "").isdigit():
            raise Refusal(400, "must be encrypted, and have a TTL")
        if request.header("urgency") not in ("very-low", "low", "normal", "high"):
            raise Refusal(400, "no such urgency")
        if not re.fullmatch("[A-Za-z0-9_-]{1,32}", request.header("topic") or "topic"):
            raise Refusal(400, "a topic is at most 32 characters of base64url")
        if len(request.body) > 4096:
            raise Refusal(413, "too long")
        try:
            plain = http_ece.decrypt(
                bytes(request.body), private_key=self.key, auth_secret=self.secret, version="aes128gcm")
        except (http_ece.ECEException, InvalidTag, ValueError) as error:
            # A real push service could not know, and the browser would drop the message. Here the test must see it.
            raise Refusal(400, f"the browser cannot open it: {error!r}") from None
        request.payload = json.loads(plain)


arguments = argparse.ArgumentParser()
arguments.add_argument("--certificate", required=True, help="PEM of the certificate and its key")
arguments.add_argument("--mood", help="a file that http2.Script reads")
options = arguments.parse_args()
service = WebPush(options.mood)
asyncio.run(Server(service).run(options.certificate, service.keys))

"""APNs as Apple documents it. Checks every request and its provider token, then does what the device token says.

A device token is the hexadecimal form of a script (see http2.Script); any other token is a device that accepts everything.
"""

import argparse
import asyncio
import hashlib
import json
import re
import time
import uuid

import jwt

from http2 import Answer, Script, Server

UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Refusal(Exception):
    """A refusal from Apple's table of answers: a status and a reason."""


class APNs:
    def __init__(self, keys, mood):
        # key id -> {"team": id, "pem": public key, "topics": [bundle id]}
        self.keys = keys
        self.script = Script(mood)

    def opened(self, connection):
        # Until its first valid token a client may have one request in flight.
        connection.allow(1)

    def record(self, request):
        try:
            payload = json.loads(bytes(request.body))
        except ValueError:
            payload = None
        return {
            "headers": {name: value for name, value in request.headers if name != "authorization"},
            "token": hashlib.sha256((request.header("authorization") or "").encode()).hexdigest(),
            "payload": payload, "size": len(request.body)}

    async def answer(self, request):
        try:
            device = self.checked(request)
            status, reason, named = await self.script.next(device.hex(), device.decode("ascii", "ignore"), 200)
        except Refusal as refusal:
            (status, reason), named = refusal.args, {}
        headers = [("apns-id", request.header("apns-id") or str(uuid.uuid4()).upper())]
        if "after" in named:
            headers.append(("retry-after", named["after"]))
        said = {} if status == 200 else {"reason": reason}
        if status == 410:
            said["timestamp"] = int(time.time() * 1000)
        body = json.dumps(said).encode() if said else b""
        return Answer(status, headers, body, named.get("trick", ""))

    def checked(self, request):
        if request.method != "POST":
            raise Refusal(405, "MethodNotAllowed")
        if not request.path.startswith("/3/device/"):
            raise Refusal(404, "BadPath")
        key = self.key_of(request)
        if len({name for name, _ in request.headers}) < len(request.headers):
            raise Refusal(400, "DuplicateHeaders")
        if not UUID.fullmatch(request.header("apns-id") or ""):
            raise Refusal(400, "BadMessageId")
        if request.header("apns-topic") is None:
            raise Refusal(400, "MissingTopic")
        if request.header("apns-topic") not in key["topics"]:
            raise Refusal(400, "TopicDisallowed")
        if request.header("apns-push-type") != "alert":
            raise Refusal(400, "InvalidPushType")
        if request.header("apns-priority") not in ("10", "5", "1"):
            raise Refusal(400, "BadPriority")
        if not re.fullmatch("[0-9]{1,10}", request.header("apns-expiration") or "0"):
            raise Refusal(400, "BadExpirationDate")
        if len((request.header("apns-collapse-id") or "").encode()) > 64:
            raise Refusal(400, "BadCollapseId")
        if len(request.body) > 4096:
            raise Refusal(413, "PayloadTooLarge")
        try:
            alert = json.loads(bytes(request.body))["aps"]["alert"]
        except (ValueError, KeyError):
            alert = None
        if not alert:
            raise Refusal(400, "PayloadEmpty")
        token = request.path.removeprefix("/3/device/")
        if not token:
            raise Refusal(400, "MissingDeviceToken")
        try:
            return bytes.fromhex(token)
        except ValueError:
            raise Refusal(400, "BadDeviceToken") from None

    def key_of(self, request):
        """The key that signed the request's token."""
        scheme, _, token = (request.header("authorization") or "").partition(" ")
        if scheme != "bearer" or not token:
            raise Refusal(403, "MissingProviderToken")
        try:
            header = jwt.get_unverified_header(token)
            key = self.keys[header["kid"]]
            claims = jwt.decode(token, key["pem"], algorithms=["ES256"], options={"verify_iat": False})
        except (jwt.PyJWTError, KeyError):
            raise Refusal(403, "InvalidProviderToken") from None
        now = time.time()
        if claims.get("iss") != key["team"] or claims.get("iat", now + 3600) > now + 60:
            raise Refusal(403, "InvalidProviderToken")
        if claims["iat"] < now - 3600:
            raise Refusal(403, "ExpiredProviderToken")
        state = request.connection.state
        if state.setdefault("key", header["kid"]) != header["kid"]:
            raise Refusal(403, "UnrelatedKeyIdInToken")
        # One early replacement of the token is allowed; Apple counts them per connection.
        updates = state.setdefault("updates", {})
        updates.setdefault(token, now)
        if sum(at > now - 1200 for at in updates.values()) > 2:
            raise Refusal(429, "TooManyProviderTokenUpdates")
        if not state.get("known"):
            state["known"] = True
            request.connection.allow(1000)
        return key


arguments = argparse.ArgumentParser()
arguments.add_argument("--certificate", required=True, help="PEM of the certificate and its key")
arguments.add_argument("--keys", required=True, type=json.loads, help="JSON: key id -> {team, pem, topics}")
arguments.add_argument("--mood", help="a file that http2.Script reads")
options = arguments.parse_args()
asyncio.run(Server(APNs(options.keys, options.mood)).run(options.certificate))

"""The callers: for each operation its credential, and existing resources for it to name."""

import json
import os
import re
import time
import urllib.error
import urllib.request

import requests
import schemathesis

URL = os.environ["KITH_URL"]
KEY = os.environ["KITH_KEY"]


def send(method, path, body=None, credential=KEY):
    request = urllib.request.Request(URL + path, method=method, headers={"Authorization": f"Bearer {credential}"})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    for attempts_left in range(10, -1, -1):
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as refusal:
            # On a machine that is busy with other tests the database may be late.
            if refusal.code != 503 or attempts_left == 0:
                raise
            time.sleep(1)


class Patient(requests.adapters.HTTPAdapter):
    """Retries a 503 for ten seconds, as the answer allows; a persistent one is a fault and is reported."""

    def send(self, request, **options):
        for _ in range(10):
            response = super().send(request, **options)
            if response.status_code != 503:
                return response
            response.close()
            time.sleep(1)
        return super().send(request, **options)


# Every session created from here on uses this adapter.
requests.sessions.HTTPAdapter = Patient


class Alice:
    """A sender and receiver with a connection, an invitation, notifications, and an open, shared vault with a nominee."""

    def __init__(self):
        self.id, self.token = self.join("Alice")
        bob, bobs = self.join("Bob")
        every_day = {"ping_time": "00:00", "time_zone": "UTC", "grace_minutes": 719}
        send("PUT", "/v1/me/sender-profile", every_day, self.token)
        send("PUT", "/v1/me/sender-profile", every_day, bobs)
        mine = send("PUT", "/v1/me/receiver-profile", {}, self.token)["code"]
        theirs = send("PUT", "/v1/me/receiver-profile", {}, bobs)["code"]
        connection = send("POST", "/v1/connections", {"code": theirs}, self.token)["id"]
        send("POST", "/v1/connections", {"code": mine}, bobs)
        told = send("GET", "/v1/notifications", credential=self.token)["items"][0]["id"]
        invitation = send(
            "POST", "/v1/connection-invitations", {"recipients": [{"phone": "+4915112345678"}]}, self.token
        )["id"]
        vault = send("POST", "/v1/vaults", {"name": "Papers"}, self.token)["id"]
        send("POST", f"/v1/vaults/{vault}/open", {}, self.token)
        share = send("PUT", f"/v1/vaults/{vault}/share", {}, self.token)["id"]
        invited, nominee = (
            send("POST", f"/v1/vaults/{vault}/nominees", {"name": name}, self.token) for name in ("Dave", "Bob")
        )
        send("POST", f"/v1/invitations/{nominee['invitation']['token']}/accept", credential=bobs)
        #: The values of `id` in a path, by the path's resource.
        self.ids = {
            "/v1/users": self.id,
            "/v1/connections": connection,
            "/v1/notifications": told,
            "/v1/connection-invitations": invitation,
            "/v1/vaults": vault,
            "/v1/shares": share,
        }
        self.other = bob
        self.nominee = nominee["id"]
        self.token_of_nominee = invited["invitation"]["token"]

    @staticmethod
    def join(name):
        user = send("POST", "/v1/users", {"display_name": name})["id"]
        return user, send("POST", "/v1/tokens", {"user_id": user})["access_token"]


class Cast:
    """One Alice for each operation, so that operations do not affect each other. An operation that ends her account gets a new one."""

    def __init__(self):
        self.people = {}

    def of(self, operation):
        ends_her = operation.label in ("DELETE /v1/me", "DELETE /v1/users/{id}", "POST /v1/auth/sign-out")
        if ends_her or operation.label not in self.people:
            self.people[operation.label] = Alice()
        return self.people[operation.label]


cast = Cast()


@schemathesis.auth(refresh_interval=None)
class Credentials:
    def get(self, case, context):
        schemes = {name for option in context.operation.definition.raw["security"] for name in option}
        if "secretKey" in schemes:
            return KEY
        return cast.of(context.operation).token if "accessToken" in schemes else None

    def set(self, case, data, context):
        if data:
            case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces half of the generated ids by existing ones."""
    for name, value in (case.path_parameters or {}).items():
        if not isinstance(value, str) or not re.fullmatch("[0-9a-f-]{35}[02468ace]", value):
            continue
        alice = cast.of(context.operation)
        if name == "user_id":
            case.path_parameters[name] = alice.other
        if name == "n":
            case.path_parameters[name] = alice.nominee
        if name == "token":
            case.path_parameters[name] = alice.token_of_nominee
        for start, id in alice.ids.items():
            if name == "id" and case.operation.path.startswith(start + "/"):
                case.path_parameters[name] = id
    if isinstance(case.body, dict) and re.fullmatch("[0-9a-f-]{35}[02468ace]", str(case.body.get("user_id"))):
        case.body["user_id"] = cast.of(context.operation).id


@schemathesis.serializer("application/x-ndjson")
def write_line(context, value):
    """The value as one line."""
    return value if isinstance(value, bytes) else (json.dumps(value) + "\n").encode()


@schemathesis.deserializer("application/x-ndjson")
def read_line(context, response):
    """The result for that line."""
    return json.loads(response.content.split(b"\n")[0] or b"null")


@schemathesis.check
def has_a_documented_code(context, response, case):
    """A refusal has one of the codes that its description has examples of."""
    if response.headers.get("content-type", [""])[0] != "application/problem+json":
        return
    document = case.operation.schema.raw_schema
    described = case.operation.definition.raw["responses"].get(str(response.status_code))
    if described is None:
        return
    name = described["$ref"].rsplit("/")[-1]
    codes = document["components"]["responses"][name]["content"]["application/problem+json"]["examples"]
    code = response.json()["code"]
    assert code in codes, f"the code {code} is not documented"

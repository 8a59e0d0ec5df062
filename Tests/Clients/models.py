"""Reads the examples of the document and the answers of a running server with the models that datamodel-code-generator made."""

import enum
import json
import os
import sys
import urllib.error
import urllib.request

import kith_models as models

url, key, token = os.environ["KITH_URL"], os.environ["KITH_KEY"], os.environ["KITH_TOKEN"]


def call(method, path, credential, body=None):
    """The status and the text of an answer; `body` is a model."""
    content = body and body.model_dump_json(by_alias=True, exclude_unset=True).encode()
    headers = {"Authorization": f"Bearer {credential}", "Content-Type": "application/json"}
    request = urllib.request.Request(url + path, content, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read()


def examples(document):
    """Reads the example of each schema with its model, and writes it again."""
    compared = 0
    for name, schema in document["components"]["schemas"].items():
        kind = getattr(models, name)
        if issubclass(kind, enum.Enum):
            continue
        for example in schema["examples"]:
            written = kind.model_validate(example).model_dump(mode="json", by_alias=True, exclude_unset=True)
            assert written == example, f"{name}: {written} instead of {example}"
            compared += 1
    assert compared > 200, compared


with open(sys.argv[1]) as file:
    examples(json.load(file))

status, text = call("POST", "/v1/users", key, models.NewUser(display_name="Dora", email="dora@example.com"))
dora = models.User.model_validate_json(text)
assert (status, dora.display_name, dora.email) == (201, "Dora", "dora@example.com"), dora

profile = models.SetSenderProfileRequest(ping_time="11:00", time_zone="UTC")
status, text = call("PUT", "/v1/me/sender-profile", token, profile)
assert models.SenderProfile.model_validate_json(text).ping_time == "11:00", (status, text)

status, text = call("GET", "/v1/home", token)
home = models.Home.model_validate_json(text)
assert status == 200 and home.me.display_name == "Alice" and home.sender and home.receiver is None, home

status, text = call("POST", "/v1/connections", token, models.CreateConnectionRequest(code="000000"))
problem = models.Problem.model_validate_json(text)
assert (status, problem.code) == (404, models.ProblemCode.invalid_code), problem

# An answer may have members that the document does not name, and a request none.
models.VaultName.model_validate({"id": str(dora.id), "name": "Papers", "added_later": 1})
assert models.CreateConnectionRequest.model_config["extra"] == "forbid"
print("read")

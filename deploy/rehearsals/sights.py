"""What people see of their lives through every call that reads, before and after an upgrade."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import tokens
from postgres import Cluster
from rehearsals.arguments import ROOT

PEOPLE = 20
"""How many senders the tenant of the stories has, each with two receivers, a vault, a document, its history, messages and a thing."""
READERS = 6
PAGES = 3
"""How many objects of a list are looked at one by one."""
MOVES = {
    "request_id", "last_event_id", "exported_at", "state", "states", "unread_count", "unread_notifications", "last_used_at", "expires_at", "ends_at",
    "valid_until", "version",
}
"""Members whose values change by themselves as time passes."""
RECKONED = {"/v1/me/emergency/rehearsal", "/v1/me/alarm-plan/rehearsal"}
"""What is reckoned from the present on, and so never the same."""
MEDIA = "application/json"


def fill(cluster: Cluster, database: str, tenant: int) -> None:
    """Gives a tenant people with a past of three months (Tests/Growth/crowd.sql)."""
    script = (ROOT / "Tests/Growth/crowd.sql").read_text()
    with cluster.connect(database) as session:
        session.execute(
            "select set_config('crowd.tenant', %s, false), set_config('crowd.people', %s, false),"
            " set_config('crowd.now', (date_trunc('day', now() at time zone 'UTC') - interval '12 hours')::text || 'Z', false)",
            (str(tenant), str(PEOPLE)),
        )
        session.execute(script)


def readers(database: psycopg.Connection, tenant: int) -> list[str]:
    """Senders and receivers among the people of the stories."""
    return [
        str(user) for (user,) in database.execute(
            "with pairs as (select sender_id, receiver_id from kith.connections"
            " join kith.users as sender on sender.tenant_id = connections.tenant_id and sender.id = sender_id"
            " where connections.tenant_id = %(tenant)s and sender.email like '%%@crowd.example' order by connections.id limit %(some)s)"
            " select sender_id from pairs union select receiver_id from pairs",
            {"tenant": tenant, "some": READERS},
        )
    ]


def call(url: str, method: str, address: str, token: str | None, body: object = None) -> tuple[int, object]:
    """Calls the API; the status and the answer's JSON."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + address, data, headers | ({"Content-Type": MEDIA} if data else {}), method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


class Sights:
    """Each answer that a person got, by person and address."""

    def __init__(self, url: str, tenant: int, people: list[str]):
        self._url = url
        document = call(url, "GET", "/openapi.json", None)[1]
        self._reads = sorted(
            path for path, calls in document["paths"].items()
            if path not in RECKONED and "accessToken" in str(calls.get("get", {}).get("security"))
            and MEDIA in calls["get"]["responses"].get("200", {}).get("content", {})
        )
        self.answers: dict[tuple[str, str], tuple[int, object]] = {}
        for person in people:
            self._look(person, tokens.mint(tenant, person))

    def _look(self, person: str, token: str) -> None:
        found: dict[str, list[str]] = {"": [""]}
        for path in sorted(self._reads, key=lambda path: path.count("{")):
            for address in self._addresses(path, found):
                status, answer = call(self._url, "GET", address, token)
                self.answers[person, address] = status, answer
                found[address] = [one["id"] for one in _objects(answer)][:PAGES]

    @staticmethod
    def _addresses(path: str, found: dict[str, list[str]]) -> Iterator[str]:
        """The addresses of a path with a parameter for each thing that the list before it has."""
        addresses = [""]
        for part in re.split(r"/(?=\{)|(?<=\})", path):
            if part.startswith("{"):
                addresses = [f"{address}/{id}" for address in addresses for id in found.get(address, [])]
            else:
                addresses = [address + part for address in addresses]
        yield from addresses

    def lost(self, later: "Sights") -> Iterator[str]:
        """What a person saw, and does not see later, or sees otherwise."""
        for key, (status, answer) in self.answers.items():
            place = f"{key[1]} of {key[0]}"
            if key not in later.answers:
                yield f"{place} is not found any more"
            elif later.answers[key][0] != status:
                yield f"{place} was answered with {status}, and is with {later.answers[key][0]}"
            else:
                yield from (f"{place}: {change}" for change in _changes(answer, later.answers[key][1], ""))


def _objects(answer: object) -> Iterator[dict]:
    """The objects of a list that an answer is or has."""
    lists = [answer] if isinstance(answer, list) else [value for value in answer.values() if isinstance(value, list)]
    for one in lists:
        yield from (item for item in one if isinstance(item, dict) and "id" in item)


def _name(item: object) -> str | None:
    """By what an object of a list is found in another answer."""
    return item.get("id", item.get("type")) if isinstance(item, dict) else None


def _changes(before: object, after: object, place: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            if name not in after:
                yield f"{place}.{name} is gone"
            elif name not in MOVES:
                yield from _changes(value, after[name], f"{place}.{name}")
    elif isinstance(before, list) and isinstance(after, list):
        names = {_name(item): item for item in after}
        for n, item in enumerate(before):
            if (name := _name(item)) is not None:
                if name in names:
                    yield from _changes(item, names[name], f"{place}[{name}]")
                else:
                    yield f"{place} has no {name} any more"
            elif n < len(after):
                yield from _changes(item, after[n], f"{place}[{n}]")
            else:
                yield f"{place} has become shorter"
    elif before != after:
        yield f"{place} was {before!r}, and is {after!r}"


def check_in(url: str, tenant: int, people: list[str]) -> list[tuple[str, str]]:
    """Lets a sender among `people` check in; the title and the body of what each of their receivers was told last."""
    for person in people:
        token = tokens.mint(tenant, person)
        status, profile = call(url, "GET", "/v1/connections?role=sender", token)
        receivers = [one["counterpart"]["id"] for one in profile.get("items", [])]
        if status != 200 or not receivers or call(url, "POST", "/v1/pings/check-in", token, {})[0] != 200:
            continue
        newest = [call(url, "GET", "/v1/notifications?limit=1", tokens.mint(tenant, one))[1] for one in receivers]
        return [(one["title"], one["body"]) for page in newest for one in page["items"][:1]]
    return []

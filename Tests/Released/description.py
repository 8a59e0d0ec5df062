"""Describes what a release of Kith promises, as values that can be compared and read in a diff.

Each surface is a mapping from names to what is promised under that name (docs/stability.md). `promises.py` compares two of them.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

BOUNDS = {"maxLength": "most", "maxItems": "most", "maximum": "most", "minLength": "least", "minItems": "least", "minimum": "least"}


# The HTTP API, from its OpenAPI document.


def api(document: dict) -> dict:
    """The calls, the objects that they take and give, and the values of enumerations, by name."""
    return _API(document).described()


class _API:
    def __init__(self, document: dict):
        self.document = document
        self.schemas = document["components"]["schemas"]
        self.calls: dict[str, dict] = {}
        self.takes: dict[str, dict] = {}
        self.gives: dict[str, dict] = {}
        self.values: dict[str, dict] = {}

    def described(self) -> dict:
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                self._call(f"{method.upper()} {path}", operation)
        for name, methods in self.document["webhooks"].items():
            # What Kith sends is given, although it is the body of a request.
            body = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
            self.calls[f"webhook {name}"] = {"sends": self._type(body, self.gives, "")}
        return {"calls": self.calls, "takes": self.takes, "gives": self.gives, "values": self.values}

    def _call(self, route: str, operation: dict) -> None:
        name = operation["operationId"]
        call = {"route": route, "caller": sorted(scheme for way in operation.get("security", []) for scheme in way), "takes": {}, "answers": {}}
        for parameter in operation.get("parameters", []):
            kind = self._type(parameter["schema"], self.takes, f"{name}.{parameter['name']}")
            call["takes"][f"{parameter['in']} {parameter['name']}"] = {"type": kind, "must": parameter.get("required", False)}
        body = operation.get("requestBody")
        for media, content in (body or {}).get("content", {}).items():
            kind = self._type(content["schema"], self.takes, name) if "schema" in content else "bytes"
            call["takes"][f"body {media}"] = {"type": kind, "must": body.get("required", False)}
        for status, answer in operation["responses"].items():
            if status.startswith("2") or status.startswith("3"):
                kinds = {
                    media: self._type(content["schema"], self.gives, name) if "schema" in content else "bytes"
                    for media, content in answer.get("content", {}).items()
                }
                call["answers"][status] = kinds
        self.calls[name] = call

    def _type(self, schema: dict, side: dict, place: str) -> str:
        """A type in words. What it is made of is entered on its side, as taken or as given."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            self._component(name, side)
            return name
        for several in ("anyOf", "oneOf", "allOf"):
            if several in schema:
                kinds = sorted({self._type(one, side, place) for one in schema[several]})
                return (" and " if several == "allOf" else " or ").join(kinds)
        if "enum" in schema:
            self.values.setdefault(place, {"values": []})["values"] = sorted(map(str, schema["enum"]))
            return "one of its values"
        if "const" in schema:
            return json.dumps(schema["const"])
        kind = schema.get("type", "any")
        if isinstance(kind, list):
            return " or ".join(sorted(kind))
        if kind == "array":
            return f"list of {self._type(schema.get('items', {}), side, place)}"
        if kind == "object" and "properties" in schema and place:
            self._members(place, schema, side)
            return place
        return f"{kind} ({schema['format']})" if "format" in schema else kind

    def _component(self, name: str, side: dict) -> None:
        schema = self.schemas[name]
        if "enum" in schema:
            self.values[name] = {"values": sorted(map(str, schema["enum"]))}
        elif name not in side:
            side[name] = {}
            if "properties" in schema:
                self._members(name, schema, side)
            else:
                side[name] = {"": {"type": self._type(schema, side, name)}}

    def _members(self, name: str, schema: dict, side: dict) -> None:
        members = side.setdefault(name, {})
        for member, value in schema["properties"].items():
            described = {"type": self._type(value, side, f"{name}.{member}")}
            described["must" if side is self.takes else "always"] = member in schema.get("required", [])
            if side is self.takes:
                described.update(_bounds(value))
            members[member] = described


def _bounds(schema: dict) -> dict:
    """How large a value that is taken may be. A bound inside `anyOf` is that of the alternative that has one."""
    found = {}
    for one in [schema, *schema.get("anyOf", [])]:
        for rule, bound in BOUNDS.items():
            if rule in one:
                found[bound] = one[rule]
    return found


# What an operator uses.


def commands(text: str) -> dict:
    """The forms of each command, from `kith help`: what stands where, and the options."""
    forms = {}
    for name, usage in re.findall(r"(?m)^  kith ([a-z]+) ?(.*)$", text):
        for form in usage.split(" | "):
            words, options, must = [], [], []
            for optional, word in _words(form):
                if word.startswith("--"):
                    (options if optional else must).append(word)
                elif optional:
                    options.append(word)
                else:
                    words.append(word)
            forms[" ".join(["kith", name, *words, *(f"{one.split(' ')[0]} …" for one in must)])] = {
                "options": sorted(options), "must": sorted(must)
            }
    return forms


def _words(form: str) -> Iterator[tuple[bool, str]]:
    """The parts of a usage: whether one may be left out, and its text. An option has its value with it."""
    parts = re.findall(r"\[[^\[\]]*(?:\[[^\[\]]*\])?[^\[\]]*\]|--[a-z-]+ [A-Z][A-Z…,]*|\S+", form)
    for part in parts:
        optional = part.startswith("[")
        inner = part[1:-1] if optional else part
        # [--check [--plan]] is two options.
        for piece in re.findall(r"\[[^\]]*\]|[^\[\]]+", inner):
            yield optional, piece.strip().strip("[]")


def variables(page: str) -> dict:
    """The variables of the configuration, from the manual page kith.env(5)."""
    return {name: {} for name in re.findall(r"(?m)^\.B (KITH_[A-Z_]+)$", page)}


def migrations(folder: Path) -> dict[str, str]:
    """The migrations with the SHA-256 of each."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.sql"))}


def admin(rows: list[dict]) -> dict:
    """The views and procedures of the schema admin, from the rows of `admin.sql`."""
    found: dict[str, dict] = {}
    for row in rows:
        found[row["name"]] = {key: value for key, value in row.items() if key != "name"}
    return found


# The Swift libraries, from symbol graphs.


def library(graphs: list[dict]) -> dict:
    """The public declarations of a module, by path and kind."""
    found = {}
    for graph in graphs:
        for symbol in graph["symbols"]:
            precise = symbol["identifier"]["precise"]
            # What the compiler or the standard library adds to a type by itself.
            if "::SYNTHESIZED::" in precise or symbol["accessLevel"] not in ("public", "open"):
                continue
            declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
            declaration = re.sub(r"\s+", " ", declaration).strip()
            found[f"{graph['module']['name']}.{'.'.join(symbol['pathComponents'])}: {declaration}"] = {}
    return found

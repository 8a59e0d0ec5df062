"""Checks JSON texts against the schemas of an OpenAPI 3.1 document, which are JSON Schema 2020-12.

Each line of the standard input stream is a JSON value, and is answered by a line with the list of the faults that were found:

    {"document": TEXT}  the document; it comes first
    {"values": [{"label": LABEL, "schema": POINTER, "text": TEXT}]}
                        values, each with the JSON Pointer of its schema in the document and with what its faults begin with

The first line of the output, an empty list, says that the program is ready.
"""

import functools
import json
import re
import sys

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

DOCUMENT = "urn:kith:openapi"
ANNOTATIONS = {"description", "example", "examples"}
# Ids and instants, in which the texts of one kind differ most.
VARYING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,6})?Z")
formats = FormatChecker(["uuid", "date", "date-time", "email"])


@formats.checks("date-time")
def is_instant(value):
    """Instants are in UTC, as the document's general rules say."""
    return not isinstance(value, str) or (value.endswith("Z") and FormatChecker().conforms(value, "date-time"))


def discriminator(validator, rule, value, schema):
    """Checks a value against the shape that its tag names. JSON Schema does not know this keyword of OpenAPI."""
    tag = value.get(rule["propertyName"]) if isinstance(value, dict) else None
    if isinstance(tag, str) and tag in rule["mapping"]:
        yield from validator.descend(value, {"$ref": rule["mapping"][tag]})
    else:
        yield ValidationError(f"{tag!r} is not one of {sorted(rule['mapping'])}")


Validator = extend(Draft202012Validator, {"discriminator": discriminator})


def schemas(node, pointer=""):
    """The pointers of the schemas that stand in a part of the document; not of those inside other schemas."""
    if isinstance(node, list):
        for index, element in enumerate(node):
            yield from schemas(element, f"{pointer}/{index}")
    elif isinstance(node, dict):
        for name, member in node.items():
            place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            if name == "schema" or pointer == "/components/schemas":
                yield place, member
            elif name not in ("example", "examples"):
                yield from schemas(member, place)


def close(node):
    """Lets objects have only the members that the document names. Clients must bear others, and the server must not send any."""
    if isinstance(node, list):
        for element in node:
            close(element)
    elif isinstance(node, dict):
        if node.get("type") == "object" and isinstance(node.get("properties"), dict):
            node.setdefault("additionalProperties", False)
        for name, member in node.items():
            if name not in ("example", "examples"):
                close(member)


class Document:
    def __init__(self, text):
        document = json.loads(text)
        close(document)
        self.valid = set()
        self.registry = Registry().with_resource(DOCUMENT, Resource(document, DRAFT202012))
        self.faults = [
            f"{place}: {fault}" for place, schema in schemas(document) for fault in self.faults_of_schema(schema)
        ]

    def faults_of_schema(self, schema):
        """What would go unchecked in a schema: the validator ignores the keywords and formats that it does not know."""
        if isinstance(schema, bool):
            return
        for keyword in schema.keys() - Validator.VALIDATORS.keys() - ANNOTATIONS:
            yield f"the check does not know the keyword {keyword}"
        if schema.get("format", "binary") not in {*formats.checkers, "binary"}:
            yield f"the check does not know the format {schema['format']}"
        for reference in [schema.get("$ref"), *schema.get("discriminator", {}).get("mapping", {}).values()]:
            try:
                self.registry.resolver(DOCUMENT).lookup(reference or "")
            except Unresolvable:
                yield f"{reference} leads nowhere"
        for inner in DRAFT202012.subresources_of(schema):
            yield from self.faults_of_schema(inner)

    @functools.cache
    def validator(self, pointer):
        return Validator({"$ref": f"{DOCUMENT}#{pointer}"}, registry=self.registry, format_checker=formats)

    def check(self, pointer, text):
        """The faults of a text. One that differs from a valid text in ids and instants alone is valid too, and is not checked again."""
        # JSON has no control characters, so these stand for nothing else.
        kind = pointer, VARYING.sub(lambda found: "\0" if found[0][8] == "-" else "\1", text)
        if kind in self.valid:
            return []
        faults = self.faults_of_text(pointer, text)
        if not faults:
            self.valid.add(kind)
        return faults

    def faults_of_text(self, pointer, text):
        try:
            value = json.loads(text)
        except ValueError as error:
            return [f"$: no JSON: {error}"]
        faults = [fault for error in self.validator(pointer).iter_errors(value) for fault in describe(error)]
        # A discriminator and its anyOf find the same.
        return list(dict.fromkeys(faults))


def describe(error):
    """The places and reasons of an error. If a value matches none of several shapes, these are those of the closest shape."""
    # A value that matches several shapes of a oneOf differs from none.
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        return [f"{error.json_path}: {error.message[:300]}"]
    shapes = [[inner for inner in error.context if inner.schema_path[0] == index] for index in range(len(error.validator_value))]
    closest = min(shapes, key=lambda errors: (any(is_of_another_type(inner, error) for inner in errors), len(errors)))
    return [fault for inner in closest for fault in describe(inner)]


def is_of_another_type(inner, outer):
    return inner.validator == "type" and inner.absolute_path == outer.absolute_path


def answer(faults):
    print(json.dumps(faults), flush=True)


answer([])
for line in sys.stdin.buffer:
    question = json.loads(line)
    if "document" in question:
        document = Document(question["document"])
        answer(document.faults)
    else:
        answer([
            value["label"] + fault for value in question["values"] for fault in document.check(value["schema"], value["text"])
        ])

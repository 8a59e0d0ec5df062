"""Breaks each kind of promise once, and sees that the comparison says it by name; and changes what may change, of which it says nothing."""

import copy
import unittest

import description
import promises

DOCUMENT = {
    "paths": {
        "/v1/pets/{id}": {
            "patch": {
                "operationId": "changePet", "security": [{"accessToken": []}],
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}],
                "requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PetChange"}}}},
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}, "404": {}},
            }
        }
    },
    "webhooks": {"events": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Batch"}}}}}}},
    "components": {
        "schemas": {
            "PetChange": {
                "type": "object", "required": ["name"],
                "properties": {
                    "name": {"type": "string", "maxLength": 100},
                    "kind": {"anyOf": [{"$ref": "#/components/schemas/Kind"}, {"type": "null"}]},
                },
            },
            "Pet": {
                "type": "object", "required": ["name", "kind"],
                "properties": {"name": {"type": "string"}, "kind": {"$ref": "#/components/schemas/Kind"}, "owner": {"type": "string"}},
            },
            "Kind": {"enum": ["cat", "dog"]},
            "Batch": {"type": "object", "required": ["pets"], "properties": {"pets": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}},
        }
    },
}
COMMANDS = "  kith pet add NAME --kind KIND [--json] | list [--json]\n      Pets.\n  kith migrate [--check [--plan]]\n      Migrates."
ADMIN = {
    "admin.pets": {"kind": "view", "columns": {"name": "text", "born_at": "timestamp with time zone"}},
    "admin.rename_pet()": {
        "kind": "procedure", "gives": {"was": "text"},
        "takes": [{"name": "p_pet", "type": "text", "must": True}, {"name": "p_reason", "type": "text", "must": False}],
    },
}


def api_breaks(change) -> list[str]:
    document = copy.deepcopy(DOCUMENT)
    change(document, document["paths"]["/v1/pets/{id}"].get("patch"), document["components"]["schemas"])
    return list(promises.api(description.api(DOCUMENT), description.api(document)))


def admin_breaks(change) -> list[str]:
    now = copy.deepcopy(ADMIN)
    change(now)
    return list(promises.admin(ADMIN, now))


class APITests(unittest.TestCase):
    def test_nothing_has_changed(self):
        self.assertEqual(api_breaks(lambda document, call, schemas: None), [])

    def test_what_may_be_added(self):
        def change(document, call, schemas):
            schemas["Pet"]["properties"]["colour"] = {"type": "string"}
            schemas["Pet"]["required"].append("owner")
            schemas["PetChange"]["properties"]["colour"] = {"type": "string"}
            schemas["PetChange"]["required"] = []
            schemas["PetChange"]["properties"]["name"]["maxLength"] = 200
            schemas["Kind"]["enum"].append("bird")
            call["parameters"].append({"name": "dry", "in": "query", "schema": {"type": "boolean"}})
            document["paths"]["/v1/pets"] = {"get": {**call, "operationId": "listPets", "parameters": []}}
        self.assertEqual(api_breaks(change), [])

    def test_each_break_is_named(self):
        breaks = {
            "the call changePet is gone": lambda d, call, s: d["paths"]["/v1/pets/{id}"].pop("patch"),
            "changePet is PATCH /v1/animals/{id} instead of PATCH /v1/pets/{id}":
                lambda d, call, s: d.update(paths={"/v1/animals/{id}": d["paths"]["/v1/pets/{id}"]}),
            "changePet refuses accessToken": lambda d, call, s: call.update(security=[{"secretKey": []}]),
            "changePet needs query why, which is new": lambda d, call, s: call["parameters"].append(
                {"name": "why", "in": "query", "required": True, "schema": {"type": "string"}}),
            "changePet takes no path id any more": lambda d, call, s: call.update(parameters=[]),
            "changePet does not answer 200 any more": lambda d, call, s: call["responses"].pop("200"),
            "changePet answers 200 with None instead of Pet as application/json":
                lambda d, call, s: call["responses"]["200"].update(content={"text/csv": {}}),
            "PetChange.kind is not taken any more": lambda d, call, s: s["PetChange"]["properties"].pop("kind"),
            "PetChange.kind is needed, and could be left out": lambda d, call, s: s["PetChange"]["required"].append("kind"),
            "PetChange.kind does not take null any more, but Kind":
                lambda d, call, s: s["PetChange"]["properties"].update(kind={"$ref": "#/components/schemas/Kind"}),
            "PetChange.colour is needed, and is new": lambda d, call, s: (
                s["PetChange"]["properties"].update(colour={"type": "string"}), s["PetChange"]["required"].append("colour")),
            "PetChange.name takes at most 50 instead of 100": lambda d, call, s: s["PetChange"]["properties"]["name"].update(maxLength=50),
            "Pet.owner is not given any more": lambda d, call, s: s["Pet"]["properties"].pop("owner"),
            "Pet.name can be missing, and was always there": lambda d, call, s: s["Pet"]["required"].remove("name"),
            "Pet.owner can be null, and was string": lambda d, call, s: s["Pet"]["properties"].update(owner={"type": ["string", "null"]}),
            "Kind has no value dog any more": lambda d, call, s: s["Kind"]["enum"].remove("dog"),
            "webhook events sends Pet instead of Batch": lambda d, call, s: d["webhooks"]["events"]["post"]["requestBody"]["content"]
                ["application/json"].update(schema={"$ref": "#/components/schemas/Pet"}),
        }
        for sentence, change in breaks.items():
            with self.subTest(sentence):
                self.assertIn(sentence, api_breaks(change))


class CommandTests(unittest.TestCase):
    def breaks(self, old: str, new: str) -> list[str]:
        self.assertIn(old, COMMANDS)
        return list(promises.commands(description.commands(COMMANDS), description.commands(COMMANDS.replace(old, new))))

    def test_forms(self):
        self.assertEqual(description.commands(COMMANDS), {
            "kith pet add NAME --kind …": {"options": ["--json"], "must": ["--kind KIND"]},
            "kith pet list": {"options": ["--json"], "must": []},
            "kith migrate": {"options": ["--check", "--plan"], "must": []},
        })

    def test_what_may_be_added(self):
        self.assertEqual(self.breaks("list [--json]", "list [--json] [--all] | end NAME"), [])

    def test_each_break_is_named(self):
        self.assertEqual(self.breaks("list [--json]", "list"), ["kith pet list takes no --json any more"])
        gone = "there is no kith pet list any more, or it needs another argument"
        self.assertEqual(self.breaks("list [--json]", "show [--json]"), [gone])
        self.assertEqual(self.breaks("list [--json]", "list --kind KIND [--json]"), [gone])
        self.assertEqual(self.breaks(" [--plan]", ""), ["kith migrate takes no --plan any more"])


class NameTests(unittest.TestCase):
    def test_variables(self):
        page = ".TP\n.B KITH_LISTEN\nThe address.\n.TP\n.B KITH_LOOPS\nThe loops.\n"
        released = description.variables(page)
        self.assertEqual(list(promises.names(released, description.variables(page + ".B KITH_NEW\n"))), [])
        self.assertEqual(list(promises.names(released, description.variables(page.replace("LOOPS", "THREADS")))), ["KITH_LOOPS is gone"])

    def test_declarations(self):
        def graph(declaration, precise="s:1", level="public"):
            return {"module": {"name": "KithClient"}, "symbols": [{
                "identifier": {"precise": precise}, "accessLevel": level, "pathComponents": ["Kith", "checkIn(note:)"],
                "declarationFragments": [{"spelling": declaration}]}]}
        released = description.library([graph("func checkIn(note: String?)\n  async")])
        self.assertEqual(list(released), ["KithClient.Kith.checkIn(note:): func checkIn(note: String?) async"])
        self.assertEqual(list(promises.names(released, released)), [])
        self.assertEqual(len(list(promises.names(released, description.library([graph("func checkIn(note: String)")])))), 1)
        self.assertEqual(description.library([graph("var hash: Int", precise="s:1::SYNTHESIZED::s:2"), graph("var a: Int", level="internal")]), {})


class MigrationTests(unittest.TestCase):
    def test_breaks(self):
        released = {"0001_a.sql": "1", "0002_b.sql": "2"}
        self.assertEqual(list(promises.migrations(released, released | {"0003_c.sql": "3"})), [])
        self.assertEqual(list(promises.migrations(released, {"0001_a.sql": "1", "0002_b.sql": "x"})), ["0002_b.sql was edited"])
        self.assertEqual(list(promises.migrations(released, {"0002_b.sql": "2"})), ["0001_a.sql is gone"])
        early = "0001_z.sql is new, and comes before 0002_b.sql, which databases of the release have"
        self.assertEqual(list(promises.migrations(released, released | {"0001_z.sql": "3"})), [early])


class AdminTests(unittest.TestCase):
    def test_what_may_be_added(self):
        def change(now):
            now["admin.pets"]["columns"]["colour"] = "text"
            now["admin.rename_pet()"]["takes"].append({"name": "p_now", "type": "text", "must": False})
            now["admin.rename_pet()"]["gives"]["is"] = "text"
            now["admin.end_pet()"] = now["admin.rename_pet()"]
        self.assertEqual(admin_breaks(change), [])

    def test_each_break_is_named(self):
        def procedure(now):
            return now["admin.rename_pet()"]
        breaks = {
            "admin.pets is gone": lambda now: now.pop("admin.pets"),
            "admin.pets is a procedure, and was a view": lambda now: now.update({"admin.pets": procedure(now)}),
            "admin.pets.name is gone, and was text": lambda now: now["admin.pets"]["columns"].pop("name"),
            "admin.pets.name is bytea, and was text": lambda now: now["admin.pets"]["columns"].update(name="bytea"),
            "admin.rename_pet() takes no p_reason any more": lambda now: procedure(now)["takes"].pop(),
            "admin.rename_pet() takes p_why text where it took p_reason text": lambda now: procedure(now)["takes"][1].update(name="p_why"),
            "admin.rename_pet() needs p_reason, which could be left out": lambda now: procedure(now)["takes"][1].update(must=True),
            "admin.rename_pet() needs p_name, which is new":
                lambda now: procedure(now)["takes"].append({"name": "p_name", "type": "text", "must": True}),
            "admin.rename_pet() gives was as nothing, and gave text": lambda now: procedure(now).update(gives={}),
        }
        for sentence, change in breaks.items():
            with self.subTest(sentence):
                self.assertIn(sentence, admin_breaks(change))


if __name__ == "__main__":
    unittest.main()

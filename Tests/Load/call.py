"""The measured calls of the API, as requests and as the statements that the server makes of them."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import tokens


class Caller(NamedTuple):
    """A caller and the subject of the call: a connection's id, a code or a role."""

    tenant: int
    user: str
    subject: str = ""


@dataclass(frozen=True)
class Call:
    """A call of the API. `{s}` stands for its subject, `{now}` for the instant of the request."""

    method: str
    path: str
    body: str
    procedure: str
    limit: str = ""
    """The file with plain SQL of the same effect."""

    checks_caller: bool = False
    """Whether api.require_caller runs first, as it does for writes other than the check-in."""

    @property
    def variables(self) -> str:
        """The letters of the statement's variables: tenant, user, actor and, where there is one, subject."""
        return "tuas" if "{s}" in self.procedure else "tua"

    def request(self, caller: Caller) -> str:
        """The request as a line for wrk.lua."""
        path, body = (text.replace("{s}", caller.subject) for text in (self.path, self.body))
        # Pages know their reader by a cookie, calls of the API by a token.
        mint = tokens.mint if path.startswith("/v1/") else tokens.cookie
        return f"{self.method}\t{path}\t{mint(caller.tenant, caller.user)}\t{body}"

    def values(self, caller: Caller) -> tuple[str, ...]:
        """The values of its variables."""
        return (str(caller.tenant), caller.user, f"user:{caller.user}", caller.subject)[:len(self.variables)]

    def statement(self, before: str = ":", after: str = "", now: str = ":now") -> str:
        """The statement that Sources/Requests/ProcedureCall.swift makes; `before` and `after` surround each variable's letter."""
        t, u, a, s = (f"{before}{letter}{after}" for letter in "tuas")
        check = " and api.require_caller()" if self.checks_caller else ""
        return (
            f"select case when set_config('kith.tenant_id', {t}, true) is not null"
            f" and set_config('kith.user_id', {u}, true) is not null"
            f" and set_config('kith.actor', {a}, true) is not null"
            f" and set_config('application_name', '5c1f0e6a9b7d2348', true) is not null{check}"
            f" then {self.procedure.replace('{s}', s).replace('{now}::timestamptz', f'internal.present({now}::timestamptz)')} end"
        )

    def limit_statement(self, after: str) -> str:
        """The statement of plain SQL, without its comments; `after` follows each variable's letter."""
        sql = re.sub(r"\s*--.*", "", Path(__file__).with_name(self.limit).read_text()).strip()
        for letter in self.variables:
            sql = sql.replace(f"{{{letter}}}", f":{letter}{after}")
        return re.sub(r"\s+", " ", sql.replace("{now}", ":now"))


LOOK = Call("GET", "/v1/me", "", "api.get_me()")
GET = Call("GET", "/v1/connections/{s}", "", "api.get_connection({s}::uuid, {now}::timestamptz)", "read_limit.sql")
NOMINEES = Call(
    "GET", "/v1/vaults/{s}/nominees?limit=100", "",
    "api.list_nominees({s}::uuid, null::text[], null::text[], 100::integer, null::uuid, {now}::timestamptz)",
)
DOCUMENTS = Call(
    "GET", "/v1/vaults/{s}/documents?limit=100", "",
    "api.list_documents({s}::uuid, null::boolean, 100::integer, null::uuid, {now}::timestamptz)",
)
DASHBOARD = Call(
    "GET", "/v1/dashboard?role={s}", "",
    "api.get_dashboard({s}::text, null::text, null::integer, null::text, {now}::timestamptz)",
)
HOME = Call("GET", "/v1/home", "", "api.home({now}::timestamptz)", "home_limit.sql")
PREVIEW = Call("GET", "/v1/codes/{s}", "", "api.preview_code({s}::text, {now}::timestamptz)")
CONNECT = Call(
    "POST", "/v1/connections", '{"code":"{s}"}', "api.create_connection({s}::text, {now}::timestamptz)",
    checks_caller=True,
)
PAUSE = Call(
    "POST", "/v1/connections/{s}/pause", "", "api.pause_connection({s}::uuid, {now}::timestamptz)", checks_caller=True,
)
RESUME = Call(
    "POST", "/v1/connections/{s}/resume", "", "api.resume_connection({s}::uuid, {now}::timestamptz)",
    checks_caller=True,
)
REMOVE = Call(
    "DELETE", "/v1/connections/{s}", "", "api.remove_connection({s}::uuid, {now}::timestamptz)", checks_caller=True,
)
OPEN = Call("POST", "/v1/vaults/{s}/open", "", "api.open_vault({s}::uuid, {now}::timestamptz)", checks_caller=True)
TAKE = Call(
    "POST", "/v1/alarms/{s}/take", "{}", "api.take_alarm({s}::uuid, '{}'::jsonb, {now}::timestamptz)", checks_caller=True,
)
CHECK_IN = Call(
    "POST", "/v1/pings/check-in", "{}", "api.check_in(null::text, null::boolean, null::text, 'app'::text, {now}::timestamptz)",
    "write_limit.sql",
)
"""A request without a note sends null."""

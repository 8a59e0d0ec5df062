"""A conventional Python service over Kith's procedures: Starlette, asyncpg, PyJWT.

A request checks the token, then begins a transaction, sets tenant and user, calls the procedure and commits: the usual
code with these libraries if nobody counts round trips. Configured by DATABASE_URL, POOL_SIZE and KEYS, a file of
{key id: {secret, audience}}.
"""

import base64
import contextlib
import datetime
import json
import os
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import jwt
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

KEYS = json.loads(Path(os.environ["KEYS"]).read_text())
CONTEXT = """
select set_config('kith.tenant_id', $1, true), set_config('kith.user_id', $2, true), set_config('kith.actor', $3, true)
"""


async def read(request: Request) -> Response:
    """GET /v1/connections/{id}."""
    connection = uuid.UUID(request.path_params["id"])
    return await call(request, "select api.get_connection($1, $2)", connection)


async def check_in(request: Request) -> Response:
    """POST /v1/pings/check-in."""
    body = await request.json()
    return await call(request, "select api.check_in($1, null, null, 'app', $2)", body.get("note"))


async def call(request: Request, statement: str, argument: object) -> Response:
    """Calls a procedure as the token's user, in one transaction."""
    claims = check(request.headers.get("authorization", ""))
    now = datetime.datetime.now(datetime.timezone.utc)
    async with request.app.state.pool.acquire() as connection, connection.transaction():
        await connection.execute(CONTEXT, str(claims["tid"]), claims["sub"], f"user:{claims['sub']}")
        answer = await connection.fetchval(statement, argument, now)
    return Response(answer, media_type="application/json")


def check(authorization: str) -> dict[str, object]:
    """The claims of a bearer token."""
    token = authorization.removeprefix("Bearer ")
    try:
        key = KEYS[jwt.get_unverified_header(token)["kid"]]
        return jwt.decode(
            token, base64.b64decode(key["secret"]), algorithms=["HS256"], audience=key["audience"], issuer="kith"
        )
    except (jwt.InvalidTokenError, KeyError) as error:
        raise HTTPException(401) from error


@contextlib.asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Opens the pool, and closes it at the end."""
    size = int(os.environ["POOL_SIZE"])
    async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=size, max_size=size) as pool:
        app.state.pool = pool
        yield


app = Starlette(
    routes=[Route("/v1/connections/{id}", read), Route("/v1/pings/check-in", check_in, methods=["POST"])],
    lifespan=lifespan,
)

"""Signing keys and access tokens of the load tests' users."""

import functools
import hashlib
import os
import time
import uuid
from collections.abc import Iterable

import jwt
import psycopg
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from postgres import Cluster

MASTER_KEY = hashlib.sha256(b"the master key of the load tests").digest()


def key_id(tenant: int) -> str:
    """The `kid` of the tenant's tokens."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"tenant {tenant}"))


def secret(tenant: int) -> bytes:
    """The HS256 secret of the tenant."""
    return hashlib.sha256(f"secret of tenant {tenant}".encode()).digest()


def store_keys(session: psycopg.Connection, tenants: int, first: int = 0) -> None:
    """Writes the keys of the tenants with the numbers after `first` as the server expects them: sealed as Sources/Crypto/MasterKey.swift does, for tenant and key."""
    cipher = AESGCM(MASTER_KEY)
    with session.cursor() as cursor:
        cursor.executemany(
            "insert into kith.jwt_keys (tenant_id, id, kid, algorithm, own, issuer, audience, wrapped_secret, created_at)"
            " values (%s, %s, %s, 'HS256', true, 'kith', %s, %s, now())",
            [
                (tenant, key_id(tenant), key_id(tenant), f"tenant-{tenant}", _sealed(cipher, tenant))
                for tenant in range(first + 1, first + tenants + 1)
            ],
        )


@functools.cache
def mint(tenant: int, user: str) -> str:
    """An access token that is valid for hours; the same users call in each copy of a database."""
    now = int(time.time())
    claims = {"iss": "kith", "aud": f"tenant-{tenant}", "sub": user, "tid": tenant, "iat": now, "exp": now + 6 * 3600}
    return jwt.encode(claims, secret(tenant), algorithm="HS256", headers={"kid": key_id(tenant)})


def cookie(tenant: int, user: str) -> str:
    """The cookie of a browser that sign_in() has signed in, as a server for TLS names it and as one without does."""
    value = f"tenant-{tenant}.{_browser_secret(tenant, user)}"
    return f"kith={value}; __Host-kith={value}"


def sign_in(cluster: Cluster, database: str, callers: Iterable[tuple[int, str, str]]) -> None:
    """Signs in a browser of each user."""
    with cluster.connect(database) as session:
        for tenant, user, _ in callers:
            # For the session, since each statement is a transaction of its own.
            session.execute("select set_config('kith.tenant_id', %s, false)", (str(tenant),))
            session.execute(
                "select internal.begin_session(%s::uuid, gen_random_uuid(), sha256(%s::bytea), now())",
                (user, _browser_secret(tenant, user)),
            )


def _browser_secret(tenant: int, user: str) -> str:
    return "kith_bs_" + hashlib.sha256(f"browser of {user} of {tenant}".encode()).hexdigest()


def _sealed(cipher: AESGCM, tenant: int) -> bytes:
    version, nonce, context = b"\x01", os.urandom(12), f"jwt_keys/{tenant}/{key_id(tenant)}"
    return version + nonce + cipher.encrypt(nonce, secret(tenant), version + context.encode())

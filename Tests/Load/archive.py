"""An open vault and documents in it."""

import http.client
import json
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

import tokens
from kith import Server
from postgres import Cluster


@dataclass(frozen=True)
class Document:
    """A document."""

    id: str
    version: str


class Archive:
    """The open vault of one person."""

    def __init__(self, cluster: Cluster, database: str, server: Server):
        with cluster.connect(database) as session:
            self.tenant, self.user = session.execute(
                "select tenant_id, user_id::text from kith.sender_profiles order by user_id limit 1"
            ).fetchone()
        self.token = tokens.mint(self.tenant, self.user)
        self._connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)
        vault = json.loads(self._ask("POST", "/v1/vaults", b'{"name":"Papers"}', "application/json"))["id"]
        self._ask("POST", f"/v1/vaults/{vault}/open", b"{}", "application/json")
        self.path = f"/v1/vaults/{vault}/documents"

    def add(self, size: int) -> Document:
        """Adds a document of `size` random bytes."""
        made = json.loads(self._ask("POST", self.path + "?name=x", os.urandom(size), "application/octet-stream"))
        return Document(made["id"], made["version_id"])

    def content(self, document: Document) -> bytes:
        """The content of a document."""
        return self._ask("GET", f"{self.path}/{document.id}/content")

    def _ask(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> bytes:
        headers = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            headers["Content-Type"] = kind
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status not in (200, 201):
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return text

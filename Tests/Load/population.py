"""The users of the load tests."""

from pathlib import Path

import tokens
from postgres import Cluster
from size import Size

FOLDER = Path(__file__).parent


def fill(cluster: Cluster, database: str, size: Size, tenants: int, first: int = 0) -> None:
    """Fills a migrated database with tenants, users, profiles and connections, and the tenants' signing keys.

    The tenants have the numbers after `first`.
    """
    with cluster.connect(database) as session:
        # All references are valid, and checking them would take most of the time.
        session.execute("set session_replication_role = replica")
        for name, value in {"tenants": tenants, "senders": size.senders, "connections": size.connections, "first": first}.items():
            session.execute("select set_config(%s, %s, false)", (f"load.{name}", str(value)))
        session.execute((FOLDER / "population.sql").read_text())
        tokens.store_keys(session, tenants, first)
        session.execute("vacuum analyze")


def wake(cluster: Cluster, database: str) -> None:
    """Gives each connection a ping that is due now and for some hours."""
    with cluster.connect(database) as session:
        session.execute((FOLDER / "morning.sql").read_text())
        session.execute("vacuum analyze kith.pings")

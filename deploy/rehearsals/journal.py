"""The journal of the check-ins that clients made, and its check against the database."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psycopg


class Act(NamedTuple):
    """A check-in that a client tried once. The instants are in seconds since 1970, by this machine's clock."""

    id: str
    """The check-in's note, which no other check-in has."""
    tenant: int
    user: str
    began: float
    ended: float
    """When the answer had arrived whole, or when the client gave up."""
    status: int
    """The status of the answer; 0 if there was none."""

    @property
    def is_acknowledged(self) -> bool:
        """Whether the client may rely on it."""
        return 200 <= self.status < 300


@dataclass(frozen=True)
class Reconciliation:
    """A journal compared with a database."""

    lost: list[Act]
    """Acknowledged, but not in the database."""
    doubled: int
    """Pings whose receiver was told of their completion more than once."""
    unanswered_but_done: int
    """In the database without an answer that the client could read, which is no fault."""


class Journal:
    """The acts of all clients, in the order in which they ended."""

    def __init__(self, acts: Iterable[Act]):
        self.acts = sorted(acts, key=lambda act: act.ended)

    @staticmethod
    def read(files: Iterable[Path]) -> "Journal":
        """Reads the files that the clients wrote."""
        lines = (line.split("\t") for file in files for line in file.read_text().splitlines())
        return Journal(
            Act(id, int(tenant), user, float(began), float(ended), int(status)) for id, tenant, user, began, ended, status in lines
        )

    @property
    def acknowledged(self) -> list[Act]:
        """The acts that were acknowledged."""
        return [act for act in self.acts if act.is_acknowledged]

    @property
    def failed(self) -> list[Act]:
        """The acts that were refused or not answered."""
        return [act for act in self.acts if not act.is_acknowledged]

    def between(self, since: float, until: float) -> "Journal":
        """The acts that ended between two instants."""
        return Journal(act for act in self.acts if since <= act.ended < until)

    @property
    def rate(self) -> float:
        """Acknowledged acts a second, from the first act to the last."""
        if not self.acts:
            return 0
        seconds = self.acts[-1].ended - min(act.began for act in self.acts)
        return len(self.acknowledged) / seconds if seconds > 0 else 0

    def pauses(self, longer_than: float = 1) -> list[tuple[float, float]]:
        """The spans in which no act was acknowledged, as (began, seconds), longest first."""
        instants = [act.ended for act in self.acknowledged]
        spans = ((earlier, later - earlier) for earlier, later in zip(instants, instants[1:]))
        return sorted((span for span in spans if span[1] > longer_than), key=lambda span: -span[1])

    @property
    def longest_pause(self) -> float:
        """The longest time without an acknowledgement, in seconds."""
        return max((seconds for _, seconds in self.pauses(0)), default=0)

    @property
    def p99(self) -> float:
        """The seconds within which 99 of 100 acknowledged acts were answered."""
        times = sorted(act.ended - act.began for act in self.acknowledged)
        return times[len(times) * 99 // 100] if times else 0

    def reconcile(self, database: psycopg.Connection) -> Reconciliation:
        """Compares the journal with the database; needs a superuser's session."""
        with database.transaction():
            database.execute("create temporary table journal (id text primary key, is_acknowledged boolean) on commit drop")
            with database.cursor().copy("copy journal from stdin") as copy:
                for act in self.acts:
                    copy.write_row((act.id, act.is_acknowledged))
            there = {id for (id,) in database.execute("select distinct note from kith.check_ins join journal on journal.id = note")}
            doubled = database.execute(
                "select count(*) from (select from kith.notifications where type in ('ping_completed', 'ping_answered', 'ping_all_clear')"
                " and created_at >= to_timestamp(%s) group by tenant_id, user_id, data ->> 'ping_id' having count(*) > 1) as twice",
                (min((act.began for act in self.acts), default=0),),
            ).fetchone()[0]
        return Reconciliation(
            [act for act in self.acknowledged if act.id not in there], doubled, sum(act.id in there for act in self.failed),
        )

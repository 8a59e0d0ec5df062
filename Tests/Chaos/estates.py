"""Vaults with emergency access: an owner, a nominee, and what happens between the two."""

import dataclasses
import random
import time

import psycopg

SCRIPTS = (
    ("until in", "read", "check-in", "enter", "read"),
    ("enter", "ask", "approve", "until in", "read", "reject", "enter", "read"),
    ("ask", "until in", "read", "withdraw", "read", "enter"),
    ("ask", "enter", "reject", "enter", "read"),
    ("ask", "until in", "read", "take", "enter", "read"),
)
"""What happens at an estate, in this order. At those where nobody asks, the owner's silence begins the wait."""

LONGEST = 120
"""Seconds for which a nominee tries to enter. A silence takes some forty: the owner's ping must be missed, and then the wait pass. A grant
that does not come in time is noticed a minute after that (checker.py)."""


@dataclasses.dataclass
class Estate:
    """A vault whose owner has given one nominee a right."""

    number: int
    tenant: int
    owner: str
    user: str
    vault: str
    nominee: str
    receiver: str
    """Who was connected to the owner until today."""
    connection: str
    """That connection, on which the owner missed yesterday's ping."""
    ping: str
    request: str | None = None

    @property
    def script(self) -> tuple[str, ...]:
        """What happens here."""
        return SCRIPTS[self.number % len(SCRIPTS)]

    def found(self, session: psycopg.Connection, zone: str) -> None:
        """Writes it to the database, as if it were ten days old."""
        begins_by_silence = "ask" not in self.script
        values = dataclasses.asdict(self) | {
            "zone": zone, "hours": 1 + self.number % 2, "asks": not begins_by_silence, "days": 2 if begins_by_silence else None,
        }
        for statement in ESTATE:
            session.execute(statement, values)


def play(people, estate: Estate, chance: random.Random) -> None:
    """Plays the script of an estate to its end, also when the faults have ended by then."""
    for step in estate.script:
        if step == "until in":
            end = time.monotonic() + LONGEST
            while not (is_in := _act(people, estate, chance, "enter").is_acknowledged) and time.monotonic() < end:
                time.sleep(1)
            # An owner who is silent stays silent until then, so that the checker notices if their silence begins nothing.
            if not is_in and not estate.request:
                return
        elif (step not in ("approve", "reject", "withdraw")) or estate.request:
            act = _act(people, estate, chance, step)
            if step == "ask" and act.is_acknowledged:
                estate.request = act.answer["id"]


def _act(people, estate: Estate, chance: random.Random, kind: str):
    person = estate.owner if kind in ("approve", "reject", "take", "check-in") else estate.user
    return people.do(chance, kind, estate.tenant, person, estate.vault, {"take": estate.nominee}.get(kind, estate.request))


ESTATE = (
    """
    insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
    values (%(tenant)s, %(vault)s, %(owner)s, 'estate', now() - interval '10 days', now())
    """,
    """
    insert into kith.nominees (
      tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at
    )
    values (
      %(tenant)s, %(nominee)s, %(vault)s, %(owner)s, %(user)s, 'Bob', 'accepted', 'view', now() - interval '10 days', %(owner)s,
      now() - interval '10 days', now()
    )
    """,
    """
    insert into kith.emergency_settings (
      tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, on_request, after_missed_days, visible, visible_since,
      created_at, updated_at
    )
    values (
      %(tenant)s, %(nominee)s, %(vault)s, %(owner)s, %(hours)s, 'view', %(asks)s, %(days)s, true, now() - interval '10 days',
      now() - interval '10 days', now() - interval '10 days'
    )
    """,
    "insert into kith.signs_of_life (tenant_id, user_id, answered_at) values (%(tenant)s, %(owner)s, now() - interval '10 days')",
    """
    insert into kith.connections (
      tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at, deleted_at, deleted_by
    )
    select %(tenant)s, %(connection)s, %(owner)s, %(receiver)s, 'deleted', %(receiver)s, past.at, past.at, past.at, now(), 'sender'
    from (select now() - interval '10 days' as at) as past
    """,
    """
    insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
    values (
      %(tenant)s, (now() at time zone %(zone)s)::date - 1, %(connection)s, %(ping)s, %(owner)s, %(receiver)s, 'missed',
      now() - interval '24 hours', now() - interval '22 hours', now() - interval '24 hours'
    )
    """,
)

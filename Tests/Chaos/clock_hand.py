"""Lets a day pass in seconds: moves the times of pings, and what waits for an instant, to now. It moves nothing that has begun."""

import threading

from database import LOST
from house import House

DAY = """
update kith.pings as ping
set scheduled_at = moved.at + interval '1.5 s', remind_at = moved.at + interval '9 s', deadline_at = moved.at + moved.wait
from (
  select id, now() + abs(hashtext(sender_id::text) % 20) * interval '100 ms' as at,
    interval '13 s' + abs(hashtext(sender_id::text) % 40) * interval '100 ms' as wait
  from kith.pings as coming
  where status = 'scheduled' and scheduled_at between now() + interval '70 minutes' and now() + interval '4 hours' and not exists (
    select from kith.pings as moved
    where moved.tenant_id = coming.tenant_id and moved.sender_id = coming.sender_id and moved.deadline_at - moved.scheduled_at < interval '1 minute'
  )
) as moved
where ping.id = moved.id and ping.status = 'scheduled'
"""
"""A ping that was made for two hours from now comes in seconds, and its deadline soon after. All pings of a
sender come at the same time, as they do by their profile; of a connection made later the ping stays where it is."""

MINUTE = "update kith.notifications set deliver_at = now() where planned_at is null and deliver_at > now()"
"""People are told of a due ping within its minute."""

SHIFT = """
update kith.emergency_requests as waiting
set (requested_at, waits_from, grants_at, ends_at, notice_at) = (
  select requested_at - moved.wait, waits_from - moved.wait, grants_at - moved.wait, ends_at - moved.wait, notice_at - moved.wait
  from (select {instant} - now() - interval '3 s' as wait) as moved
)
where ended_at is null and undelivered_since is null and {condition} and not exists (select from kith.outages where ended_at is null)
"""
"""All of it is about the row itself, without a join, so that PostgreSQL looks again if the owner has approved meanwhile."""
WAITS = (
    SHIFT.format(instant="grants_at - interval '1 hour'", condition="grants_at > now() + interval '61 minutes'"),
    SHIFT.format(instant="grants_at", condition="grants_at between now() + interval '10 s' and now() + interval '61 minutes' and notice_at >= grants_at"),
)
"""A wait of two hours comes to its reminder in seconds; one that has none to tell any more, to its grant. (The notice that an outage has moved a
wait takes the place of a reminder of the same second.) The time of an outage is not counted again, because counted_to stays."""

REPEATS = """
update kith.alarms
set repeats_at[1] = now() + interval '3 s', next_at = now() + interval '3 s'
where resolved_at is null and taken_at is null and repeats_told = 0 and next_at = repeats_at[1] and next_at > now() + interval '5 minutes'
  and not exists (select from kith.outages where ended_at is null)
"""
"""People are told again of an alarm after seconds, once. The next repeat, an hour and a half later, stays where it is."""
TAKES = """
update kith.alarms
set taken_until = now() + interval '3 s', next_at = now() + interval '3 s'
where taken_at < now() - interval '5 s' and checked_at is null and taken_until > now() + interval '5 minutes'
  and abs(hashtext(id::text) % 3) = 0
"""
LAPSES = """
update kith.alarms
set taken_at = least(taken_at, now() - interval '11 minutes'), taken_until = now() - interval '10 minutes', checked_at = now() + interval '3 s' - interval '10 minutes', next_at = now() + interval '3 s'
where checked_at > now() - interval '5 minutes'
"""
"""Of a third of the alarms, the taker is asked after seconds, and loses it soon after that."""

ACTS = "delete from kith.act_counts where acts > 10"
"""Each wave is a day, and what a nominee may do is counted for each day."""

RETRIES = (
    "update kith.deliveries set next_attempt_at = now() where status = 'queued' and next_attempt_at > now()",
    "update kith.webhooks set next_attempt_at = now() where leased_by is null and next_attempt_at > now()",
)
LEASES = (
    "update kith.deliveries set next_attempt_at = now(), leased_until = now() where status = 'sending'",
    "update kith.webhooks set next_attempt_at = now() where leased_by is not null and next_attempt_at > now()",
)
"""Leases of workers that are gone. Only while no worker runs."""

OUTAGES = """
update kith.outages set began_at = began_at - interval '15 minutes', ended_at = ended_at - interval '15 minutes'
where ended_at > now() - interval '15 minutes'
"""


class ClockHand:
    """Moves the pings of each wave while it runs."""

    def __init__(self, house: House):
        self._house = house
        self._stops = threading.Event()

    def __enter__(self) -> "ClockHand":
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stops.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stops.wait(0.5):
            self.move(DAY, *WAITS, REPEATS, TAKES, LAPSES, ACTS)

    def move(self, *statements: str) -> None:
        """Runs statements, unless the database is away."""
        try:
            with self._house.database.session(0.5) as session:
                session.execute("set statement_timeout = '5s'")
                for statement in statements:
                    session.execute(statement)
        except LOST:
            pass

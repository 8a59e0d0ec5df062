"""The most alarms that one tenant can cause: hundreds that repeat at the same instant, and calls for help without end."""

import contextlib
import http.client
import itertools
import json
import os
import threading
import time
import urllib.parse
from collections.abc import Iterator

import tokens
from stage import Stage

TENANT = 1
ALARMS = 500
RECEIVERS = 200
"""Of each alarm, and of each of the callers."""
CALLERS = 4

OPEN = """
with sender as (
  select tenant_id, user_id, row_number() over (order by n) as nth from load.senders where tenant_id = %(tenant)s order by n limit %(alarms)s + %(callers)s
), receiver as materialized (
  select tenant_id, user_id from load.receivers where tenant_id = %(tenant)s order by n limit %(receivers)s
), quiet as (
  insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at) select tenant_id, user_id, '22:00', '07:00', now() from receiver
), gone as (
  delete from kith.connections as connection
  using sender
  where sender.nth > %(alarms)s and connection.tenant_id = sender.tenant_id and connection.sender_id = sender.user_id
), connected as (
  insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
  select tenant_id, internal.uuid7(now()), sender.user_id, receiver.user_id, 'active', receiver.user_id, now(), now(), now()
  from sender
  join receiver using (tenant_id)
  where sender.nth > %(alarms)s
), alarm as (
  insert into kith.alarms (tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, expires_at, next_at)
  select tenant_id, internal.uuid7(%(at)s - interval '30 minutes'), user_id, 'help', %(at)s - interval '30 minutes', %(at)s - interval '30 minutes',
    %(at)s - interval '30 minutes', 30, array[%(at)s, %(at)s + interval '2 hours'], %(at)s - interval '30 minutes' + interval '7 days', %(at)s
  from sender
  where nth <= %(alarms)s
  returning tenant_id, id, opened_at
)
insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
select tenant_id, alarm.id, receiver.user_id, internal.uuid7(now()), 1, alarm.opened_at, alarm.opened_at
from alarm
join receiver using (tenant_id)
"""

CALLERS_OF = "select user_id::text from load.senders where tenant_id = %s order by n offset %s limit %s"


class AlarmNoise:
    """A tenant whose alarms all repeat at one instant, and whose callers call for help with one note after the other from then on."""

    def __init__(self, stage: Stage, database: str, url: str, at: object):
        self._address = urllib.parse.urlsplit(url).netloc
        self._stopped = threading.Event()
        self.answers = 0
        """The number of requests answered, whatever the answer."""
        with stage.cluster.connect(database) as session:
            session.execute("set session_replication_role = replica")
            session.execute(OPEN, {"tenant": TENANT, "alarms": ALARMS, "callers": CALLERS, "receivers": RECEIVERS, "at": at})
            self._callers = [row[0] for row in session.execute(CALLERS_OF, (TENANT, ALARMS, CALLERS)).fetchall()]

    @contextlib.contextmanager
    def making(self) -> Iterator[None]:
        """Calls for help for the duration of the block."""
        threads = [threading.Thread(target=self._call, args=(caller,), daemon=True) for caller in self._callers]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            for thread in threads:
                thread.join()

    def _call(self, caller: str) -> None:
        # The tenant's clients would run on other machines, so they get only the processor time that nobody else wants.
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        headers = {"Authorization": f"Bearer {tokens.mint(TENANT, caller)}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(self._address, timeout=60)
        for n in itertools.count():
            if self._stopped.is_set():
                return
            try:
                # Each note is told to all receivers.
                connection.request("POST", "/v1/alarms", json.dumps({"note": f"Help {n}"}), headers)
                connection.getresponse().read()
                self.answers += 1
            except (OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection(self._address, timeout=60)
                time.sleep(0.01)

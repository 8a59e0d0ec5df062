"""Breaks each promise of the checker once, on paper: a check that cannot fail proves nothing."""

import dataclasses
import unittest
from datetime import datetime, timedelta, timezone

import checker
from facts import Facts, Post, Taken
from people import Act

NOON = datetime(2027, 3, 9, 12, tzinfo=timezone.utc)
ALICE, BOB, CONNECTION, PING, DEVICE = "alice", "bob", "connection", "ping", "device"


def at(seconds: float) -> datetime:
    """An instant, in seconds after noon."""
    return NOON + timedelta(seconds=seconds)


def act(kind: str, seconds: float, subject: str | None = None, status: int | None = 200, **more) -> Act:
    """An act of Alice that took a second."""
    began = at(seconds).timestamp()
    return Act(f"{kind} at {seconds}", kind, 1, ALICE, subject, began, began + 1, status, more.pop("answer", {}), tries=1, **more)


def ping(status: str = "missed", **more) -> dict:
    """Alice's ping for Bob, due at noon with two minutes."""
    return {
        "tenant_id": 1, "connection_id": CONNECTION, "ping_on": NOON.date(), "id": PING, "sender_id": ALICE, "receiver_id": BOB,
        "status": status, "scheduled_at": at(0), "deadline_at": at(120), **more,
    }


def notification(user: str = BOB, type: str = "ping_missed", told: float = 131, id: str | None = None, **more) -> dict:
    """What somebody heard."""
    return {
        "id": id or f"{type} for {user}", "user_id": user, "type": type, "data": {"ping_id": PING, "date": str(NOON.date())},
        "told_at": at(told), "planned_at": at(told), "delivery_status": "sent", **more,
    }


def delivery(of: dict, status: str = "sent", **more) -> dict:
    """How it left."""
    return {
        "id": f"delivery of {of['id']}", "notification_id": of["id"], "channel": "apns", "address": f"{DEVICE} of {of['user_id']}",
        "status": status, "error": None, **more,
    }


def day() -> Facts:
    """A day on which Alice was missed and everything went well."""
    heard = [notification(ALICE, told=130), notification(BOB), notification(ALICE, "ping_due", 0)]
    deliveries = [delivery(each) for each in heard]
    return Facts(
        expected=[{"tenant_id": 1, "connection_id": CONNECTION, "time_zone": "UTC"}], pings=[ping()],
        connections=[{"id": CONNECTION, "sender_id": ALICE, "receiver_id": BOB, "status": "active"}], notifications=heard, deliveries=deliveries,
        routes={ALICE: {("apns", DEVICE)}, BOB: {("apns", DEVICE)}},
        taken=[Taken("apns", each["id"], None, each["address"], True) for each in deliveries],
        posts=[Post("post", "", tuple(each["id"] for each in heard), True)],
    )


def answered() -> Facts:
    """A day on which Alice checked in, opened a vault, paused a connection, and all was kept."""
    facts = day()
    heard = [notification(ALICE, "ping_due", 0), notification(BOB, "ping_completed", 60)]
    return dataclasses.replace(
        facts, pings=[ping("completed")], notifications=heard, deliveries=[delivery(each) for each in heard],
        acts=[
            act("check-in", 60, answer={"pings": [{"id": PING}]}), act("vault", 61), act("open", 62, "vault"), act("pause", 63, "other"),
            act("connect", 64, BOB),
        ],
        check_ins=[{"note": "check-in at 60"}], vaults=[{"name": "vault at 61"}],
        sessions=[{"vault_id": "vault", "locked_at": None, "lock_reason": None}],
        connections=[*facts.connections, {"id": "other", "sender_id": ALICE, "receiver_id": "carol", "status": "paused"}],
        taken=[Taken("apns", f"delivery of {each['id']}", None, f"{DEVICE} of {each['user_id']}", True) for each in heard],
        posts=[Post("post", "", tuple(each["id"] for each in heard), True)],
    )


class Broken(unittest.TestCase):
    """Each test breaks one promise."""

    def test_a_good_day_breaks_none(self) -> None:
        for facts in (day(), answered()):
            self.assertEqual(checker.violations(facts), [])

    def test_each_promise_is_broken_here(self) -> None:
        names = "\n".join(name for case in BROKEN for name in case[1])
        for promise in checker.PROMISES:
            self.assertIn(promise.__name__, names)

    def test_each_break_is_found(self) -> None:
        for said, promises, facts in BROKEN:
            with self.subTest(said):
                found = {line.partition(":")[0] for line in checker.violations(facts)}
                self.assertEqual(found, set(promises), said)


def with_(facts: Facts, **changes) -> Facts:
    """The facts, with some replaced."""
    return dataclasses.replace(facts, **changes)


def _of_bob(facts: Facts) -> dict:
    return next(row for row in facts.notifications if row["user_id"] == BOB)


def _cases():
    good, kept = day(), answered()
    yield "a ping twice on a date", ["each_ping_exists_once"], with_(good, pings=[ping(), ping(id="copy", status="cancelled")])
    yield "two pings with one id", ["each_ping_exists_once"], with_(good, pings=[ping(), ping(connection_id="other", status="cancelled")])
    yield "no ping", ["each_ping_exists_once"], with_(
        good, expected=[*good.expected, {"tenant_id": 1, "connection_id": "other", "time_zone": "UTC"}]
    )
    open = with_(kept, notifications=kept.notifications[:1], deliveries=kept.deliveries[:1], taken=kept.taken[:1])
    yield "an answered ping is still due", ["acknowledged_check_ins_complete_pings"], with_(open, pings=[ping("due")])
    yield "an answer in time counts as late", ["acknowledged_check_ins_complete_pings"], with_(kept, pings=[ping("completed_late")])
    yield "an answered ping stays missed", ["acknowledged_check_ins_complete_pings"], with_(open, pings=[ping()])
    yield "a late answer is ignored", ["acknowledged_check_ins_complete_pings"], with_(
        good, acts=[act("check-in", 200)], check_ins=[{"note": "check-in at 200"}]
    )
    yield "an answer names a ping that it did not complete", ["acknowledged_check_ins_complete_pings"], with_(kept, pings=[ping("cancelled")])
    twice = notification(id="again")
    yield "a receiver hears twice", ["each_miss_is_told_once"], _heard(good, twice)
    yield "a sender hears twice", ["each_miss_is_told_once"], _heard(good, notification(ALICE, told=130, id="again"))
    yield "nobody hears", ["each_miss_is_told_once"], _unheard(good, "ping_missed")
    yield "a miss of no ping", ["each_miss_is_told_once"], _heard(
        good, notification("carol", id="ghost", data={"ping_id": "ghost", "date": "2027-03-09"})
    )
    yield "a ping stays open", ["nothing_stays_open"], with_(
        _unheard(good, "ping_missed"), pings=[ping("due", deadline_at=at(-300), scheduled_at=at(-400))]
    )
    early = [{**row, "told_at": at(100)} if row["type"] == "ping_missed" else row for row in good.notifications]
    yield "an alarm before the deadline", ["no_alarm_before_its_time"], with_(good, notifications=early)
    yield "an alarm after the answer", ["no_alarm_before_its_time"], _heard(kept, notification(told=131, id="late"))
    outage = {"component": "server", "began_at": at(-200), "ended_at": at(-30)}
    yield "an alarm for an outage", ["no_alarm_for_our_outage"], with_(good, outages=[outage])
    yield "an alarm in an outage", ["no_alarm_for_our_outage"], with_(good, outages=[{**outage, "ended_at": None}])
    yield "an alarm for a silence that Kith did not notice", ["no_alarm_for_our_outage"], with_(good, silences=[(at(-200), at(-30))])
    yield "a delivery is stuck", ["no_message_is_lost"], with_(good, deliveries=[*good.deliveries[:2], {**good.deliveries[2], "status": "queued"}],
                                                             notifications=_as(good, "ping_due", "queued"))
    yield "a failure without a dead letter", ["no_message_is_lost"], with_(
        good, deliveries=[*good.deliveries[:2], {**good.deliveries[2], "status": "failed"}], notifications=_as(good, "ping_due", "failed")
    )
    yield "dropped without a reason", ["no_message_is_lost"], with_(
        good, deliveries=[*good.deliveries[:2], {**good.deliveries[2], "status": "dropped"}], notifications=_as(good, "ping_due", "dropped")
    )
    yield "never planned", ["no_message_is_lost"], with_(
        good, notifications=[{**row, "planned_at": None} if row["type"] == "ping_due" else row for row in good.notifications]
    )
    yield "no delivery although there is a device", ["no_message_is_lost"], with_(
        good, deliveries=[good.deliveries[0], good.deliveries[2]], taken=[good.taken[0], good.taken[2]],
        notifications=[{**row, "delivery_status": "dropped"} if row["user_id"] == BOB else row for row in good.notifications],
    )
    yield "a notification is sent without a delivery", ["no_message_is_lost"], with_(
        good, deliveries=[*good.deliveries[:2], {**good.deliveries[2], "status": "dropped", "error": "it was answered"}]
    )
    yield "sent, but never taken", ["sent_means_taken"], with_(good, taken=good.taken[1:])
    yield "sent, but the provider never said so", ["sent_means_taken"], with_(
        good, taken=[dataclasses.replace(good.taken[0], is_answered=False), *good.taken[1:]]
    )
    yield "taken with an unknown id", ["repeats_have_the_same_id"], with_(
        good, taken=[*good.taken, dataclasses.replace(good.taken[0], delivery="another")]
    )
    copy = {**good.deliveries[0], "id": "copy"}
    yield "two deliveries of one message to one device", ["repeats_have_the_same_id"], with_(
        good, deliveries=[*good.deliveries, copy], taken=[*good.taken, dataclasses.replace(good.taken[0], delivery="copy")]
    )
    yield "a webhook-id with other events", ["repeats_have_the_same_id"], with_(good, posts=[*good.posts, Post("post", "", ("x",), True)])
    yield "a webhook that missed something", ["webhooks_miss_nothing"], with_(good, posts=[dataclasses.replace(good.posts[0], is_taken=False)])
    yield "a check-in is lost", ["acknowledged_acts_are_kept_once"], with_(kept, check_ins=[])
    yield "a check-in is there twice", ["acknowledged_acts_are_kept_once"], with_(kept, check_ins=kept.check_ins * 2)
    yield "a vault is lost", ["acknowledged_acts_are_kept_once"], with_(kept, vaults=[])
    yield "a connection is lost", ["acknowledged_acts_are_kept_once"], with_(kept, connections=kept.connections[1:])
    repeated = dataclasses.replace(kept.acts[1], repeats=[(200, {"id": "another"})])
    yield "a repeat gets another answer", ["acknowledged_acts_are_kept_once"], with_(kept, acts=[kept.acts[0], repeated, *kept.acts[2:]])
    yield "a paused connection is active", ["connections_are_as_acknowledged"], with_(
        kept, connections=[*kept.connections[:1], {**kept.connections[1], "status": "active"}]
    )
    yield "an opened vault is locked", ["vaults_are_as_acknowledged"], with_(kept, sessions=[])
    yield "a vault with two sessions", ["vaults_are_as_acknowledged"], with_(kept, sessions=kept.sessions * 2)
    yield "a sender is called twice", ["senders_are_called_once"], _heard(good, notification(ALICE, "ping_due", 1, id="again"))


def _heard(facts: Facts, row: dict) -> Facts:
    """Somebody heard something more, and all of it arrived."""
    sent = delivery(row)
    return with_(
        facts, notifications=[*facts.notifications, row], deliveries=[*facts.deliveries, sent],
        taken=[*facts.taken, Taken("apns", sent["id"], None, sent["address"], True)],
        posts=[*facts.posts, Post(f"post of {row['id']}", "", (row["id"],), True)],
    )


def _unheard(facts: Facts, type: str) -> Facts:
    """Nobody was told of that."""
    gone = {row["id"] for row in facts.notifications if row["type"] == type}
    kept = [row for row in facts.deliveries if row["notification_id"] not in gone]
    return with_(
        facts, notifications=[row for row in facts.notifications if row["id"] not in gone], deliveries=kept,
        taken=[each for each in facts.taken if each.delivery in {row["id"] for row in kept}],
    )


def _as(facts: Facts, type: str, status: str) -> list[dict]:
    return [{**row, "delivery_status": status} if row["type"] == type else row for row in facts.notifications]


BROKEN = list(_cases())

if __name__ == "__main__":
    unittest.main()

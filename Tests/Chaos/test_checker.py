"""Breaks each promise of the checker once, on paper: a check that cannot fail proves nothing."""

import dataclasses
import hashlib
import unittest
from datetime import datetime, timedelta, timezone

import checker
from facts import Facts, Post, Taken
from people import Act
from streams import NOWHERE, Stream

NOON = datetime(2027, 3, 9, 12, tzinfo=timezone.utc)
ALICE, BOB, CONNECTION, PING, DEVICE = "alice", "bob", "connection", "ping", "device"
VAULT, NOMINEE, REQUEST, DOCUMENT = "vault", "nominee", "request", "document"
CAROL, ALARM = "carol", "alarm"
PHONES = {ALICE: "+491511", BOB: "+491512"}


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
        "status": status, "scheduled_at": at(0), "deadline_at": at(120), "judge_at": None, **more,
    }


def notification(user: str = BOB, type: str = "ping_missed", told: float = 131, id: str | None = None, **more) -> dict:
    """What somebody heard."""
    data = {"ping_id": PING, "date": str(NOON.date())} | ({"alarm_id": ALARM} if (user, type) == (BOB, "ping_missed") else {})
    return {
        "id": id or f"{type} for {user}", "user_id": user, "type": type, "data": data, "told_at": at(told), "planned_at": at(told),
        "delivery_status": "sent", "read_at": None, **more,
    }


def delivery(of: dict, status: str = "sent", **more) -> dict:
    """How it left."""
    return {
        "id": f"delivery of {of['id']}", "notification_id": of["id"], "channel": "apns", "address": f"{DEVICE} of {of['user_id']}",
        "status": status, "error": None, "purpose": "notification", "attempts": 1, **more,
    }


def check_in(note: str | None, **more) -> dict:
    """A check-in of Alice."""
    return {"note": note, "user_id": ALICE, "source": "app", "committed_at": None, **more}


def by_bob(act: Act) -> Act:
    """The act, as Bob's."""
    return dataclasses.replace(act, user=BOB)


def alarm(**more) -> dict:
    """Alice's alarm."""
    return {
        "id": ALARM, "sender_id": ALICE, "kind": "missed", "called_at": None, "taken_at": None, "taken_by": None, "resolved_at": None, **more,
    }


def entry(kind: str, user: str | None, seconds: float, note: str | None = None) -> dict:
    """A line of its timeline."""
    return {"id": f"{kind} at {seconds}", "alarm_id": ALARM, "kind": kind, "user_id": user, "note": note, "committed_at": at(seconds)}


def member(user: str) -> dict:
    """Somebody who was told of it."""
    return {"alarm_id": ALARM, "receiver_id": user, "told_at": at(0), "left_at": None}


def request(**more) -> dict:
    """Bob's request for emergency access to Alice's vault, which granted ten seconds after it began."""
    return {
        "id": REQUEST, "vault_id": VAULT, "nominee_id": NOMINEE, "owner_id": ALICE, "user_id": BOB, "cause": "request", "reason": "ask at 9",
        "missed_days": None, "reject_on_check_in": True, "begun_at": at(10), "wait_hours": 1, "waits_from": at(20 - 3600),
        "grants_at": at(20), "approved_at": None, "grant_told_at": at(20),
        "undelivered_since": None, "ended_at": None, "delays": 0, **more,
    }


def notice(type: str, told: float, to: str = "owner", **more) -> dict:
    """What Alice, or Bob as the nominee, heard of the request."""
    data = {"request_id": REQUEST, "to": to, "detail": more.pop("detail", None)}
    return notification(ALICE if to == "owner" else BOB, f"emergency_{type}", told, data=data, **more)


def day() -> Facts:
    """A day on which Alice was missed and everything went well."""
    heard = [notification(ALICE, told=130), notification(BOB), notification(ALICE, "ping_due", 0)]
    deliveries = [delivery(each) for each in heard]
    return Facts(
        expected=[{"tenant_id": 1, "connection_id": CONNECTION, "time_zone": "UTC"}], pings=[ping()],
        alarms=[alarm()], alarm_receivers=[member(BOB)],
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
        facts, pings=[ping("completed")], alarms=[], alarm_receivers=[], notifications=heard, deliveries=[delivery(each) for each in heard],
        acts=[
            act("check-in", 60, answer={"pings": [{"id": PING}]}), act("vault", 61), act("open", 62, "vault"), act("pause", 63, "other"),
            act("connect", 64, BOB),
        ],
        check_ins=[check_in("check-in at 60")], vaults=[{"name": "vault at 61"}],
        sessions=[{"vault_id": "vault", "locked_at": None, "lock_reason": None}],
        connections=[*facts.connections, {"id": "other", "sender_id": ALICE, "receiver_id": "carol", "status": "paused"}],
        taken=[Taken("apns", f"delivery of {each['id']}", None, f"{DEVICE} of {each['user_id']}", True) for each in heard],
        posts=[Post("post", "", tuple(each["id"] for each in heard), True)],
    )


def entered() -> Facts:
    """A day on which Bob asked for emergency access, was refused before the grant, and then entered and read."""
    facts = Facts(
        requests=[request()],
        acts=[
            by_bob(act("ask", 9, VAULT)), by_bob(act("enter", 12, VAULT, 423)),
            by_bob(act("enter", 30, VAULT, answer={"request_id": REQUEST})), by_bob(act("read", 32, VAULT)),
        ],
    )
    for each in (notice("requested", 10), notice("opened", 20, "nominee"), notice("opened", 30.5, detail="entered")):
        facts = _heard(facts, each)
    return facts


def refused(kind: str = "reject", subject: str = REQUEST, **more) -> Facts:
    """The same day, on which Alice said no after that, or Bob withdrew."""
    facts = entered()
    end = act(kind, 40, subject)
    return with_(
        facts, requests=[request(ended_at=at(40.5), **more)], check_ins=[check_in(end.id)],
        acts=[*facts.acts, by_bob(end) if kind == "withdraw" else end, by_bob(act("enter", 50, VAULT, 403)), by_bob(act("read", 52, VAULT, 423))],
    )


def silent() -> Facts:
    """A day on which Alice missed the second ping in a row, so that Bob's wait began, of which he must not know."""
    facts = day()
    old = ping(id="old", connection_id="former", ping_on=at(-86400).date(), scheduled_at=at(-86400), deadline_at=at(-86280))
    told = [{**row, "told_at": at(122)} if row["type"] == "ping_missed" else row for row in facts.notifications]
    facts = with_(
        facts, pings=[*facts.pings, old], touched={"former"}, notifications=told,
        connections=[*facts.connections, {"id": "former", "sender_id": ALICE, "receiver_id": "carol", "status": "deleted"}],
        rights=[{"owner_id": ALICE, "nominee_id": NOMINEE, "after_missed_days": 2}],
        requests=[request(cause="silence", reason=None, missed_days=2, begun_at=at(130), waits_from=at(130), grants_at=at(3730), grant_told_at=None)],
    )
    return _heard(facts, notice("requested", 130, detail="2"))


def stored() -> Facts:
    """A day on which Alice uploaded two documents and deleted one, and Bob read the stream of his two events."""
    upload = act("upload", 10, VAULT, 201, answer={"id": DOCUMENT}, digest="d1")
    gone = act("upload", 12, VAULT, 201, answer={"id": "gone"}, digest="d2")
    own = [(7, ""), (8, "a"), (8, "b")]
    return Facts(
        acts=[upload, gone, act("delete", 14, "gone", 204)],
        documents=[
            {"id": DOCUMENT, "name": upload.id, "deleted_at": None, "size": 3, "stored": 3},
            {"id": "gone", "name": gone.id, "deleted_at": at(14), "size": 4, "stored": 4},
        ],
        contents={DOCUMENT: "d1"}, feed={BOB: own}, streams=[Stream(1, BOB, since=own[0], events=own[1:], connections=1)],
    )


def texted() -> Facts:
    """A day on which Alice wrote something that is no answer, and then checked in by text message."""
    facts = answered()
    acts = [dataclasses.replace(act("chatter", 50, "ok?", 204), answer=None), dataclasses.replace(act("text", 60, "safe", 204), answer=None)]
    facts = with_(
        facts, acts=[*acts, *facts.acts[1:]], check_ins=[check_in(None, source="sms", committed_at=at(60.5))], phones=PHONES,
        messages={_hash(each): at(50.5 + 10 * n) for n, each in enumerate(acts)},
    )
    return _replied(_replied(facts, ALICE, 1), ALICE, 2)


def called() -> Facts:
    """A day on which Alice called for help, and nobody did anything."""
    call = act("help", 5, status=201, answer={"id": ALARM})
    facts = Facts(
        acts=[call], alarms=[alarm(kind="help", called_at=at(5.5))], alarm_receivers=[member(BOB), member(CAROL)],
        entries=[entry("help", ALICE, 5.5, call.id)], phones=PHONES,
    )
    return _told(facts, "help_requested", 5.5, BOB, CAROL)


def looked_after() -> Facts:
    """The same day, on which Bob took the alarm and gave it back, and Carol took it and ended it."""
    facts = called()
    end = dataclasses.replace(act("resolve alarm", 40, ALARM), user=CAROL)
    facts = with_(
        facts, alarms=[{**facts.alarms[0], "resolved_at": at(40.5)}],
        acts=[
            *facts.acts, by_bob(act("take alarm", 10, ALARM)), by_bob(act("release alarm", 20, ALARM)),
            dataclasses.replace(act("take alarm", 30, ALARM), user=CAROL), end,
        ],
        entries=[
            *facts.entries, entry("taken", BOB, 10.5), entry("released", BOB, 20.5), entry("taken", CAROL, 30.5),
            entry("resolved", CAROL, 40.5, end.id),
        ],
    )
    facts = _told(facts, "alarm_taken", 10.5, ALICE, CAROL)
    facts = _told(facts, "alarm_reopened", 20.5, ALICE, BOB, CAROL)
    return _told(_told(facts, "alarm_taken", 30.5, ALICE, BOB), "alarm_resolved", 40.5, ALICE, BOB)


def looked_after_by_text() -> Facts:
    """The same day, on which Bob took the alarm and ended it by two text messages."""
    facts = called()
    acts = [by_bob(act("text take", 10, "1", 204)), by_bob(act("text end", 20, "2", 204))]
    facts = with_(
        facts, acts=[*facts.acts, *acts], alarms=[{**facts.alarms[0], "resolved_at": at(20.5)}],
        messages={_hash(acts[0]): at(10.5), _hash(acts[1]): at(20.5)},
        entries=[*facts.entries, entry("taken", BOB, 10.5), entry("resolved", BOB, 20.5)],
    )
    facts = _told(_told(facts, "alarm_taken", 10.5, ALICE, CAROL), "alarm_resolved", 20.5, ALICE, CAROL)
    return _replied(_replied(_texted(facts), BOB, 1), BOB, 2)


def taken_back() -> Facts:
    """The same day, on which Alice ended her call when it had reached Carol, but not yet Bob, who has only a line in his list."""
    facts = called()
    end = act("false alarm", 8)
    facts = with_(
        facts, acts=[*facts.acts, end], alarms=[{**facts.alarms[0], "resolved_at": at(8.5)}],
        entries=[*facts.entries, entry("false_alarm", ALICE, 8.5, end.id)],
        notifications=[
            {**row, "type": "alarm_resolved", "delivery_status": "dropped"} if row["user_id"] == BOB else row for row in facts.notifications
        ],
        deliveries=[row for row in facts.deliveries if not row["id"].endswith(f"{BOB} at 5.5")],
        taken=[each for each in facts.taken if not each.delivery.endswith(f"{BOB} at 5.5")],
        routes={BOB: {("apns", DEVICE)}, CAROL: {("apns", DEVICE)}},
    )
    return _told(facts, "alarm_resolved", 8.5, CAROL)


class Broken(unittest.TestCase):
    """Each test breaks one promise."""

    def test_a_good_day_breaks_none(self) -> None:
        ends = (refused(), refused("withdraw"), refused("take", VAULT), refused("check-in", None))
        alarms = (called(), looked_after(), looked_after_by_text(), taken_back())
        for facts in (day(), answered(), texted(), entered(), *ends, silent(), stored(), *alarms):
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


class Reading(unittest.TestCase):
    """When a reader of a stream has read everything."""

    def test_half_of_a_transaction_is_not_all_of_it(self) -> None:
        self.assertFalse(Stream(1, BOB, since=(7, ""), events=[(8, "a")]).has_reached((8, "b")))
        self.assertTrue(Stream(1, BOB, since=(7, ""), events=[(8, "a"), (8, "b")]).has_reached((8, "b")))

    def test_a_reader_without_a_position_has_read_nothing(self) -> None:
        self.assertFalse(Stream(1, BOB).has_reached(NOWHERE))
        self.assertTrue(Stream(1, BOB, since=(7, "")).has_reached(NOWHERE))


def with_(facts: Facts, **changes) -> Facts:
    """The facts, with some replaced."""
    return dataclasses.replace(facts, **changes)


def _cases():
    yield from _cases_of_pings()
    yield from _cases_of_emergency_access()
    yield from _cases_of_silence()
    yield from _cases_of_documents()
    yield from _cases_of_streams()
    yield from _cases_of_texts()
    yield from _cases_of_alarms()


def _cases_of_pings():
    good, kept = day(), answered()
    yield "a ping twice on a date", ["each_ping_exists_once"], with_(good, pings=[ping(), ping(id="copy", status="cancelled")])
    yield "two pings with one id", ["each_ping_exists_once"], with_(good, pings=[ping(), ping(connection_id="other", status="cancelled")])
    yield "no ping", ["each_ping_exists_once"], with_(
        good, expected=[*good.expected, {"tenant_id": 1, "connection_id": "other", "time_zone": "UTC"}]
    )
    open = with_(kept, notifications=kept.notifications[:1], deliveries=kept.deliveries[:1], taken=kept.taken[:1])
    silent_act = dataclasses.replace(kept.acts[0], answer={})
    yield "an answered ping is still due", ["acknowledged_check_ins_complete_pings"], with_(
        open, pings=[ping("due")], acts=[silent_act, *kept.acts[1:]]
    )
    yield "an answer in time counts as late", ["acknowledged_check_ins_complete_pings"], with_(kept, pings=[ping("completed_late")])
    yield "an answered ping stays missed", ["acknowledged_check_ins_complete_pings"], with_(open, pings=[ping()])
    yield "a late answer is ignored", ["acknowledged_check_ins_complete_pings", "alarms_end_by_a_word"], with_(
        good, acts=[act("check-in", 200)], check_ins=[check_in("check-in at 200")]
    )
    yield "an answer names a ping that it did not complete", ["acknowledged_check_ins_complete_pings"], with_(kept, pings=[ping("cancelled")])
    twice = notification(id="again")
    yield "a receiver hears twice", ["each_miss_is_told_once"], _heard(good, twice)
    second = with_(good, pings=[ping(), ping(id="second", connection_id="other")], touched={"other"})
    yield "a sender hears twice of a date", ["each_miss_is_told_once"], _heard(
        second, notification(ALICE, told=130, id="again", data={"ping_id": "second", "date": str(NOON.date())})
    )
    yield "the receiver never hears", ["each_miss_is_told_once"], _unheard(good, "ping_missed", BOB)
    yield "the sender never hears", ["each_miss_is_told_once"], _unheard(good, "ping_missed", ALICE)
    yield "a miss of no ping", ["each_miss_is_told_once"], _heard(
        good, notification("carol", id="ghost", data={"ping_id": "ghost", "date": "2027-03-09"})
    )
    yield "a ping stays open", ["nothing_stays_open"], with_(
        _unheard(good, "ping_missed"), alarms=[], pings=[ping("due", deadline_at=at(-300), scheduled_at=at(-400))]
    )
    early = [{**row, "told_at": at(100)} if row["type"] == "ping_missed" else row for row in good.notifications]
    yield "an alarm before the deadline", ["no_alarm_before_its_time"], with_(good, notifications=early)
    yield "an alarm after the answer", ["no_alarm_before_its_time"], _heard(
        with_(kept, alarms=good.alarms, alarm_receivers=good.alarm_receivers), notification(told=131, id="late")
    )
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
    yield "a notification waits for no delivery", ["no_message_is_lost"], with_(good, notifications=_as(good, "ping_due", "queued"))
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


def _cases_of_emergency_access():
    good, ended = entered(), refused()
    yield "entering before the grant", ["nobody_enters_without_a_grant"], with_(good, requests=[request(grants_at=at(60))])
    yield "a wait that is too short", ["nobody_enters_without_a_grant"], with_(good, requests=[request(wait_hours=2)])
    early = by_bob(act("read", 14, VAULT))
    yield "reading before the grant", ["nobody_enters_without_a_grant"], with_(good, acts=[*good.acts, early])
    yield "entering without a request", ["nobody_enters_without_a_grant"], with_(
        good, acts=[*good.acts, by_bob(act("enter", 34, "another vault", answer={"request_id": "none"}))]
    )
    yield "an approval that the owner did not give", ["nobody_enters_without_a_grant"], with_(good, requests=[request(approved_at=at(20))])
    yield "an approval after entering", ["nobody_enters_without_a_grant"], with_(
        good, requests=[request(approved_at=at(20))], acts=[*good.acts, act("approve", 35, REQUEST)]
    )
    late = by_bob(act("enter", 90, VAULT, 423))
    yield "kept out after the grant", ["grants_come_in_time"], with_(good, acts=[*good.acts, late])
    for kind, subject in (("reject", REQUEST), ("withdraw", REQUEST), ("take", VAULT), ("check-in", None)):
        open = with_(refused(kind, subject), requests=[request()])
        yield f"a {kind} that ends nothing", ["an_acknowledged_no_is_final"], open
    for kind in ("enter", "read"):
        again = by_bob(act(kind, 60, VAULT, answer={"request_id": REQUEST}))
        yield f"a successful {kind} after the no", ["an_acknowledged_no_is_final"], with_(ended, acts=[*ended.acts, again])
    yield "the owner never hears of a request", ["owners_know_of_each_grant"], _unheard(good, "emergency_requested")
    told = [{**row, "told_at": at(33)} if row["type"] == "emergency_requested" else row for row in good.notifications]
    yield "the owner hears of a request after the entry", ["owners_know_of_each_grant"], with_(good, notifications=told)
    yield "the owner never hears of an entry", ["owners_know_of_each_grant"], _unheard(ended, "emergency_opened")
    yield "the owner never hears of a grant", ["owners_know_of_each_grant"], with_(_unheard(good, "emergency_opened"), acts=good.acts[:2])
    for each in (notice("requested", 21, id="again"), notice("opened", 31, "nominee", id="again")):
        yield f"{each['type']} is told twice", ["emergency_notices_are_planned_once"], _heard(good, each)
    moved = with_(good, requests=[request(delays=1)])
    twice = _heard(_heard(moved, notice("requested", 21, id="again")), notice("requested", 22, id="and again"))
    yield "a notice is told three times after one delay", ["emergency_notices_are_planned_once"], twice
    yield "a request is lost", ["acknowledged_acts_are_kept_once"], with_(good, requests=[request(reason="another")])
    yield "a request is there twice", ["acknowledged_acts_are_kept_once"], with_(good, requests=[request(), request(vault_id="other")])


def _cases_of_silence():
    good = silent()
    yield "a silence of one day", ["silence_is_the_owners"], with_(good, pings=good.pings[:1])
    yield "a silence before the deadline", ["silence_is_the_owners"], with_(good, requests=[{**good.requests[0], "begun_at": at(110)}])
    outage = {"component": "server", "began_at": at(-86400), "ended_at": at(-86300)}
    yield "a silence in an outage", ["silence_is_the_owners"], with_(good, outages=[outage])
    yield "a silence in one that Kith did not notice", ["silence_is_the_owners"], with_(good, silences=[(at(-86400), at(-86300))])
    late = act("check-in", 124)
    yield "a silence after the answer", ["silence_is_the_owners", "alarms_end_by_a_word"], with_(
        good, pings=[ping("completed_late"), good.pings[1]], touched={*good.touched, CONNECTION}, acts=[late], check_ins=[check_in(late.id)]
    )
    # Alice was asked on both dates.
    asked = [{**row, "sent_at": at(1)} if row["type"] == "ping_due" else row for row in good.notifications]
    before = {"ping_id": "old", "date": str(at(-86400).date())}
    asked = _heard(with_(good, notifications=asked), notification(ALICE, "ping_due", -86399, id="asked", sent_at=at(-86399), data=before))
    unnoticed = with_(_unheard(asked, "emergency_requested"), requests=[])
    yield "a silence that begins nothing", ["silence_is_the_owners"], unnoticed


def _cases_of_documents():
    good = stored()
    first, gone = good.documents
    yield "a document reads otherwise", ["documents_read_back"], with_(good, contents={DOCUMENT: "d2"})
    yield "a document cannot be read", ["documents_read_back"], with_(good, contents={})
    yield "a document of nobody", ["documents_read_back"], with_(
        good, documents=[*good.documents, {**first, "id": "ghost", "name": "ghost"}], contents={**good.contents, "ghost": "d1"}
    )
    yield "a document is gone", ["documents_read_back"], with_(good, documents=[{**first, "deleted_at": at(20)}, gone])
    yield "an upload is lost", ["documents_read_back", "acknowledged_acts_are_kept_once"], with_(good, documents=[gone])
    yield "an upload is there twice", ["acknowledged_acts_are_kept_once"], with_(
        good, documents=[*good.documents, {**first, "id": "copy"}], contents={**good.contents, "copy": "d1"}
    )
    yield "a deleted document is there", ["deleted_documents_stay_deleted"], with_(
        good, documents=[first, {**gone, "deleted_at": None}], contents={**good.contents, "gone": "d2"}
    )
    yield "a quota counts too little", ["quotas_count_what_is_stored"], with_(good, documents=[{**first, "size": 2}, gone])
    yield "a version without a document", ["quotas_count_what_is_stored"], with_(good, loose_versions=1)


def _cases_of_streams():
    good = stored()
    stream = good.streams[0]
    for said, changes in (
        ("a stream without a position", {"since": None, "events": []}), ("a stream without the last event", {"events": [(8, "a")]}),
        ("a stream with somebody else's event", {"events": [*stream.events, (9, "c")]}),
        ("a stream with an event twice", {"events": [*stream.events, (8, "b")]}),
        ("a stream in another order", {"events": stream.events[::-1]}), ("a stream with a reset", {"resets": ["unknown"]}),
    ):
        yield said, ["streams_miss_nothing"], with_(good, streams=[dataclasses.replace(stream, **changes)])


def _cases_of_texts():
    good = texted()
    row, reply = good.check_ins[0], good.deliveries[-1]
    yield "a check-in by text is lost", ["texts_count_once"], with_(good, check_ins=[])
    yield "a text message is lost", ["texts_count_once", "texts_are_answered_once"], with_(good, check_ins=[], messages={})
    yield "a text message counts twice", ["texts_count_once"], with_(good, check_ins=[row, row])
    yield "a text message counts that must not", ["texts_count_once"], with_(good, check_ins=[row, {**row, "committed_at": at(50.5)}])
    yield "a check-in by a text message that nobody wrote", ["texts_count_once"], with_(good, check_ins=[row, {**row, "committed_at": at(70)}])
    refused = dataclasses.replace(act("text", 70, "safe", 400), answer=None)
    yield "a text message is refused", ["texts_count_once"], with_(good, acts=[*good.acts, refused])
    repeated = dataclasses.replace(good.acts[1], repeats=[(404, None)])
    yield "a repeated text message gets another answer", ["acknowledged_acts_are_kept_once"], with_(
        good, acts=[good.acts[0], repeated, *good.acts[2:]]
    )
    yield "a repeated text message is answered again", ["texts_are_answered_once"], _replied(good, ALICE, 3)
    yield "a text message is not answered", ["texts_are_answered_once"], with_(good, deliveries=good.deliveries[:-2], taken=good.taken[:-2])
    yield "an answer to nobody", ["texts_are_answered_once"], with_(
        good, deliveries=[*good.deliveries, {**reply, "id": "stray", "address": PHONES[BOB]}],
        taken=[*good.taken, Taken("sms", "stray", None, PHONES[BOB], True)],
    )
    answer = with_(good, pings=[ping()])
    yield "an answer by text completes nothing", ["acknowledged_check_ins_complete_pings"], answer
    nobody = with_(answered(), acts=answered().acts[1:])
    yield "a ping is completed that nobody answered", ["nobody_is_safe_without_an_answer"], nobody


def _cases_of_alarms():
    good, texts, open = looked_after(), looked_after_by_text(), called()
    yield "a miss without an alarm", ["each_miss_has_an_alarm"], with_(day(), alarms=[], alarm_receivers=[])
    yield "a miss with somebody else's alarm", ["each_miss_has_an_alarm"], with_(day(), alarms=[alarm(sender_id="dora")])
    yield "an alarm of nothing", ["each_miss_has_an_alarm"], with_(good, alarms=[*good.alarms, alarm(id="ghost", sender_id="dora")])
    second = act("help", 35, status=201)
    other = {**entry("help", ALICE, 35.5, second.id), "alarm_id": "other"}
    yield "two alarms of a sender", ["a_sender_has_one_alarm"], _heard(
        with_(
            good, acts=[*good.acts, second], alarms=[*good.alarms, alarm(id="other", kind="help", called_at=at(35.5))],
            entries=[*good.entries, other],
        ),
        notification(BOB, "help_requested", 35.5, id="second", data={"alarm_id": "other"}),
    )
    again = dataclasses.replace(act("take alarm", 15, ALARM), user=CAROL)
    yield "two takers", ["one_person_looks_after_an_alarm"], _told(
        with_(good, acts=[*good.acts, again], entries=[*good.entries, entry("taken", CAROL, 15.5)]), "alarm_taken", 15.5, ALICE, BOB
    )
    yield "an alarm is open that was ended", ["one_person_looks_after_an_alarm"], with_(good, alarms=[{**good.alarms[0], "resolved_at": None}])
    lost = dataclasses.replace(act("note alarm", 35, ALARM), user=CAROL)
    yield "a note is lost", ["acts_in_alarms_are_kept_once"], with_(good, acts=[*good.acts, lost])
    note = entry("noted", CAROL, 35.5, lost.id)
    yield "a note is there twice", ["acts_in_alarms_are_kept_once"], with_(good, acts=[*good.acts, lost], entries=[*good.entries, note, note])
    yield "a note that nobody wrote", ["acts_in_alarms_are_kept_once"], with_(good, entries=[*good.entries, note])
    yield "a take is lost", ["acts_in_alarms_are_kept_once"], with_(good, acts=[*good.acts, by_bob(act("take alarm", 25, ALARM))])
    twice = with_(good, entries=[*good.entries, entry("taken", BOB, 22), entry("released", BOB, 24)])
    yield "a take is there twice", ["acts_in_alarms_are_kept_once"], _told(
        _told(twice, "alarm_taken", 22, ALICE, CAROL), "alarm_reopened", 24, ALICE, BOB, CAROL
    )
    answer = act("check-in", 100)
    safe = with_(open, acts=[*open.acts, answer], check_ins=[check_in(answer.id)])
    yield "an alarm stays after the check-in", ["alarms_end_by_a_word"], safe
    ended = with_(safe, alarms=[{**open.alarms[0], "resolved_at": at(100.5)}], entries=[*open.entries, entry("checked_in", ALICE, 100.5)])
    back = by_bob(act("reopen alarm", 110, ALARM))
    yield "an alarm opens again after the check-in", ["alarms_end_by_a_word"], _told(
        _told(
            with_(ended, alarms=open.alarms, acts=[*ended.acts, back], entries=[*ended.entries, entry("reopened", BOB, 110.5, back.id)]),
            "ping_all_clear", 100.5, BOB, CAROL,
        ),
        "alarm_reopened", 110.5, ALICE, BOB, CAROL,
    )
    yield "an alarm ends by itself", ["alarms_end_by_a_word"], with_(
        open, alarms=[{**open.alarms[0], "resolved_at": at(50)}], entries=[*open.entries, entry("expired", None, 50)]
    )
    yield "nobody hears that the sender is safe", ["nobody_misses_a_change"], ended
    yield "somebody never hears of a take", ["nobody_misses_a_change"], with_(
        good, notifications=[row for row in good.notifications if row["id"] != f"alarm_taken for {CAROL} at 10.5"]
    )
    yield "somebody hears twice of a take", ["each_change_is_told_once"], _heard(
        good, notification(CAROL, "alarm_taken", 10.5, id="again", data={"alarm_id": ALARM})
    )
    yield "somebody hears of a take that did not happen", ["each_change_is_told_once"], _told(good, "alarm_taken", 35, BOB)
    back = taken_back()
    tried = delivery(next(row for row in back.notifications if row["user_id"] == BOB), "dropped", error="the alarm is over")
    yield "a call is taken back that may have reached somebody", ["each_change_is_told_once", "nobody_misses_a_change"], with_(
        back, deliveries=[*back.deliveries, tried]
    )
    yield "a message has no delivery, and nobody took it back", ["no_message_is_lost"], with_(
        called(), routes={BOB: {("apns", DEVICE)}}, deliveries=back.deliveries, taken=back.taken, notifications=[
            {**row, "delivery_status": "dropped"} if row["user_id"] == BOB else row for row in called().notifications
        ],
    )
    silent = with_(
        open, acts=[*open.acts, texts.acts[1]], messages={_hash(texts.acts[1]): at(10.5)},
    )
    yield "a one by text takes nothing", ["texts_about_alarms_mean_one_thing"], _replied(_texted(silent), BOB, 1)
    later = [row if row["purpose"] == "answer" else {**row, "created_at": at(30), "sent_at": at(31)} for row in texts.deliveries]
    yield "a one takes an alarm of which no text had told", ["texts_about_alarms_mean_one_thing"], with_(texts, deliveries=later)
    none = by_bob(act("text take", 25, "1", 204))
    yield "a one by text after the alarm is a check-in", ["texts_about_alarms_mean_one_thing"], _replied(
        with_(
            texts, acts=[*texts.acts, none], messages={**texts.messages, _hash(none): at(25.5)},
            check_ins=[{**check_in(None, source="sms", committed_at=at(25.5)), "user_id": BOB}],
        ), BOB, 3
    )
    late = by_bob(act("text end", 25, "2", 204))
    yield "a two by text ends what is over", ["one_person_looks_after_an_alarm", "texts_about_alarms_mean_one_thing"], _told(
        _replied(
            with_(
                texts, acts=[*texts.acts, late], messages={**texts.messages, _hash(late): at(25.5)},
                entries=[*texts.entries, entry("resolved", BOB, 25.5)],
            ), BOB, 3,
        ),
        "alarm_resolved", 25.5, ALICE, CAROL,
    )


def _hash(act: Act) -> str:
    return hashlib.sha256(act.id.encode()).hexdigest()


def _told(facts: Facts, type: str, seconds: float, *users: str) -> Facts:
    """Several people heard something about the alarm in one transaction."""
    for user in users:
        facts = _heard(facts, notification(user, type, seconds, id=f"{type} for {user} at {seconds}", data={"alarm_id": ALARM, "user_id": ALICE}))
    return facts


def _replied(facts: Facts, user: str, number: int) -> Facts:
    """A text message of somebody was answered."""
    id = f"answer {number} to {user}"
    row = {"id": id, "notification_id": None, "channel": "sms", "address": PHONES[user], "status": "sent", "error": None, "purpose": "answer", "attempts": 1}
    return with_(facts, deliveries=[*facts.deliveries, row], taken=[*facts.taken, Taken("sms", id, None, PHONES[user], True)])


def _texted(facts: Facts) -> Facts:
    """A text message has asked Bob to look after Alice."""
    asking = next(row for row in facts.notifications if row["user_id"] == BOB and row["type"] == "help_requested")
    row = delivery(asking, id="text to Bob", channel="sms", address=PHONES[BOB], created_at=at(6), sent_at=at(7))
    return with_(facts, deliveries=[*facts.deliveries, row], taken=[*facts.taken, Taken("sms", row["id"], asking["id"], PHONES[BOB], True)])


def _heard(facts: Facts, row: dict) -> Facts:
    """Somebody heard something more, and all of it arrived."""
    sent = delivery(row)
    return with_(
        facts, notifications=[*facts.notifications, row], deliveries=[*facts.deliveries, sent],
        taken=[*facts.taken, Taken("apns", sent["id"], None, sent["address"], True)],
        posts=[*facts.posts, Post(f"post of {row['id']}", "", (row["id"],), True)],
    )


def _unheard(facts: Facts, type: str, user: str | None = None) -> Facts:
    """Nobody was told of that, or only `user` was not."""
    gone = {row["id"] for row in facts.notifications if row["type"] == type and user in (None, row["user_id"])}
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

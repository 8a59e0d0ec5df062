"""Holds what Kith promises against what is known when everything is quiet. Each promise is a function of the facts that yields violations.

test_checker.py breaks each promise once.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

import alarm_promises  # noqa: F401 - adds its promises
import histories
import ping_rules as rules
import text_promises  # noqa: F401
from facts import Facts
from people import CHECK_INS
from promise import LATE, PROMISES, SLACK, instant, promise

ENDED = ("sent", "failed", "dropped")
ALARMS = ("ping_missed", "help_requested", "alarm_repeat", "alarm_reopened")
"""The types of notifications that stay queued until another channel was tried (internal.is_alarm)."""


def violations(facts: Facts) -> list[str]:
    """Every violation of every promise, with the name of the promise."""
    return [f"{check.__name__}: {said}" for check in PROMISES for said in check(facts)]


@promise
def each_ping_exists_once(facts: Facts) -> Iterator[str]:
    """A connection has one ping for a local date, and each connection that was there in time has one."""
    for key, count in Counter((ping["tenant_id"], ping["connection_id"], ping["ping_on"]) for ping in facts.pings).items():
        if count > 1:
            yield f"connection {key[1]} has {count} pings on {key[2]}"
    for id, count in Counter(ping["id"] for ping in facts.pings).items():
        if count > 1:
            yield f"{count} pings have the id {id}"
    there = {ping["connection_id"] for ping in facts.pings}
    for expected in facts.expected:
        # Somebody who paused it at once has no ping.
        if expected["connection_id"] not in there and expected["connection_id"] not in facts.touched:
            yield f"connection {expected['connection_id']} ({expected['time_zone']}) has no ping"


@promise
def acknowledged_check_ins_complete_pings(facts: Facts) -> Iterator[str]:
    """After an acknowledged check-in none of the sender's pings whose time had come is open, and one that it answered in time is not late."""
    pings = defaultdict(list)
    for ping in facts.pings:
        pings[ping["sender_id"]].append(ping)
    answered_in_time = set()
    # A late answer says nothing to somebody who is no longer connected.
    ended_connections = {row["id"] for row in facts.connections if row["status"] == "deleted"}
    for act in facts.acts:
        if act.kind not in CHECK_INS or not act.is_acknowledged:
            continue
        began, ended = instant(act.began), instant(act.ended)
        for ping in pings[act.user]:
            if not rules.has_come(ping["scheduled_at"] + SLACK, began) or ping["status"] in ("cancelled", "completed"):
                continue
            if ping["status"] in rules.OPEN:
                yield f"ping {ping['id']} is {ping['status']}, but check-in {act.id} was acknowledged at {ended}"
            elif rules.answer(ping["deadline_at"] - SLACK, ended) == "completed" and ping["id"] not in answered_in_time:
                answered_in_time.add(ping["id"])
                yield f"ping {ping['id']} is {ping['status']}, but check-in {act.id} was acknowledged at {ended}, before {ping['deadline_at']}"
            elif ping["status"] == "missed" and ping["connection_id"] not in ended_connections:
                yield f"ping {ping['id']} is missed for good, but check-in {act.id} was acknowledged at {ended}"
        for told in (act.answer or {}).get("pings", []):
            kept = next((ping for ping in pings[act.user] if ping["id"] == told["id"]), None)
            if not kept or kept["status"] not in ("completed", "completed_late"):
                yield f"check-in {act.id} was told that it completed ping {told['id']}, which is {kept and kept['status']}"


@promise
def each_miss_is_told_once(facts: Facts) -> Iterator[str]:
    """The receiver hears of a missed ping once, the sender once for a date, and nobody hears of one that nobody missed."""
    told = [row for row in facts.notifications if row["type"] == "ping_missed"]
    of_receiver = Counter((row["user_id"], row["data"]["ping_id"]) for row in told)
    of_sender = Counter((row["user_id"], row["data"]["date"]) for row in told)
    pings = {ping["id"]: ping for ping in facts.pings}
    for (user, id), count in of_receiver.items():
        if count > 1:
            yield f"user {user} heard {count} times of missed ping {id}"
        if id not in pings:
            yield f"user {user} heard of a missed ping {id} that does not exist"
    senders = {ping["sender_id"] for ping in facts.pings}
    for (user, date), count in of_sender.items():
        if user in senders and count > 1:
            yield f"sender {user} heard {count} times of the missed ping of {date}"
    acting = {act.user for act in facts.acts if act.kind in CHECK_INS}
    # Whom a miss brings into an alarm that somebody has taken hears of it when it is open again.
    taken = {row["id"]: row["sender_id"] for row in facts.alarms if row["taken_at"]}
    waiting = {(taken.get(row["alarm_id"]), row["receiver_id"]) for row in facts.alarm_receivers if row["told_at"] is None}
    # Nor does anybody of whom the sender's word was taken back before it had reached them.
    senders_of = {row["id"]: row["sender_id"] for row in facts.alarms}
    waiting |= {(senders_of.get(alarm), user) for user, alarm in histories.withdrawn(facts)}
    for ping in facts.pings:
        # A sender who checked in at any time may have done so before the ping was judged; then nobody is told.
        if ping["status"] != "missed" or ping["connection_id"] in facts.touched or ping["sender_id"] in acting:
            continue
        if not of_receiver[ping["receiver_id"], ping["id"]] and (ping["sender_id"], ping["receiver_id"]) not in waiting:
            yield f"receiver {ping['receiver_id']} never heard of missed ping {ping['id']}"
        if not of_sender[ping["sender_id"], str(ping["ping_on"])]:
            yield f"sender {ping['sender_id']} never heard of their missed ping {ping['id']}"


@promise
def nothing_stays_open(facts: Facts) -> Iterator[str]:
    """A ping whose deadline has passed is neither scheduled nor due, once nothing is held back."""
    now = max((row["told_at"] for row in facts.notifications if row["told_at"]), default=None)
    for ping in facts.pings:
        if now and ping["status"] in rules.OPEN and (ping["judge_at"] or ping["deadline_at"]) + timedelta(minutes=1) < now:
            yield f"ping {ping['id']} is {ping['status']} after its deadline {ping['deadline_at']}"


@promise
def no_alarm_before_its_time(facts: Facts) -> Iterator[str]:
    """Nobody hears of a miss before the deadline, or after a check-in was acknowledged that answered the ping."""
    pings = {ping["id"]: ping for ping in facts.pings}
    answered = defaultdict(list)
    for act in facts.acts:
        if act.kind in CHECK_INS and act.is_acknowledged:
            answered[act.user].append((instant(act.began), instant(act.ended)))
    for row in facts.notifications:
        ping = pings.get(row["data"].get("ping_id")) if row["type"] == "ping_missed" else None
        if not ping or not row["told_at"]:
            continue
        if row["told_at"] + SLACK < ping["deadline_at"]:
            yield f"user {row['user_id']} heard at {row['told_at']} of a miss, before the deadline {ping['deadline_at']} of ping {ping['id']}"
        for began, ended in answered[ping["sender_id"]]:
            if ping["scheduled_at"] + SLACK < began and ended + SLACK < row["told_at"]:
                yield f"user {row['user_id']} heard at {row['told_at']} of a miss of ping {ping['id']}, answered at {ended}"


@promise
def no_alarm_for_our_outage(facts: Facts) -> Iterator[str]:
    """docs/decisions/0004: of a ping whose last 15 minutes overlap with an outage, nobody hears until 15 minutes after its end."""
    pings = {ping["id"]: ping for ping in facts.pings}
    outages = [(row["began_at"], row["ended_at"], "outage") for row in facts.outages]
    outages += [(began, ended, "silence") for began, ended in facts.silences]
    for row in facts.notifications:
        ping = pings.get(row["data"].get("ping_id")) if row["type"] == "ping_missed" else None
        if not ping or not row["told_at"] or facts.released_at and row["told_at"] > facts.released_at:
            continue
        for began, ended, kind in outages:
            # An outage is known a minute after it began. Its first minute may still be judged by the heartbeats before it.
            # What is told before its deadline is for no_alarm_before_its_time to say.
            blur = timedelta(seconds=15)
            if row["told_at"] > began and rules.waits_for_outage(ping["deadline_at"], row["told_at"] + blur, began + blur, ended):
                yield f"user {row['user_id']} heard at {row['told_at']} of a miss of {ping['deadline_at']}, in the {kind} {began} to {ended}"


@promise
def no_message_is_lost(facts: Facts) -> Iterator[str]:
    """Each notification was sent, or failed into the dead letters, or was dropped for a reason; on each of its person's routes."""
    deliveries = defaultdict(list)
    for row in facts.deliveries:
        deliveries[row["notification_id"]].append(row)
        if row["status"] not in ENDED:
            yield f"delivery {row['id']} on {row['channel']} is still {row['status']}: {row['error']}"
        elif row["status"] == "failed" and row["id"] not in facts.dead_letters:
            yield f"delivery {row['id']} failed, but is no dead letter"
        elif row["status"] == "dropped" and not row["error"]:
            yield f"delivery {row['id']} on {row['channel']} was dropped without a reason"
    deadlines = {(ping["sender_id"], str(ping["ping_on"])): ping["deadline_at"] for ping in facts.pings}
    withdrawn = histories.withdrawn(facts)
    for row in facts.notifications:
        own = deliveries[row["id"]]
        if row["planned_at"] is None:
            yield f"notification {row['id']} ({row['type']}) was never planned"
            continue
        if row["delivery_status"] == "sent" and not any(each["status"] == "sent" for each in own):
            yield f"notification {row['id']} is sent, but none of its deliveries is"
        if row["delivery_status"] == "queued" and not any(each["status"] not in ENDED for each in own) and row["type"] not in ALARMS:
            yield f"notification {row['id']} ({row['type']}) is queued without a delivery"
        # An invitation to check in is worth nothing after the deadline, and may be planned only then.
        if own or row["type"] in ("ping_due", "ping_reminder", "ping_all_clear") or histories.is_withdrawn(row, withdrawn):
            continue
        if facts.routes.get(row["user_id"]):
            yield f"notification {row['id']} ({row['type']}) has no delivery, but its user has {facts.routes[row['user_id']]}"


@promise
def sent_means_taken(facts: Facts) -> Iterator[str]:
    """What is marked as sent was taken by the provider, which said so."""
    taken = {_key(each.channel, each.delivery, each.notification, each.address) for each in facts.taken if each.is_answered}
    for row in facts.deliveries:
        if row["status"] == "sent" and _key(row["channel"], row["id"], row["notification_id"], row["address"]) not in taken:
            yield f"delivery {row['id']} on {row['channel']} to {row['address']} is marked as sent, but the provider never took it"


@promise
def repeats_have_the_same_id(facts: Facts) -> Iterator[str]:
    """A provider that sees a message twice sees the same id, and sees none that the database does not know."""
    known = {_key(row["channel"], row["id"], row["notification_id"], row["address"]) for row in facts.deliveries}
    for each in set(facts.taken):
        if _key(each.channel, each.delivery, each.notification, each.address) not in known:
            yield f"{each.channel} took {each.delivery or each.notification} for {each.address}, which is no delivery"
    routes = Counter((row["notification_id"], row["channel"], row["address"]) for row in facts.deliveries if row["notification_id"])
    for (id, channel, address), count in routes.items():
        if count > 1:
            yield f"notification {id} has {count} deliveries on {channel} to {address}"
    bodies = {}
    for post in facts.posts:
        if bodies.setdefault(post.id, post.notifications) != post.notifications:
            yield f"webhook-id {post.id} came with different events"


@promise
def webhooks_miss_nothing(facts: Facts) -> Iterator[str]:
    """Each notification is in a request that the tenant's server took."""
    told = {id for post in facts.posts if post.is_taken for id in post.notifications}
    for row in facts.notifications:
        if row["id"] not in told:
            yield f"notification {row['id']} ({row['type']}) was in no request that the webhook took"


@promise
def acknowledged_acts_are_kept_once(facts: Facts) -> Iterator[str]:
    """An acknowledged act is in the database, once, however often it was repeated with its key, and a repeat gets the same answer."""
    check_ins = Counter(row["note"] for row in facts.check_ins)
    vaults = Counter(row["name"] for row in facts.vaults)
    asked = Counter(row["reason"] for row in facts.requests)
    uploaded = Counter(row["name"] for row in facts.documents)
    pairs = Counter((row["sender_id"], row["receiver_id"]) for row in facts.connections)
    for act in facts.acts:
        count = {
            "check-in": lambda: check_ins[act.id], "vault": lambda: vaults[act.id], "connect": lambda: pairs[act.user, act.subject],
            "ask": lambda: asked[act.id], "upload": lambda: uploaded[act.id],
        }.get(act.kind)
        if count and act.is_acknowledged and count() == 0:
            yield f"{act.kind} {act.id} of {act.user} was acknowledged with {act.status}, and is not there"
        if count and count() > 1:
            yield f"{act.kind} {act.id} of {act.user} is there {count()} times"
        for status, answer in act.repeats:
            if status is not None and status < 500 and status not in (401, 429) and (status, answer) != (act.status, act.answer):
                yield f"{act.kind} {act.id} was answered {act.status} {json.dumps(act.answer)[:200]}, its repeat {status} {json.dumps(answer)[:200]}"


@promise
def connections_are_as_acknowledged(facts: Facts) -> Iterator[str]:
    """A connection is as the last acknowledged act left it."""
    for connection, status, acts in _last_states(facts, {"pause": "paused", "resume": "active"}):
        row = next((row for row in facts.connections if row["id"] == connection), None)
        if not row or row["status"] != status:
            yield f"connection {connection} is {row and row['status']}, but {acts[-1].kind} {acts[-1].id} was acknowledged last"


@promise
def vaults_are_as_acknowledged(facts: Facts) -> Iterator[str]:
    """A vault has at most one open session, and is as the last acknowledged act left it."""
    open = Counter(row["vault_id"] for row in facts.sessions if row["locked_at"] is None and row.get("kind") != "emergency")
    for vault, count in open.items():
        if count > 1:
            yield f"vault {vault} has {count} open sessions"
    expired = {row["vault_id"] for row in facts.sessions if row["lock_reason"] == "expired"}
    for vault, is_open, acts in _last_states(facts, {"open": True, "lock": False}):
        if bool(open[vault]) != is_open and not (is_open and vault in expired):
            yield f"vault {vault} is {'open' if open[vault] else 'locked'}, but {acts[-1].kind} {acts[-1].id} was acknowledged last"


@promise
def senders_are_called_once(facts: Facts) -> Iterator[str]:
    """A sender hears once a day that their pings are due, and is reminded once, or again after each outage."""
    for (user, type, date), count in Counter(
        (row["user_id"], row["type"], row["data"]["date"]) for row in facts.notifications if row["type"] in ("ping_due", "ping_reminder")
    ).items():
        if count > 1 + (len(facts.outages) if type == "ping_reminder" else 0):
            yield f"sender {user} got {count} times {type} of {date}"


@promise
def nobody_enters_without_a_grant(facts: Facts) -> Iterator[str]:
    """Whoever enters a vault by emergency access, or reads in it, has a request that the owner approved by then, or whose wait was over. No
    wait is shorter than the terms say."""
    for request in facts.requests:
        if request["approved_at"] is None and request["grants_at"] is not None:
            wait = request["grants_at"] - request["waits_from"]
            if wait < timedelta(hours=request["wait_hours"]):
                yield f"request {request['id']} waits {wait}, not {request['wait_hours']} hours"
    for act in facts.acts:
        if act.kind not in ("enter", "read") or not act.is_acknowledged:
            continue
        if not any(_is_granted(facts, request, instant(act.ended)) for request in _requests_of(facts, act)):
            yield f"{act.user} could {act.kind} vault {act.subject} at {instant(act.ended)} without a grant ({act.id})"


@promise
def grants_come_in_time(facts: Facts) -> Iterator[str]:
    """Nobody is kept out more than a minute after their wait was over, unless an outage or an owner whom no notice reached moved the grant."""
    # Kith believes a server whose clock is late by up to a minute.
    late = LATE + SLACK
    for act in facts.acts:
        if act.kind != "enter" or act.status not in (403, 423) or facts.outages:
            continue
        began, ended = instant(act.began), instant(act.ended)
        for request in _requests_of(facts, act):
            is_over = request["grants_at"] is not None and request["grants_at"] + late < began
            is_moved = request["delays"] > 0 or request["undelivered_since"] is not None
            if is_over and not is_moved and (request["ended_at"] is None or ended < request["ended_at"]):
                yield f"{act.user} was kept out of vault {act.subject} at {began}, but request {request['id']} granted at {request['grants_at']}"


@promise
def an_acknowledged_no_is_final(facts: Facts) -> Iterator[str]:
    """Once an owner's no, check-in or taking away of the right, or a nominee's withdrawal was acknowledged, the request has ended for good."""
    ends = defaultdict(list)
    for act in facts.acts:
        for request in facts.requests if act.is_acknowledged else ():
            begun = request["begun_at"] + SLACK < instant(act.began)
            is_end = act.kind in ("reject", "withdraw") and act.subject == request["id"]
            is_end |= act.kind == "take" and act.subject == request["vault_id"]
            is_end |= act.kind in CHECK_INS and act.user == request["owner_id"] and request["reject_on_check_in"] and begun
            if is_end:
                ends[request["id"]].append(act)
                if request["ended_at"] is None:
                    yield f"request {request['id']} is open, but {act.kind} {act.id} was acknowledged at {instant(act.ended)}"
    for act in facts.acts:
        requests = _requests_of(facts, act) if act.kind in ("enter", "read") and act.is_acknowledged else []
        if requests and all(any(end.ended < act.began for end in ends[request["id"]]) for request in requests):
            yield f"{act.user} could {act.kind} vault {act.subject} at {instant(act.began)}, although each request had ended ({act.id})"


@promise
def owners_know_of_each_grant(facts: Facts) -> Iterator[str]:
    """The owner hears of each request when it begins, before anybody enters by it, and of each grant that they have not given themselves."""
    heard = defaultdict(list)
    for row in facts.notifications:
        if row["type"].startswith("emergency_") and row["data"].get("to") == "owner":
            heard[row["user_id"], row["type"], row["data"]["request_id"]].append(row["told_at"])
    entries = defaultdict(list)
    for act in facts.acts:
        if act.kind == "enter" and act.is_acknowledged:
            entries[act.answer["request_id"]].append(act)
    for request in facts.requests:
        owner, id = request["owner_id"], request["id"]
        first = min(heard[owner, "emergency_requested", id], default=None)
        if first is None:
            yield f"owner {owner} never heard of request {id}"
        for act in entries[id]:
            if first and first > instant(act.ended) + SLACK:
                yield f"owner {owner} heard of request {id} at {first}, after {act.user} had entered at {instant(act.ended)}"
        is_granted = request["grant_told_at"] is not None and request["approved_at"] is None and request["ended_at"] is None
        if (entries[id] or is_granted) and not heard[owner, "emergency_opened", id]:
            yield f"owner {owner} never heard that request {id} was granted"


@promise
def emergency_notices_are_planned_once(facts: Facts) -> Iterator[str]:
    """Each notice of a request is told once, or again after each delay or outage."""
    again = {request["id"]: request["delays"] + len(facts.outages) for request in facts.requests}
    for key, count in Counter(
        (row["user_id"], row["type"], row["data"]["request_id"], row["data"].get("to"), row["data"].get("detail"))
        for row in facts.notifications if row["type"].startswith("emergency_")
    ).items():
        if count > 1 + again.get(key[2], 0):
            yield f"user {key[0]} got {count} times {key[1]} ({key[4]}) of request {key[2]}"


def _was_asked(facts: Facts, ping: dict) -> bool:
    """Whether the sender was told before the deadline that this date's pings were due."""
    return any(
        row["user_id"] == ping["sender_id"] and row["type"] in ("ping_due", "ping_reminder") and row["data"]["date"] == str(ping["ping_on"])
        and row.get("sent_at") is not None and row["sent_at"] < ping["deadline_at"]
        for row in facts.notifications
    )


@promise
def silence_is_the_owners(facts: Facts) -> Iterator[str]:
    """A wait by silence begins after as many dates as it says on which the owner missed a ping that no outage touched, and not after an
    answer. It does begin if there is no answer and no outage."""
    outages = [(row["began_at"], row["ended_at"]) for row in facts.outages if row["component"] == "server"] + facts.silences
    acting = {act.user for act in facts.acts if act.kind in CHECK_INS}
    begun_for = {request["nominee_id"] for request in facts.requests if request["cause"] == "silence"}
    for right in facts.rights:
        # A date of which the owner was told too late, because a provider was away, does not count (E03).
        dates = {
            ping["ping_on"] for ping in facts.pings
            if ping["sender_id"] == right["owner_id"] and ping["status"] == "missed" and _was_asked(facts, ping)
        }
        is_silent = len(dates) >= right["after_missed_days"] and right["owner_id"] not in acting
        if is_silent and not facts.outages and right["nominee_id"] not in begun_for:
            yield f"owner {right['owner_id']} missed {len(dates)} dates, but no wait began for nominee {right['nominee_id']}"
    for request in facts.requests:
        begun = request["begun_at"]
        if request["cause"] != "silence" or facts.released_at and begun > facts.released_at:
            continue
        dates = set()
        for ping in facts.pings:
            if ping["sender_id"] != request["owner_id"] or ping["status"] not in ("missed", "completed_late") or ping["deadline_at"] > begun + SLACK:
                continue
            # Its first seconds count as served: the heartbeats before it reach so far.
            if not any(began + timedelta(seconds=15) < ping["deadline_at"] and (ended is None or ended > ping["scheduled_at"])
                       for began, ended in outages):
                dates.add(ping["ping_on"])
        if len(dates) < request["missed_days"]:
            yield f"request {request['id']} began by silence after {len(dates)} missed dates, not {request['missed_days']}"
        for act in facts.acts:
            if act.kind in CHECK_INS and act.is_acknowledged and act.user == request["owner_id"] and instant(act.ended) + SLACK < begun:
                yield f"request {request['id']} began by silence at {begun}, after check-in {act.id} at {instant(act.ended)}"


@promise
def documents_read_back(facts: Facts) -> Iterator[str]:
    """A document that is there is the whole of one upload, byte for byte; one that was acknowledged is there unless somebody deleted it."""
    uploads = {act.id: act for act in facts.acts if act.kind == "upload"}
    for row in facts.documents:
        act = uploads.get(row["name"])
        if not act:
            yield f"document {row['id']} ({row['name']}) was uploaded by nobody"
        elif row["deleted_at"] is None and facts.contents.get(row["id"]) != act.digest:
            yield f"document {row['id']} reads {facts.contents.get(row['id'])}, but upload {act.id} sent {act.digest}"
    deleted = {act.subject for act in facts.acts if act.kind == "delete"}
    there = {row["id"] for row in facts.documents if row["deleted_at"] is None}
    for act in uploads.values():
        if act.is_acknowledged and act.answer["id"] not in there | deleted:
            yield f"document {act.answer['id']} of upload {act.id} is gone, and nobody deleted it"


@promise
def deleted_documents_stay_deleted(facts: Facts) -> Iterator[str]:
    """After an acknowledged deletion a document is not there."""
    there = {row["id"] for row in facts.documents if row["deleted_at"] is None}
    for act in facts.acts:
        if act.kind == "delete" and act.is_acknowledged and act.subject in there:
            yield f"document {act.subject} is there, but delete {act.id} was acknowledged"


@promise
def quotas_count_what_is_stored(facts: Facts) -> Iterator[str]:
    """The size that counts towards the quota is that of the chunks, and no complete version is without a document."""
    for row in facts.documents:
        if row["size"] != row["stored"]:
            yield f"document {row['id']} counts {row['size']} bytes, but {row['stored']} are stored"
    if facts.loose_versions:
        yield f"{facts.loose_versions} complete versions belong to no document"


@promise
def streams_miss_nothing(facts: Facts) -> Iterator[str]:
    """Whoever goes on after the last event gets each of their events once, in the order of the feed, and none of anybody else."""
    for stream in facts.streams:
        if stream.since is None:
            yield f"user {stream.user} got no position in {stream.connections} connections"
            continue
        own = sorted(event for event in facts.feed.get(stream.user, []) if event > stream.since)
        seen = set(stream.events)
        missing = [event for event in own if event not in seen]
        if missing:
            yield f"user {stream.user} never got {len(missing)} events, from {missing[0]} to {missing[-1]}; tried last: {stream.attempts[-5:]}"
        for event in seen - set(facts.feed.get(stream.user, [])):
            yield f"user {stream.user} got event {event}, which is not theirs"
        if any(later <= earlier for earlier, later in zip(stream.events, stream.events[1:])):
            yield f"user {stream.user} got events twice or out of order"
        for reset in stream.resets:
            yield f"user {stream.user} was told that events were missed: {reset}"


def _requests_of(facts: Facts, act) -> list[dict]:
    """The requests that can let the nominee of an act in, of those that had begun by its end."""
    return [
        request for request in facts.requests
        if (request["user_id"], request["vault_id"]) == (act.user, act.subject) and request["begun_at"] < instant(act.ended) + SLACK
    ]


def _is_granted(facts: Facts, request: dict, at: datetime) -> bool:
    """Whether a request can have let somebody in at an instant. The clock's hand has moved the wait, but never after its end."""
    approved = any(act.kind == "approve" and act.subject == request["id"] and instant(act.began) < at for act in facts.acts)
    if request["approved_at"] is not None:
        return approved
    return request["grants_at"] is not None and request["grants_at"] < at + SLACK


def _last_states(facts: Facts, kinds: dict) -> Iterator[tuple[str, object, list]]:
    """For each subject of which each outcome is certain: the state that the last acknowledged act left. A try without an answer may still
    take effect after a later act, when its connection comes alive again."""
    subjects = defaultdict(list)
    for act in sorted(facts.acts, key=lambda act: act.began):
        if act.kind in kinds:
            subjects[act.subject].append(act)
    for subject, acts in subjects.items():
        if all(act.is_acknowledged or act.tries == 1 and act.status is not None and act.status < 500 for act in acts):
            known = [act for act in acts if act.is_acknowledged]
            if known:
                yield subject, kinds[known[-1].kind], known


def _key(channel: str, delivery: str | None, notification: str | None, address: str) -> tuple:
    return (channel, notification, address) if channel == "web_push" else (channel, delivery, address)

"""The promises about answers by text message (docs/inbound.md)."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import histories
from facts import Facts
from people import CHECK_INS, Act
from promise import promise

TEXTS = ("text", "chatter", "text take", "text end")
SHOWN = timedelta(seconds=2)
"""How much later than its time a commit can be seen, on a slow disk."""
NEAR = timedelta(minutes=15) + SHOWN
"""For how long after the end of an alarm a text message can be about it."""
ASKING = ("ping_missed", "help_requested", "alarm_repeat", "ask_unanswered")
"""What a receiver can answer by "1" and "2"."""
LINK = re.compile(r"\{link:([-0-9a-f]{36})\}")


def committed_at(facts: Facts, act: Act) -> datetime | None:
    """When what a text message did was committed; None if it did nothing."""
    return facts.messages.get(hashlib.sha256(act.id.encode()).hexdigest())


@promise
def texts_count_once(facts: Facts) -> Iterator[str]:
    """An acknowledged text message that means "I'm safe" is one check-in of its sender, and no other message is any, except a "1" that answers
    nothing (texts_about_alarms_mean_one_thing). None is refused."""
    counts = Counter((row["user_id"], row["committed_at"]) for row in facts.check_ins if row["source"] == "sms")
    for act in facts.acts:
        if act.kind not in TEXTS:
            continue
        at = committed_at(facts, act)
        if act.status is not None and 400 <= act.status < 500 and act.status not in (401, 429):
            yield f"text {act.id} ({act.subject}) was refused with {act.status}"
        if act.is_acknowledged and at is None:
            yield f"text {act.id} ({act.subject}) of {act.user} was acknowledged, and is not there"
        # A message and its effects are committed in one transaction.
        count = counts.pop((act.user, at), 0)
        if at is not None and act.kind != "text take" and count != (act.kind == "text"):
            yield f"text {act.id} ({act.subject}) of {act.user} is {count} check-ins"
    for (user, at), count in counts.items():
        yield f"user {user} checked in {count} times at {at} by a text message that nobody wrote, or that had counted before"


@promise
def nobody_is_safe_without_an_answer(facts: Facts) -> Iterator[str]:
    """A ping is completed only if its sender has answered, or tried to."""
    acting = {act.user for act in facts.acts if act.kind in CHECK_INS}
    for ping in facts.pings:
        if ping["status"] in ("completed", "completed_late") and ping["sender_id"] not in acting:
            yield f"ping {ping['id']} is {ping['status']}, but its sender {ping['sender_id']} never checked in"


@promise
def texts_are_answered_once(facts: Facts) -> Iterator[str]:
    """Each acknowledged text message that does something is answered by one text message, and a repeat by none."""
    replies = Counter(row["address"] for row in facts.deliveries if row["purpose"] == "answer")
    texts = defaultdict(list)
    for act in facts.acts:
        if act.kind in TEXTS:
            texts[act.user].append(act)
    for user, acts in texts.items():
        count = replies.pop(facts.phones[user], 0)
        # What can be answered is said once an hour, and after 30 answers a day Kith is silent.
        least = sum(act.is_acknowledged and act.kind in ("text", "text take") for act in acts)
        if not min(least, 30) <= count <= sum(committed_at(facts, act) is not None for act in acts):
            yield f"user {user} wrote {len(acts)} texts, {least} of them with an effect, and was answered {count} times"
    for address, count in replies.items():
        yield f"{address} got {count} answers, but wrote nothing"


@promise
def texts_about_alarms_mean_one_thing(facts: Facts) -> Iterator[str]:
    """"1" takes the one alarm of which a text message has told its writer and "2" ends it, if it can still be taken or ended. Nothing else
    happens, and nothing at all if no text message told of it, or if there are two, or just after another one has ended. A "1" of somebody who
    was told of no alarm is a check-in."""
    timelines = histories.timelines(facts)
    told = histories.first_told(facts)
    texted = _texted(facts)
    wrote = defaultdict(list)
    for row in facts.entries:
        if row["kind"] in ("taken", "still_on_it", "resolved"):
            wrote[row["user_id"], row["committed_at"]].append((row["alarm_id"], row["kind"]))
    for row in facts.check_ins:
        wrote[row["user_id"], row["committed_at"]].append((row["user_id"], "check-in"))
    for act in facts.acts:
        at = committed_at(facts, act) if act.kind in ("text take", "text end") else None
        if at is None:
            continue
        done = wrote[act.user, at]
        states = {alarm: histories.state_before(timelines[alarm], at) for alarm, since in told[act.user].items() if since < at}
        open_alarms = [alarm for alarm, state in states.items() if state[0] != "resolved"]
        # A slow disk shows a commit later than its time says.
        just_ended = any(
            state[0] == "resolved" and histories.state_before(timelines[alarm], at - NEAR)[0] != "resolved" for alarm, state in states.items()
        )
        made, sent = zip(*(texted[act.user, alarm] for alarm in states), strict=True) if states else ((), ())
        check_in = [(act.user, "check-in")] if act.kind == "text take" else []
        allowed = [[]]
        if len(open_alarms) == 1:
            alarm = open_alarms[0]
            does = _does(act, *states[alarm])
            began, arrived = texted[act.user, alarm]
            if does and began <= at:
                # It must do so if the message had arrived, and no other alarm can be meant.
                allowed = [[(alarm, does)]] + ([] if arrived <= at - SHOWN and not just_ended else [[]])
        elif not open_alarms and not any(instant <= at - SHOWN for instant in sent):
            allowed = [check_in] + ([[]] if any(instant <= at for instant in made) or just_ended else [])
        if done not in allowed:
            yield f"text {act.id} ({act.subject}) of {act.user} did {done}, not {' or '.join(map(str, allowed))}"


def _texted(facts: Facts) -> dict[tuple[str, str], tuple[datetime, datetime]]:
    """For each user and each alarm: when the first text message that asks them about it was made, and when one had gone out; the end of time if
    never."""
    never = datetime.max.replace(tzinfo=timezone.utc)
    found: dict[tuple[str, str], tuple[datetime, datetime]] = defaultdict(lambda: (never, never))
    asking = {row["id"]: (row["user_id"], row["data"].get("alarm_id")) for row in facts.notifications if row["type"] in ASKING}
    users = {phone: user for user, phone in facts.phones.items()}
    for row in facts.deliveries:
        if row["channel"] != "sms":
            continue
        about = [asking.get(row["notification_id"], (None, None))]
        if row["purpose"] == "answer":
            about = [(users.get(row["address"]), alarm) for alarm in LINK.findall(row.get("body") or "")]
        for key in about:
            made, sent = found[key]
            found[key] = (min(made, row.get("created_at") or never), min(sent, row.get("sent_at") or never))
    return found


def _does(act: Act, state: str, taker: str | None) -> str | None:
    """What a text message writes into the timeline of an alarm that is not over."""
    if act.kind == "text end":
        return "resolved"
    return "taken" if state == "open" else "still_on_it" if taker == act.user else None

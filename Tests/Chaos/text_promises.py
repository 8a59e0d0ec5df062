"""The promises about answers by text message (docs/inbound.md)."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

import histories
from facts import Facts
from people import CHECK_INS, Act
from promise import promise

TEXTS = ("text", "chatter", "text take", "text end")
SHOWN = timedelta(seconds=2)
"""How much later than its time a commit can be seen, on a slow disk."""


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
    """"1" takes the one alarm of which its writer was told and "2" ends it, if it can still be taken or ended; and nothing else happens. A "1"
    after the alarm is a check-in."""
    timelines = histories.timelines(facts)
    told = histories.first_told(facts)
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
        due = [(alarm, _does(act, *state)) for alarm, state in states.items() if state[0] != "resolved"]
        # A slow disk shows a commit later than its time says: the text met an alarm that ended while it waited for it.
        is_late = any(
            state[0] == "resolved" and histories.state_before(timelines[alarm], at - SHOWN)[0] != "resolved" for alarm, state in states.items()
        )
        if not due and act.kind == "text take":
            due = [(act.user, "check-in")]
        if done != [each for each in due if each[1]] and not (done == [] and is_late):
            yield f"text {act.id} ({act.subject}) of {act.user} did {done}, not {due}"


def _does(act: Act, state: str, taker: str | None) -> str | None:
    """What a text message writes into the timeline of an alarm that is not over."""
    if act.kind == "text end":
        return "resolved"
    return "taken" if state == "open" else "still_on_it" if taker == act.user else None

"""The promises about answers by text message (docs/inbound.md)."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator

from facts import Facts
from people import CHECK_INS, Act
from promise import promise

TEXTS = ("text", "chatter")


def committed_at(facts: Facts, act: Act):
    """When what a text message did was committed; None if it did nothing."""
    return facts.messages.get(hashlib.sha256(act.id.encode()).hexdigest())


@promise
def texts_count_once(facts: Facts) -> Iterator[str]:
    """An acknowledged text message that means "I'm safe" is one check-in of its sender, and no other message is any. None is refused."""
    counts = Counter((row["user_id"], row["committed_at"]) for row in facts.check_ins if row["source"] == "sms")
    for act in facts.acts:
        if act.kind not in TEXTS:
            continue
        at = committed_at(facts, act)
        if act.status is not None and 400 <= act.status < 500 and act.status not in (401, 429):
            yield f"text {act.id} ({act.subject}) was refused with {act.status}"
        if act.is_acknowledged and at is None:
            yield f"text {act.id} ({act.subject}) of {act.user} was acknowledged, and is not there"
        # What a message did is in its transaction.
        count = counts.pop((act.user, at), 0)
        if at is not None and count != (act.kind == "text"):
            yield f"text {act.id} ({act.subject}) of {act.user} is {count} check-ins"
    for (user, at), count in counts.items():
        yield f"user {user} checked in {count} times at {at} by a text message that nobody wrote"


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
        least = sum(act.is_acknowledged and act.kind == "text" for act in acts)
        if not min(least, 30) <= count <= sum(committed_at(facts, act) is not None for act in acts):
            yield f"user {user} wrote {len(acts)} texts, {least} of them with an effect, and was answered {count} times"
    for address, count in replies.items():
        yield f"{address} got {count} answers, but wrote nothing"

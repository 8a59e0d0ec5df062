"""The promises about alarms (docs/alarms.md)."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime

import histories
from facts import Facts
from histories import ENDS, OPENS
from people import CHECK_INS, Act
from promise import LATE, SLACK, instant, promise

WRITTEN = {
    "take alarm": ("taken", "still_on_it"), "text take": ("taken", "still_on_it"), "release alarm": ("released", "declined"),
    "text end": ("resolved",),
}
"""What these acts write into the timeline. By text it depends on the alarm (texts_about_alarms_mean_one_thing)."""
NOTED = {"resolve alarm": "resolved", "reopen alarm": "reopened", "note alarm": "noted", "help": "help", "false alarm": "false_alarm"}
"""What these acts write, with their id as the note."""
FOUND = {
    "taken": ("open",), "still_on_it": ("taken",), "released": ("taken",), "lapsed": ("taken",), "left": ("taken",), "asked": ("taken",),
    "reopened": ("taken", "resolved"), "resolved": ("open", "taken"), "false_alarm": ("open", "taken"), "expired": ("open", "taken"),
    "repeated": ("open",), "missed": ("open", "taken"), "help": ("open", "taken"),
}
"""The states in which each kind of entry can be written. All others can be in any."""
OWN = ("still_on_it", "released", "lapsed", "left", "asked")
"""What happens only to the person who has the alarm."""
TOLD = {
    "alarm_taken": ("taken",), "alarm_reopened": OPENS, "alarm_resolved": ("resolved", "false_alarm"), "alarm_check": ("asked",),
    "alarm_repeat": ("repeated",), "help_requested": ("help",), "ping_all_clear": ("checked_in",),
}
"""Of which entries each type of notification tells."""


@promise
def each_miss_has_an_alarm(facts: Facts) -> Iterator[str]:
    """Whoever hears of a miss hears it with an alarm of its sender. Each alarm comes from a miss or a call for help."""
    alarms = {row["id"]: row for row in facts.alarms}
    pings = {ping["id"]: ping for ping in facts.pings}
    told, causes = set(), set()
    for row in facts.notifications:
        ping = pings.get(row["data"].get("ping_id")) if row["type"] == "ping_missed" else None
        if ping and row["user_id"] == ping["receiver_id"]:
            alarm = alarms.get(row["data"].get("alarm_id"))
            told.add(ping["id"])
            causes.add(row["data"].get("alarm_id"))
            if not alarm or alarm["sender_id"] != ping["sender_id"]:
                yield f"user {row['user_id']} heard of missed ping {ping['id']} without an alarm of {ping['sender_id']}"
    callers = {act.user for act in facts.acts if act.kind == "help"}
    # That nobody heard of a miss is for each_miss_is_told_once to say.
    untold = {ping["sender_id"] for ping in facts.pings if ping["status"] == "missed" and ping["id"] not in told}
    for row in facts.alarms:
        if row["id"] not in causes and row["sender_id"] not in untold and not (row["called_at"] and row["sender_id"] in callers):
            yield f"alarm {row['id']} of {row['sender_id']} ({row['kind']}) is of no miss and no call for help"


@promise
def a_sender_has_one_alarm(facts: Facts) -> Iterator[str]:
    """At no instant has a sender two alarms that are not over."""
    opened, timelines = _openings(facts), histories.timelines(facts)
    spans = defaultdict(list)
    for row in facts.alarms:
        began = opened.get(row["id"])
        for entry in timelines[row["id"]] if began else ():
            if entry["kind"] in ENDS and began:
                spans[row["sender_id"]].append((began, entry["committed_at"], row["id"]))
                began = None
            elif entry["kind"] in OPENS and not began:
                began = entry["committed_at"]
        if began:
            spans[row["sender_id"]].append((began, None, row["id"]))
    for sender, own in spans.items():
        own.sort(key=lambda span: span[0])
        for (_, ended, first), (began, _, second) in zip(own, own[1:]):
            if ended is None or began < ended:
                yield f"sender {sender} had alarm {first} until {ended}, and {second} from {began}"


@promise
def one_person_looks_after_an_alarm(facts: Facts) -> Iterator[str]:
    """At each instant an alarm has at most one taker; its timeline has only what could happen, and the alarm is as the timeline left it."""
    timelines = histories.timelines(facts)
    for row in facts.alarms:
        for entry, (state, taker) in histories.steps(timelines[row["id"]]):
            is_own = entry["kind"] not in OWN or entry["user_id"] == taker
            if state not in FOUND.get(entry["kind"], (state,)) or not is_own:
                yield f"alarm {row['id']} was {state} by {taker} when {entry['user_id']} had {entry['kind']} at {entry['committed_at']}"
        state, taker = histories.last_state(timelines[row["id"]])
        kept = "resolved" if row["resolved_at"] else "taken" if row["taken_at"] else "open"
        if (kept, row["taken_by"]) != (state, taker):
            yield f"alarm {row['id']} is {kept} by {row['taken_by']}, but its timeline says {state} by {taker}"


@promise
def acts_in_alarms_are_kept_once(facts: Facts) -> Iterator[str]:
    """An acknowledged act in an alarm is in its timeline, once, and nothing is there that nobody did."""
    notes = Counter((row["kind"], row["note"]) for row in facts.entries if row["note"])
    wrote = Counter((row["alarm_id"], row["user_id"], row["kind"]) for row in facts.entries if not row["note"])
    acknowledged, possible = Counter(), Counter()
    for act in facts.acts:
        if act.kind in NOTED:
            count = notes.pop((NOTED[act.kind], act.id), 0)
            if count > 1 or act.is_acknowledged and not count:
                yield f"{act.kind} {act.id} of {act.user} is there {count} times, and was answered {act.status}"
        elif act.kind in WRITTEN:
            by_text = act.kind.startswith("text")
            key = (None if by_text else act.subject, act.user, WRITTEN[act.kind])
            acknowledged[key] += act.is_acknowledged and not by_text
            possible[key] += _is_possible(act)
    for (kind, note), count in notes.items():
        yield f"{kind} with the note {note} is there {count} times, and nobody wrote it"
    for (alarm, user, kinds), least in acknowledged.items():
        count = sum(wrote[alarm, user, kind] for kind in kinds)
        # Whoever has not taken an alarm declines it, once, however often they release it.
        is_declined = "declined" in kinds and wrote[alarm, user, "declined"] > 0
        if alarm and count < least and not is_declined:
            yield f"user {user} was told {least} times that alarm {alarm} was {kinds[0]}, which is there {count} times"
    for (alarm, user, kind), count in wrote.items():
        most = sum(possible[key, user, kinds] for key in (alarm, None) for kinds in set(WRITTEN.values()) if kind in kinds)
        if any(kind in kinds for kinds in WRITTEN.values()) and kind not in ("still_on_it", "declined") and count > most:
            yield f"alarm {alarm} was {count} times {kind} by {user}, who tried {most} times"


@promise
def alarms_end_by_a_word(facts: Facts) -> Iterator[str]:
    """An alarm stays until its sender checks in or somebody ends it, and an acknowledged check-in ends it for good."""
    opened = _openings(facts)
    said = defaultdict(list)
    for act in facts.acts:
        if act.kind in CHECK_INS:
            said[act.user].append(act)
    timelines = histories.timelines(facts)
    for row in facts.alarms:
        entries, id, sender = timelines[row["id"]], row["id"], row["sender_id"]
        kinds = {entry["kind"] for entry in entries}
        if "expired" in kinds or "checked_in" in kinds and not said[sender]:
            yield f"alarm {id} ended by itself: {sorted(kinds)}"
        for act in said[sender]:
            began, ended = instant(act.began), instant(act.ended)
            # A call for help counts from the clock of its server, and the check-in from that of another.
            is_called = any(entry["kind"] == "help" and entry["committed_at"] + LATE > began for entry in entries)
            if not act.is_acknowledged or is_called or opened.get(id) is None or opened[id] + SLACK > began:
                continue
            later = [entry["committed_at"] for entry in entries if entry["kind"] == "reopened" and entry["committed_at"] > began]
            if histories.state_before(entries, ended + SLACK)[0] != "resolved" and not later:
                yield f"alarm {id} of {sender} is not over, but check-in {act.id} was acknowledged at {ended}"
            if any(at > ended + SLACK for at in later) and opened[id] + LATE < began:
                yield f"alarm {id} of {sender} was opened again after check-in {act.id}, acknowledged at {ended}"


@promise
def each_change_is_told_once(facts: Facts) -> Iterator[str]:
    """Nobody hears twice of a change in an alarm, or of one that did not happen. One notification has one delivery on each channel and address
    (repeats_have_the_same_id)."""
    timelines = histories.timelines(facts)
    for (user, type, alarm, at), count in _heard(facts).items():
        if alarm not in timelines:
            continue
        happened = [entry for entry in timelines[alarm] if entry["committed_at"] == at and entry["kind"] in TOLD[type]]
        if count > 1:
            yield f"user {user} heard {count} times {type} of alarm {alarm} at {at}"
        # A receiver who connects during a call for help is told of it at that moment.
        if not happened and type not in ("help_requested", "ping_all_clear"):
            yield f"user {user} heard {type} of alarm {alarm} at {at}, which did not happen"


@promise
def nobody_misses_a_change(facts: Facts) -> Iterator[str]:
    """Everybody who was told of an alarm, and its sender, hears of each change in it that somebody else made, unless its sender ended it before
    anything of it had reached them."""
    timelines, heard, withdrawn = histories.timelines(facts), _heard(facts), histories.withdrawn(facts)
    # A check-in that clears two alarms of a sender is told once.
    clear = {(row["user_id"], row["data"].get("user_id"), row["told_at"]) for row in facts.notifications if row["type"] == "ping_all_clear"}
    told = histories.first_told(facts)
    audience = defaultdict(list)
    for row in facts.alarm_receivers:
        if row["left_at"] is None:
            audience[row["alarm_id"]].append(row["receiver_id"])
    for row in facts.alarms:
        for entry in timelines[row["id"]]:
            type = next((type for type, kinds in TOLD.items() if entry["kind"] in kinds), None)
            for user in _hearers(entry, row["sender_id"], audience[row["id"]]):
                at = entry["committed_at"]
                if user != row["sender_id"] and told[user].get(row["id"], at) >= at:
                    continue
                if (user, row["id"]) in withdrawn and at <= withdrawn[user, row["id"]]:
                    continue
                is_clear = type == "ping_all_clear" and (user, row["sender_id"], at) in clear
                if not heard[user, type, row["id"], at] and not is_clear:
                    yield f"user {user} never heard that alarm {row['id']} was {entry['kind']} at {at}"


def _heard(facts: Facts) -> Counter:
    """How often each person heard of what about which alarm in a transaction, without what was withdrawn, which then says how the alarm ended."""
    withdrawn = histories.withdrawn(facts)
    return Counter(
        (row["user_id"], row["type"], row["data"].get("alarm_id"), row["told_at"])
        for row in facts.notifications if row["type"] in TOLD and not histories.is_withdrawn(row, withdrawn)
    )


def _openings(facts: Facts) -> dict[str, datetime]:
    """When each alarm opened: people were told of it in that transaction."""
    opened: dict[str, datetime] = {}
    for alarms in histories.first_told(facts).values():
        for alarm, at in alarms.items():
            opened[alarm] = min(at, opened.get(alarm, at))
    return opened


def _is_possible(act: Act) -> bool:
    """Whether an act may have been carried out: also one of which a try got no answer."""
    return act.is_acknowledged or act.tries > 1 or act.status is None or act.status >= 500


def _hearers(entry: dict, sender: str, receivers: list[str]) -> list[str]:
    """Who must hear of an entry, of those who were told before."""
    kind, actor = entry["kind"], entry["user_id"]
    if kind in ("taken", "resolved"):
        return [user for user in (*receivers, sender) if user != actor]
    if kind in OPENS:
        return [*receivers, sender]
    if kind in ("false_alarm", "checked_in", "help"):
        return receivers
    return [actor] if kind == "asked" else []

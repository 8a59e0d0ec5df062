"""What the timeline of an alarm says, in the order of the commits: acts lock the alarm, so one is committed before the next one begins."""

import functools
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

from facts import Facts

ENDS = ("resolved", "checked_in", "false_alarm", "expired")
"""The kinds of entries that end an alarm."""
OPENS = ("released", "lapsed", "left", "reopened")
"""The kinds that open a taken or resolved alarm again."""
FIRST = {"asked": 0, "lapsed": 1, "left": 1}
"""What a transaction records before it does something else."""
State = tuple[str, str | None]
"""`open`, `taken` by a person, or `resolved`."""


def timelines(facts: Facts) -> dict[str, list[dict]]:
    """The entries of each alarm, in order."""
    found: dict[str, list[dict]] = {row["id"]: [] for row in facts.alarms}
    for row in sorted(facts.entries, key=lambda row: (row["committed_at"], FIRST.get(row["kind"], 2), row["id"])):
        found[row["alarm_id"]].append(row)
    return found


def steps(entries: list[dict]) -> Iterator[tuple[dict, State]]:
    """Each entry with the state that it found."""
    state: State = ("open", None)
    for entry in entries:
        yield entry, state
        state = _after(entry, state)


def last_state(entries: list[dict]) -> State:
    """The state that all entries left."""
    return functools.reduce(lambda state, entry: _after(entry, state), entries, ("open", None))


def state_before(entries: list[dict], at: datetime) -> State:
    """The state that a transaction committed at an instant found, with what had become due."""
    return last_state([entry for entry in entries if entry["committed_at"] < at or entry["committed_at"] == at and entry["kind"] in FIRST])


def first_told(facts: Facts) -> dict[str, dict[str, datetime]]:
    """For each user and each alarm of which they were told: when they were told first."""
    alarms = {row["id"] for row in facts.alarms}
    told: dict[str, dict[str, datetime]] = defaultdict(dict)
    for row in facts.notifications:
        alarm = row["data"].get("alarm_id")
        if alarm in alarms and row["told_at"]:
            told[row["user_id"]][alarm] = min(row["told_at"], told[row["user_id"]].get(alarm, row["told_at"]))
    return told


def withdrawn(facts: Facts) -> dict[tuple[str, str], datetime]:
    """The last end of an alarm by its sender before which nothing of it had reached a receiver, by receiver and alarm: then nothing of it reaches
    them, its end included (internal.withdraw_unheard)."""
    reached = {row["notification_id"] for row in facts.deliveries if row["status"] in ("sending", "sent") or row["attempts"]}
    messages = defaultdict(list)
    for row in facts.notifications:
        messages[row["user_id"], row["data"].get("alarm_id")].append(row)
    ends = defaultdict(list)
    for row in facts.entries:
        if row["kind"] in ("checked_in", "false_alarm"):
            ends[row["alarm_id"]].append(row["committed_at"])
    found = {}
    for (user, alarm), rows in messages.items():
        for end in sorted(ends[alarm]):
            earlier = [row for row in rows if row["told_at"] <= end]
            if earlier and all(row["delivery_status"] == "dropped" and not row["read_at"] and row["id"] not in reached for row in earlier):
                found[user, alarm] = end
    return found


def is_withdrawn(row: dict, ends: dict[tuple[str, str], datetime]) -> bool:
    """Whether a notification was taken back by one of these ends."""
    end = ends.get((row["user_id"], row["data"].get("alarm_id")))
    return end is not None and row["told_at"] <= end


def _after(entry: dict, state: State) -> State:
    if entry["kind"] == "taken":
        return "taken", entry["user_id"]
    if entry["kind"] in OPENS:
        return "open", None
    return ("resolved", None) if entry["kind"] in ENDS else state

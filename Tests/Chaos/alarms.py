"""Receivers who look after the alarms of which they were told, in the app or by text messages."""

import random

import texts

IN_APP = {
    "open": (("take alarm", 8), ("resolve alarm", 1), ("note alarm", 1), (None, 2)),
    "taken by me": (("release alarm", 3), ("resolve alarm", 2), ("take alarm", 1), ("note alarm", 1), (None, 2)),
    "taken": (("take alarm", 4), ("reopen alarm", 1), ("resolve alarm", 1), (None, 3)),
    "resolved": (("reopen alarm", 3), ("take alarm", 1), (None, 5)),
}
"""What a receiver does about an alarm with this status, and how often."""
BY_TEXT = {
    "open": (("text take", 4), ("text end", 1), (None, 2)),
    "taken by me": (("text end", 2), ("text take", 1), (None, 4)),
    "taken": (("text take", 2), ("text end", 1), (None, 4)),
    "resolved": (("text take", 1), (None, 9)),
}
"""The same of a receiver who has no app and one sender, so that "1" and "2" can mean one alarm only."""


def look(people, chance: random.Random, tenant: int, person: str, by_text: bool) -> None:
    """A receiver looks at their newest alarms, and does something about one of them."""
    seen = people.do(chance, "alarms", tenant, person)
    alarms = seen.answer["items"] if seen.is_acknowledged else []
    if not alarms:
        return
    alarm = alarms[min(int(chance.expovariate(1.2)), len(alarms) - 1)]
    status = "taken by me" if alarm["taken_by_me"] else alarm["status"]
    kinds, weights = zip(*(BY_TEXT if by_text else IN_APP)[status])
    kind = chance.choices(kinds, weights)[0]
    if kind in ("text take", "text end"):
        people.write(chance, kind, tenant, person, chance.choice(texts.TAKE if kind == "text take" else texts.END))
    elif kind:
        people.do(chance, kind, tenant, person, alarm["id"])

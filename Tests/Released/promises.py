"""Compares what is promised with what is there, and says each difference that breaks somebody who relied on a release.

What may change without notice: something is added that nobody has to use, something that was needed may be left out, a bound
is wider. Everything else breaks a promise.
"""

from collections.abc import Iterator


def api(released: dict, now: dict) -> Iterator[str]:
    """The breaks of the HTTP API and of webhooks."""
    for name, call in released["calls"].items():
        if (present := now["calls"].get(name)) is None:
            yield f"the call {name} is gone"
        else:
            yield from _call(name, call, present)
    for name, members in released["takes"].items():
        yield from _taken(name, members, now["takes"].get(name))
    for name, members in released["gives"].items():
        yield from _given(name, members, now["gives"].get(name))
    for name, known in released["values"].items():
        present = now["values"].get(name, {"values": []})["values"]
        for value in known["values"]:
            if value not in present:
                yield f"{name} has no value {value} any more"


def _call(name: str, call: dict, present: dict) -> Iterator[str]:
    if "sends" in call:
        if present.get("sends") != call["sends"]:
            yield f"{name} sends {present.get('sends')} instead of {call['sends']}"
        return
    if present["route"] != call["route"]:
        yield f"{name} is {present['route']} instead of {call['route']}"
    for caller in call["caller"]:
        if caller not in present["caller"]:
            yield f"{name} refuses {caller}"
    if not call["caller"] and present["caller"]:
        yield f"{name} needs a sign-in or a key"
    for place, taken in call["takes"].items():
        if place not in present["takes"]:
            yield f"{name} takes no {place} any more"
        else:
            yield from _input(f"{name}, {place}", taken, present["takes"][place])
    for place, taken in present["takes"].items():
        if place not in call["takes"] and taken["must"]:
            yield f"{name} needs {place}, which is new"
    for status, kinds in call["answers"].items():
        if status not in present["answers"]:
            yield f"{name} does not answer {status} any more"
        for media, kind in kinds.items():
            given = present["answers"].get(status, {}).get(media)
            if given is not None and given != kind or given is None and status in present["answers"]:
                yield f"{name} answers {status} with {given} instead of {kind} as {media}"


def _taken(name: str, members: dict, present: dict | None) -> Iterator[str]:
    if present is None:
        yield f"{name} is not taken any more"
        return
    for member, taken in members.items():
        if member not in present:
            yield f"{name}.{member} is not taken any more"
        else:
            yield from _input(f"{name}.{member}", taken, present[member])
    for member, taken in present.items():
        if member not in members and taken.get("must"):
            yield f"{name}.{member} is needed, and is new"


def _input(place: str, taken: dict, present: dict) -> Iterator[str]:
    if missing := set(taken["type"].split(" or ")) - set(present["type"].split(" or ")):
        yield f"{place} does not take {' or '.join(sorted(missing))} any more, but {present['type']}"
    if present.get("must") and not taken.get("must"):
        yield f"{place} is needed, and could be left out"
    for bound, is_narrower in (("most", lambda now, then: now < then), ("least", lambda now, then: now > then)):
        # Without a bound, everything was taken; a new bound has to be looked at.
        then, now = taken.get(bound), present.get(bound)
        if now is not None and (then is None and bound == "most" or then is not None and is_narrower(now, then)):
            yield f"{place} takes at {bound} {now} instead of {then if then is not None else 'any'}"


def _given(name: str, members: dict, present: dict | None) -> Iterator[str]:
    if present is None:
        yield f"{name} is not given any more"
        return
    for member, given in members.items():
        if member not in present:
            yield f"{name}.{member} is not given any more"
            continue
        if more := set(present[member]["type"].split(" or ")) - set(given["type"].split(" or ")):
            yield f"{name}.{member} can be {' or '.join(sorted(more))}, and was {given['type']}"
        if given.get("always") and not present[member].get("always"):
            yield f"{name}.{member} can be missing, and was always there"


def commands(released: dict, now: dict) -> Iterator[str]:
    """The breaks of the command line."""
    for form, parts in released.items():
        if form not in now:
            yield f"there is no {form} any more, or it needs another argument"
            continue
        for option in parts["options"]:
            if option not in now[form]["options"]:
                yield f"{form} takes no {option} any more"


def names(released: dict, now: dict) -> Iterator[str]:
    """What is gone of names that promise nothing but themselves: variables, and declarations of a library."""
    for name in released:
        if name not in now:
            yield f"{name} is gone"


def migrations(released: dict, now: dict) -> Iterator[str]:
    """The breaks of the migrations, each of which a database of the release has had. Those that follow come after them."""
    for name, checksum in released.items():
        if name not in now:
            yield f"{name} is gone"
        elif now[name] != checksum:
            yield f"{name} was edited"
    for name in now:
        if name not in released and name < max(released):
            yield f"{name} is new, and comes before {max(released)}, which databases of the release have"


def admin(released: dict, now: dict) -> Iterator[str]:
    """The breaks of the views and procedures of operators."""
    for name, then in released.items():
        if (present := now.get(name)) is None:
            yield f"{name} is gone"
        elif then["kind"] != present["kind"]:
            yield f"{name} is a {present['kind']}, and was a {then['kind']}"
        elif then["kind"] == "view":
            for column, kind in then["columns"].items():
                if present["columns"].get(column) != kind:
                    yield f"{name}.{column} is {present['columns'].get(column, 'gone')}, and was {kind}"
        else:
            yield from _procedure(name, then, present)


def _procedure(name: str, then: dict, present: dict) -> Iterator[str]:
    for place, argument in enumerate(then["takes"]):
        now = present["takes"][place] if place < len(present["takes"]) else None
        if now is None:
            yield f"{name} takes no {argument['name']} any more"
        elif (now["name"], now["type"]) != (argument["name"], argument["type"]):
            yield f"{name} takes {now['name']} {now['type']} where it took {argument['name']} {argument['type']}"
        elif now["must"] and not argument["must"]:
            yield f"{name} needs {argument['name']}, which could be left out"
    for argument in present["takes"][len(then["takes"]):]:
        if argument["must"]:
            yield f"{name} needs {argument['name']}, which is new"
    for column, kind in then["gives"].items():
        if present["gives"].get(column) != kind:
            yield f"{name} gives {column} as {present['gives'].get(column, 'nothing')}, and gave {kind}"

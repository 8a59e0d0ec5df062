"""Kith's functions with a rule broken on purpose, by which a checker shows that it would notice."""

import re

import psycopg


def broken(url: str, function: str, old: str, new: str) -> str:
    """The definition of `internal.function` with `new` in the place of `old`, however its lines are broken.

    Exits with one line if the function does not have `old` exactly once: the rule is said in another way since, and the break must follow.
    """
    with psycopg.connect(url) as connection:
        definition = connection.execute(
            "select pg_get_functiondef(oid) from pg_proc where pronamespace = 'internal'::regnamespace and proname = %s", (function,)
        ).fetchone()[0]
    pattern = r"\s+".join(map(re.escape, old.split()))
    # Spaces at its ends are part of the text.
    pattern = (r"\s+" if old[:1] == " " else "") + pattern + (r"\s+" if old[-1:] == " " else "")
    if len(re.findall(pattern, definition)) != 1:
        raise SystemExit(f"internal.{function} does not say “{old}” once: change its break in breaks.py")
    return re.sub(pattern, lambda _: new, definition)

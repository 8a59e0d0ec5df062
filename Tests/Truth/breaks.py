"""The rules broken on purpose, one promise at a time. An explorer that would not notice these guards nothing."""

from dataclasses import dataclass

import definitions


@dataclass(frozen=True)
class Break:
    """Changes of functions, and what the explorer must say of them."""

    does: str
    says: tuple[str, ...]
    #: Function, the text that is replaced, and what replaces it.
    edits: tuple[tuple[str, str, str], ...]
    #: The seed of a life of 60 acts that has shown it, and is played first.
    seed: int


BREAKS = {
    "a": Break(
        "a ping that is made after a check-in in its window is not born completed, and judged without a look at the check-in", ("although",),
        (
            ("born_ping", "if v_sign.received_at is not null then", "if false then"),
            ("judge_pings", "when profile.last_check_in_at >= ping.scheduled_at then", "when false then"),
        ), seed=1),
    "b": Break(
        "after an absence of the workers nobody is asked again with the whole grace", ("had not the whole grace again", "was never asked"),
        (
            ("make_pings_due", "ping.deadline_at <= v_waits_until", "false"),
            ("ask_after_outage", "when v_is_of_workers and", "when false and"),
        ), seed=49),
    "c": Break("misses are judged 40 seconds after the deadline instead of 10", ("is still due",), (("judging_delay", "10 seconds", "40 seconds"),), seed=24),
    "d": Break(
        "a receiver whose connection was paused after the alarm gets no all-clear", ("got no all-clear",),
        (("answer_check_in", "done.was_missed and done.connection_status = 'paused'", "false"),), seed=6),
    "e": Break(
        "every miss is called one of today", ("read “",),
        (("missed_on", "p_ping_on is distinct from internal.local_date(p_now, p_sender_zone)", "false"),), seed=3),
    "f": Break(
        "days on which Kith was unreachable, or told nobody, count", ("missed days count for",),
        (("counts_as_missed", "or p_had_outage or not p_was_asked then", "then"),), seed=19),
    "f-instant": Break("a wait begins one day late", ("no wait for",), (("begins_wait", "p_missed_days >= p_after_missed_days", "p_missed_days > p_after_missed_days"),), seed=34),
}


def statements(url: str, name: str) -> tuple[str, ...]:
    """The functions as that break makes them."""
    return tuple(definitions.broken(url, function, old, new) for function, old, new in BREAKS[name].edits)

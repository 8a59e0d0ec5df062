"""What is to become of the message of a cell, from docs/product.md and internal.notification_types() alone. Each rule names its row. The code of
the procedures was no source: where the two disagree, one of them is wrong."""

from dataclasses import dataclass, replace

from axes import AWAY, Cell
from recalls import ABOUT_NOBODY_OF_THE_PAIR, NO_LONGER_SO, OVER_A_DAY_LATER, UNDECIDED

#: How late a message may be, in the order of the instants.
WHEN = ("at once", "within two minutes", "within four minutes", "within the hour", "later", "never")
LOUDNESS = ("push", "e-mail", "text", "call")


@dataclass(frozen=True)
class Type:
    """A row of internal.notification_types()."""

    traits: frozenset
    relation: str | None
    channels: tuple[str, ...]

    def __contains__(self, trait: str) -> bool:
        return trait in self.traits

    @property
    def moves(self) -> bool:
        """Whether it moves to another channel when one fails (F07, F11, X37)."""
        return bool(self.traits & {"must_reach", "asks", "follows"})


@dataclass(frozen=True)
class Outcome:
    """On which channels a message is taken first, and when; and whether the operator reads that it reached nobody."""

    channels: frozenset = frozenset()
    when: str = "never"
    in_the_morning: bool = False
    is_reported: bool | None = False
    #: Channels that may take it at the same time, of which no row says that they must or must not.
    may: frozenset = frozenset()
    #: No row says whether it is told; the cell passes in either case.
    is_undecided: bool = False
    #: A message of this type the reader must hear in its place.
    instead: str | None = None
    #: As seen: the types of which the reader was told after noon.
    others: frozenset = frozenset()
    #: Words that it must have. As seen: all of them.
    says: str = ""
    #: Why, as the oracle sees it.
    because: str = ""

    def __str__(self) -> str:
        if self.when not in WHEN:
            return self.when
        told = "nothing"
        if self.when != "never":
            told = f"{', '.join(sorted(self.channels or self.may, key=LOUDNESS.index))} {self.when}{' in the morning' * self.in_the_morning}"
        return told + f" but {self.instead}" * bool(self.instead) + ", reported" * bool(self.is_reported) + f" “{self.says}”" * bool(self.says)

    def allows(self, seen: "Outcome") -> bool:
        """Sooner is well, but what waits for the morning leaves then."""
        if seen.when not in WHEN:
            return False
        if self.is_undecided and seen.when == "never" and not seen.is_reported:
            return self.instead is None or self.instead in seen.others
        if self.is_reported is not None and seen.is_reported != self.is_reported:
            return False
        if not self.is_undecided and self.instead is not None and self.instead not in seen.others:
            return False
        if self.when == "never" or seen.when == "never":
            return self.when == seen.when
        if self.says not in seen.says:
            return False
        return (
            self.channels <= seen.channels <= self.channels | self.may and seen.in_the_morning == self.in_the_morning
            and WHEN.index(seen.when) <= WHEN.index(self.when))


def expected(cell: Cell, types: dict[str, Type]) -> Outcome:
    type = types[cell.cause.type]
    if cell.meanwhile == AWAY:
        return a_day_later(cell, type)
    recalled = why_not(cell, type)
    # An account that ends leaves no trace of what its person was told before.
    if recalled and (not was_taken(cell, type) or cell.meanwhile == f"end of the {cell.cause.reader}'s account"):
        return recalled
    is_undecided = cell.type in UNDECIDED.get(cell.meanwhile, ())
    # Nobody is left with neither.
    instead = "alarm_reopened" if cell.meanwhile == "given back" else "help_requested" if cell.meanwhile == "help" and cell.cause.reader == "receiver" else None
    outcome = told(cell, type)
    return replace(outcome, is_undecided=is_undecided, instead=instead if is_undecided else None, says=words(cell, outcome))


def words(cell: Cell, outcome: Outcome) -> str:
    """What the message must say, apart from what it always says."""
    if not cell.cause.is_asked:
        # X37
        return "Our question may not have reached them."
    # K05: a call for help that comes late says since when.
    return "called for help at 12:00" if cell.type == "help_requested" and outcome.when in ("within the hour", "later") else ""


def a_day_later(cell: Cell, type: Type) -> Outcome:
    """What a worker finds that was away for a day: what is still true is told at once (F04, X35), what is not is dropped."""
    for row, causes, instead in OVER_A_DAY_LATER:
        if cell.type in causes:
            return Outcome(because=row, instead=instead)
    return Outcome(frozenset(first_channels(cell, type, ways(cell))), "at once", says="called for help at" if cell.type == "help_requested" else "")


def was_taken(cell: Cell, type: Type) -> bool:
    """Whether another channel took it, while the first one failed, before anything happened."""
    return cell.provider == "failing" and not is_held_back(cell, type) and bool(set(first_channels(cell, type, ways(cell))) - set(ways(cell)[:1]))


def told(cell: Cell, type: Type) -> Outcome:
    """Where and when a message is told that is still so."""
    has = ways(cell)
    if cell.meanwhile == "lost channel" and not was_taken(cell, type):
        return without_channel(cell, type, has)
    if cell.meanwhile == "new device" and cell.provider == "failing" and type.moves and not was_taken(cell, type):
        # F11: what must reach somebody finds their new device, or a channel that they had.
        return Outcome(may=frozenset({"push", *has[1:]}), when="within two minutes")
    first = first_channels(cell, type, has)
    is_held = is_held_back(cell, type)
    if not first:
        return Outcome(is_reported=must_report(cell, type), because="nobody can be reached (F07)")
    well = [way for way in first if way != has[0] or cell.provider == "up"]
    # Whoever has none of the channels of a type is told on another one. No row says that the others are left out, but the call is (J03).
    more = frozenset(has) - {"call"} if type.moves and not wanted_channels(type, has) else frozenset()
    if cell.provider == "slow":
        # The one of which nobody knows whether it was taken may follow.
        more |= frozenset(first)
    if well:
        return Outcome(frozenset(well), "at once", is_held, may=more)
    if cell.provider == "slow":
        return Outcome(frozenset(), "within two minutes", is_held, may=more)
    return in_trouble(cell, type, has, first, is_held)


def ways(cell: Cell) -> list[str]:
    """The channels on which the reader can be reached, from quiet to loud (K00). After STOP a phone is none (J02)."""
    phone = {"texts": ("text",), "calls": ("call",), "both": ("text", "call")}[cell.tenant]
    names = {"push": ("push",), "dead": (), "web": ("push",), "email": ("e-mail",), "phone": phone, "stopped": ()}
    found = [way for has in cell.has for way in names[has]]
    # The question of a ping is spread over a minute, and planned after what happens meanwhile.
    return ["push", *found] if cell.type == "ping_due" and cell.meanwhile == "new device" and "push" not in found else found


def first_channels(cell: Cell, type: Type, has: list[str]) -> list[str]:
    """The channels that are tried first."""
    wanted = wanted_channels(type, has)
    if cell.cause.type == "ask" or cell.cause.type.startswith("emergency_") and cell.cause.reader == "sender":
        # K06, E02: on every channel that they have.
        return has
    if cell.cause.type == "alarm_repeat":
        # K00: the next louder channel than those on which the alarm came; at the end the loudest again.
        came = alarm_came(has)
        return [way for way in has if not came or LOUDNESS.index(way) > LOUDNESS.index(came[-1])][:1] or has[-1:]
    if "follows" in type and cell.cause.reader == "receiver":
        # F11: to whoever heard the alarm, on what reached them.
        wanted = [way for way in has if way in wanted or way in alarm_came(has)]
    if wanted:
        return wanted
    if type.moves:
        # F07: another channel of theirs. One person, one message at a time, so the quietest.
        return has[:1]
    if "reaches" in type:
        # The cheapest that they have. Nobody is called for it.
        return [way for way in has[:1] if way != "call"]
    return []


def wanted_channels(type: Type, has: list[str]) -> list[str]:
    """Those of the default channels of a type that a reader has."""
    return [way for way in has if {"e-mail": "email"}.get(way, way) in type.channels]


def alarm_came(has: list[str]) -> list[str]:
    """The channels on which the reader heard of the alarm, while all providers worked."""
    return [way for way in has if way in ("push", "e-mail")] or has[:1]


def is_held_back(cell: Cell, type: Type) -> bool:
    """Whether it waits for the morning of its reader."""
    if cell.hours == "day" or "breaks_through" in type or cell.meanwhile == "zone":
        # F04; what is held follows its reader to another time zone (issue 58, 2.13).
        return False
    # K00: for whom the alarm broke through to, and for the sender of a call for help. F04: nothing is held past the deadline that it serves.
    return cell.cause.type not in ("alarm_taken", "alarm_resolved", "vault_opened")


def without_channel(cell: Cell, type: Type, has: list[str]) -> Outcome:
    """The reader has given up their quietest channel."""
    left = [way for way in has[1:] if way != "call" or type.moves]
    first = first_channels(cell, type, has)
    rest = [way for way in first if way in left]
    if rest:
        return Outcome(frozenset(rest), "at once", is_held_back(cell, type))
    if left and first and type.moves:
        return Outcome(frozenset(left[:1]), "within two minutes", is_held_back(cell, type), may=frozenset(left))
    return Outcome(is_reported=must_report(cell, type) if type.moves else False, because="nobody can be reached any more (F07)")


def in_trouble(cell: Cell, type: Type, has: list[str], first: list[str], is_held: bool) -> Outcome:
    """What becomes of a message of which each channel that is tried first is in trouble."""
    others = [way for way in has if way not in first]
    if type.moves and others:
        # F07, F11 and X37: the other channels, the quietest of them at least. A call only where nothing quieter is left, except for an alarm.
        return Outcome(
            frozenset(others[:1]), "within two minutes", is_held, may=frozenset(others) - (frozenset() if "must_reach" in type else {"call"}))
    if cell.provider == "429":
        # No hour of waiting for what somebody waits for.
        return Outcome(frozenset(first), "within four minutes" if type.moves else "later", is_held)
    if cell.provider == "breaker" and cell.cause.type not in ("ping_reminder", "ask", "vault_opened"):
        return Outcome(frozenset(first), "within the hour", is_held)
    # F04: nothing is sent after the deadline that it serves: 15 minutes of a reminder, 30 of a question and of an open vault.
    return Outcome(is_reported=must_report(cell, type) and cell.provider != "breaker", because="no channel takes it")


def must_report(cell: Cell, type: Type) -> bool | None:
    """F07: of what must reach and reached nobody the operator reads. One's own alarm is nobody else's matter, or is: no row says."""
    if cell.type in ("ping_missed, one's own", "alarm_reopened, to whoever calls for help"):
        return None
    # Nor does one say it of what has become of an alarm.
    return None if "follows" in type else "must_reach" in type


def why_not(cell: Cell, type: Type) -> Outcome | None:
    """F11: what is no longer so, or about somebody with whom the relation has ended, is not sent."""
    for row, causes, instead in NO_LONGER_SO.get(cell.meanwhile, ()):
        if cell.type in causes:
            return Outcome(because=row, instead=instead)
    if cell.meanwhile == f"end of the {cell.cause.reader}'s account":
        return Outcome(because="A04: their devices and contacts end with it")
    if cell.type in ABOUT_NOBODY_OF_THE_PAIR or cell.type in UNDECIDED.get(cell.meanwhile, ()):
        return None
    has_ended = cell.meanwhile.startswith(("block", "end of"))
    if type.relation is not None and has_ended or type.relation == "connection" and cell.meanwhile.startswith("removal"):
        return Outcome(because="F11, X22: the relation has ended")
    return None

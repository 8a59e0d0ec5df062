"""The axes of the matrix as tables, and the cells that they make. No rule stands here."""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from causes import CAUSES, Cause

#: When each message comes to be. Night is in the quiet hours of its reader, 11:00 to 20:00.
NOON = datetime(2027, 3, 10, 12, tzinfo=timezone.utc)
MORNING = NOON.replace(hour=20)
#: When the worker comes back that was away.
RETURN = NOON + timedelta(hours=25)


@dataclass(frozen=True)
class Contacts:
    """How a reader can be reached. dead is a device that its app has left; stopped a phone that has said STOP."""

    has: tuple[str, ...]
    #: What their tenant does with a phone.
    tenant: str = "texts"


CONTACTS = {
    "push": Contacts(("push",)),
    "two devices, one dead": Contacts(("push", "dead")),
    "web push": Contacts(("web",)),
    "e-mail": Contacts(("email",)),
    "text": Contacts(("phone",)),
    "call": Contacts(("phone",), "calls"),
    "text and call": Contacts(("phone",), "both"),
    "stopped": Contacts(("stopped",)),
    "none": Contacts(()),
    "push, e-mail": Contacts(("push", "email")),
    "push, text": Contacts(("push", "phone")),
    "two devices, one dead, and text": Contacts(("push", "dead", "phone")),
    "push, call": Contacts(("push", "phone"), "calls"),
    "e-mail, text": Contacts(("email", "phone")),
    "e-mail, call": Contacts(("email", "phone"), "calls"),
    "e-mail, stopped": Contacts(("email", "stopped")),
    "push, e-mail, text and call": Contacts(("push", "email", "phone"), "both"),
}

#: What the provider of the reader's quietest channel does; the others work.
PROVIDERS = {
    "up": "takes everything",
    "gone": "says at once that the address is no more",
    "failing": "fails each time, for days",
    "429": "is too busy for 100 seconds, and asks to come back in an hour",
    "breaker": "is not asked for half an hour, because it has failed others",
    "slow": "takes it, and says so after the lease is over",
    "unanswered": "takes each call, and says 20 seconds later that nobody answered",
}


@dataclass(frozen=True)
class Meanwhile:
    """What happens between the planning, or the first failure, and what follows: who does what."""

    acts: tuple[tuple[str, str], ...] = ()
    #: What there must be for it: an alarm of the sender, a connection, a vault with the reader as nominee.
    needs: str | None = None


#: No worker runs from noon on, before anything is planned, for 25 hours.
AWAY = "a day without a worker"

MEANWHILE = {
    "nothing": Meanwhile(),
    "check-in": Meanwhile((("sender", "api.check_in(null, false, null, 'app', {now})"),)),
    "safe word": Meanwhile((("other", "api.resolve_alarm({alarm}, 'safe', null, {now}, {now})"),), "alarm"),
    "taken": Meanwhile((("other", "api.take_alarm({alarm}, '{}', {now})"),), "alarm"),
    "given back": Meanwhile((("other", "api.take_alarm({alarm}, '{}', {now})"), ("other", "api.release_alarm({alarm}, {now})")), "alarm"),
    "help": Meanwhile((("sender", "api.call_for_help('Please come', null, 'app', {now})"),)),
    "break": Meanwhile((("sender", "api.put_break(jsonb_build_object('from', {today}, 'until', {today}), {now})"),)),
    "pause": Meanwhile((("sender", "api.pause_connection({connection}, {now})"),), "active"),
    "block by the sender": Meanwhile((("sender", "api.put_block({receiver}, {now})"),)),
    "block by the receiver": Meanwhile((("receiver", "api.put_block({sender}, {now})"),)),
    "removal by the sender": Meanwhile((("sender", "api.remove_connection({connection}, {now})"),), "connection"),
    "removal by the receiver": Meanwhile((("receiver", "api.remove_connection({connection}, {now})"),), "connection"),
    "revocation": Meanwhile((("sender", "api.revoke_nominee({vault}, {nominee}, {now})"),), "vault"),
    "end of the sender's account": Meanwhile((("sender", "api.delete_me('delete', {now})"),)),
    "end of the receiver's account": Meanwhile((("receiver", "api.delete_me('delete', {now})"),)),
    "zone": Meanwhile((("reader", """api.update_me('{"time_zone": "America/New_York"}', '{}', {now})"""),)),
    "new device": Meanwhile((("reader", "api.put_device(jsonb_build_object('platform', 'ios', 'token', {new device}, 'environment', 'production'), {now})"),)),
    "lost channel": Meanwhile((("reader", "lose"),)),
    AWAY: Meanwhile(),
}

#: How a reader loses the quietest channel that they have.
LOSING = {
    "push": "api.delete_device({device}, {now})",
    "web": "api.delete_device({device}, {now})",
    "email": """api.update_me('{"email": null}', '{}', {now})""",
    "phone": """api.update_me('{"phone": null}', '{}', {now})""",
}


@dataclass(frozen=True)
class Cell:
    n: int
    type: str
    contacts: str
    hours: str
    provider: str
    meanwhile: str

    @property
    def cause(self) -> Cause:
        return CAUSES[self.type]

    @property
    def tenant(self) -> str:
        return CONTACTS[self.contacts].tenant

    @property
    def has(self) -> tuple[str, ...]:
        return CONTACTS[self.contacts].has

    def __str__(self) -> str:
        return f"{self.type} × {self.contacts} × {self.hours} × {self.provider} × {self.meanwhile}"


def is_possible(type: str, contacts: str, provider: str, meanwhile: str) -> bool:
    """Whether such a cell can be: nothing is revoked where there is no vault, and nobody without contacts has a provider that fails."""
    cause, has, needs = CAUSES[type], CONTACTS[contacts].has, MEANWHILE[meanwhile].needs
    if provider != "up" and not (set(has) - {"stopped"}):
        return False
    if provider == "unanswered" and (has != ("phone",) or CONTACTS[contacts].tenant != "calls"):
        return False
    # The others' messages would tell what this one says.
    if meanwhile == AWAY and contacts != "push":
        return False
    if cause.texts_to and CONTACTS[contacts].tenant != "texts":
        return False
    # A notice that reaches nobody makes the wait longer (E06).
    if cause.waits and not set(has) - {"stopped"}:
        return False
    # Another one has it already (K02).
    if type == "alarm_check" and meanwhile in ("taken", "given back"):
        return False
    if cause.by_address and not {"email", "phone"} & set(has):
        return False
    if meanwhile == "lost channel" and not set(has) & set(LOSING):
        return False
    return needs is None or needs in cause.there_is


#: Hours and providers that each type meets; the rest only what moves to another channel.
EACH = (("day", "up"), ("night", "up"), ("day", "gone"))
MOVING = (("day", "failing"), ("day", "429"), ("day", "breaker"), ("day", "slow"), ("day", "unanswered"), ("night", "gone"))
#: The contacts of what is pushed or not told at all.
PUSHED = ("push", "two devices, one dead", "web push", "e-mail", "none", "push, e-mail")
#: What happens meanwhile finds a message that waits for its turn, for the morning, or for the channel that follows one which fails.
WAITING = (("push", "day", "up"), ("e-mail, call", "day", "up"), ("push", "night", "up"), ("e-mail, call", "day", "failing"))


def cells(types) -> list[tuple[str, str, str, str, str]]:
    """The cells, for the rows of the table of types."""
    found = []
    for name, cause in CAUSES.items():
        type = types[cause.type]
        contacts = CONTACTS if type.moves or "reaches" in type else PUSHED
        found += [(name, contact, *hours, "nothing") for contact in contacts for hours in EACH + MOVING * type.moves]
        found += [
            (name, *waiting, meanwhile) for meanwhile in MEANWHILE if meanwhile != "nothing" for waiting in WAITING
            if (type.moves or waiting[0] == "push") and not (waiting[1] == "night" and ("breaks_through" in type or meanwhile == AWAY))]
    return [axis for axis in found if is_possible(axis[0], axis[1], axis[3], axis[4])]

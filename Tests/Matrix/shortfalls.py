"""Where the procedures do not do yet what the oracle says, each with its reason. Every cell of a shortfall must fail, so that the list cannot rot."""

from dataclasses import dataclass

from axes import Cell


@dataclass(frozen=True)
class Shortfall:
    """Cells that fail: those of all these names, separated by |, on each axis. None is every name."""

    reason: str
    types: str
    contacts: str | None = None
    hours: str | None = None
    providers: str | None = None
    meanwhile: str = "nothing"

    def has(self, cell: Cell) -> bool:
        return all(
            names is None or name in names.split(" | ")
            for names, name in (
                (self.types, cell.type), (self.contacts, cell.contacts), (self.hours, cell.hours), (self.providers, cell.provider),
                (self.meanwhile, cell.meanwhile)))


#: Whose quietest channel in trouble has another one beside it: of those whom an alarm reaches by push and e-mail, and of the others.
BESIDE = "text and call | push, text | push, call | e-mail, text | e-mail, call"
BESIDE_PUSH = "text and call | push, e-mail | push, text | push, call | e-mail, call | push, e-mail, text and call"
ALARMS = (
    "ping_missed | ping_missed, one's own | help_requested | alarm_reopened | alarm_reopened, to whoever calls for help | ask_unanswered | emergency_approved "
    "| emergency_rejected | emergency_opened")
WORDS = "alarm_taken | alarm_resolved"

SHORTFALLS = (
    Shortfall(
        "2.14: an open breaker postpones a question without counting as a failure: no other channel follows within two minutes (X37)",
        "ping_due | ping_reminder", BESIDE_PUSH, "day", "breaker"),
    Shortfall(
        "2.5: nor does another channel follow for what has become of an alarm (F11)",
        "ping_all_clear | alarm_taken | alarm_check | alarm_resolved | ask_answered", BESIDE, "day", "breaker"),
    Shortfall(
        "2.5: nor for its word to whoever called for help (F11)",
        "alarm_taken, to whoever calls for help | alarm_resolved, to whoever calls for help", BESIDE_PUSH, "day", "breaker"),
    Shortfall("2.5: by day alarm_taken and alarm_resolved are not urgent, so a channel that fails again and again holds them (F11)", WORDS, BESIDE, "day", "failing"),
    Shortfall(
        "2.7: for the same reason they wait for the hour for which a provider asks", WORDS,
        BESIDE + " | push | two devices, one dead | web push | e-mail | text | call | e-mail, stopped", "day", "429"),
    Shortfall(
        "2.5: so the word in place of a miss, or of a take, does not leave a channel that fails (F11)",
        "ping_missed | alarm_taken | alarm_check | alarm_reopened", "e-mail, call", "day", "failing", "safe word"),
    Shortfall("2.5: nor does alarm_taken in their place", "ping_missed | alarm_reopened", "e-mail, call", "day", "failing", "taken"),
    Shortfall("2.5: nor do they, whatever happens beside it", WORDS, "e-mail, call", "day", "failing", "break | pause | zone | new device"),
    Shortfall("2.5: nor does alarm_taken, when it is taken anew or help is called", "alarm_taken", "e-mail, call", "day", "failing", "taken | help"),
    Shortfall("2.15: a phone that takes texts and calls gets both at once", ALARMS, "text and call", None, "up | slow"),
    Shortfall("2.15: so the repeat of its alarm begins with a text again (K00)", "alarm_repeat", "text and call", None, "up | slow | breaker"),
    Shortfall(
        "2.3: a receiver's word is still told to whoever was removed or blocked, if it names nobody: the sender's connection is not looked at then",
        "alarm_resolved", None, None, "up", "block by the sender | block by the receiver | removal by the sender | removal by the receiver"),
    Shortfall("2.3: 'New Connection' is still told after its removal", "connection_request", None, None, "up", "removal by the sender | removal by the receiver"),
    Shortfall("2.3: or after the end of the account that it names", "connection_request", None, None, "up", "end of the sender's account"),
    Shortfall("2.3: that somebody has accepted is still told after the end of their account", "nominee_accepted", None, None, "up", "end of the receiver's account"),
    Shortfall(
        "2.3: 'You can enter' is still told, and reported as undelivered, after the owner's account and the vault have ended (E07)",
        "emergency_approved | emergency_opened", None, None, None, "end of the sender's account"),
    Shortfall("2.9: 'safe' of a receiver is told beside the newer call for help (F11)", "alarm_resolved", None, None, "up", "help"),
    Shortfall("X35: 'has resumed' is still told where a break has begun meanwhile", "connection_resumed", None, None, "up", "break"),
)

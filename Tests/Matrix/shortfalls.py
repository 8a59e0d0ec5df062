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


SHORTFALLS = (
    Shortfall(
        "2.7: by day alarm_taken and alarm_resolved are not urgent, so they wait for the hour for which the provider of an only channel asks",
        "alarm_taken | alarm_resolved", "push | two devices, one dead | web push | e-mail | text | call | e-mail, stopped", "day", "429"),
    Shortfall("2.3: that somebody has accepted is still told after the end of their account", "nominee_accepted", None, None, "up", "end of the receiver's account"),
    Shortfall(
        "2.3: 'You can enter' is still told, and reported as undelivered, after the owner's account and the vault have ended (E07)",
        "emergency_approved | emergency_opened", None, None, None, "end of the sender's account"),
    Shortfall("2.9: 'safe' of a receiver is told beside the newer call for help (F11)", "alarm_resolved", None, None, "up", "help"),
)

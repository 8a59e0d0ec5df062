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


SHORTFALLS: tuple[Shortfall, ...] = ()

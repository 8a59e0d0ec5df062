"""Opening vaults: POST /v1/vaults/{id}/open."""

from pathlib import Path

from call import OPEN
from journal import WARM_UP_SECONDS
from stage import Stage
from writing import Writing

NOMINEES = 100
PER_SECOND = 1500
"""More than either side opens, since each opening tells a hundred people."""

DONE = """
select count(*), (select count(*) from kith.notifications where type = 'vault_opened') from kith.vault_sessions
"""


class Openings(Writing):
    """Owners who each open a vault of their own, which tells all of its nominees."""

    call = OPEN

    def __init__(self, stage: Stage, database: str):
        super().__init__(stage, database, range(PER_SECOND * (WARM_UP_SECONDS + stage.size.round_seconds)))

    def callers(self, numbers: range) -> list[tuple[int, str, str]]:
        with self._stage.cluster.connect(self._database) as session:
            for name, number in {"first": numbers[0], "last": numbers[-1], "nominees": NOMINEES}.items():
                session.execute("select set_config(%s, %s, false)", (f"load.{name}", str(number)))
            session.execute(Path(__file__).with_name("vaults.sql").read_text())
            session.execute("vacuum analyze kith.vaults, kith.nominees")
            return session.execute("select tenant_id, owner_id::text, id::text from load.vaults").fetchall()

    def check(self) -> None:
        with self._stage.cluster.connect(self._database) as session:
            opened, told = session.execute(DONE).fetchone()
        if told != opened * NOMINEES:
            raise RuntimeError(f"{opened} openings told {told} nominees")

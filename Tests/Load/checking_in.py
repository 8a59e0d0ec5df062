"""Check-ins: POST /v1/pings/check-in."""

from call import CHECK_IN
from writing import Writing


class CheckIns(Writing):
    """Senders who each check in for the first time today, which completes their pings and tells their receivers."""

    call = CHECK_IN

    def callers(self, numbers: range) -> list[tuple[int, str, str]]:
        with self._stage.cluster.connect(self._database) as session:
            return session.execute(
                "select tenant_id, user_id::text, '' from load.senders where n between %s and %s",
                (numbers[0], numbers[-1]),
            ).fetchall()

    def check(self) -> None:
        with self._stage.cluster.connect(self._database) as session:
            counts = session.execute("select count(*), count(distinct user_id) from kith.check_ins").fetchone()
        if counts[0] != counts[1]:
            raise RuntimeError(f"the {counts[0]} check-ins were not each their sender's first: they are too few")

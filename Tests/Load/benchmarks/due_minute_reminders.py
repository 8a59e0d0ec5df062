"""The minute in which every ping becomes due, for senders with four reminders and for senders with one."""

from benchmarks.due_minute import pass_minute
from result import at_most, report
from stage import Stage

FOUR = [{"before_minutes": minutes, "channels": ["sms"]} for minutes in (15, 12, 9, 6)]
ONE = FOUR[:1]


def run(stage: Stage) -> None:
    four = pass_minute(stage, FOUR)
    one = pass_minute(stage, ONE)
    report(
        "due-minute-reminders", [four.seconds], [one.seconds],
        f"seconds until the last of {four.senders} senders with four reminders of their own was told that their pings are due, against"
        " senders with one",
        at_most(1.3),
    )

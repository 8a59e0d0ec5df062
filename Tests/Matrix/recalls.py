"""What happens meanwhile makes some messages pointless: for each act the causes of which nothing is sent any more, and the row of
docs/product.md that says so. A message may have another in its place, of which the reader must hear then."""

ALARMS_OF_RECEIVER = ("ping_missed", "ping_missed, of one who was not reached", "alarm_repeat", "alarm_taken", "alarm_check", "alarm_reopened")
ALARMS_OF_CALLER = ("alarm_taken, to whoever calls for help", "alarm_reopened, to whoever calls for help")

#: meanwhile: ((row, causes, what is told in its place), …)
NO_LONGER_SO = {
    "check-in": (
        ("P34: the question is answered", ("ping_due", "ping_reminder", "ask", "ping_missed, one's own"), None),
        ("K03: a check-in ends the alarm", (*ALARMS_OF_RECEIVER, *ALARMS_OF_CALLER, "help_requested", "ask_unanswered"), None),
        ("E03: a check-in rejects a request that waits", ("emergency_requested", "emergency_reminder"), None),
    ),
    "help": (
        ("X39: 'safe' is said only while no newer call for help stands open", ("ping_completed", "ping_all_clear", "ask_answered"), "help_requested"),
        ("F11: what was newer is not followed by what is older", ("alarm_resolved",), "help_requested"),

    ),
    "safe word": (
        ("K03, F11: whoever was still to read of the miss reads the word", ALARMS_OF_RECEIVER, "alarm_resolved"),
        ("K03: the sender is told who ended it", ALARMS_OF_CALLER, "alarm_resolved"),
    ),
    "taken": (
        ("K00: while an alarm is taken nobody is told more", ("ping_missed", "ping_missed, of one who was not reached", "alarm_repeat", "alarm_reopened"), "alarm_taken"),
        ("K00, for whoever calls for help", ("alarm_reopened, to whoever calls for help",), "alarm_taken"),
    ),
    "given back": (("F11: nobody looks after it any more", ("alarm_taken", "alarm_taken, to whoever calls for help"), "alarm_reopened"),),
    "break": (
        ("X23: the day's open pings are cancelled", ("ping_due", "ping_reminder"), None),
        ("F11: the break has another end, or is another one", ("break_started", "break_ended"), "break_started"),
        ("X35: 'has resumed' only where pings flow", ("connection_resumed",), None),
    ),
    "pause": (("F11: it is paused again", ("connection_resumed",), "connection_paused"),),
    "revocation": (
        ("N15: access ends at that instant", ("vault_opened", "vault_locked", "nominee_changed", "message_received", "nominee_invited"), None),
        ("E07: revocation ends it", ("emergency_requested", "emergency_reminder", "emergency_approved", "emergency_opened"), None),
    ),
    "block by the sender": (("E07: a block of the nominee by the owner ends it", ("emergency_requested", "emergency_reminder", "emergency_approved", "emergency_opened"), None),),
    "removal by the sender": (("F11: there is no such connection", ("connection_request", "connection_requested"), None),),
    "removal by the receiver": (("F11: there is no such connection", ("connection_request", "connection_requested"), None),),
    "end of the sender's account": (("F11: what it is about is gone", ("emergency_approved", "emergency_opened"), None),),
    "end of the receiver's account": (("E07: the request has ended", ("emergency_requested", "emergency_reminder"), None),),
}

#: Where no row decides whether it is still sent: the cell is walked, and either is right.
UNDECIDED = {
    "check-in": ("alarm_resolved", "alarm_resolved, to whoever calls for help", "emergency_approved", "emergency_opened"),
    "help": ("ask", "ask_unanswered", "ping_missed", "ping_missed, of one who was not reached", "alarm_repeat", "alarm_reopened", "help_requested", "alarm_resolved, to whoever calls for help", *ALARMS_OF_CALLER),
    "safe word": (),
    "taken": ("ask_unanswered",),
    "given back": ("help_requested", "ping_missed", "ping_missed, of one who was not reached", "alarm_repeat", "alarm_reopened", "alarm_reopened, to whoever calls for help", "ask_unanswered"),
    "break": ("ask", "connection_request"),
    "pause": ("connection_request", "connection_accepted", "ask", "sender_unreachable", "receiver_unreachable", "subscription_lapsing, to the sender"),
    "revocation": ("nominee_accepted", "transfer_requested", "emergency_opened, to the owner"),
    "removal by the sender": ("subscription_lapsing",),
    "removal by the receiver": ("subscription_lapsing",),
    "block by the sender": ("subscription_lapsing", "emergency_opened, to the owner"),
    "block by the receiver": ("subscription_lapsing",),
    "end of the sender's account": (
        "subscription_lapsing", "connection_removed, by the sender", "nominee_revoked", "emergency_rejected", "transfer_requested"),
    "end of the receiver's account": (
        "connection_removed, by the receiver", "nominee_declined", "transfer_accepted", "transfer_declined", "emergency_opened, to the owner"),
    "new device": ("alarm_repeat",),
}

#: Of these the person named is another receiver, or nobody: their relation to the receiver does not matter.
ABOUT_NOBODY_OF_THE_PAIR = (
    "ping_missed, one's own", "alarm_taken, to whoever calls for help", "alarm_reopened, to whoever calls for help",
    "alarm_resolved, to whoever calls for help", "subscription_lapsing")

#: What is over a day later, which begins with the worker's own loops: ((row, causes, what is told in its place), …)
OVER_A_DAY_LATER = (
    ("K06: its time to answer has passed", ("ask",), None),
    ("F04: that somebody is safe is worth nothing a day later", ("ping_completed",), None),
    ("I07: a day has passed", ("test_message",), None),
    ("V03: the session has ended", ("vault_opened",), None),
    ("K00: for a day nobody has said that they look after it", ("alarm_check",), "alarm_reopened"),
)

"""What makes each type of message come to be: history, and the act at noon. Each is a call of the API or the work of a loop, never a written
notification."""

from dataclasses import dataclass

#: Alice's pings on her connections: the status, and how many minutes before noon they were scheduled and their deadline is.
PINGS = {
    "missed at 11:20": ("due", 130, 40),
    "missed at 11:40": ("due", 110, 20),
    "missed at 11:30": ("due", 120, 30),
    "missed at noon": ("due", 90, 10 / 60),
    "asked at 10:30, missed at noon": ("scheduled", 90, 10 / 60),
    "due": ("due", 30, -60),
    "comes due": ("scheduled", 0, -90),
    "is reminded": ("due", 75, -15),
}

TAKE = "api.take_alarm({alarm}, '{}', {now})"
RELEASE = "api.release_alarm({alarm}, {now})"
SAFE = "api.resolve_alarm({alarm}, 'safe', null, {now}, {now})"
HELP = "api.call_for_help('I fell', null, 'app', {now})"
CHECK_IN = "api.check_in(null, false, null, 'app', {now})"
ASK = "api.ask_sender({connection}, {now})"
CONNECT = "api.create_connection({code}, {now})"
CONSENT = "api.consent_connection({connection}, {now})"
TEST = "api.test_connection({connection}, {now})"
PAUSE = "api.pause_connection({connection}, {now})"
RESUME = "api.resume_connection({connection}, {now})"
REMOVE = "api.remove_connection({connection}, {now})"
BREAK = "api.put_break(jsonb_build_object('from', {today}, 'until', '2027-03-13'), {now})"
END_BREAK = "api.delete_break({now})"
LAPSE = """api.set_subscription({receiver}, '{"status": "expired"}', {now})"""
VAULT = """api.create_vault('{"name": "Papers"}', {now})"""
INVITE = """api.invite_nominees({vault}, '[{"name": "Bob"}]', 'https://kith.example', {now})"""
INVITE_BY_ADDRESS = (
    "api.invite_nominees({vault}, jsonb_build_array(jsonb_strip_nulls(jsonb_build_object('name', 'Bob', 'email', {email of the receiver}::text, "
    "'phone', {phone of the receiver}::text))), 'https://kith.example', {now})")
ACCEPT = "api.accept_invitation({token}, {now})"
DECLINE = "api.decline_invitation({token}, {now})"
REVOKE = "api.revoke_nominee({vault}, {nominee}, {now})"
EDIT = """api.update_nominee({vault}, {nominee}, '{"access_level": "edit"}', {now})"""
OPEN = "api.open_vault({vault}, {now})"
LOCK = "api.lock_vault({vault}, {now})"
WRITE = "api.send_message({vault}, {nominee}, 'Hello', {now})"
TRANSFER = """api.create_transfer({vault}, jsonb_build_object('nominee_id', {nominee}, 'keep_access', true), 'https://kith.example', {now})"""
ACCEPT_TRANSFER = "api.accept_own_invitation({transfer}, {now})"
DECLINE_TRANSFER = "api.decline_own_invitation({transfer}, {now})"
RIGHT = """api.set_emergency_settings({vault}, {nominee}, '{"wait_hours": %s, "access_level": "view", "on_request": true}', {now})"""
REQUEST = "api.request_emergency_access({vault}, 'No answer', {now})"
APPROVE = "api.approve_emergency_request({vault}, {request}, {now})"
REJECT = "api.reject_emergency_request({vault}, {request}, {now})"
STOP = """api.receive_text({tenant}, array[sha256(%s::text::bytea)], {phone of the %s}, '{"en": "stop"}', {now})"""


@dataclass(frozen=True)
class Cause:
    """How a message of a type comes to its reader."""

    type: str
    reader: str
    #: The acts at noon: who, what. None where a loop of the worker does it.
    now: tuple[tuple[str, str], ...] = ()
    #: Acts before, with their minutes before noon.
    before: tuple[tuple[float, str, str], ...] = ()
    pings: str | None = None
    #: What there is at noon: a connection, which is active, an alarm, a vault of which the receiver is a nominee.
    there_is: frozenset = frozenset({"connection", "active"})
    #: Whether the two are connected from the beginning.
    connected: bool = True
    #: Whether connections of the tenant wait for consent.
    consent: bool = False
    #: Whether the reader is addressed by an e-mail address or a phone, or the other one has a phone that gets texts.
    by_address: bool = False
    #: Whether it comes at the end of a wait of which the reader was told.
    waits: bool = False
    texts_to: str | None = None
    #: Whether the question reached the sender: their only device has been left by its app.
    is_asked: bool = True


PAIR = frozenset({"connection", "active"})
ALARM = PAIR | {"alarm"}
NOMINEE = PAIR | {"vault"}
OWNED = ((30, "sender", VAULT), (29, "sender", INVITE), (28, "receiver", ACCEPT))


def asked(hours: int) -> tuple:
    """A vault into which the receiver asked to be let at 11:00."""
    return ((62, "sender", VAULT), (62, "sender", INVITE), (62, "receiver", ACCEPT), (61, "sender", RIGHT % hours), (60, "receiver", REQUEST))


CAUSES = {
    "connection_request": Cause("connection_request", "receiver", (("sender", CONNECT),), connected=False),
    "connection_requested": Cause(
        "connection_requested", "receiver", (("sender", CONNECT),), connected=False, consent=True, there_is=frozenset({"connection"})),
    "connection_accepted": Cause(
        "connection_accepted", "sender", (("receiver", CONSENT),), ((20, "sender", CONNECT),), connected=False, consent=True),
    "connection_paused": Cause("connection_paused", "receiver", (("sender", PAUSE),), there_is=frozenset({"connection"})),
    "connection_resumed": Cause("connection_resumed", "receiver", (("sender", RESUME),), ((20, "sender", PAUSE),)),
    "connection_removed, by the sender": Cause("connection_removed", "receiver", (("sender", REMOVE),), there_is=frozenset()),
    "connection_removed, by the receiver": Cause("connection_removed", "sender", (("receiver", REMOVE),), there_is=frozenset()),
    "ping_due": Cause("ping_due", "sender", pings="comes due"),
    "ping_reminder": Cause("ping_reminder", "sender", pings="is reminded"),
    "ping_completed": Cause("ping_completed", "receiver", (("sender", CHECK_IN),), pings="due"),
    "ping_missed": Cause("ping_missed", "receiver", pings="missed at noon", there_is=ALARM),
    "ping_missed, one's own": Cause("ping_missed", "sender", pings="missed at noon", there_is=ALARM),
    "ping_missed, of one who was not reached": Cause(
        "ping_missed", "receiver", before=((90, "sender", "now()"),), pings="asked at 10:30, missed at noon", there_is=ALARM, is_asked=False),
    "ping_all_clear": Cause("ping_all_clear", "receiver", (("sender", CHECK_IN),), pings="missed at 11:40"),
    "subscription_lapsing": Cause("subscription_lapsing", "receiver", (("server", LAPSE),)),
    "subscription_lapsing, to the sender": Cause("subscription_lapsing", "sender", (("server", LAPSE),)),
    "break_started": Cause("break_started", "receiver", (("sender", BREAK),)),
    "break_ended": Cause("break_ended", "receiver", (("sender", END_BREAK),), ((20, "sender", BREAK),)),
    "vault_opened": Cause("vault_opened", "receiver", (("sender", OPEN),), OWNED, there_is=NOMINEE),
    "vault_locked": Cause("vault_locked", "receiver", (("sender", LOCK),), (*OWNED, (10, "sender", OPEN)), there_is=NOMINEE),
    "nominee_invited": Cause("nominee_invited", "receiver", (("sender", INVITE_BY_ADDRESS),), OWNED[:1], there_is=NOMINEE, by_address=True),
    "nominee_revoked": Cause("nominee_revoked", "receiver", (("sender", REVOKE),), OWNED),
    "nominee_changed": Cause("nominee_changed", "receiver", (("sender", EDIT),), OWNED, there_is=NOMINEE),
    "nominee_accepted": Cause("nominee_accepted", "sender", (("receiver", ACCEPT),), OWNED[:2], there_is=NOMINEE),
    "nominee_declined": Cause("nominee_declined", "sender", (("receiver", DECLINE),), OWNED[:2]),
    "transfer_requested": Cause("transfer_requested", "receiver", (("sender", TRANSFER),), OWNED, there_is=NOMINEE),
    "transfer_accepted": Cause("transfer_accepted", "sender", (("receiver", ACCEPT_TRANSFER),), (*OWNED, (10, "sender", TRANSFER))),
    "transfer_declined": Cause("transfer_declined", "sender", (("receiver", DECLINE_TRANSFER),), (*OWNED, (10, "sender", TRANSFER)), there_is=NOMINEE),
    "message_received": Cause("message_received", "receiver", (("sender", WRITE),), OWNED, there_is=NOMINEE),
    "help_requested": Cause("help_requested", "receiver", (("sender", HELP),), there_is=ALARM),
    "alarm_repeat": Cause("alarm_repeat", "receiver", pings="missed at 11:30", there_is=ALARM),
    "alarm_taken": Cause("alarm_taken", "receiver", (("other", TAKE),), pings="missed at 11:40", there_is=ALARM),
    "alarm_taken, to whoever calls for help": Cause("alarm_taken", "sender", (("other", TAKE),), ((10, "sender", HELP),), there_is=ALARM),
    "alarm_check": Cause("alarm_check", "receiver", before=((30, "receiver", TAKE),), pings="missed at 11:20", there_is=ALARM),
    "alarm_reopened": Cause("alarm_reopened", "receiver", (("other", RELEASE),), ((15, "other", TAKE),), pings="missed at 11:40", there_is=ALARM),
    "alarm_reopened, to whoever calls for help": Cause(
        "alarm_reopened", "sender", (("other", RELEASE),), ((20, "sender", HELP), (19, "other", TAKE)), there_is=ALARM),
    "alarm_resolved": Cause("alarm_resolved", "receiver", (("other", SAFE),), pings="missed at 11:40"),
    "alarm_resolved, to whoever calls for help": Cause("alarm_resolved", "sender", (("other", SAFE),), ((10, "sender", HELP),)),
    "ask": Cause("ask", "sender", (("receiver", ASK),)),
    "ask_unanswered": Cause("ask_unanswered", "receiver", before=((30 + 1 / 6, "receiver", ASK),), there_is=ALARM),
    "ask_answered": Cause("ask_answered", "receiver", (("sender", CHECK_IN),), ((10, "receiver", ASK),)),
    "sender_unreachable": Cause("sender_unreachable", "receiver", (("server", STOP % ("{sender}", "sender")),), texts_to="sender"),
    "receiver_unreachable": Cause("receiver_unreachable", "sender", (("server", STOP % ("{receiver}", "receiver")),), texts_to="receiver"),
    "test_message": Cause("test_message", "receiver", (("sender", TEST),)),
    "emergency_requested": Cause("emergency_requested", "sender", (("receiver", REQUEST),), asked(24)[:-1], there_is=NOMINEE),
    "emergency_reminder": Cause("emergency_reminder", "sender", before=asked(2), waits=True, there_is=NOMINEE),
    "emergency_approved": Cause("emergency_approved", "receiver", (("sender", APPROVE),), asked(24), there_is=NOMINEE),
    "emergency_rejected": Cause("emergency_rejected", "receiver", (("sender", REJECT),), asked(24), there_is=NOMINEE),
    "emergency_opened": Cause("emergency_opened", "receiver", before=asked(1), there_is=NOMINEE),
    "emergency_opened, to the owner": Cause("emergency_opened", "sender", before=asked(1), waits=True, there_is=NOMINEE),
}

"""The rules broken on purpose, one at a time. A matrix that would not notice these guards nothing."""

from dataclasses import dataclass

import definitions


@dataclass(frozen=True)
class Break:
    """A change of a function, and the cells that must fail then."""

    does: str
    function: str
    old: str
    new: str
    #: A regular expression for names of cells that show it.
    cells: str


BREAKS = {
    "unheard": Break(
        "a channel that fails for good is followed by no other one", "settle_notifications", "when unsent.may_escalate then p_now",
        "when false then p_now", "^ping_missed × (e-mail, call|push, text) × day × gone × nothing"),
    "quiet": Break(
        "quiet hours hold nothing", "leaves_at", "then p_at else v_held_until end", "then p_at else p_at end", "^connection_paused × push × night × up × nothing"),
    "relation": Break(
        "a message is sent after its relation has ended", "ended_relation", "if v_person is null and not p_data ? 'sender_connection_id' or", "if true or v_person is null or",
        "^break_started × push × day × up × (block|removal)"),
    "word": Break(
        "a miss is told although somebody's word has ended its alarm", "over_in_alarm", "v_outlives_word boolean := ", "v_outlives_word boolean := true or ",
        "^alarm_repeat × push × day × up × safe word"),
    "gone": Break(
        "what is about an alarm does not leave a failing channel", "escalates", "select p_type in (", "select p_type in ('ask') and p_type in (",
        "^ping_all_clear × (e-mail, call|push, call) × day × gone × nothing"),
    "retry": Break(
        "a provider that asks for an hour holds an alarm", "record_results", "when result.retry_after > 240 and", "when false and",
        "^(ping_missed|alarm_taken) × push × day × 429 × nothing"),
    "cheapest": Break(
        "that nobody watches any more waits for a device", "reaches", "select p_type in (", "select false and p_type in (",
        "^connection_removed, by the sender × (text|e-mail) × day × up × nothing"),
    "older": Break(
        "'safe' is told while a call for help stands open", "unsafe_since", "when not p_data", "when false and not p_data",
        "^ping_completed × push × day × up × help"),
    "unanswered": Break(
        "a call that nobody answers is a telling", "leave_unheard", "if v_status = 'sent' then", "if false then", "^ping_missed × call × day × unanswered"),
    "comes": Break(
        "that somebody comes waits for the morning of whoever calls for help", "recipients", "(known.breaks_through or claimed.breaks)", "known.breaks_through",
        "^alarm_taken, to whoever calls for help × push × night × up × nothing"),
    "spoken": Break(
        "nobody is called about what has become of an alarm", "ways_to_reach", "or p_must_reach and not p_stops_texts", "",
        "^alarm_resolved × call × day × up × nothing"),
    "away": Break(
        "what a worker finds that was away for a day has expired", "worth_until", "when p_from + p_for > p_now or", "when true or",
        "^connection_paused × push × day × up × a day without a worker"),
    "since": Break(
        "a late call for help does not say since when", "data_at_sending", "interval '5 minutes'", "interval '5 years'",
        "^help_requested × push × day × breaker × nothing"),
    "unasked": Break(
        "receivers do not read that the question reached nobody", "missed_data", "and (p_ping).is_unreached", "and false",
        "^ping_missed, of one who was not reached × push × day × up × nothing"),
    "device": Break(
        "a device that is no more sends a text although another one takes it", "settle_notifications", "then not made.waits_for_device", "then true",
        "^ping_missed × two devices, one dead, and text × day × (up|slow) × nothing"),
    "both": Break(
        "a phone gets the text and the call at once", "write_deliveries", "chosen.has_quieter_way then chosen.is_wanted", "chosen.has_quieter_way then true",
        "^ping_missed × text and call × day × up × nothing"),
    "zone": Break(
        "what is held does not follow its reader", "release_held", "not waiting.is_urgent", "false", "^connection_paused × push × night × up × zone"),
}


def statement(url: str, name: str) -> str:
    """The function as that break makes it."""
    change = BREAKS[name]
    return definitions.broken(url, change.function, change.old, change.new)

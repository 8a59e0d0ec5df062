"""Examples of the rules, from docs/product.md. Tests/Chaos/run --check-the-checker runs them."""

import datetime as dt
import unittest

import ping_rules as rules
from times import HOUR, MINUTE, SECOND, UTC

NOON = dt.datetime(2027, 3, 9, 12, tzinfo=UTC)


class PingRules(unittest.TestCase):
    def test_a_window_begins_at_the_local_time_and_lasts_the_grace(self):
        begins, ends = rules.window(dt.date(2027, 3, 9), dt.time(9), "Europe/Berlin", 90)
        self.assertEqual((begins, ends), (NOON - 4 * HOUR, NOON - 4 * HOUR + 90 * MINUTE))

    def test_a_time_in_a_gap_moves_to_its_end(self):
        begins, _ = rules.window(dt.date(2027, 3, 28), dt.time(2, 30), "Europe/Berlin", 90)
        self.assertEqual(begins, dt.datetime(2027, 3, 28, 1, tzinfo=UTC))

    def test_a_time_in_an_overlap_is_the_first_of_two(self):
        begins, _ = rules.window(dt.date(2027, 10, 31), dt.time(2, 30), "Europe/Berlin", 90)
        self.assertEqual(begins, dt.datetime(2027, 10, 31, 0, 30, tzinfo=UTC))

    def test_a_date_that_a_zone_skipped_has_no_window(self):
        self.assertIsNone(rules.window(dt.date(2011, 12, 30), dt.time(9), "Pacific/Apia", 90))

    def test_grace_and_reminder_have_bounds(self):
        cases = {(5, 1): True, (719, 718): True, (4, 1): False, (720, 15): False, (90, 0): False, (90, 90): False}
        for case, is_allowed in cases.items():
            self.assertEqual(rules.is_grace(*case), is_allowed, case)

    def test_a_reminder_that_has_passed_is_left_out(self):
        self.assertEqual(rules.reminder(NOON, 15, NOON - HOUR), NOON - 15 * MINUTE)
        self.assertIsNone(rules.reminder(NOON, 15, NOON - 15 * MINUTE))

    def test_a_window_holds_its_first_instant_and_not_its_deadline(self):
        instants = (NOON - SECOND, NOON, NOON + HOUR - SECOND, NOON + HOUR)
        self.assertEqual([rules.holds(NOON, NOON + HOUR, at) for at in instants], [False, True, True, False])
        self.assertEqual([rules.has_come(NOON, at) for at in instants], [False, True, True, True])

    def test_a_check_in_at_the_deadline_is_late(self):
        self.assertEqual(rules.answer(NOON, NOON - SECOND), "completed")
        self.assertEqual(rules.answer(NOON, NOON), "completed_late")

    def test_a_miss_is_judged_ten_seconds_after_the_deadline(self):
        self.assertFalse(rules.is_over(NOON, NOON + 9 * SECOND))
        self.assertTrue(rules.is_over(NOON, NOON + 10 * SECOND))

    def test_an_outage_holds_back_what_was_due_since_it_began(self):
        began, ended = NOON, NOON + HOUR
        self.assertFalse(rules.waits_for_outage(NOON, NOON + MINUTE, began, None))
        self.assertTrue(rules.waits_for_outage(NOON + SECOND, NOON + 9 * HOUR, began, None))
        self.assertTrue(rules.waits_for_outage(NOON + SECOND, ended + 15 * MINUTE - SECOND, began, ended))
        self.assertFalse(rules.waits_for_outage(NOON + SECOND, ended + 15 * MINUTE, began, ended))

    def test_a_late_asking_gives_the_whole_grace(self):
        self.assertEqual(rules.judged_when_asked_late(NOON + 5 * HOUR, NOON, NOON + HOUR), NOON + 6 * HOUR)

    def test_a_break_covers_both_its_ends(self):
        first, last = dt.date(2027, 3, 9), dt.date(2027, 3, 11)
        self.assertEqual([rules.is_on_break(dt.date(2027, 3, day), first, last) for day in range(8, 13)], [False, True, True, True, False])
        self.assertFalse(rules.is_on_break(first, None, None))

    def test_a_break_has_ninety_days_at_most_and_is_not_over(self):
        first = dt.date(2027, 3, 9)
        self.assertTrue(rules.is_break(first, dt.date(2027, 6, 6), first))
        self.assertFalse(rules.is_break(first, dt.date(2027, 6, 7), first))
        self.assertFalse(rules.is_break(first, first, dt.date(2027, 3, 10)))
        self.assertFalse(rules.is_break(first, dt.date(2027, 3, 8), dt.date(2027, 3, 1)))

    def test_today_is_the_local_date(self):
        self.assertTrue(rules.is_today(dt.date(2027, 3, 10), NOON, "Pacific/Kiritimati"))
        self.assertFalse(rules.is_today(dt.date(2027, 3, 9), NOON, "Pacific/Kiritimati"))


if __name__ == "__main__":
    unittest.main()

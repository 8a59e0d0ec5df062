"""What is a change of a function, and what is not."""

import unittest

from mutations import mutations


def changed(body: str) -> set[str]:
    """The bodies that a single change makes."""
    return {mutation.applied(body) for mutation in mutations(body)}


class Mutations(unittest.TestCase):
    def test_comparisons_change_at_their_edge_and_turn_round(self) -> None:
        self.assertLessEqual({"a <= b", "a >= b"}, changed("a < b"))

    def test_constants_and_durations_change(self) -> None:
        self.assertLessEqual({"a + 11", "a + 13"}, changed("a + 10"))
        self.assertIn("a + interval '40 days'", changed("a + interval '30 days'"))

    def test_a_condition_is_left_out(self) -> None:
        self.assertIn("where a = 1  order by c", changed("where a = 1 and b is null order by c"))
        self.assertIn("where a = 1 ", changed("where a = 1 and (b or exists (select where d and e))"))

    def test_the_and_of_a_between_stays(self) -> None:
        self.assertNotIn("a between 1 or 2", changed("a between 1 and 2"))

    def test_the_condition_of_an_if_is_taken_for_true_and_false(self) -> None:
        body = "if not found and a then b; end if;"
        self.assertLessEqual({"if true then b; end if;", "if false then b; end if;"}, changed(body))

    def test_negations_turn_round(self) -> None:
        self.assertIn("where exists (select)", changed("where not exists (select)"))
        self.assertIn("a is not null", changed("a is null"))
        self.assertIn("a is null", changed("a is not null"))

    def test_texts_comments_and_the_tenant_stay(self) -> None:
        self.assertEqual(set(), changed("'a < b and 5' -- if a < 5 then"))
        self.assertEqual(set(), changed("raise exception 'forbidden' using errcode = 'KT403', detail = 5;"))
        self.assertNotIn("where a ", changed("where a and tenant_id = v_tenant"))
        self.assertNotIn("on a.tenant_id = b.tenant_id or a.id = b.id", changed("on a.tenant_id = b.tenant_id and a.id = b.id"))


if __name__ == "__main__":
    unittest.main()

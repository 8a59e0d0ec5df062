"""The single changes that a function's body admits. Pure: text in, changes out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"""
    (?P<comment>--[^\n]*|/\*.*?\*/)
  | (?P<string>'(?:[^']|'')*')
  | (?P<quoted>"[^"]*")
  | (?P<number>\b\d+(?:\.\d+)?\b)
  | (?P<word>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<operator>:=|=>|->>|->|\#>>|\#>|@>|<@|&&|\|\||::|<>|!=|<=|>=|<|>|=|\+|-|\*|/|%)
  | (?P<mark>[(),;.\[\]:])
  | (?P<space>\s+)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
DURATION = re.compile(r"'(\d+(?:\.\d+)?) (second|minute|hour|day|month)s?'")
COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "<>": ("=",)}
WORDS = {"and": "or", "or": "and", "true": "false", "false": "true", "least": "greatest", "greatest": "least", "min": "max", "max": "min",
    "bool_or": "bool_and", "bool_and": "bool_or"}
"""Words and what each becomes. `not` is left out instead."""


@dataclass(frozen=True)
class Token:
    """A piece of a body: its kind, its text and where it begins."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.start + len(self.text)


@dataclass(frozen=True, order=True)
class Mutation:
    """One change of a body: `before`, at an offset, becomes `after`."""

    start: int
    before: str
    after: str

    def applied(self, body: str) -> str:
        """The changed body."""
        return body[: self.start] + self.after + body[self.start + len(self.before) :]

    def line(self, body: str) -> int:
        """The line of the body, from 1, in which the change is."""
        return body.count("\n", 0, self.start) + 1

    def shown(self, body: str) -> str:
        """The line before and after the change."""
        begin = body.rfind("\n", 0, self.start) + 1
        end = body.find("\n", self.start + len(self.before))
        before = body[begin : end if end >= 0 else len(body)]
        after = before[: self.start - begin] + self.after + before[self.start - begin + len(self.before) :]
        return f"- {' '.join(before.split())}\n+ {' '.join(after.split())}"


def tokens(body: str) -> list[Token]:
    """The tokens of a body in SQL or PL/pgSQL without white space and comments."""
    return [
        Token(match.lastgroup, match.group(), match.start())
        for match in TOKEN.finditer(body)
        if match.lastgroup not in ("space", "comment")
    ]


def mutations(body: str) -> list[Mutation]:
    """Every change of one constant, comparison or condition of a body, in order and without repetition."""
    code = tokens(body)
    found: list[Mutation] = []
    skipped = _outside_of_rules(code)
    for index, token in enumerate(code):
        if index in skipped:
            continue
        found += _of_token(code, index, token)
    found += _of_conditions(body, code, skipped)
    return sorted(set(found))


def _of_token(code: list[Token], index: int, token: Token) -> Iterator[Mutation]:
    word = token.text.lower()
    previous = code[index - 1].text.lower() if index else ""
    following = code[index + 1].text.lower() if index + 1 < len(code) else ""
    if token.kind == "number" and previous not in ("limit", "["):
        value = int(token.text) if token.text.isdigit() else None
        if value is not None:
            yield Mutation(token.start, token.text, str(value + 1))
            if value > 1:
                yield Mutation(token.start, token.text, str(value * 4 // 3 if value > 3 else value - 1))
    elif token.kind == "string" and (duration := DURATION.fullmatch(token.text)):
        value, unit = float(duration.group(1)), duration.group(2)
        yield Mutation(token.start, token.text, f"'{value * 4 / 3 if value > 1 else value * 2:g} {unit}s'")
    elif token.kind == "operator" and token.text in COMPARISONS:
        for other in COMPARISONS[token.text]:
            yield Mutation(token.start, token.text, other)
    elif token.kind == "operator" and token.text in ("+", "-") and (following == "interval" or previous == "1"):
        yield Mutation(token.start, token.text, "-" if token.text == "+" else "+")
    elif token.kind == "word" and word in ("min", "max", "least", "greatest", "bool_or", "bool_and"):
        if following == "(":
            yield Mutation(token.start, token.text, WORDS[word])
    elif token.kind == "word" and word == "and" and (_between(code, index) or _compares_tenants(code[:index])):
        return
    elif token.kind == "word" and word in WORDS and previous != "is":
        yield Mutation(token.start, token.text, WORDS[word])
    elif token.kind == "word" and word == "not" and following not in ("null", "found", "materialized", "matched", "distinct"):
        if previous != "is":
            yield Mutation(token.start, token.text + " ", "") if following != "(" else Mutation(token.start, token.text, "")
    elif token.kind == "word" and word == "is" and following == "null":
        yield Mutation(token.end, "", " not")
    elif token.kind == "word" and word == "not" and previous == "is" and following == "null":
        yield Mutation(token.start, "not ", "")


def _compares_tenants(code: list[Token]) -> bool:
    """Whether the code ends with a comparison of tenants, which the policies make as well."""
    for token in reversed(code[-9:]):
        word = token.text.lower()
        if word in ("tenant_id", "v_tenant"):
            return True
        if word in ("and", "or", "where", "on", "when", "if", "(", ")"):
            return False
    return False


def _between(code: list[Token], index: int) -> bool:
    """Whether this AND belongs to a BETWEEN."""
    depth = 0
    for token in reversed(code[:index]):
        word = token.text.lower()
        if word == ")":
            depth += 1
        elif word == "(":
            depth -= 1
        if depth < 0 or (depth == 0 and word in ("and", "or", "where", "on", "when", "if", "then", ";")):
            return False
        if depth == 0 and word == "between":
            return True
    return False


def _of_conditions(body: str, code: list[Token], skipped: set[int]) -> Iterator[Mutation]:
    """Leaves out one side of an AND, and takes the condition of an IF for true or false."""
    for index, token in enumerate(code):
        word = token.text.lower()
        if index in skipped or token.kind != "word":
            continue
        if word in ("if", "elsif") and (index == 0 or code[index - 1].text.lower() not in ("end",)):
            end = _condition_end(code, index + 1, ("then",))
            if end is not None and end > index + 1:
                start, stop = code[index + 1].start, code[end - 1].end
                for value in ("true", "false"):
                    yield Mutation(start, body[start:stop], value)
        if word == "and" and not _between(code, index):
            end = _condition_end(
                code, index + 1,
                ("and", "or", "then", "group", "order", "limit", "for", "returning", "union", "window", "having", "loop", "left", "join",
                    "cross", "where", "on", "when", "else", "end", "into", "from", "as", "offset"))
            if end is not None and end > index + 1:
                start, stop = token.start, code[end - 1].end
                if "tenant_id" not in body[start:stop]:
                    yield Mutation(start, body[start:stop], "")


def _condition_end(code: list[Token], index: int, ends: tuple[str, ...]) -> int | None:
    """The index of the token that ends the condition which begins at `index`."""
    depth = 0
    case = 0
    between = False
    while index < len(code):
        word = code[index].text.lower()
        if word in ("(", "["):
            depth += 1
        elif word in (")", "]"):
            depth -= 1
            if depth < 0:
                return index
        elif word == "case":
            case += 1
        elif word == "end" and case:
            case -= 1
        elif word == "between" and depth == 0:
            between = True
        elif word == "and" and between and depth == 0:
            between = False
        elif depth == 0 and case == 0 and (word in ends or word in (";", ",")):
            return index
        index += 1
    return index


def _outside_of_rules(code: list[Token]) -> set[int]:
    """The indexes of tokens that decide no rule: what a RAISE says, FOUND checks, locks, lists of partitions and types."""
    skipped: set[int] = set()
    index = 0
    while index < len(code):
        word = code[index].text.lower()
        if word == "raise":
            while index < len(code) and code[index].text != ";":
                skipped.add(index)
                index += 1
        elif word in ("numeric", "varchar", "char", "bit") and index + 1 < len(code) and code[index + 1].text == "(":
            while code[index].text != ")":
                skipped.add(index)
                index += 1
        index += 1
    return skipped

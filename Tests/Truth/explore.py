"""Plays random lives, seed after seed, and shows the shortest one that breaks a promise."""

import argparse
import os
import sys
import time

import races
from breaks import BREAKS, statements
from house import House
from lives import Act, life
from promises import Memory, broken


def play(house: House, start, acts: list[Act]) -> tuple[list[str], list[str]]:
    """The story of a life until a promise is broken, and which ones are."""
    story = []
    memory = Memory()
    house.begin(start)
    try:
        for act in acts:
            answer = house.play(act)
            story.append(f"{house.now:%Y-%m-%d %H:%M:%S}Z  {act}  →  {answer}")
            found = broken(act, answer, house, memory)
            if found:
                return story, found
        return story, []
    finally:
        house.end()


def shortened(house: House, start, acts: list[Act], seconds: float) -> list[Act]:
    """A part of a life that still breaks a promise, of which no act can be left out."""
    ends = time.monotonic() + seconds
    size = max(len(acts) // 2, 1)
    while True:
        at = 0
        while at < len(acts) and time.monotonic() < ends:
            shorter = acts[:at] + acts[at + size :]
            if shorter and play(house, start, shorter)[1]:
                acts = shorter
            else:
                at += size
        if size == 1 or time.monotonic() > ends:
            return acts
        size //= 2


def life_that_shows(url: str, name: str, first: int, lives: int, length: int) -> tuple[int, str] | None:
    """The seed of a life in which the explorer sees a break of the rules, and what it says; None if that many lives are not enough."""
    house = House(url, statements(url, name))
    for seed in dict.fromkeys((BREAKS[name].seed, *range(first, first + lives))):
        for sentence in play(house, *life(seed, length))[1]:
            if any(said in sentence for said in BREAKS[name].says):
                return seed, sentence
    return None


def find_breaks(url: str, names: list[str], first: int, lives: int, length: int) -> int:
    missed = 0
    for name in names:
        found = life_that_shows(url, name, first, lives, length)
        missed += found is None
        print(f"{name}: {BREAKS[name].does}: " + (f"found with seed {found[0]}: {found[1]}" if found else f"not found in {lives} lives"), flush=True)
    print(f"{len(names) - missed} of {len(names)} breaks found")
    return 1 if missed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed (1)")
    parser.add_argument("--lives", type=int, default=40, help="how many lives, unless --seconds is given (40)")
    parser.add_argument("--seconds", type=float, help="go on with the next seeds for so long")
    parser.add_argument("--acts", type=int, default=60, help="acts of each life (60)")
    parser.add_argument("--keep-going", action="store_true", help="go on after a broken promise")
    parser.add_argument("--shrinking", type=float, default=60, help="seconds in which a life is made shorter (60)")
    parser.add_argument("--break", dest="broken", choices=[*BREAKS, "all"], help="break a promise on purpose, and see that it is found")
    parser.add_argument("--races", type=int, help="race the judgement with check-ins so many times instead")
    options = parser.parse_args()
    if options.races:
        return races.run(os.environ["KITH_DATABASE_URL"], options.races, options.seed)
    if options.broken:
        names = list(BREAKS) if options.broken == "all" else [options.broken]
        return find_breaks(os.environ["KITH_DATABASE_URL"], names, options.seed, options.lives, options.acts)

    for name in BREAKS:
        # Ends here if a break does not fit the functions any more.
        statements(os.environ["KITH_DATABASE_URL"], name)
    house = House(os.environ["KITH_DATABASE_URL"])
    began, seed, acts_played, failures = time.monotonic(), options.seed, 0, 0
    while (time.monotonic() - began < options.seconds) if options.seconds else (seed < options.seed + options.lives):
        start, acts = life(seed, options.acts)
        story, found = play(house, start, acts)
        acts_played += len(story)
        if found:
            failures += 1
            shorter = shortened(house, start, acts[: len(story)], options.shrinking)
            story, found = play(house, start, shorter)
            print(f"\nseed {seed}:", *story, "BROKEN:", *found, f"again: Tests/Truth/run --seed {seed} --lives 1 --acts {options.acts}", sep="\n", flush=True)
            if not options.keep_going:
                break
        seed += 1
    print(f"{'BROKEN' if failures else 'kept'} after {seed - options.seed} lives with {acts_played} acts, {acts_played / (time.monotonic() - began):.0f} a second")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

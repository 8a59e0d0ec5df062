"""Runs the machine: for a number of examples with one seed, or with ever new seeds for a number of seconds."""

import argparse
import os
import sys
import time

from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.internal.conjecture import engine
from hypothesis.stateful import run_state_machine_as_test

from driver import Database
from machine import SINCE, Machine


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seed", type=int, help="the first seed; without one the examples are always the same")
    arguments.add_argument("--seconds", type=float, help="go on with the next seeds for so long")
    arguments.add_argument("--examples", type=int, default=30, help="examples for each seed")
    arguments.add_argument("--steps", type=int, default=50, help="steps of each example")
    arguments.add_argument("--about", choices=["pings", "vaults", "emergency", "everything"], help="what all examples are about; otherwise each of one of them")
    arguments.add_argument("--outcomes", action="store_true", help="tell in the end how often each act had which outcome")
    arguments.add_argument("--shrinking", type=float, default=40, help="seconds in which a disagreement is made shorter")
    arguments.add_argument("--keep-going", action="store_true", help="go on after a disagreement")
    options = arguments.parse_args()

    # An hour of search is worth more than the last step less in a story.
    engine.MAX_SHRINKING_SECONDS = options.shrinking
    Machine.only = options.about
    Machine.driver = Database(os.environ["KITH_DATABASE_URL"], SINCE)
    seed = options.seed if options.seed is not None else 1 if options.seconds else None
    begin, found = time.monotonic(), 0
    while True:
        Machine.steps = 0
        started = time.monotonic()
        Machine._hypothesis_internal_use_seed = seed
        try:
            run_state_machine_as_test(
                Machine,
                settings=settings(
                    max_examples=options.examples, stateful_step_count=options.steps, derandomize=seed is None, database=None, deadline=None,
                    suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink], print_blob=False, report_multiple_bugs=False,
                ),
            )
            verdict = "agree"
        except Exception as disagreement:
            found += 1
            verdict = "DISAGREE"
            print(f"{type(disagreement).__name__}: {disagreement}", flush=True)
            if not isinstance(disagreement, AssertionError):
                import traceback

                traceback.print_exc(file=sys.stdout)
        took = time.monotonic() - started
        print(f"seed {seed}: {verdict} after {Machine.steps} steps, {Machine.steps / took:.0f} a second", flush=True)
        if verdict == "DISAGREE":
            about = f" --about {options.about}" if options.about else ""
            print(f"again: Tests/Model/run --seed {seed or 0} --examples {options.examples} --steps {options.steps}{about}" if seed is not None else "again: Tests/Model/run", flush=True)
            if not options.keep_going:
                break
        if not options.seconds or time.monotonic() - begin > options.seconds:
            break
        seed += 1
    if options.outcomes:
        for outcome, times in sorted(Machine.outcomes.items()):
            print(f"{times:7} {outcome}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

"""The first page of the web client over HTTP, compared with the call of the API that it shows."""

from functools import partial

from call import HOME, Call
from reading import Reading
from result import at_least, report
from rounds import in_turns
from stage import Stage

CONNECTIONS = 16
TODAY = Call("GET", "/today", "", "")


def run(stage: Stage) -> None:
    with stage.morning() as database:
        homes = Reading.small_homes(stage, database)
        pages = homes.of_browsers(TODAY)
        with stage.serving(database) as server:
            sides = [pages, homes]
            for side in sides:
                side.warm_up(server.url, CONNECTIONS)
            ours, peer = in_turns(
                stage.size.rounds, *(partial(lambda side: side.over_http(server.url, CONNECTIONS).rate, side) for side in sides)
            )
    report(
        "web-today", ours, peer,
        f"first pages of the web client a second, against {HOME.path}, over {CONNECTIONS} HTTP connections", at_least(0.7),
    )

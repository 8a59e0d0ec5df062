"""Runs `kith dev` under load, and checks what each panel of the dashboard shows of it: under_load.py SECONDS FOLDER

A panel is wrong if Prometheus refuses one of its queries, if a query has no values at the end, or if it shows a rest where there is load. Each panel is
drawn to FOLDER, to be looked at. Ends with status 1 if a panel is wrong.
"""

import http.client
import json
import math
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from monitoring import DASHBOARD, Prometheus, exporters

STEP = 5
"""The seconds between two points of a panel."""
PAUSE = 0.02
"""The seconds between two calls of one caller."""
WITHOUT = {
    "Reads by the host that answers": "needs a standby",
    "Reads for which the standby was late or silent": "needs a standby",
    "Age of the last archived segment": "needs an archive of the WAL",
    "Messages given up or dropped": "nothing fails here",
    "Attempts that did not succeed": "needs two attempts within a minute",
}
"""Panels that may be empty here, and why."""
LIVELY = {
    "Requests", "Time to an answer", "The busiest calls", "Connections and requests in progress", "Open streams of events", "Events sent",
    "Messages taken by providers", "Connections to PostgreSQL",
}
"""Panels of which something must be above zero."""


class Development:
    """A `kith dev` of its own, in a folder."""

    def __init__(self, folder):
        self.log = folder / "kith.log"
        self.ports = [_free_port() for _ in range(2)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("KITH_", "PG"))}
        environment |= {
            "KITH_HOME": str(folder / "home"), "KITH_LISTEN": f"127.0.0.1:{self.ports[0]}", "KITH_METRICS_LISTEN": f"127.0.0.1:{self.ports[1]}",
            "KITH_ADDRESS_LIMIT": "0", "KITH_USER_LIMIT": "0", "KITH_SIGN_IN_LIMIT": "0",
        }
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [os.environ["KITH_BINARY"], "dev"], env=environment, stdout=log, stderr=log, start_new_session=True
            )
        end = time.monotonic() + 120
        while "Ctrl-C stops everything" not in self.log.read_text():
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"kith dev does not start:\n{self.log.read_text()}")
            time.sleep(0.1)
        self.tokens = dict(re.findall(r"^ +(Alice|Bob|Carol) +(\S+)$", self.log.read_text(), re.MULTILINE))
        sockets = (folder / "home" / "postgres" / "postmaster.pid").read_text().splitlines()[4]
        self.database = f"postgresql://postgres@/kith?host={sockets}"

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


class Load:
    """Callers of all kinds, until it is stopped."""

    def __init__(self, development):
        self._development = development
        self._stopped = threading.Event()
        self._answers = 0
        alice, bob, carol = (development.tokens[name] for name in ("Alice", "Bob", "Carol"))
        self._threads = [
            threading.Thread(target=self._repeat, args=call)
            for call in [
                ("POST", "/v1/pings/check-in", alice, {}), ("GET", "/v1/home", alice, None), ("GET", "/v1/dashboard?role=receiver", bob, None),
                ("GET", "/v1/notifications", bob, None), ("GET", "/v1/vaults", carol, None), ("GET", "/v1/connections/nowhere", bob, None),
                ("GET", "/v1/me", "nobody", None),
            ]
        ]
        self._threads += [threading.Thread(target=self._sign_in), threading.Thread(target=self._listen, args=(bob,))]
        for thread in self._threads:
            thread.start()

    def stop(self):
        """Ends the load; the number of answers."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(30)
        return self._answers

    def _call(self, connection, method, path, token, body, **headers):
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json", **headers})
        connection.getresponse().read()
        self._answers += 1

    def _repeat(self, method, path, token, body):
        connection = self._connect()
        while not self._stopped.wait(PAUSE):
            self._call(connection, method, path, token, body)

    def _sign_in(self):
        """Asks for codes, so that there are messages to send: one a second."""
        connection, number = self._connect(), 0
        while not self._stopped.wait(1):
            number += 1
            phone = {"phone": f"+49151{number:08d}"}
            self._call(connection, "POST", "/v1/auth/otp", None, phone, **{"X-Kith-Tenant": "demo"})

    def _listen(self, token):
        """Reads the events of a receiver from one stream."""
        connection = self._connect()
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {token}", "Accept": "text/event-stream"})
        answer = connection.getresponse()
        while not self._stopped.is_set():
            try:
                if not answer.read1(65536):
                    return
            except TimeoutError:
                continue

    def _connect(self):
        return http.client.HTTPConnection("127.0.0.1", self._development.ports[0], timeout=30)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _series(prometheus, query, since, until):
    """The series of a query over some time: their labels, and the instants and values that are numbers."""
    found = prometheus.get("query_range", query=query.replace("$__rate_interval", "30s"), start=since, end=until, step=STEP)["result"]
    for series in found:
        points = [(at, float(value)) for at, value in series["values"]]
        yield series["metric"], [(at, value) for at, value in points if math.isfinite(value)]


def _look(prometheus, panel, since, until, folder):
    """Draws a panel; what is wrong with it."""
    figure, axes = pyplot.subplots(figsize=(8, 3))
    highest, wrong = 0.0, []
    for target in panel["targets"]:
        try:
            series = list(_series(prometheus, target["expr"], since, until))
        except ValueError as error:
            wrong.append(f"refused: {target['expr']}: {error}")
            continue
        if not any(points and points[-1][0] >= until - 6 * STEP for _, points in series):
            wrong.append(f"shows nothing at the end: {target['expr']}")
        for labels, points in series:
            legend = re.sub(r"{{(\w+)}}", lambda name: labels.get(name[1], ""), target.get("legendFormat") or "")
            axes.plot([at - since for at, _ in points], [value for _, value in points], label=legend or None)
            highest = max([highest, *(value for _, value in points)])
    if panel["title"] in LIVELY and highest <= 0:
        wrong.append("rests under load")
    axes.set_title(f"{panel['title']} ({panel['type']})")
    axes.set_xlabel("seconds")
    axes.legend(*axes.get_legend_handles_labels(), fontsize="x-small") if axes.get_legend_handles_labels()[1] else None
    figure.savefig(folder / f"{re.sub(r'[^a-z0-9]+', '-', panel['title'].lower()).strip('-')}-{panel['id']}.png", dpi=80, bbox_inches="tight")
    pyplot.close(figure)
    return wrong, highest


def main(seconds, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # PostgreSQL's account must reach it.
    work = pathlib.Path(tempfile.mkdtemp(prefix="kith-monitoring-"))
    work.chmod(0o755)
    services, found = [], []
    try:
        development = Development(work)
        services.append(development)
        services += exporters(work, development.database)
        services.append(Prometheus(work, f"127.0.0.1:{development.ports[1]}", *(exporter.address for exporter in services[1:])))
        load = Load(development)
        since = time.time()
        time.sleep(seconds)
        until = time.time()
        figures = []
        panels = [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel.get("targets")]
        for panel in panels:
            wrong, highest = _look(services[-1], panel, since, until, folder)
            figures.append({"panel": panel["title"], "highest": highest, "wrong": wrong})
            found += [f"the panel {panel['title']!r} {fault}" for fault in wrong if panel["title"] not in WITHOUT]
        answers = load.stop()
    finally:
        for service in reversed(services):
            service.stop()
        shutil.rmtree(work, ignore_errors=True)
    (folder / "panels.json").write_text(json.dumps({"seconds": seconds, "answers": answers, "panels": figures}, indent=2) + "\n")
    for fault in found:
        print(fault)
    print(f"{len(panels)} panels over {seconds} s with {answers} answers, of which {len(found)} are wrong; pictures: {folder}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), pathlib.Path(sys.argv[2])))

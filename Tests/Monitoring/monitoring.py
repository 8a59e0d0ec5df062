"""The alerts and the dashboard of deploy/, and a Prometheus that evaluates them: it scrapes a server, and exporters for the machine and PostgreSQL."""

import json
import os
import pathlib
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "kith.rules.yml"
TESTS = DEPLOY / "prometheus" / "kith.rules.test.yml"
DASHBOARD = DEPLOY / "grafana" / "kith.json"
# Far more than a busy machine needs. Nothing depends on how fast it is.
PATIENCE = 120
JOBS = ["kith", "node", "postgres"]


def promtool(*arguments):
    done = subprocess.run(["promtool", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=TESTS.parent)
    return [] if done.returncode == 0 else [f"promtool {' '.join(arguments)}:\n{done.stdout}"]


def untested():
    """The alerts without a test that they fire, or without one that they rest."""
    expected = re.findall(r'alertname="(\w+)", alertstate="firing".* value: (\d+)', TESTS.read_text())
    for alert in re.findall(r"^ +- alert: (\w+)$", RULES.read_text(), re.MULTILINE):
        counts = [int(count) for name, count in expected if name == alert]
        if not any(counts):
            yield f"{TESTS.name} does not test that {alert} fires"
        if 0 not in counts:
            yield f"{TESTS.name} does not test that {alert} rests"


class Service:
    """A program that listens on a port of its own choice, and logs which."""

    def __init__(self, folder, *command, **variables):
        self.name = command[0]
        self.log = folder / f"{self.name}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*command, "--web.listen-address=127.0.0.1:0"], stdout=log, stderr=log, env={**os.environ, **variables}
            )
        self.address = self.wait_for(lambda: re.search(r"Listening on\"? address=(\S+)", self.log.read_text()), "start")[1]

    def wait_for(self, condition, what):
        """Returns what `condition` returns once that is true."""
        end = time.monotonic() + PATIENCE
        while not (met := condition()):
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"{self.name} does not {what}:\n{self.log.read_text()}")
            time.sleep(0.1)
        return met

    def stop(self):
        self.process.kill()
        self.process.wait()


def exporters(folder, database):
    """The exporters of this machine and of a PostgreSQL, as deploy/README.md sets them up."""
    (folder / "kith_backup.prom").write_text(f"kith_backup_end_timestamp_seconds {time.time():.0f}\n")
    yield Service(folder, "prometheus-node-exporter", f"--collector.textfile.directory={folder}")
    yield Service(folder, "prometheus-postgres-exporter", DATA_SOURCE_NAME=database)


class Prometheus(Service):
    """A Prometheus that scrapes a server and the exporters each second, with the rules of deploy/."""

    def __init__(self, folder, server, node, postgres):
        configuration = (DEPLOY / "prometheus" / "prometheus.yml").read_text()
        for old, new in [
            ("127.0.0.1:9464", server),
            ("127.0.0.1:9100", node),
            ("127.0.0.1:9187", postgres),
            ("/usr/share/kith/prometheus/kith.rules.yml", str(RULES)),
            ("15s", "1s"),
        ]:
            if old not in configuration:
                raise SystemExit(f"prometheus.yml has no {old}")
            configuration = configuration.replace(old, new)
        (folder / "prometheus.yml").write_text(configuration)
        super().__init__(folder, "prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}")

    def get(self, path, **parameters):
        """The data of an answer. Raises ValueError with Prometheus' reason if it refuses."""
        try:
            url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            if error.code == 503:
                return {}  # It is still starting.
            raise ValueError(json.load(error).get("error")) from error


def dashboard_queries():
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel.get("targets", []):
            yield f"the panel {panel['title']!r}", target["expr"].replace("$__rate_interval", "1m")


def unknown(query, series):
    """The metrics of a query that nothing reports, and their labels that no series has."""
    for name, matchers in re.findall(r"\b((?:kith|node|pg)_\w+|up)\b(?:{([^}]*)})?", query):
        if name not in series:
            yield name
        else:
            yield from (f"{name}{{{label}}}" for label in re.findall(r"(\w+)=~?", matchers) if label not in series[name])
    labels = re.findall(r"\b(?:by|on) \(([^)]*)\)", query)
    known = set().union(*series.values())
    yield from (label for group in labels for label in re.split(r", *", group) if label and label not in known)


def faults(prometheus):
    for job in JOBS:
        prometheus.wait_for(lambda: prometheus.get("query", query=f'sum_over_time(up{{job="{job}"}}[1m]) > 2').get("result"), f"scrape {job}")
    prometheus.wait_for(
        lambda: all(rule["health"] != "unknown" for group in prometheus.get("rules").get("groups", []) for rule in group["rules"]),
        "evaluate the rules",
    )
    series = {}
    for labels in prometheus.get("series", **{"match[]": '{job=~"' + "|".join(JOBS) + '"}'}):
        series.setdefault(labels["__name__"], set()).update(labels)
    # Reported only where there are several databases.
    series["kith_cell_up"] = {"cell", "instance", "job"}
    rules = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]
    for rule in rules:
        if rule["health"] != "ok":
            yield f"the alert {rule['name']} cannot be evaluated: {rule.get('lastError')}"
        for name in unknown(rule["query"], series):
            yield f"the alert {rule['name']} uses {name}, which nothing reports"
    panels = list(dashboard_queries())
    shows_nothing = False
    for where, query in panels:
        for name in unknown(query, series):
            yield f"{where} uses {name}, which nothing reports"
        try:
            # On a busy machine a scrape can take too long. Its metrics are back after the next one.
            end = time.monotonic() + (0 if shows_nothing else PATIENCE)
            while not (shown := prometheus.get("query", query=query)["result"]) and time.monotonic() < end:
                time.sleep(0.1)
            if not shown:
                shows_nothing = True
                yield f"{where} shows nothing: {query}"
        except ValueError as error:
            yield f"{where} has a query that Prometheus refuses: {query}: {error}"
    print(f"{len(rules)} alerts and {len(panels)} queries of the dashboard, over {len(series)} metrics")

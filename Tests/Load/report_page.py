"""The report: a page with a chart for each benchmark, its history by commit, and the machine."""

import html
import io
from collections.abc import Iterable
from pathlib import Path
from statistics import median

import matplotlib
from history import Record
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from result import Result, number

# Text stays text, which browsers can find and enlarge; ids do not change from one page to the next.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "kith", "font.family": "sans-serif", "font.size": 9})

OURS, PEER, TARGET = "#0b6e4f", "#9aa0a6", "#b3261e"

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1f1f1f; background: #fff; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #ddd }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
.missed { color: #b3261e; font-weight: 600 } .met { color: #0b6e4f }
section { margin-top: 2.5rem } h2 { margin-bottom: 0 } svg { max-width: 100%; height: auto }
"""


def write(path: Path, records: list[Record]) -> None:
    """Writes the page of these results, oldest first, all of one machine and size. Without results it writes nothing."""
    if not records:
        return
    by_name: dict[str, list[Record]] = {}
    for record in records:
        by_name.setdefault(record.result.name, []).append(record)
    last = records[-1]
    page = [
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta name=viewport content='width=device-width'>",
        f"<title>Kith's benchmarks</title>\n<style>{STYLE}</style>",
        "<h1>Kith’s benchmarks</h1>",
        f"<p>The latest result of each benchmark, size <b>{_text(last.size)}</b>, on {_text(last.machine)}. The last run was of commit"
        f" <b>{_text(last.commit)}</b> at {_text(last.at)}. A ratio is ours over the peer’s, which is measured in the same run.</p>",
        *_summary(list(by_name.values())),
        *(_section(history) for history in by_name.values()),
        "</html>\n",
    ]
    # A reader never sees half a page.
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text("\n".join(page), encoding="utf-8")
    unfinished.rename(path)


def _summary(histories: list[list[Record]]) -> Iterable[str]:
    yield "<table>\n<thead><tr><th>benchmark<th class=number>ours<th class=number>peer<th class=number>ratio<th>target<th>commit</thead>"
    for history in histories:
        result = history[-1].result
        yield (
            f"<tr><td><a href='#{_text(result.name)}'>{_text(result.name)}</a>"
            f"<td class=number>{number(median(result.ours))}<td class=number>{number(median(result.peer))}"
            f"<td class=number>{result.ratio:.2f}<td>{_verdict(result)}<td>{_text(history[-1].commit)}"
        )
    yield "</table>"


def _verdict(result: Result) -> str:
    if not result.target:
        return "none"
    met = result.target.is_met(median(result.ours), result.ratio)
    words = str(result.target).removeprefix("target ")
    return f"<span class={'met' if met else 'missed'}>{_text(words)}: {'met' if met else 'missed'}</span>"


def _section(history: list[Record]) -> str:
    result = history[-1].result
    return (
        f"<section id='{_text(result.name)}'>\n<h2>{_text(result.name)}</h2>\n"
        f"<p>{_text(result.what)}; {_verdict(result)}</p>\n{_chart(history)}\n</section>"
    )


def _chart(history: list[Record]) -> str:
    """Both sides of the latest result as bars, each with its rounds as dots, beside the ratios of all runs by commit."""
    result = history[-1].result
    figure = Figure(figsize=(9, 2), layout="constrained")
    sides, course = figure.subplots(1, 2, width_ratios=[3, 2])
    _draw_sides(sides, result)
    _draw_course(course, history)
    svg = io.StringIO()
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    drawing = svg.getvalue()
    words = f"ours {number(median(result.ours))}, peer {number(median(result.peer))}, ratio {result.ratio:.2f}"
    return drawing[drawing.index("<svg"):].replace("<svg", f"<svg role='img' aria-label='{_text(words)}'", 1)


def _draw_sides(axes: Axes, result: Result) -> None:
    for place, (values, color) in enumerate([(result.peer, PEER), (result.ours, OURS)]):
        axes.barh(place, median(values), color=color, height=0.6)
        axes.plot(values, [place] * len(values), "o", markersize=3, color="#1f1f1f")
        axes.annotate(
            number(median(values)), (max(values), place), xytext=(6, 0), textcoords="offset points", va="center",
        )
    axes.set_yticks([0, 1], ["peer", "ours"])
    axes.set_xlim(0, max(*result.ours, *result.peer) * 1.2)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_course(axes: Axes, history: list[Record]) -> None:
    commits = list(dict.fromkeys(record.commit for record in history))
    ratios = {
        commit: [record.result.ratio for record in history if record.commit == commit] for commit in commits
    }
    for place, commit in enumerate(commits):
        axes.plot([place] * len(ratios[commit]), ratios[commit], "o", markersize=3, color=OURS)
    axes.plot(range(len(commits)), [median(ratios[commit]) for commit in commits], color=OURS, linewidth=1)
    target = history[-1].result.target
    if target and target.of == "ratio":
        axes.axhline(target.value, color=TARGET, linewidth=1, linestyle="--")
    axes.set_xticks(range(len(commits)), commits, rotation=30 if len(commits) > 2 else 0, ha="center", fontsize=7)
    axes.set_ylabel("ratio")
    axes.set_ylim(bottom=0)
    axes.margins(x=0.2, y=0.2)
    axes.spines[["top", "right"]].set_visible(False)


def _text(value: object) -> str:
    return html.escape(str(value))

"""100 MiB loaded into a file by the library, by curl, and by a bare URLSession, whose memory is the measure."""

import subprocess
import time

import client
from result import at_least, at_most, report
from rounds import in_turns
from stage import Stage

MIB = 100
MORE = 8
"""MiB that the library may take more than a bare URLSession."""


def run(stage: Stage) -> None:
    target = stage.folder / "downloaded"
    with client.counterpart(stage.folder) as url:
        ours, peer, bare = in_turns(
            stage.size.rounds,
            lambda: client.measure("download", url, "token", target),
            lambda: _by_curl(url, target),
            lambda: client.measure("bare-download", url, "token", target),
        )
    report(
        "client-download", [MIB * each.rate for each in ours], peer, "MiB a second into a file, and by curl",
        at_least(0.9),
    )
    growth = [max(one.peak_kib - other.peak_kib, 10) / 1024 for one, other in zip(ours, bare, strict=True)]
    report(
        "client-download-memory", growth, [MORE] * len(growth),
        "MiB of peak memory more than a bare URLSession; the peer is the limit", at_most(1),
    )


def _by_curl(url: str, target: object) -> float:
    began = time.monotonic()
    subprocess.run(["curl", "-sf", "-o", str(target), f"{url}/v1/vaults/x/documents/x/content"], check=True)
    return MIB / (time.monotonic() - began)

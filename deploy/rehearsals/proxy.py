"""HAProxy with deploy/haproxy.cfg in front of several servers."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from process import await_answer, free_port, running
from rehearsals.arguments import ROOT, Missing


@contextlib.contextmanager
def proxying(folder: Path, ports: list[int]) -> Iterator[str]:
    """The URL of a proxy in front of the servers on these ports of this machine.

    The configuration is that of an operator, without TLS and without a log, since this is neither's rehearsal.
    """
    program = shutil.which("haproxy") or next(filter(os.path.exists, ["/usr/sbin/haproxy"]), None)
    if program is None:
        raise Missing("HAProxy is missing: ./setup rehearse")
    port = free_port()
    text = (ROOT / "deploy" / "haproxy.cfg").read_text()
    for pattern, replacement in (
        (r"^    (user|group|log) .*\n", ""), (r"^    bind :::80 .*\n", ""), (r"^    http-request redirect .*\n", ""),
        (r"^    bind :::443 .*", f"    bind 127.0.0.1:{port}"),
        (r"^    server kith1 127\.0\.0\.1:8080 (.*)", "\n".join(rf"    server kith{n} 127.0.0.1:{kith} \1" for n, kith in enumerate(ports, 1))),
    ):
        text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        if count == 0:
            raise RuntimeError(f"deploy/haproxy.cfg has no line like {pattern}")
    file = folder / "haproxy.cfg"
    file.write_text(text)
    subprocess.run([program, "-c", "-q", "-f", file], check=True)
    with running([program, "-db", "-f", str(file)], dict(os.environ), folder / "haproxy.log") as process:
        url = f"http://127.0.0.1:{port}"
        await_answer(process, url + "/readyz")
        yield url

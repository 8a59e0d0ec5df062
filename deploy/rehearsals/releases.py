"""The programs of other releases."""

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from rehearsals import arguments, next_release
from rehearsals.arguments import ROOT


def build_next() -> Path:
    """Builds the program of the release after the present commit."""
    return build("HEAD", next_release.make)


def build(commit: str, change: Callable[[Path], None] | None = None) -> Path:
    """Builds the program of a commit, unless that was done before; takes some minutes. `change` makes the next release of its checkout."""
    name = arguments.commit(commit)
    program = ROOT / ".build" / "rehearsals" / f"kith-{name[:12]}{'-next' if change else ''}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="kith-release-", dir="/var/tmp") as folder:
            checkout = Path(folder) / "checkout"
            subprocess.run(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", checkout, name], check=True)
            try:
                if change:
                    change(checkout)
                subprocess.run(
                    ["swift", "build", "--configuration", "release", "--static-swift-stdlib", "--disable-local-rpath", "--product", "kith"],
                    cwd=checkout, check=True,
                )
                (checkout / ".build/release/kith").rename(program)
            finally:
                subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", checkout], check=True)
    return program

"""The program of another commit."""

import subprocess
import tempfile
from pathlib import Path

from rehearsals import arguments
from rehearsals.arguments import ROOT


def build(commit: str) -> Path:
    """Builds the program of a commit, unless that was done before; takes some minutes."""
    name = arguments.commit(commit)
    program = ROOT / ".build" / "rehearsals" / f"kith-{name[:12]}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="kith-release-", dir="/var/tmp") as folder:
            checkout = Path(folder) / "checkout"
            subprocess.run(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", checkout, name], check=True)
            try:
                subprocess.run(
                    ["swift", "build", "--configuration", "release", "--static-swift-stdlib", "--disable-local-rpath", "--product", "kith"],
                    cwd=checkout, check=True,
                )
                (checkout / ".build/release/kith").rename(program)
            finally:
                subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", checkout], check=True)
    return program

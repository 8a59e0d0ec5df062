"""The programs of other releases."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from rehearsals import arguments
from rehearsals.arguments import ROOT


NEXT_MIGRATION = Path(__file__).with_name("next_migration.sql")


def build_next() -> Path:
    """Builds the program of the present commit with one more migration."""
    return build("HEAD", NEXT_MIGRATION)


def build(commit: str, migration: Path | None = None) -> Path:
    """Builds the program of a commit, unless that was done before; takes some minutes. `migration` is one that the commit does not have."""
    name = arguments.commit(commit)
    program = ROOT / ".build" / "rehearsals" / f"kith-{name[:12]}{'-next' if migration else ''}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="kith-release-", dir="/var/tmp") as folder:
            checkout = Path(folder) / "checkout"
            subprocess.run(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", checkout, name], check=True)
            try:
                if migration:
                    migrations = checkout / "sql/migrations"
                    shutil.copy(migration, migrations / f"{len(list(migrations.iterdir())) + 1:04}_rehearse_upgrade.sql")
                subprocess.run(
                    ["swift", "build", "--configuration", "release", "--static-swift-stdlib", "--disable-local-rpath", "--product", "kith"],
                    cwd=checkout, check=True,
                )
                (checkout / ".build/release/kith").rename(program)
            finally:
                subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", checkout], check=True)
    return program

"""Checks that this build keeps the promises of each release: check.py FOLDER, or check.py FOLDER --write RELEASE.

FOLDER has what the build says of itself: openapi.json, help.txt, kith.env.roff, admin.json and the symbol graphs of the libraries. Prints each
break, and ends with status 1 if there is one. --write describes the build as a release instead.
"""

import argparse
import json
import sys
from pathlib import Path

import description
import promises

HERE = Path(__file__).parent
COMPARED = {
    "api": promises.api, "commands": promises.commands, "configuration": promises.names, "admin": promises.admin, "library": promises.names,
    "migrations": promises.migrations,
}


def described(folder: Path) -> dict[str, dict]:
    """What the build promises, by surface."""
    graphs = [json.loads(path.read_text()) for path in sorted(folder.glob("*.symbols.json"))]
    return {
        "api": description.api(json.loads((folder / "openapi.json").read_text())),
        "commands": description.commands((folder / "help.txt").read_text()),
        "configuration": description.variables((folder / "kith.env.roff").read_text()),
        "admin": description.admin(json.loads((folder / "admin.json").read_text())),
        "library": description.library(graphs),
        "migrations": description.migrations(HERE.parent.parent / "sql/migrations"),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", metavar="RELEASE")
    arguments = parser.parse_args()
    now = described(arguments.folder)
    if empty := [surface for surface, parts in now.items() if len(parts) < 3]:
        print(f"nothing was found of: {', '.join(empty)}", file=sys.stderr)
        return 2
    if arguments.write:
        folder = HERE / arguments.write
        folder.mkdir(exist_ok=True)
        for surface, parts in now.items():
            (folder / f"{surface}.json").write_text(text(parts))
        return 0
    broken = 0
    releases = sorted(path for path in HERE.iterdir() if path.is_dir() and path.name[0].isdigit())
    for release in releases:
        for surface, breaks in COMPARED.items():
            for line in breaks(json.loads((release / f"{surface}.json").read_text()), now[surface]):
                print(f"{release.name}, {surface}: {line}")
                broken += 1
    print(f"{len(releases)} releases, {broken} promises broken", file=sys.stderr)
    return 1 if broken or not releases else 0


def text(parts: dict) -> str:
    """A description as text: a line for each name of the second level, so that a diff shows what has changed."""
    lines = []
    for name, value in sorted(parts.items()):
        if isinstance(value, dict) and value and all(isinstance(one, dict) for one in value.values()):
            inner = ",\n".join(f"    {json.dumps(key, ensure_ascii=False)}: {json.dumps(one, ensure_ascii=False)}" for key, one in sorted(value.items()))
            lines.append(f"  {json.dumps(name)}: {{\n{inner}\n  }}")
        else:
            lines.append(f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())

"""The commands of a Markdown document, as a reader copies them."""

import re
from pathlib import Path


def commands(document: Path, heading: str) -> list[str]:
    """The shell blocks of the section with this heading of the second level, in order.

    Raises RuntimeError if the document has no such section, or the section no commands.
    """
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", document.read_text(), re.MULTILINE | re.DOTALL)
    if section is None:
        raise RuntimeError(f"{document} has no section {heading!r}")
    blocks = re.findall(r"^```sh\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL)
    if not blocks:
        raise RuntimeError(f"{document}: the section {heading!r} has no commands")
    return blocks


def replace(text: str, old: str, new: str) -> str:
    """`text` with another value in one place.

    Raises RuntimeError if `old` is not there exactly once: the document has changed, and whoever calls this must follow.
    """
    if text.count(old) != 1:
        raise RuntimeError(f"the commands have {old!r} {text.count(old)} times, not once")
    return text.replace(old, new)

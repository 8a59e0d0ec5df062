"""Makes a next release of a checkout, for `deploy/rehearse upgrade --next`: a 1.1 as one may come.

It has columns and constraints in the tables that every check-in reads and writes (next_migration.sql), a procedure with another name, on which
every check-in depends, a type of notification that there was not, and one that is no longer sent.
"""

import re
import shutil
from pathlib import Path

MIGRATION = Path(__file__).with_name("next_migration.sql")
FORMER, RENAMED = "check_in", "record_check_in"
"""The procedure of the schema api that servers call for a check-in, in the previous release and in the next one."""
NO_LONGER_SENT, SENT = "ping_completed", "ping_answered"
"""The type of the notification of a check-in in the previous release and in the next one."""

_TEXTS = {
    "en": {"title": "Answered", "receiver": "{name} has answered."},
    "de": {"title": "Geantwortet", "receiver": "{name} hat geantwortet."},
}


def make(checkout: Path) -> None:
    """Changes a checkout to the next release. Raises ValueError if it no longer has what is changed here."""
    migrations = checkout / "sql/migrations"
    shutil.copy(MIGRATION, migrations / f"{len(list(migrations.iterdir())) + 1:04}_rehearse_upgrade.sql")
    _rename(checkout)
    _tell_anew(checkout)


def _rename(checkout: Path) -> None:
    files = [*(checkout / "sql").glob("*/*.sql"), *(checkout / "Sources").rglob("*.swift")]
    renamed = 0
    for file in files:
        if file.parent.name == "migrations":
            continue
        text, count = re.subn(rf"\bapi\.{FORMER}\b", f"api.{RENAMED}", file.read_text())
        if count:
            file.write_text(text)
            renamed += count
    if not renamed:
        raise ValueError(f"nothing calls api.{FORMER}")


def _tell_anew(checkout: Path) -> None:
    for locale, texts in _TEXTS.items():
        entries = "".join(f'  "notification.{SENT}.{key}": "{text}",\n' for key, text in texts.items())
        before = f'  "notification.{NO_LONGER_SENT}.title"'
        _replace(checkout / f"Sources/Texts/Catalogue/{locale}.json", before, entries + before)
    row = f"    ('{NO_LONGER_SENT}', "
    _replace(
        checkout / "sql/notifications/internal.notification_types.sql", row,
        f"    ('{SENT}', '{{stale}}', 'connection', null, null, '{{{NO_LONGER_SENT},ping_all_clear}}'),\n{row}",
    )
    _replace(
        checkout / "sql/texts/internal.text_keys.sql", "    when p_type = 'ping_due' or p_type = 'ping_reminder' then '.sender'\n",
        f"    when p_type = '{SENT}' then '.receiver'\n    when p_type = 'ping_due' or p_type = 'ping_reminder' then '.sender'\n",
    )
    _replace(
        checkout / "sql/check_ins/internal.check_ins.sql", f"side.receiver_id, '{NO_LONGER_SENT}',", f"side.receiver_id, '{SENT}',",
    )


def _replace(file: Path, former: str, new: str) -> None:
    text = file.read_text()
    if text.count(former) != 1:
        raise ValueError(f"{file} has {text.count(former)} times {former!r}, not once")
    file.write_text(text.replace(former, new))

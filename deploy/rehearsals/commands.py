"""The commands of the documents, as a reader copies them. As a program, prints those that the newcomer's rehearsal runs.

Imports only the standard library, because it is also run by itself.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPERATOR = ROOT / "deploy" / "README.md"
DEVELOPER = ROOT / "README.md"


def of_set_up(name: str) -> str:
    """Those of an installation on a fresh machine, whose clients use this name."""
    text = "\n".join(_blocks(OPERATOR, "From a fresh machine to an address with TLS, back-ups and alerts"))
    text = _replace(text, "name=kith.example.com ", f"name={name} ")
    return f"{text}\nprintf '%s\\n' \"$KEY\" > /root/key\n"


def of_first_minutes(name: str) -> str:
    """The first minutes, without their beginning, which the set-up replaces."""
    first, *blocks = _blocks(DEVELOPER, "The first minutes")
    call = re.search(r"^call\(\).*$", first, re.MULTILINE)
    if call is None:
        raise RuntimeError(f"{DEVELOPER}: the first minutes do not begin with call()")
    return "\n".join([f"KITH=https://{name} KEY=$(cat /root/key)", call[0], *blocks])


def of_restore(name: str) -> str:
    """A mistake, and the commands of the restore to the instant before it."""
    text = "\n".join(_blocks(OPERATOR, "Back-up and restore"))
    text = _replace(text, "--target='2026-11-23 07:00:00+00'", '--target="$instant"')
    text = _replace(text, "kith doctor --env-file", "! kith doctor --env-file")
    owner = "--env-file /etc/kith/owner.env"
    slugs = "select 'tenants: ' || string_agg(slug, ',' order by slug) from admin.tenants"
    return f"""
runuser -u postgres -- pgbackrest --stanza=kith --type=incr backup
kith tenant create before --name Before {owner} > /dev/null
sleep 2; instant=$(date -u '+%F %T+00'); sleep 2
kith tenant create mistake --name Mistake {owner} > /dev/null
cd /; runuser -u postgres -- psql -qAtc 'select pg_switch_wal()'; sleep 5
{text}
kith psql {owner} -qAtc "{slugs}"
kith psql {owner} -qAtc "select * from admin.confirm_restore('$instant', true, 'rehearsal')"
until kith doctor {owner} > /root/doctor; do cat /root/doctor; sleep 1; done
curl -fsS --retry 60 --retry-delay 1 --retry-all-errors https://{name}/readyz
runuser -u postgres -- pgbackrest --stanza=kith check
"""


def _blocks(document: Path, heading: str) -> list[str]:
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


def _replace(text: str, old: str, new: str) -> str:
    """`text` with another value in one place.

    Raises RuntimeError if `old` is not there exactly once: the document has changed, and whoever calls this must follow.
    """
    if text.count(old) != 1:
        raise RuntimeError(f"the commands have {old!r} {text.count(old)} times, not once")
    return text.replace(old, new)


if __name__ == "__main__":
    for script in (of_set_up, of_first_minutes, of_restore):
        print(script("kith.localhost"))

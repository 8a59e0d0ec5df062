"""Instants, local dates and local times, computed from tzdata by Python, independently of PostgreSQL."""

import datetime as dt
import functools
import zoneinfo

UTC = dt.timezone.utc
SECOND, MINUTE = dt.timedelta(seconds=1), dt.timedelta(minutes=1)
HOUR, DAY = dt.timedelta(hours=1), dt.timedelta(days=1)


@functools.cache
def _zone(name):
    return zoneinfo.ZoneInfo(name)


def local_date(at, zone):
    return at.astimezone(_zone(zone)).date()


@functools.cache
def local_instant(date, time, zone):
    """When a clock in the zone shows this date and time (X25): the end of a gap, the first of two; None for a date that the zone skipped."""
    naive = dt.datetime.combine(date, time)
    found = [naive.replace(tzinfo=_zone(zone), fold=fold).astimezone(UTC) for fold in (0, 1)]
    shown = [at for at in found if at.astimezone(_zone(zone)).replace(tzinfo=None) == naive]
    if shown:
        return min(shown)
    before, after = min(found), max(found)
    offset = (before - DAY).astimezone(_zone(zone)).utcoffset()
    before -= DAY
    while after - before > SECOND:
        middle = before + dt.timedelta(seconds=(after - before) // SECOND // 2)
        if middle.astimezone(_zone(zone)).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return None if local_date(before, zone) < date < local_date(after, zone) else after


def midnight(date, zone):
    return local_instant(date, dt.time(0), zone)


def day_begins_at(date, zone):
    return midnight(date, zone) or midnight(date + DAY, zone)


def local_text(at, zone):
    """An instant as a notification writes it."""
    return at.astimezone(_zone(zone)).strftime("%-d %B %Y, %H:%M")


def text(at):
    """An instant as the API writes it."""
    return None if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parsed(instant):
    return dt.datetime.fromisoformat(instant)

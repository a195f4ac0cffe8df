"""What an annotation says of a finding, line by line: for SARIF and for GitHub."""

from pipedoctor.report import words
from pipedoctor.report.model import Entry
from pipedoctor.report.places import cell_of


def lines(entry: Entry) -> list[str]:
    """The finding, then its remedies; of a notebook also the cell, told in words."""
    spot = entry.location
    cell = cell_of(spot) if spot else 0
    at = f"In cell {cell}, line {spot.line}: " if spot and cell else ""
    said = [f"{at}{entry.summary}"]
    for cure in entry.remedies:
        way = f": {cure.shell}" if cure.shell else ""
        said.append(f"Remedy ({words.where(cure)}): {cure.title}{way}")
    return list(map(words.clean, said))

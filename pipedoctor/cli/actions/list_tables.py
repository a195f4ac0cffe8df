"""`pipedoctor list --tables`: what is known of the world, and since when."""

from typing import Any, cast

import msgspec

from pipedoctor.cli.terminal import output
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts.world import World
from pipedoctor.textsafe import encode_indented_json


def print_tables(form: str) -> None:
    """Print one line per table: its rows, the days they were checked on, doubts."""
    rows = [_summarize_table(table) for table in get_catalogue().tables]
    if form == "json":
        whole = {"schema": "pipedoctor.tables/1", "tables": rows}
        output.write_output(encode_indented_json(whole), None)
        return
    longest = max((len(row["table"]) for row in rows), default=0)
    output.write_output("".join(format_table_row(row, longest) for row in rows), None)


def _summarize_table(table: World) -> dict[str, Any]:
    parts = [
        cast("dict[str, Any]", part)
        for value in msgspec.to_builtins(table).values()
        if isinstance(value, (list, tuple))
        for part in cast("list[object]", value)
        if isinstance(part, dict)
    ]
    days = sorted(str(part["checked"]) for part in parts if "checked" in part)
    return {
        "table": table.section,
        "rows": len(parts),
        "oldest": days[0] if days else "",
        "newest": days[-1] if days else "",
        "unconfirmed": sum(part.get("confirmed") is False for part in parts),
    }


def format_table_row(row: dict[str, Any], longest: int) -> str:
    """Say one table in one line; `longest` is the width of the names."""
    days = row["oldest"]
    if row["newest"] != row["oldest"]:
        days = f"{row['oldest']} to {row['newest']}"
    doubts = f", {row['unconfirmed']} not confirmed" if row["unconfirmed"] else ""
    name = row["table"]
    return f"{name:<{longest}}  {row['rows']:>4} rows, checked {days}{doubts}\n"

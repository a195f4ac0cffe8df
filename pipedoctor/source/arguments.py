"""Values as facts: written out, or seen from where they are used."""

import ast

from pipedoctor.facts.source import Argument, How, Spot

LONGEST = 80
"""Characters of code or of a string that facts carry."""


def constant(node: ast.Constant, text: str, at: Spot | None) -> Argument:
    """What is written out, as far as a report can carry it."""
    value = node.value
    if value is None or isinstance(value, (bool, int, float, str)):
        if isinstance(value, int) and abs(value) > 1 << 62:
            return Argument(how="unknown", text=text, at=at, form="constant")
        if isinstance(value, str):
            value = value[:LONGEST]
        return Argument(how="literal", value=value, text=text, at=at)
    return Argument(how="unknown", text=text, at=at, form="constant")


def passed(
    value: Argument, how: How, text: str, at: Spot | None, why: str = ""
) -> Argument:
    """The same value, seen from where it is used."""
    if not value.known:
        how = "unknown"
    if value.how == "default":
        how, why = "default", value.why
    return Argument(
        how=how,
        value=value.value,
        form=value.form,
        text=text,
        name=value.name,
        why=why,
        at=value.at if value.how == "literal" else at,
    )

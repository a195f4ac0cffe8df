"""Edits of code as SARIF's fixes."""

from collections.abc import Iterator
from typing import Any

from pipedoctor.remedy import Edit
from pipedoctor.report import words
from pipedoctor.report.artifact import artifact
from pipedoctor.report.model import Entry


def fixes(entry: Entry) -> Iterator[dict[str, Any]]:
    """
    One fix for each remedy that knows its edits.

    None in notebooks, where the lines of a cell are not those of the file.
    """
    for cure in entry.remedies:
        if not cure.edits or any(edit.cell for edit in cure.edits):
            continue
        changes: dict[str, dict[str, Any]] = {}
        for edit in cure.edits:
            change = changes.setdefault(
                edit.path,
                {"artifactLocation": artifact(edit.path), "replacements": []},
            )
            change["replacements"].append(_replacement(edit))
        yield {
            "description": {"text": words.clean(cure.title)},
            "artifactChanges": list(changes.values()),
        }


def _replacement(edit: Edit) -> dict[str, Any]:
    return {
        "deletedRegion": {
            "startLine": edit.line,
            "startColumn": edit.column,
            "endLine": edit.end_line,
            "endColumn": edit.end_column,
        },
        "insertedContent": {"text": edit.replacement},
    }

"""The page of a check, for `pipedoctor explain` and for docs/: one source."""

import re
from typing import cast

from pipedoctor.check.gpu_evidence import GpuEvidence, describe_evidence, read_evidence
from pipedoctor.check.model import Check
from pipedoctor.facts import Source
from pipedoctor.facts.world import World

BAD_EXAMPLE = "Bad example"
GOOD_EXAMPLE = "Good example"

_FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def render_page(check: Check[...], evidence: GpuEvidence | None = None) -> str:
    """
    Write Markdown from the check itself, and what recordings of real GPUs back of it.

    `evidence` is the installed table unless another is given.
    """
    seen = describe_evidence(check, read_evidence() if evidence is None else evidence)
    return "\n".join(
        [
            f"# {check.title} ({check.code})",
            "",
            f"`{check.name}`: {_describe_facts(check)} {_describe_fix(check)}",
            *_describe_causes(check),
            *(["", seen] if seen else []),
            "",
            check.doc.strip(),
            *_render_settings(check),
            "",
        ]
    )


def list_required_headings(check: Check[...]) -> list[str]:
    """The second-level headings of its page, in order; hazards in code need examples."""
    examples = [BAD_EXAMPLE, GOOD_EXAMPLE] if check.needs.get(Source) else []
    return ["Why it hurts", "How it is judged", *examples, "Sources"]


def list_headings(check: Check[...]) -> list[str]:
    """The second-level headings that its page has, in order; not those in its code."""
    return re.findall(r"^## (.+)$", _FENCE.sub("", check.doc), flags=re.MULTILINE)


def read_example(check: Check[...], heading: str) -> str:
    """The Python code below this heading of its page; empty where there is none."""
    _, _, section = check.doc.partition(f"## {heading}\n")
    fence = _FENCE.search(section)
    return fence[1] if fence and "\n## " not in section[: fence.start()] else ""


def list_required_sections(check: Check[...]) -> list[str]:
    """The sections of facts it cannot do without; tables come with the pack."""
    return [
        kind.section
        for kind, required in check.needs.items()
        if required and not issubclass(kind, World)
    ]


def _describe_facts(check: Check[...]) -> str:
    required = " and ".join(f"`{section}`" for section in list_required_sections(check))
    extra = ", ".join(
        f"`{kind.section}`"
        for kind, required in check.needs.items()
        if not required and not issubclass(kind, World)
    )
    looks = f"; uses {extra} if known" if extra else ""
    return f"judges {required or 'what is known'}{looks}."


def _describe_fix(check: Check[...]) -> str:
    if check.fix == "code":
        return f"`pipedoctor fix --code --select {check.name}` can edit the code where permitted."
    if check.fix:
        return f"`pipedoctor fix {check.name}` can fix it where permitted."
    return "Its remedies must be applied by hand."


def _describe_causes(check: Check[...]) -> list[str]:
    if not check.after:
        return []
    causes = ", ".join(check.after)
    return ["", f"Folded under {causes} if that is also found: it is the cause."]


def _render_settings(check: Check[...]) -> list[str]:
    if not check.settings:
        return []
    rows = (f"{name} = {_format_toml(value)}" for name, value in check.settings.items())
    table = f"[tool.pipedoctor.{check.name}]"
    return ["", "## Settings", "", "```toml", table, *rows, "```"]


def _format_toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_format_toml, cast('list[object]', value)))}]"
    return repr(value)

"""PDR604: are private parts of torch.utils.data imported?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import combine_edits, replace_pieces
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.facts.code_events.program import PrivateImport
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.start_method import oldest_torch

_PUBLIC = {"default_collate", "default_convert", "get_worker_info"}


@check("PDR604", "Private modules or names of torch are imported", fix="code", merges=True)
def private_import(source: Source, torch: TorchBuild | None, /) -> Findings:
    """
    Look for private names of `torch.utils.data`.

    ## Why it hurts

    They change without notice between torch versions.

    ## How it is judged

    A module or a name that begins with an underscore is imported. Many have a public
    name: `torch.utils.data.default_collate`.

    ## Bad example

    ```python
    from torch.utils.data._utils.collate import default_collate
    ```

    ## Good example

    ```python
    from torch.utils.data import default_collate
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
    """
    least = oldest_torch(source, torch)[0] or "0"
    events = source.select_events(PrivateImport)
    public = [e for e in events if e.name.rpartition(".")[2] in _PUBLIC]
    others = [e for e in events if e not in public]
    for group in (*group_by_class(public), *group_by_class(others)):
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE,
            f"{group[0].name} is private to torch",
            in_code(
                "Import the public name",
                "from torch.utils.data import default_collate, get_worker_info",
                edits=combine_edits(
                    replace_pieces(e, {"module": "torch.utils.data"}) for e in group
                ),
                unsafe="" if is_at_least(least, "1.11") else "needs torch 1.11 or newer",
            )
            if group[0] in public
            else in_code("Avoid it or test it with each torch version; there is no public name"),
            names=sorted({event.name for event in group}),
        )

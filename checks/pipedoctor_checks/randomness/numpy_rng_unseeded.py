"""PDR501: do workers share numpy's random numbers?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import Edits, add_imports, combine_edits, edit_arguments, make_edit
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.facts.code_events.item import RandomDraw
from pipedoctor.facts.code_events.seeds import WorkerSeed
from pipedoctor.facts.source import Event, LoaderCall
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
    name_functions,
)
from pipedoctor_checks._shared.loader_calls import dataset_classes, may_have_workers
from pipedoctor_checks._shared.start_method import oldest_torch

_SEED_FUNCTION = "seed_numpy_in_worker"


@check("PDR501", "All workers draw the same random numbers", fix="code", subject="item")
def numpy_rng_unseeded(source: Source, torch: TorchBuild | None, /) -> Findings:
    """
    Look for numpy's global generator in code for items if no worker seeds it.

    ## Why it hurts

    Below torch 1.9 every worker starts with the same state of `numpy.random`, and draws
    the same augmentations. From 1.9 on torch seeds it in each worker.

    ## How it is judged

    Code for items draws from `numpy.random`, a loader with workers has no
    `worker_init_fn`, or one that does not seed numpy, and the dataset does not seed by
    the number of its worker. The oldest relevant torch is the one named in the
    project's files, or the installed one. If all are new enough it is a note, and only
    if the project names an old torch; `random` and torch itself are always seeded.
    Reported once per project.

    ## Bad example

    In a project that supports torch 1.8:

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            image = Image.open(self.files[index])
            return image.rotate(np.random.uniform(-10, 10))

    loader = DataLoader(Images(), batch_size=64, num_workers=4)
    ```

    ## Good example

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            image = Image.open(self.files[index])
            return image.rotate(random.uniform(-10, 10))

    loader = DataLoader(Images(), batch_size=64, num_workers=4)
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/pull/56488
    - https://tanelp.github.io/posts/a-bug-that-plagues-thousands-of-open-source-ml-projects/
    - https://docs.pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
    """
    least, who = oldest_torch(source, torch)
    severity = _choose_severity(torch)
    declared = source.torch.version if source.torch else ""
    if not declared or is_at_least(declared, "1.9"):
        return
    seeders = {e.function for e in source.select_events(WorkerSeed) if "numpy" in e.name}
    others = {e.function for e in source.select_events(WorkerSeed)}
    groups, unseeded = list[list[Event[RandomDraw]]](), list[LoaderCall]()
    real = [loader for loader in source.loaders if not loader.testing]
    for group in group_by_class(_unseeded_draws(source)):
        loaders = [x for x in real if may_have_workers(x)]
        mine = [x for x in loaders if group[0].owner in dataset_classes(x)]
        bad = [x for x in mine or loaders if _is_unseeded(x, seeders, others)]
        if bad and (mine or len(bad) == len(loaders)):
            groups.append(group)
            unseeded.extend(x for x in bad if x not in unseeded)
    if groups:
        yield make_code_finding(
            [*list_spots(e for group in groups for e in group), *(x.at for x in unseeded)],
            severity,
            f"{name_functions(groups, 'draw')} from numpy; torch seeds numpy only from 1.9 on",
            in_code(
                "Seed numpy in each worker, or require torch 1.9",
                "np.random.seed(torch.initial_seed() % 2**32)  # in worker_init_fn",
                edits=combine_edits(map(_add_seed_function, unseeded)),
                unsafe="the installed torch seeds numpy itself, with different numbers"
                if severity is Severity.NOTE
                else "",
            ),
            confidence=Confidence.LIKELY,
            oldest_torch=f"{least} ({who})",
        )


def _unseeded_draws(source: Source) -> list[Event[RandomDraw]]:
    """Draws from numpy's generator in datasets that do not seed it by worker number."""
    by_items = {e.dataset for e in source.select_events(WorkerSeed) if e.item and "numpy" in e.name}
    return [
        e
        for e in source.select_item_events(RandomDraw)
        if e.name.startswith("numpy.") and e.dataset not in by_items
    ]


def _choose_severity(torch: TorchBuild | None) -> Severity:
    if torch is None:
        return Severity.RISKS
    return Severity.NOTE if is_at_least(torch.version, "1.9") else Severity.BREAKS


def _is_unseeded(loader: LoaderCall, seeders: set[str], others: set[str]) -> bool:
    given = loader.get("worker_init_fn")
    if given.how == "absent":
        return loader.complete
    if given.form == "local function":  # it seeds, but not numpy
        return loader.function in others - seeders
    return given.form == "function" and given.name.rpartition(".")[2] not in seeders


def _add_seed_function(loader: LoaderCall) -> Edits:
    """Add a function that seeds numpy, and pass it to the loader."""
    call = loader.call
    words = edit_arguments(loader, worker_init_fn=_SEED_FUNCTION)
    given = loader.get("worker_init_fn").how != "absent" or loader.at.cell
    if call is None or call.above is None or given or not words:
        return ()
    if not {"numpy", "torch"} <= call.modules.keys():
        return ()
    numpy, torch = call.modules["numpy"], call.modules["torch"]
    body = f"{numpy}.random.seed({torch}.initial_seed() % 2**32)"
    made = f"def {_SEED_FUNCTION}(worker_id):\n    {body}\n\n\n"
    edits = (make_edit(loader.at, call.above, made), *words)
    return add_imports(loader, edits, "numpy", "torch")

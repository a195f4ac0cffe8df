"""PDR506: does a dataset seed the global generators?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import combine_edits, rewrite_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.seeds import GlobalSeed
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    group_by_file,
    list_spots,
    make_code_finding,
    name_functions,
)
from pipedoctor_checks._shared.own_names import choose_expression


@check("PDR506", "A dataset reseeds the global random generators", fix="code", subject="item")
def global_reseed_in_dataset(source: Source, /) -> Findings:
    """
    Look for datasets that seed a global generator with a constant.

    ## Why it hurts

    Creating the dataset resets the random numbers of the whole run, whatever seed the
    user set: initial weights and sample orders depend on where the dataset is created.

    ## How it is judged

    `seed` is called in `__init__` or for items with a fixed value. A seed drawn at
    random, to apply the same transform to an image and its mask, is not reported.

    ## Bad example

    ```python
    class Images(Dataset):
        def __init__(self, files):
            random.seed(1234)
            self.files = random.sample(files, 100)

        def __getitem__(self, index):
            return Image.open(self.files[index])
    ```

    ## Good example

    ```python
    class Images(Dataset):
        def __init__(self, files):
            self.files = random.Random(1234).sample(files, 100)

        def __getitem__(self, index):
            return Image.open(self.files[index])
    ```

    ## Sources

    - https://docs.python.org/3/library/random.html#random.seed
    - https://numpy.org/doc/stable/reference/random/generator.html
    """
    fixed = [e for e in source.select_events(GlobalSeed) if e.details.constant]
    for group in group_by_file(fixed):
        names = ", ".join(sorted({event.name for event in group}))
        yield make_code_finding(
            list_spots(group),
            Severity.RISKS,
            f"{name_functions(list(group_by_class(group)), 'reseed')} the global random"
            f" generators: {names}",
            in_code(
                "Use a separate generator",
                _make_generator(group[0]),
                edits=combine_edits(map(rewrite_pieces, group)),
                unsafe="random numbers drawn elsewhere no longer depend on this seed",
            ),
            confidence=Confidence.LIKELY,
        )


def _make_generator(event: Event[GlobalSeed]) -> str:
    """A generator of the same library with the same seed."""
    seed = choose_expression(event.details.argument, "1234")
    library = event.name.partition(".")[0]
    if library == "torch":
        return f"rng = torch.Generator().manual_seed({seed})"
    return f"rng = {'np.random.default_rng' if library == 'numpy' else 'random.Random'}({seed})"

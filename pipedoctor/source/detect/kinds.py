"""What calls of well-known functions mean for the making of an item."""

from pipedoctor.facts.code_events.item import (
    ArrayRead,
    ContainerOpening,
    DirectoryScan,
    FileOpening,
    ImageOpening,
    ItemCall,
    NetworkRequest,
    ProcessStart,
    TextParse,
    Unpickling,
)
from pipedoctor.source.detect.api_table import FORK_SHARED

READ_KINDS: frozenset[type[ItemCall]] = frozenset(
    {
        TextParse,
        Unpickling,
        DirectoryScan,
        NetworkRequest,
        ContainerOpening,
        ImageOpening,
        FileOpening,
        ArrayRead,
        ProcessStart,
    }
)


SAVE_FUNCTIONS = {
    "torch.save",
    "pickle.dump",
    "joblib.dump",
    "dill.dump",
    "cloudpickle.dump",
}


RANDOM_FUNCTIONS = {
    "beta",
    "binomial",
    "choice",
    "exponential",
    "gamma",
    "laplace",
    "multivariate_normal",
    "normal",
    "permutation",
    "poisson",
    "rand",
    "randint",
    "randn",
    "random",
    "random_sample",
    "sample",
    "shuffle",
    "standard_normal",
    "uniform",
}


HANDLE_FACTORIES = {
    **{name: name for name in FORK_SHARED},
    "open": "open",
    "io.open": "open",
    "os.open": "open",
    "PIL.Image.open": "PIL.Image.open",
    "gzip.open": "gzip.open",
}


GENERATOR_CLASSES = {
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "random.Random",
    "torch.Generator",
}

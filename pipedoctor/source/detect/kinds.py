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
    *("beta", "betavariate", "binomial", "binomialvariate", "bytes", "chisquare", "choice"),
    *("choices", "dirichlet", "exponential", "expovariate", "f", "gamma", "gammavariate"),
    *("gauss", "geometric", "getrandbits", "gumbel", "hypergeometric", "laplace", "logistic"),
    *("lognormal", "lognormvariate", "logseries", "multinomial", "multivariate_normal"),
    *("negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "normalvariate"),
    *("pareto", "paretovariate", "permutation", "poisson", "power", "rand", "randbytes"),
    *("randint", "randn", "random", "random_integers", "random_sample", "randrange", "ranf"),
    *("rayleigh", "sample", "shuffle", "standard_cauchy", "standard_exponential"),
    *("standard_gamma", "standard_normal", "standard_t", "triangular", "uniform", "vonmises"),
    *("vonmisesvariate", "wald", "weibull", "weibullvariate", "zipf"),
}


PICKING_FUNCTIONS = frozenset(
    {
        # conversions
        *("tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor", "LongTensor"),
        *("IntTensor", "BoolTensor", "array", "asarray", "ascontiguousarray", "float"),
        *("long", "int", "bool", "half", "double", "numpy", "to", "type", "astype", "copy"),
        *("clone", "detach", "contiguous", "item", "tolist", "str", "is_tensor"),
        # shapes
        *("squeeze", "unsqueeze", "reshape", "view", "flatten", "permute", "transpose"),
        *("swapaxes", "expand", "expand_dims", "stack", "cat", "concatenate", "hstack"),
        *("vstack", "zeros", "ones", "zeros_like", "ones_like", "empty", "full", "arange"),
        # parts
        *("get", "keys", "values", "items", "iloc", "loc", "iat", "index_select", "take"),
        *("bisect", "bisect_left", "bisect_right", "searchsorted", "dict", "list", "tuple"),
        *("set", "zip", "enumerate", "reversed", "slice", "append", "extend", "update"),
        "pop",
        # what counts and asks
        *("len", "range", "isinstance", "issubclass", "min", "max", "abs", "sum", "round"),
        *("divmod", "hasattr", "getattr", "any", "all", "IndexError", "KeyError"),
        *("ValueError", "TypeError", "NotImplementedError", "StopIteration"),
        # draws
        *("randint", "random", "rand", "randn", "choice", "uniform", "randrange"),
        *("integers", "permutation", "randperm"),
    }
)
"""By their last names: they pick, convert or count, and take a moment."""


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

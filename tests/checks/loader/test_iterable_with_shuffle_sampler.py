"""PDR112: an iterable dataset with shuffle or a sampler."""

from pipedoctor_checks.loader.iterable_with_shuffle_sampler import iterable_with_shuffle_sampler
from tests.checks.code_samples import loader_call, make_tests

SILENT = {
    "not shuffled": loader_call("Stream(), shuffle=False"),
    "no sampler": loader_call("Stream(), sampler=None"),
    "a map": loader_call("Images(), shuffle=True"),
}
SPEAKS = {
    "shuffled": loader_call("Stream(), shuffle=True"),
    "sampled": loader_call("Stream(), sampler=Sampler(x)"),
}
test_silent, test_speaks = make_tests(iterable_with_shuffle_sampler, SILENT, SPEAKS)

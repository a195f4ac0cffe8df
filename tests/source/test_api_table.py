"""What functions of libraries do: every row names its effect and its source."""

from collections import Counter

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Source
from pipedoctor.source.detect.api_table import API_GROUPS, FORK_SHARED, KIND_OF_CALL
from tests.checks.code_samples import find, frames

CHECKS = {c.name: c for c in get_catalogue().checks.values() if c.needs.get(Source)}
SPEAKS = {
    "text-parse-per-item": ("polars.read_csv(p)", "Bio.SeqIO.read(p, 'fasta')"),
    "unpickle-per-item": ("compress_pickle.load(p)", "sklearn.externals.joblib.load(p)"),
    "container-open-per-item": ("rasterio.open(self.path)", "osgeo.gdal.Open(self.path)"),
    "sleep-network-per-item": ("boto3.client('s3')", "torch.hub.load_state_dict_from_url(p)"),
    "subprocess-per-item": ("moviepy.editor.VideoFileClip(p)",),
    "transform-built-per-item": ("torchio.Compose([])",),
}


def test_every_row_has_a_source_and_no_function_two_effects() -> None:
    count = Counter(name for group in API_GROUPS for name in group.names)

    assert all(group.source.startswith(("https://", "http://")) for group in API_GROUPS)
    assert [name for name, times in count.items() if times > 1] == []
    assert len(KIND_OF_CALL) == len(count) > 200
    assert KIND_OF_CALL.keys() > FORK_SHARED


@pytest.mark.parametrize(
    ("name", "call"), [(name, call) for name, calls in SPEAKS.items() for call in calls]
)
def test_a_row_is_all_that_a_library_needs(name: str, call: str) -> None:
    library = call.partition("(")[0].rpartition(".")[0]

    assert find(CHECKS[name], f"import {library}\n" + frames(call))

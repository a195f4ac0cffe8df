"""PDR604: private parts of torch are imported."""

from pipedoctor_checks.compat.private_import import private_import
from tests.checks.code_samples import find, make_tests

SILENT = {
    "public": "from torch.utils.data import default_collate\n",
    "a public module": "from torch.utils.data.dataloader import default_collate\n",
}
SPEAKS = {
    "a module": "from torch.utils.data._utils.collate import default_collate\n",
    "a name": "from torch.utils.data.dataloader import _BaseDataLoaderIter\n",
    "its own": "from torch.utils.data.dataloader import _Hidden\n",
}
test_silent, test_speaks = make_tests(private_import, SILENT, SPEAKS)


def test_what_has_no_public_name_is_not_renamed() -> None:
    hidden = "from torch.utils.data.dataloader import _Hidden\n"
    public = "from torch.utils.data._utils.collate import default_collate\n"

    (kept,) = find(private_import, hidden)
    (renamed,) = find(private_import, public)
    assert len(find(private_import, hidden + public)) == 2

    assert kept.remedies[0].title.endswith("there is no public name")
    assert renamed.remedies[0].title == "Import the public name"

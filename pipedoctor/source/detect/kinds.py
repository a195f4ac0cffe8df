"""What calls of well-known functions mean for the making of an item."""

from collections.abc import Mapping

from pipedoctor.facts.code_events.item import (
    ArrayRead,
    ContainerOpening,
    DirectoryScan,
    FileOpening,
    ImageOpening,
    ItemCall,
    NetworkRequest,
    ProcessStart,
    Sleep,
    TextParse,
    TransformConstruction,
    Unpickling,
)
from pipedoctor.source.detect.api_table import list_api_effects

KIND_OF_CALL: Mapping[str, type[ItemCall]] = {
    **dict(list_api_effects()),
    **dict.fromkeys(
        (
            "numpy.loadtxt",
            "numpy.genfromtxt",
            "pandas.read_csv",
            "pandas.read_json",
            "pandas.read_excel",
            "pandas.read_table",
            "json.load",
            "csv.reader",
            "csv.DictReader",
            "yaml.load",
            "yaml.safe_load",
            "xml.etree.ElementTree.parse",
            "lxml.etree.parse",
        ),
        TextParse,
    ),
    **dict.fromkeys(
        (
            "pickle.load",
            "pickle.loads",
            "torch.load",
            "joblib.load",
            "dill.load",
            "cloudpickle.load",
            "pandas.read_pickle",
        ),
        Unpickling,
    ),
    **dict.fromkeys(
        (
            "os.listdir",
            "os.scandir",
            "os.walk",
            "glob.glob",
            "glob.iglob",
        ),
        DirectoryScan,
    ),
    "time.sleep": Sleep,
    **dict.fromkeys(
        (
            "requests.get",
            "requests.post",
            "requests.request",
            "urllib.request.urlopen",
            "urllib.request.urlretrieve",
            "httpx.get",
        ),
        NetworkRequest,
    ),
    **dict.fromkeys(
        (
            "h5py.File",
            "zipfile.ZipFile",
            "tarfile.open",
            "tarfile.TarFile",
            "lmdb.open",
            "netCDF4.Dataset",
            "tables.open_file",
        ),
        ContainerOpening,
    ),
    **dict.fromkeys(
        (
            "subprocess.run",
            "subprocess.call",
            "subprocess.check_call",
            "subprocess.check_output",
            "subprocess.Popen",
            "subprocess.getoutput",
            "os.system",
            "os.popen",
        ),
        ProcessStart,
    ),
    **dict.fromkeys(
        (
            "torchvision.transforms.Compose",
            "torchvision.transforms.v2.Compose",
            "torchvision.transforms.transforms.Compose",
            "albumentations.Compose",
            "imgaug.augmenters.Sequential",
            "monai.transforms.Compose",
        ),
        TransformConstruction,
    ),
    "PIL.Image.open": ImageOpening,
    "cv2.imread": ImageOpening,
    "cv2.imdecode": ImageOpening,
    "open": FileOpening,
    "io.open": FileOpening,
    "os.open": FileOpening,
    "torchvision.io.read_image": ImageOpening,
    "torchvision.io.decode_image": ImageOpening,
    "numpy.load": ArrayRead,
    "torchaudio.load": ArrayRead,
    "librosa.load": ArrayRead,
    "soundfile.read": ArrayRead,
    "scipy.io.wavfile.read": ArrayRead,
}
"""Kinds of events by the full name of what is called."""


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
    **{name: name for name, kind in KIND_OF_CALL.items() if kind is ContainerOpening},
    "open": "open",
    "io.open": "open",
    "os.open": "open",
    "sqlite3.connect": "sqlite3.connect",
    "PIL.Image.open": "PIL.Image.open",
    "gzip.open": "gzip.open",
}


GENERATOR_CLASSES = {
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "random.Random",
    "torch.Generator",
}

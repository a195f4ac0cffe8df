"""What calls of well-known functions mean for the making of an item."""

NAMED = {
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
        "text-parse",
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
        "unpickle",
    ),
    **dict.fromkeys(
        (
            "os.listdir",
            "os.scandir",
            "os.walk",
            "glob.glob",
            "glob.iglob",
        ),
        "dir-scan",
    ),
    "time.sleep": "sleep",
    **dict.fromkeys(
        (
            "requests.get",
            "requests.post",
            "requests.request",
            "urllib.request.urlopen",
            "urllib.request.urlretrieve",
            "httpx.get",
        ),
        "network",
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
        "container-open",
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
        "subprocess",
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
        "transform-built",
    ),
    "PIL.Image.open": "image-open",
    "cv2.imread": "image-open",
    "cv2.imdecode": "image-open",
    "open": "open",
    "io.open": "open",
    "os.open": "open",
    "torchvision.io.read_image": "image-open",
    "torchvision.io.decode_image": "image-open",
    "numpy.load": "read",
    "torchaudio.load": "read",
    "librosa.load": "read",
    "soundfile.read": "read",
    "scipy.io.wavfile.read": "read",
}
"""Kinds of events by the full name of what is called."""


READING = {"text-parse", "unpickle", "dir-scan", "network", "container-open"} | {
    "image-open",
    "open",
    "read",
    "subprocess",
}


SAVES = {"torch.save", "pickle.dump", "joblib.dump", "dill.dump", "cloudpickle.dump"}


DRAWS = {
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


HANDLES = {
    **{name: name for name, kind in NAMED.items() if kind == "container-open"},
    "open": "open",
    "io.open": "open",
    "os.open": "open",
    "sqlite3.connect": "sqlite3.connect",
    "PIL.Image.open": "PIL.Image.open",
    "gzip.open": "gzip.open",
}


GENERATORS = {
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "random.Random",
    "torch.Generator",
}

"""Does a function read, decode or transform? By its name and its file."""

from pipedoctor.lazy_pattern import compile_lazily

_DECODING_FILES = compile_lazily(
    r"(?:^|(?:site-packages|dist-packages|python3\.\d+|[Ll]ib)[/\\])"
    r"(PIL[/\\]\w+ImagePlugin|PIL[/\\]ImageFile|torchvision[/\\]io|torchcodec|"
    r"imageio|tifffile|pydicom|nibabel|soundfile|librosa|torchaudio|av|decord|"
    r"zipfile|tarfile|gzip|bz2|lzma|zarr|numcodecs|pickle|"
    r"torch[/\\](?:serialization|_weights_only_unpickler|package)|safetensors|"
    r"numpy[/\\]lib[/\\]_?(?:format|npyio)\w*|pandas[/\\]io|"
    r"json|csv|xml|yaml|sqlite3|pyarrow|h5py|simplejpeg|turbojpeg)\b"
)
"""Of libraries alone: a project may lie in a folder of such a name."""
_DECODING_NAMES = compile_lazily(
    r"decode|decompress|imread|imdecode|inflate|unpack|parse|loads\b|unpickle|literal_eval|to_pylist|to_pydict"
)
_READING_NAMES = compile_lazily(
    r"^(read|readinto|readline|readlines|read_bytes|read_text|pread|recv|recv_into|"
    r"open|stat|scandir|listdir|sleep|select|poll|urlopen|fetch|download|get_object|"
    r"acquire|wait|flush|fsync|connect|load_bytes)\w*$|(^|_)(read|fetch|download|load)_"
)
_TRANSFORMING_NAMES = compile_lazily(
    r"transform|augment|normali|crop|resize|flip|rotate|jitter|blur|interpolate|"
    r"matmul|dot|filter|collate"
)
KINDS = ("read", "decode", "transform")
READ, DECODE, TRANSFORM = range(3)


def classify_call(name: str, filename: str, full: str = "") -> int | None:
    """What a function does, by its name and its file; None: what its caller does."""
    plain = name.lower().strip("_")
    if _DECODING_NAMES.search(plain) or _DECODING_FILES.search(filename):
        return DECODE
    if "ImagingDecoder" in full or full.startswith(("zlib", "bz2", "_lzma", "_json")):
        return DECODE
    if _READING_NAMES.search(plain):
        return READ
    if _TRANSFORMING_NAMES.search(plain):
        return TRANSFORM
    return None

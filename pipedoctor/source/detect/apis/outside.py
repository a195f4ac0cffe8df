"""Functions that ask the network, list folders, start processes, wait, or build transforms."""

from pipedoctor.facts.code_events.item import (
    DirectoryScan,
    FileOpening,
    NetworkRequest,
    ProcessStart,
    Sleep,
    TransformConstruction,
)
from pipedoctor.source.detect.apis.rows import ApiGroup

_OS = "https://docs.python.org/3/library/os.html"
_SUBPROCESS = "https://docs.python.org/3/library/subprocess.html"
_URLLIB = "https://docs.python.org/3/library/urllib.request.html"
_VISION = "https://docs.pytorch.org/vision/stable/transforms.html"

NETWORK_APIS: tuple[ApiGroup, ...] = (
    ApiGroup(
        "requests", "get post put head request", NetworkRequest, "https://requests.readthedocs.io/"
    ),
    ApiGroup("httpx", "get post stream request", NetworkRequest, "https://www.python-httpx.org/"),
    ApiGroup("urllib3", "request", NetworkRequest, "https://urllib3.readthedocs.io/"),
    ApiGroup("urllib.request", "urlopen urlretrieve", NetworkRequest, _URLLIB),
    ApiGroup(
        "urllib2", "urlopen", NetworkRequest, "https://docs.python.org/2/library/urllib2.html"
    ),
    ApiGroup("wget", "download", NetworkRequest, "https://pypi.org/project/wget/"),
    ApiGroup("gdown", "download", NetworkRequest, "https://pypi.org/project/gdown/"),
    ApiGroup(
        "huggingface_hub",
        "hf_hub_download snapshot_download",
        NetworkRequest,
        "https://huggingface.co/docs/huggingface_hub/guides/download",
    ),
    ApiGroup(
        "torch.hub",
        "load_state_dict_from_url download_url_to_file",
        NetworkRequest,
        "https://docs.pytorch.org/docs/stable/hub.html",
    ),
    ApiGroup("boto3", "client resource", NetworkRequest, "https://boto3.amazonaws.com/"),
    ApiGroup("s3fs", "S3FileSystem", NetworkRequest, "https://s3fs.readthedocs.io/"),
    ApiGroup("gcsfs", "GCSFileSystem", NetworkRequest, "https://gcsfs.readthedocs.io/"),
    ApiGroup("google.cloud.storage", "Client", NetworkRequest, "https://cloud.google.com/python/"),
    ApiGroup("minio", "Minio", NetworkRequest, "https://min.io/docs/"),
    ApiGroup("smart_open", "open", NetworkRequest, "https://pypi.org/project/smart-open/"),
    ApiGroup("pymongo", "MongoClient", NetworkRequest, "https://pymongo.readthedocs.io/"),
    ApiGroup("psycopg2", "connect", NetworkRequest, "https://www.psycopg.org/docs/usage.html"),
    ApiGroup("pymysql", "connect", NetworkRequest, "https://pymysql.readthedocs.io/"),
    ApiGroup(
        "redis", "Redis StrictRedis from_url", NetworkRequest, "https://redis.readthedocs.io/"
    ),
)


SCAN_APIS: tuple[ApiGroup, ...] = (
    ApiGroup("os", "listdir scandir walk fwalk", DirectoryScan, _OS),
    ApiGroup("glob", "glob iglob", DirectoryScan, "https://docs.python.org/3/library/glob.html"),
    ApiGroup("mmcv", "scandir", DirectoryScan, "https://mmcv.readthedocs.io/en/1.x/"),
)


PROCESS_APIS: tuple[ApiGroup, ...] = (
    ApiGroup(
        "subprocess",
        "run call check_call check_output Popen getoutput getstatusoutput",
        ProcessStart,
        _SUBPROCESS,
    ),
    ApiGroup("os", "system popen popen4 spawnl spawnv", ProcessStart, _OS),
    ApiGroup(
        "pydub",
        "AudioSegment.from_file AudioSegment.from_mp3 AudioSegment.from_ogg",
        ProcessStart,
        "https://github.com/jiaaro/pydub#dependencies",
    ),
    ApiGroup("ffmpeg", "run probe", ProcessStart, "https://github.com/kkroening/ffmpeg-python"),
    ApiGroup("sox", "Transformer Combiner", ProcessStart, "https://pypi.org/project/sox/"),
    ApiGroup(
        "sox.file_info",
        "bitdepth bitrate channels comments duration encoding file_type info num_samples"
        " sample_rate silent stat",
        ProcessStart,
        "https://pysox.readthedocs.io/en/latest/api.html",
    ),
    ApiGroup(
        "moviepy.editor",
        "VideoFileClip AudioFileClip",
        ProcessStart,
        "https://zulko.github.io/moviepy/",
    ),
)


TRANSFORM_APIS: tuple[ApiGroup, ...] = (
    ApiGroup("torchvision.transforms", "Compose", TransformConstruction, _VISION),
    ApiGroup("torchvision.transforms.v2", "Compose", TransformConstruction, _VISION),
    ApiGroup("torchvision.transforms.transforms", "Compose", TransformConstruction, _VISION),
    ApiGroup("albumentations", "Compose", TransformConstruction, "https://albumentations.ai/docs/"),
    ApiGroup(
        "imgaug.augmenters",
        "Sequential SomeOf OneOf",
        TransformConstruction,
        "https://imgaug.readthedocs.io/",
    ),
    ApiGroup("monai.transforms", "Compose", TransformConstruction, "https://docs.monai.io/"),
    ApiGroup(
        "torchaudio.transforms",
        "MelSpectrogram Resample MFCC Spectrogram",
        TransformConstruction,
        "https://docs.pytorch.org/audio/stable/transforms.html",
    ),
    ApiGroup(
        "audiomentations",
        "Compose",
        TransformConstruction,
        "https://iver56.github.io/audiomentations/",
    ),
    ApiGroup("torchio", "Compose", TransformConstruction, "https://torchio.readthedocs.io/"),
)


OTHER_APIS: tuple[ApiGroup, ...] = (
    ApiGroup("time", "sleep", Sleep, "https://docs.python.org/3/library/time.html#time.sleep"),
    ApiGroup("", "open", FileOpening, "https://docs.python.org/3/library/functions.html#open"),
    ApiGroup("io", "open", FileOpening, "https://docs.python.org/3/library/io.html"),
    ApiGroup("os", "open", FileOpening, _OS),
)

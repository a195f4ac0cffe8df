"""What functions of libraries do when an item is made: a row a group, with its source."""

from collections.abc import Iterator
from typing import NamedTuple

from pipedoctor.facts.code_events.item import (
    ArrayRead,
    ContainerOpening,
    DirectoryScan,
    ImageOpening,
    ItemCall,
    NetworkRequest,
    ProcessStart,
    TextParse,
    TransformConstruction,
    Unpickling,
)


class ApiGroup(NamedTuple):
    """Functions of one library with one effect."""

    module: str
    functions: str
    """Their names below the module, with blanks between."""
    effect: type[ItemCall]
    source: str


API_GROUPS: tuple[ApiGroup, ...] = (
    ApiGroup("ujson", "load", TextParse, "https://pypi.org/project/ujson/"),
    ApiGroup("simplejson", "load", TextParse, "https://simplejson.readthedocs.io/"),
    ApiGroup("toml", "load", TextParse, "https://pypi.org/project/toml/"),
    ApiGroup("tomllib", "load", TextParse, "https://docs.python.org/3/library/tomllib.html"),
    ApiGroup("xmltodict", "parse", TextParse, "https://pypi.org/project/xmltodict/"),
    ApiGroup(
        "pandas",
        "read_fwf read_html read_xml",
        TextParse,
        "https://pandas.pydata.org/docs/reference/io.html",
    ),
    ApiGroup("geopandas", "read_file", TextParse, "https://geopandas.org/en/stable/docs/"),
    ApiGroup(
        "pycocotools.coco",
        "COCO",
        TextParse,
        "https://github.com/ppwwyyxx/cocoapi/blob/master/PythonAPI/pycocotools/coco.py",
    ),
    ApiGroup("cPickle", "load loads", Unpickling, "https://docs.python.org/2/library/pickle.html"),
    ApiGroup("pickle5", "load loads", Unpickling, "https://pypi.org/project/pickle5/"),
    ApiGroup("mmengine", "load", Unpickling, "https://mmengine.readthedocs.io/en/latest/"),
    ApiGroup("mmcv", "load", Unpickling, "https://mmcv.readthedocs.io/en/1.x/"),
    ApiGroup("os", "fwalk", DirectoryScan, "https://docs.python.org/3/library/os.html#os.fwalk"),
    ApiGroup("mmcv", "scandir", DirectoryScan, "https://mmcv.readthedocs.io/en/1.x/"),
    ApiGroup("wget", "download", NetworkRequest, "https://pypi.org/project/wget/"),
    ApiGroup("gdown", "download", NetworkRequest, "https://pypi.org/project/gdown/"),
    ApiGroup(
        "huggingface_hub",
        "hf_hub_download snapshot_download",
        NetworkRequest,
        "https://huggingface.co/docs/huggingface_hub/guides/download",
    ),
    ApiGroup("lmdbdict", "lmdbdict", ContainerOpening, "https://pypi.org/project/lmdbdict/"),
    ApiGroup("zarr", "open open_group", ContainerOpening, "https://zarr.readthedocs.io/"),
    ApiGroup("rasterio", "open", ContainerOpening, "https://rasterio.readthedocs.io/"),
    ApiGroup("xarray", "open_dataset open_zarr", ContainerOpening, "https://docs.xarray.dev/"),
    ApiGroup("decord", "VideoReader", ContainerOpening, "https://github.com/dmlc/decord"),
    ApiGroup("av", "open", ContainerOpening, "https://pyav.org/docs/stable/"),
    ApiGroup("cv2", "VideoCapture", ContainerOpening, "https://docs.opencv.org/4.x/"),
    ApiGroup(
        "torchvision.io", "read_video", ArrayRead, "https://pytorch.org/vision/stable/io.html"
    ),
    ApiGroup("skimage.io", "imread", ImageOpening, "https://scikit-image.org/docs/stable/"),
    ApiGroup("imageio", "imread", ImageOpening, "https://imageio.readthedocs.io/"),
    ApiGroup("imageio.v2", "imread", ImageOpening, "https://imageio.readthedocs.io/"),
    ApiGroup("imageio.v3", "imread", ImageOpening, "https://imageio.readthedocs.io/"),
    ApiGroup("tifffile", "imread", ImageOpening, "https://pypi.org/project/tifffile/"),
    ApiGroup("pydicom", "dcmread read_file", ArrayRead, "https://pydicom.github.io/"),
    ApiGroup("nibabel", "load", ArrayRead, "https://nipy.org/nibabel/"),
    ApiGroup("SimpleITK", "ReadImage", ArrayRead, "https://simpleitk.readthedocs.io/"),
    ApiGroup("scipy.io", "loadmat", ArrayRead, "https://docs.scipy.org/doc/scipy/"),
    ApiGroup("open3d.io", "read_point_cloud", ArrayRead, "https://www.open3d.org/docs/"),
    ApiGroup("trimesh", "load load_mesh", ArrayRead, "https://trimesh.org/"),
    ApiGroup(
        "pydub",
        "AudioSegment.from_file AudioSegment.from_mp3",
        ProcessStart,
        "https://github.com/jiaaro/pydub#dependencies",
    ),
    ApiGroup(
        "os", "popen4 spawnl spawnv", ProcessStart, "https://docs.python.org/3/library/os.html"
    ),
    ApiGroup("ffmpeg", "run probe", ProcessStart, "https://github.com/kkroening/ffmpeg-python"),
    ApiGroup(
        "torchaudio.transforms",
        "MelSpectrogram Resample MFCC",
        TransformConstruction,
        "https://docs.pytorch.org/audio/stable/transforms.html",
    ),
    ApiGroup(
        "imgaug.augmenters", "SomeOf OneOf", TransformConstruction, "https://imgaug.readthedocs.io/"
    ),
)


def list_api_effects() -> Iterator[tuple[str, type[ItemCall]]]:
    """Every function of the table by its full name, with its effect."""
    for group in API_GROUPS:
        for name in group.functions.split():
            yield f"{group.module}.{name}", group.effect

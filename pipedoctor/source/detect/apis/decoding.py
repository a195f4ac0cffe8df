"""Functions that decode an image, and that read an array, a recording or a mesh."""

from pipedoctor.facts.code_events.item import ArrayRead, ImageOpening
from pipedoctor.source.detect.apis.rows import ApiGroup

_IMAGEIO = "https://imageio.readthedocs.io/en/stable/"
_VISION_IO = "https://docs.pytorch.org/vision/stable/io.html"

IMAGE_APIS: tuple[ApiGroup, ...] = (
    ApiGroup("PIL.Image", "open", ImageOpening, "https://pillow.readthedocs.io/"),
    ApiGroup("cv2", "imread imdecode", ImageOpening, "https://docs.opencv.org/4.x/"),
    ApiGroup("torchvision.io", "read_image decode_image", ImageOpening, _VISION_IO),
    ApiGroup("torchvision.io", "decode_jpeg decode_png", ImageOpening, _VISION_IO),
    ApiGroup("torchvision.datasets.folder", "default_loader pil_loader", ImageOpening, _VISION_IO),
    ApiGroup("skimage.io", "imread", ImageOpening, "https://scikit-image.org/docs/stable/"),
    ApiGroup("imageio", "imread", ImageOpening, _IMAGEIO),
    ApiGroup("imageio.v2", "imread", ImageOpening, _IMAGEIO),
    ApiGroup("imageio.v3", "imread", ImageOpening, _IMAGEIO),
    ApiGroup("tifffile", "imread", ImageOpening, "https://pypi.org/project/tifffile/"),
    ApiGroup("matplotlib.pyplot", "imread", ImageOpening, "https://matplotlib.org/stable/api/"),
    ApiGroup("matplotlib.image", "imread", ImageOpening, "https://matplotlib.org/stable/api/"),
    ApiGroup("scipy.misc", "imread", ImageOpening, "https://docs.scipy.org/doc/scipy-1.1.0/"),
    ApiGroup("scipy.ndimage", "imread", ImageOpening, "https://docs.scipy.org/doc/scipy-1.1.0/"),
    ApiGroup("mmcv", "imread imfrombytes", ImageOpening, "https://mmcv.readthedocs.io/en/1.x/"),
    ApiGroup("jpeg4py", "JPEG", ImageOpening, "https://pypi.org/project/jpeg4py/"),
    ApiGroup("simplejpeg", "decode_jpeg", ImageOpening, "https://pypi.org/project/simplejpeg/"),
    ApiGroup("accimage", "Image", ImageOpening, "https://github.com/pytorch/accimage"),
    ApiGroup("pyvips.Image", "new_from_file", ImageOpening, "https://libvips.github.io/pyvips/"),
    ApiGroup("rawpy", "imread", ImageOpening, "https://letmaik.github.io/rawpy/api/"),
)


ARRAY_APIS: tuple[ApiGroup, ...] = (
    ApiGroup(
        "numpy",
        "load fromfile memmap",
        ArrayRead,
        "https://numpy.org/doc/stable/reference/routines.io.html",
    ),
    ApiGroup(
        "safetensors", "safe_open", ArrayRead, "https://huggingface.co/docs/safetensors/index"
    ),
    ApiGroup(
        "safetensors.torch",
        "load_file",
        ArrayRead,
        "https://huggingface.co/docs/safetensors/api/torch",
    ),
    ApiGroup(
        "safetensors.numpy",
        "load_file",
        ArrayRead,
        "https://huggingface.co/docs/safetensors/api/numpy",
    ),
    ApiGroup(
        "pandas",
        "read_parquet read_feather read_hdf read_orc",
        ArrayRead,
        "https://pandas.pydata.org/docs/reference/io.html",
    ),
    ApiGroup(
        "polars",
        "read_parquet read_ipc",
        ArrayRead,
        "https://docs.pola.rs/api/python/stable/reference/io.html",
    ),
    ApiGroup(
        "pyarrow.parquet",
        "read_table",
        ArrayRead,
        "https://arrow.apache.org/docs/python/parquet.html",
    ),
    ApiGroup("deepdish.io", "load", ArrayRead, "https://deepdish.readthedocs.io/"),
    ApiGroup("torchaudio", "load", ArrayRead, "https://docs.pytorch.org/audio/stable/"),
    ApiGroup("librosa", "load", ArrayRead, "https://librosa.org/doc/latest/"),
    ApiGroup("librosa.core", "load", ArrayRead, "https://librosa.org/doc/latest/"),
    ApiGroup("soundfile", "read", ArrayRead, "https://python-soundfile.readthedocs.io/"),
    ApiGroup("audioread", "audio_open", ArrayRead, "https://pypi.org/project/audioread/"),
    ApiGroup("kaldiio", "load_mat load_ark", ArrayRead, "https://pypi.org/project/kaldiio/"),
    ApiGroup(
        "scipy.io.wavfile",
        "read",
        ArrayRead,
        "https://docs.scipy.org/doc/scipy/reference/io.html",
    ),
    ApiGroup(
        "scipy.io", "loadmat", ArrayRead, "https://docs.scipy.org/doc/scipy/reference/io.html"
    ),
    ApiGroup("torchvision.io", "read_video", ArrayRead, _VISION_IO),
    ApiGroup(
        "skvideo.io", "vread vreader", ArrayRead, "http://www.scikit-video.org/stable/io.html"
    ),
    ApiGroup("pydicom", "dcmread read_file", ArrayRead, "https://pydicom.github.io/"),
    ApiGroup("dicom", "read_file", ArrayRead, "https://pydicom.github.io/"),
    ApiGroup("nibabel", "load", ArrayRead, "https://nipy.org/nibabel/"),
    ApiGroup("SimpleITK", "ReadImage", ArrayRead, "https://simpleitk.readthedocs.io/"),
    ApiGroup("itk", "imread", ArrayRead, "https://docs.itk.org/"),
    ApiGroup("nrrd", "read", ArrayRead, "https://pynrrd.readthedocs.io/"),
    ApiGroup("mne.io", "read_raw_edf read_raw_fif", ArrayRead, "https://mne.tools/stable/"),
    ApiGroup("open3d.io", "read_point_cloud", ArrayRead, "https://www.open3d.org/docs/"),
    ApiGroup("trimesh", "load load_mesh", ArrayRead, "https://trimesh.org/"),
    ApiGroup("plyfile.PlyData", "read", ArrayRead, "https://pypi.org/project/plyfile/"),
    ApiGroup("laspy", "read", ArrayRead, "https://laspy.readthedocs.io/"),
    ApiGroup("astropy.io.fits", "open getdata", ArrayRead, "https://docs.astropy.org/"),
)

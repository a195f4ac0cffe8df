"""Functions that open archives, databases and recordings, and what a fork does to these."""

from pipedoctor.facts.code_events.item import ContainerOpening
from pipedoctor.source.detect.apis.rows import ApiGroup

_ZARR = "https://zarr.readthedocs.io/en/stable/user-guide/"

CONTAINER_APIS: tuple[ApiGroup, ...] = (
    ApiGroup("h5py", "File", ContainerOpening, "https://docs.h5py.org/en/stable/mpi.html"),
    ApiGroup("h5pickle", "File", ContainerOpening, "https://pypi.org/project/h5pickle/", "none"),
    ApiGroup("tables", "open_file openFile", ContainerOpening, "https://www.pytables.org/FAQ.html"),
    ApiGroup(
        "pandas", "HDFStore", ContainerOpening, "https://pandas.pydata.org/docs/reference/io.html"
    ),
    ApiGroup("netCDF4", "Dataset", ContainerOpening, "https://unidata.github.io/netcdf4-python/"),
    ApiGroup(
        "zipfile", "ZipFile", ContainerOpening, "https://docs.python.org/3/library/zipfile.html"
    ),
    ApiGroup(
        "tarfile",
        "open TarFile",
        ContainerOpening,
        "https://docs.python.org/3/library/tarfile.html",
    ),
    ApiGroup("lmdb", "open Environment", ContainerOpening, "http://www.lmdb.tech/doc/"),
    ApiGroup("lmdbdict", "lmdbdict", ContainerOpening, "https://pypi.org/project/lmdbdict/"),
    ApiGroup("shelve", "open", ContainerOpening, "https://docs.python.org/3/library/shelve.html"),
    ApiGroup("dbm", "open", ContainerOpening, "https://docs.python.org/3/library/dbm.html"),
    ApiGroup("sqlite3", "connect", ContainerOpening, "https://www.sqlite.org/howtocorrupt.html"),
    ApiGroup(
        "duckdb", "connect", ContainerOpening, "https://duckdb.org/docs/stable/connect/concurrency"
    ),
    ApiGroup("leveldb", "LevelDB", ContainerOpening, "https://pypi.org/project/leveldb/"),
    ApiGroup("plyvel", "DB", ContainerOpening, "https://plyvel.readthedocs.io/en/latest/api.html"),
    ApiGroup("rocksdb", "DB", ContainerOpening, "https://python-rocksdb.readthedocs.io/"),
    ApiGroup("zarr", "open open_group open_array", ContainerOpening, _ZARR, "none"),
    ApiGroup("zarr", "ZipStore", ContainerOpening, _ZARR),
    ApiGroup("zarr.storage", "ZipStore", ContainerOpening, _ZARR),
    ApiGroup(
        "rasterio",
        "open",
        ContainerOpening,
        "https://rasterio.readthedocs.io/en/stable/topics/concurrency.html",
    ),
    ApiGroup(
        "osgeo.gdal",
        "Open OpenEx",
        ContainerOpening,
        "https://gdal.org/en/stable/user/multithreading.html",
    ),
    ApiGroup("fiona", "open", ContainerOpening, "https://fiona.readthedocs.io/"),
    ApiGroup(
        "xarray",
        "open_dataset open_mfdataset open_dataarray",
        ContainerOpening,
        "https://docs.xarray.dev/en/stable/user-guide/io.html",
        "none",
    ),
    ApiGroup("xarray", "open_zarr", ContainerOpening, "https://docs.xarray.dev/", "none"),
    ApiGroup(
        "openslide", "OpenSlide open_slide", ContainerOpening, "https://openslide.org/api/python/"
    ),
    ApiGroup("tifffile", "TiffFile", ContainerOpening, "https://pypi.org/project/tifffile/"),
    ApiGroup(
        "pyarrow.parquet",
        "ParquetFile",
        ContainerOpening,
        "https://arrow.apache.org/docs/python/parquet.html",
    ),
    ApiGroup(
        "datasets",
        "load_from_disk",
        ContainerOpening,
        "https://huggingface.co/docs/datasets/",
        "none",
    ),
    ApiGroup("uproot", "open", ContainerOpening, "https://uproot.readthedocs.io/"),
    ApiGroup(
        "decord",
        "VideoReader AudioReader",
        ContainerOpening,
        "https://github.com/dmlc/decord",
        media=True,
    ),
    ApiGroup("av", "open", ContainerOpening, "https://pyav.org/docs/stable/", media=True),
    ApiGroup("cv2", "VideoCapture", ContainerOpening, "https://docs.opencv.org/4.x/", media=True),
    ApiGroup(
        "torchvision.io",
        "VideoReader",
        ContainerOpening,
        "https://docs.pytorch.org/vision/stable/io.html",
        media=True,
    ),
    ApiGroup(
        "torchcodec.decoders",
        "VideoDecoder AudioDecoder",
        ContainerOpening,
        "https://docs.pytorch.org/torchcodec/",
        media=True,
    ),
    ApiGroup(
        "imageio", "get_reader", ContainerOpening, "https://imageio.readthedocs.io/", media=True
    ),
    ApiGroup(
        "imageio.v2", "get_reader", ContainerOpening, "https://imageio.readthedocs.io/", media=True
    ),
    ApiGroup(
        "soundfile",
        "SoundFile",
        ContainerOpening,
        "https://python-soundfile.readthedocs.io/",
        media=True,
    ),
    ApiGroup(
        "wave", "open", ContainerOpening, "https://docs.python.org/3/library/wave.html", media=True
    ),
)

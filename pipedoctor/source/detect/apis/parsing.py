"""Functions that parse text, or rebuild objects out of a file, when they are called."""

from pipedoctor.facts.code_events.item import TextParse, Unpickling
from pipedoctor.source.detect.apis.rows import ApiGroup

_PANDAS = "https://pandas.pydata.org/docs/reference/io.html"
_MMENGINE = "https://mmengine.readthedocs.io/en/latest/advanced_tutorials/fileio.html"

TEXT_APIS: tuple[ApiGroup, ...] = (
    ApiGroup(
        "numpy",
        "loadtxt genfromtxt fromregex",
        TextParse,
        "https://numpy.org/doc/stable/reference/routines.io.html",
    ),
    ApiGroup(
        "pandas",
        "read_csv read_json read_excel read_table read_fwf read_html read_xml",
        TextParse,
        _PANDAS,
    ),
    ApiGroup(
        "polars",
        "read_csv read_json read_ndjson read_excel",
        TextParse,
        "https://docs.pola.rs/api/python/stable/reference/io.html",
    ),
    ApiGroup("pyarrow.csv", "read_csv", TextParse, "https://arrow.apache.org/docs/python/csv.html"),
    ApiGroup(
        "pyarrow.json", "read_json", TextParse, "https://arrow.apache.org/docs/python/json.html"
    ),
    ApiGroup("cudf", "read_csv read_json", TextParse, "https://docs.rapids.ai/api/cudf/stable/"),
    ApiGroup("json", "load", TextParse, "https://docs.python.org/3/library/json.html"),
    ApiGroup("ujson", "load", TextParse, "https://pypi.org/project/ujson/"),
    ApiGroup("simplejson", "load", TextParse, "https://simplejson.readthedocs.io/"),
    ApiGroup("commentjson", "load", TextParse, "https://commentjson.readthedocs.io/"),
    ApiGroup("jsonlines", "open", TextParse, "https://jsonlines.readthedocs.io/"),
    ApiGroup("csv", "reader DictReader", TextParse, "https://docs.python.org/3/library/csv.html"),
    ApiGroup(
        "yaml",
        "load safe_load full_load unsafe_load load_all safe_load_all",
        TextParse,
        "https://pyyaml.org/wiki/PyYAMLDocumentation",
    ),
    ApiGroup("omegaconf.OmegaConf", "load", TextParse, "https://omegaconf.readthedocs.io/"),
    ApiGroup("toml", "load", TextParse, "https://pypi.org/project/toml/"),
    ApiGroup("tomllib", "load", TextParse, "https://docs.python.org/3/library/tomllib.html"),
    ApiGroup("tomli", "load", TextParse, "https://pypi.org/project/tomli/"),
    ApiGroup(
        "xml.etree.ElementTree",
        "parse",
        TextParse,
        "https://docs.python.org/3/library/xml.etree.elementtree.html",
    ),
    ApiGroup(
        "xml.etree.cElementTree",
        "parse",
        TextParse,
        "https://docs.python.org/3.8/library/xml.etree.elementtree.html",
    ),
    ApiGroup(
        "xml.dom.minidom",
        "parse",
        TextParse,
        "https://docs.python.org/3/library/xml.dom.minidom.html",
    ),
    ApiGroup("lxml.etree", "parse", TextParse, "https://lxml.de/parsing.html"),
    ApiGroup("xmltodict", "parse", TextParse, "https://pypi.org/project/xmltodict/"),
    ApiGroup("bs4", "BeautifulSoup", TextParse, "https://www.crummy.com/software/BeautifulSoup/"),
    ApiGroup("geopandas", "read_file", TextParse, "https://geopandas.org/en/stable/docs/"),
    ApiGroup("textgrid.TextGrid", "fromFile", TextParse, "https://pypi.org/project/TextGrid/"),
    ApiGroup("Bio.SeqIO", "parse read", TextParse, "https://biopython.org/wiki/SeqIO"),
    ApiGroup("ase.io", "read", TextParse, "https://wiki.fysik.dtu.dk/ase/ase/io/io.html"),
    ApiGroup(
        "pycocotools.coco",
        "COCO",
        TextParse,
        "https://github.com/ppwwyyxx/cocoapi/blob/master/PythonAPI/pycocotools/coco.py",
    ),
    ApiGroup("lvis", "LVIS", TextParse, "https://github.com/lvis-dataset/lvis-api"),
)


UNPICKLING_APIS: tuple[ApiGroup, ...] = (
    ApiGroup("pickle", "load loads", Unpickling, "https://docs.python.org/3/library/pickle.html"),
    ApiGroup("_pickle", "load loads", Unpickling, "https://docs.python.org/3/library/pickle.html"),
    ApiGroup("cPickle", "load loads", Unpickling, "https://docs.python.org/2/library/pickle.html"),
    ApiGroup("pickle5", "load loads", Unpickling, "https://pypi.org/project/pickle5/"),
    ApiGroup("dill", "load loads", Unpickling, "https://dill.readthedocs.io/"),
    ApiGroup("cloudpickle", "load loads", Unpickling, "https://github.com/cloudpipe/cloudpickle"),
    ApiGroup("joblib", "load", Unpickling, "https://joblib.readthedocs.io/"),
    ApiGroup("sklearn.externals.joblib", "load", Unpickling, "https://joblib.readthedocs.io/"),
    ApiGroup(
        "compress_pickle", "load loads", Unpickling, "https://pypi.org/project/compress-pickle/"
    ),
    ApiGroup("pandas", "read_pickle", Unpickling, _PANDAS),
    ApiGroup(
        "torch",
        "load",
        Unpickling,
        "https://docs.pytorch.org/docs/stable/generated/torch.load.html",
    ),
    ApiGroup("mmengine", "load", Unpickling, _MMENGINE),
    ApiGroup("mmengine.fileio", "load", Unpickling, _MMENGINE),
    ApiGroup("mmcv", "load", Unpickling, "https://mmcv.readthedocs.io/en/1.x/"),
)

"""Which hosts are everybody's, and which only their own network knows."""

import re

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.vocabulary import PUBLIC_BUCKETS

PUBLIC_HOSTS = frozenset(
    "github.com githubusercontent.com gitlab.com huggingface.co pytorch.org nvidia.com"  # noqa: SIM905
    " python.org anaconda.org anaconda.com conda-forge.org readthedocs.io kernel.org"
    " docker.com docker.io kubernetes.io ghcr.io nvcr.io quay.io example.com"
    " googleapis.com amazonaws.com kaggle.com microsoft.com wandb.ai stackoverflow.com"
    " fbaipublicfiles.com google.com youtube.com ubuntu.com arxiv.org tensorflow.org openai.com"
    " apache.org gnu.org wikipedia.org bitbucket.org sourceforge.net launchpad.net k8s.io intel.com"
    " amd.com redhat.com lightning.ai comet.com neptune.ai mlflow.org ray.io opencv.org numpy.org"
    " scipy.org paperswithcode.com image-net.org cocodataset.org openmpi.org schedmd.com man7.org"
    " llvm.org deepspeed.ai amazon.com azure.com w3.org ietf.org mozilla.org json-schema.org"
    " commoncrawl.org sqlalche.me pydantic.dev astral.sh pypa.io docs.rs rust-lang.org cmake.org"
    " stackexchange.com askubuntu.com serverfault.com superuser.com medium.com archlinux.org"
    " fedoraproject.org centos.org rockylinux.org opensuse.org suse.com mpich.org hdfgroup.org"
    " zarr.dev dask.org pydata.org matplotlib.org scikit-learn.org jupyter.org ipython.org cupy.dev"
    " cython.org rapids.ai keras.io fast.ai spacy.io nltk.org jax.dev ffmpeg.org pola.rs"
    " lustre.org ceph.io beegfs.io openucx.org open-mpi.org libfabric.org min.io redis.io"
    " sqlite.org postgresql.org mysql.com docs.oracle.com www.ibm.com hashicorp.com ansible.com"
    " prometheus.io opentelemetry.io elastic.co sylabs.io apptainer.org podman.io prefix.dev"
    " mamba.pm hf-mirror.com modelscope.cn ultralytics.com roboflow.com openvinotoolkit.org onnx.ai"
    " zenodo.org figshare.com openslr.org statmt.org gutenberg.org wikimedia.org laion.ai"
    " yann.lecun.com mattmahoney.net cvlibs.net vision.caltech.edu www.cs.toronto.edu"
    " ufldl.stanford.edu ai.stanford.edu nlp.stanford.edu snap.stanford.edu"
    " shapenet.cs.stanford.edu"
    " archive.ics.uci.edu data.csail.mit.edu groups.csail.mit.edu vis-www.cs.umass.edu"
    " host.robots.ox.ac.uk www.robots.ox.ac.uk data.vision.ee.ethz.ch codh.rois.ac.jp"
    " mmlab.ie.cuhk.edu.hk sid.erda.dk madm.dfki.de benchmark.ini.rub.de data.caltech.edu"
    " creativecommons.org opensource.org semver.org keepachangelog.com sphinx-doc.org"
    " hf.co readthedocs.org gcr.io pkg.dev public.ecr.aws kaggleusercontent.com dagshub.com"
    " clear.ml aimstack.io api.slack.com hooks.slack.com discord.com openreview.net doi.org"
    " crates.io golang.org nodejs.org sigstore.dev unpkg.com jsdelivr.net www.cloudflare.com"
    " anthropic.com cohere.ai cohere.com replicate.com lambdalabs.com lambda.ai paperspace.com"
    " docs.databricks.com docs.snowflake.com unicode.org ntp.org letsencrypt.org www.gradio.app"
    " docs.streamlit.io civitai.com mirrors.aliyun.com tuna.tsinghua.edu.cn mirrors.ustc.edu.cn"
    " mirror.sjtu.edu.cn vllm.ai mosaicml.com together.ai mistral.ai groq.com deepmind.com"
    " apple.com meta.com api.telegram.org".split()
)
"""Servers of everybody, with all below them; those of universities that data sets lie on, alone."""

_OF_EVERY_CLUSTER = compile_lazily(
    r"(?:(?:kubernetes\.)?default\.|(?:(?:[\w-]+\.)?kube-dns\.|metrics-server\.)?kube-system\.)?"
    r"svc\.cluster\.local"
    r"|(?:metadata|instance-data)(?:\.(?:ec2|azure|google))?\.internal"
    r"|(?:[a-z]{2}-[a-z]+-\d\.)?(?:ec2|compute)\.internal"
    r"|host\.(?:minikube|k3d|lima|orb|rancher-desktop|docker|containers)\.internal"
)
_EVERYBODYS_HOSTS = frozenset(
    "metadata.google.internal host.docker.internal gateway.docker.internal"  # noqa: SIM905
    " kubernetes.docker.internal host.containers.internal localhost.localdomain".split()
)
"""What Kubernetes, clouds and Docker call so wherever they run."""
_BUCKET_SCHEME = compile_lazily(r"(?<![a-z0-9])(?:s3[an]?|gs|gcs|oss|cos|r2|obs)$")


def is_public_host(host: str) -> bool:
    """Does this server tell nothing about who uses it?"""
    at = 0
    while at >= 0:  # the whole name, then without its first part, and so on
        if host[at:] in PUBLIC_HOSTS:
            return True
        at = host.find(".", at) + 1 or -1
    return is_of_every_network(host)


def is_of_every_network(host: str) -> bool:
    """Does every cluster, every cloud or every Docker have one of this name?"""
    lower = host.lower()
    return lower in _EVERYBODYS_HOSTS or _OF_EVERY_CLUSTER.fullmatch(lower) is not None


def is_example_user(name: str) -> bool:
    """Does documentation write it where a user is to write an own name?"""
    return re.fullmatch(r"(?i)(?:(?:my|your)[_-]?)?(?:user(?:_?name)?|login)", name) is not None


def is_public_index(host: str, text: str, end: int) -> bool:
    """Is it an index of packages that everybody uses: a domain of its own, and its usual folder?"""
    if re.fullmatch(r"(?:files\.)?[a-z]+\.org", host) is None:
        return False
    if text.startswith(("/simple", "/packages/", "/project/", "/pypi/"), end):
        return True
    begin = max(0, text.rfind("\n", 0, end) + 1, end - 200)
    line = text[begin : end + 200].partition("\n")[0]
    files = host.startswith("files.") and re.search(r"\bpypi\b", line) is not None
    return files or "pip._" in line or "/simple/" in line


def is_internal_host(host: str) -> bool:
    """Is it a name that only some network knows: ``proxy``, ``nas.corp``?"""
    private = r"[\w-]+|[\w.-]+\.(?:local|internal|corp|lan|intra(?:net)?|home\.arpa|fritz\.box)"
    return re.fullmatch(private, host) is not None


def keeps_url_host(url: re.Match[str], *, public: bool) -> bool:
    """
    Does the host in this URL stay, whoever's it is: a bucket of everybody, an index?

    Other buckets of object stores name a project (``s3://scans/x``), as only the `public`
    must not know.
    """
    text, host, end = url.string, url[4], url.end()
    if host in PUBLIC_BUCKETS or is_public_index(host, text, end):
        return True
    scheme = _BUCKET_SCHEME.search(text[max(0, url.start() - 6) : url.start()])
    return not public and scheme is not None and text[end : end + 1] != ":"

"""Which hosts are everybody's, and which only their own network knows."""

import re

PUBLIC_HOSTS = (
    "github.com githubusercontent.com gitlab.com huggingface.co pytorch.org nvidia.com"  # noqa: SIM905
    " python.org anaconda.org anaconda.com conda-forge.org readthedocs.io kernel.org"
    " docker.com docker.io kubernetes.io ghcr.io nvcr.io quay.io example.com"
    " googleapis.com amazonaws.com kaggle.com microsoft.com wandb.ai stackoverflow.com"
    " fbaipublicfiles.com google.com youtube.com ubuntu.com arxiv.org tensorflow.org openai.com"
    " apache.org gnu.org wikipedia.org bitbucket.org sourceforge.net launchpad.net k8s.io intel.com"
    " amd.com redhat.com lightning.ai comet.com neptune.ai mlflow.org ray.io opencv.org numpy.org"
    " scipy.org paperswithcode.com image-net.org cocodataset.org openmpi.org schedmd.com man7.org"
    " llvm.org deepspeed.ai amazon.com azure.com w3.org ietf.org mozilla.org json-schema.org"
    " commoncrawl.org".split()
)
"""Servers of everybody, with all below them."""


def is_public_host(host: str) -> bool:
    """Does this server tell nothing about who uses it?"""
    return any(host == name or host.endswith(f".{name}") for name in PUBLIC_HOSTS)


def is_public_index(host: str, text: str, end: int) -> bool:
    """Is it an index of packages that everybody uses: a domain of its own, and its usual folder?"""
    return (
        text.startswith(("/simple", "/packages/"), end)
        and re.fullmatch(r"(?:files\.)?[a-z]+\.org", host) is not None
    )


def is_internal_host(host: str) -> bool:
    """Is it a name that only some network knows: ``proxy``, ``nas.corp``?"""
    private = r"[\w-]+|[\w.-]+\.(?:local|internal|corp|lan|intra(?:net)?|home\.arpa)"
    return re.fullmatch(private, host) is not None

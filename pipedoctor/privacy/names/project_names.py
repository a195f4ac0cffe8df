"""What commands and registries call the project, the account or the team that pays."""

from pipedoctor.privacy.names.name_form import NameForm, make_form

_KUBECTL = "https://kubernetes.io/docs/reference/kubectl/"
_OF_ALL = r"(?!(?:default|none|all|docker-desktop|minikube|kind-kind)\b)"
_NAME = rf"{_OF_ALL}([A-Za-z][\w-]*\w)(?![\w=(])"
_ARGUMENTS = r"(?:[^\n|;&]{0,120}?\s)?"

PROJECT_NAMES: tuple[NameForm, ...] = (
    make_form(
        "project",
        "https://slurm.schedmd.com/sbatch.html",
        rf"((?:\b(?:sbatch|srun|salloc|squeue|sacct)|#SBATCH)\s{_ARGUMENTS}-A[ =]?){_NAME}",
        " -A",
    ),
    make_form(
        "project",
        "https://openpbs.atlassian.net/wiki/spaces/PBSPro/overview",
        rf"((?:\b(?:qsub|qalter)|#PBS|#\$)\s{_ARGUMENTS}-[AP][ ]){_NAME}",
        *(" -A ", " -P "),
    ),
    make_form(
        "project",
        "https://www.ibm.com/docs/en/spectrum-lsf",
        rf"((?:\bbsub|#BSUB)\s{_ARGUMENTS}-[GP][ ]){_NAME}",
        *(" -G ", " -P "),
    ),
    make_form(
        "project",
        "https://run-ai-docs.nvidia.com/",
        rf"(\brunai\s{_ARGUMENTS}(?:-p|--project)[ =]){_NAME}",
        "runai ",
    ),
    make_form(
        "project",
        _KUBECTL,
        rf"(\b(?:kubectl|helm|oc|kubens|stern|k9s)\s{_ARGUMENTS}(?:-n|--namespace)[ =])"
        r"(?!(?:default|kube-[\w-]+|kubeflow|monitoring|argo|gpu-operator|ray-system"
        r"|istio-system)\b)"
        r"([a-z0-9][\w-]*\w)",
        *(" -n", "--namespace"),
    ),
    make_form(
        "project",
        _KUBECTL,
        r"(\b(?:in|from|to|of) namespace [\"']?)"
        r"(?!(?:default|kube-[\w-]+|is|are|and|for|monitoring)\b)"
        r"([a-z0-9][\w-]*\w)(?![\w.(:])",
        " namespace ",
    ),
    make_form(
        "project",
        _KUBECTL,
        rf"(\b(?:use-context|set-context|oc (?:new-)?project)\s|\s--context[ =]){_NAME}",
        *("-context", "oc project ", "oc new-project "),
    ),
    make_form(
        "project",
        "https://cloud.google.com/sdk/gcloud/reference/config/set",
        rf"(\bgcloud config set project ){_NAME}",
        "gcloud config ",
    ),
    make_form(
        "project",
        "https://docs.nvidia.com/ngc/latest/ngc-catalog-user-guide.html",
        r"(\bnvcr\.io/)(?!(?:nvidia|nvidian|hpc|nim|ea-[\w-]+)/)([a-z0-9][\w-]*)(?=/)",
        "nvcr.io/",
        in_word=True,
    ),
    make_form(
        "project",
        "https://docs.nvidia.com/ngc/latest/ngc-catalog-user-guide.html",
        rf"(\bNGC org(?:ani[sz]ation)?:? [\"']?){_NAME}",
        "NGC org",
    ),
)

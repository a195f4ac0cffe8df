"""What names a person or a machine is hidden from all, what names a project from the public."""

import pytest

from pipedoctor.privacy.redactor import RedactionLevel, Redactor

PROJECTS = [
    "kubectl get pods --namespace=visionlab",
    "kubectl -n visionlab get pods",
    "oc project visionlab",
    "kubectl config use-context visionlab",
    "sbatch -A visionlab train.sh",
    "#SBATCH --account=visionlab",
    "#SBATCH -A visionlab",
    "#PBS -P visionlab",
    "#PBS -A visionlab",
    "qsub -l ngpus=4 -P visionlab job.sh",
    "bsub -P visionlab -q gpu",
    "runai submit x -p visionlab",
    "gcloud config set project visionlab",
    "docker pull nvcr.io/visionlab/train:1",
    "NGC org visionlab",
    "/home/jovyan/shared/visionlab/data.lmdb",
    "aws s3 ls s3://visionlab/x",
    "open gs://visionlab/train.tar",
    "--project=visionlab --entity=visionlab",
]


@pytest.mark.parametrize("text", PROJECTS)
def test_projects_are_hidden_from_the_public_alone(text: str) -> None:
    assert Redactor(RedactionLevel.ALL).redact_text(text) == text
    assert "visionlab" not in Redactor(RedactionLevel.PUBLIC).redact_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "docker pull nvcr.io/nvidia/pytorch:24.01-py3",
        "kubectl config use-context minikube",
        "kubectl -n kube-system get pods",
        "srun -A none python",
    ],
)
def test_what_all_have_is_shown_to_the_public(text: str) -> None:
    assert Redactor(RedactionLevel.PUBLIC).redact_text(text) == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/storage/home/hcoda1/3/mzhao7/p-lab-0/x.py", "mzhao7"),
        ("/pscratch/sd/h/hnguyen/shards/0.tar", "hnguyen"),
        ("/home/mila/s/sarah.t/x.py", "sarah.t"),
        ("/home/hd/hd_hd/hd_xk318/x.py", "hd_xk318"),
        ("image: harbor.lab-x.example/retina/train:1.4", "harbor.lab-x.example"),
        ('Failed to pull image "harbor.lab-x.example:5000/t:1.4"', "harbor.lab-x.example"),
        ("FROM harbor.lab-x.example/retina/train:1.4", "harbor.lab-x.example"),
        ("#9 naming to harbor.lab-x.example/retina/train:1.4 done", "harbor.lab-x.example"),
        ("19: gn0019:4120:4491 [3] NCCL INFO cudaDriverVersion", "gn0019"),
        ("train-1  | dgx-a17:300:344 [0] NCCL INFO Bootstrap", "dgx-a17"),
        ("s3://minio-lab3:9000/b", "minio-lab3"),
        ("veth18cd3f2:fe80::1453:a2ff:fede:4989%veth18cd3f2<0>", "a2ff:fede"),
        ("NET/Socket : Using [0]eth0:2001:db8::a2ff:fede:1<0>", "a2ff:fede"),
    ],
)
def test_people_and_machines_are_hidden_from_all(text: str, name: str) -> None:
    assert name not in Redactor(RedactionLevel.ALL).redact_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "/data/3/results/x.py",
        "/scratch/d/data/x.py",
        "image: pytorch/pytorch:2.4.0",
        "FROM ghcr.io/foo/bar:1",
        "2024-01-01 12:00:00 [0] NCCL INFO x",
        "std::map::at<0> and a::b::c<1>",
        "Error in GPU operator `nvidia.dali.fn.readers.video`",
    ],
)
def test_what_names_nobody_stays(text: str) -> None:
    assert Redactor(RedactionLevel.ALL).redact_text(text) == text

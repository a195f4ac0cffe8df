"""What a log says of the project that wrote it."""

import pytest

from pipedoctor.log.project_marks import ProjectDetector


def read(*lines: str) -> ProjectDetector:
    detector = ProjectDetector()
    for line in lines:
        detector.read_line(line)
        detector.read_message(line)
    return detector


@pytest.mark.parametrize(
    ("line", "versions"),
    [
        ("torch==2.4.0", {"torch": "2.4.0"}),
        ("torch                    2.6.0+cpu", {"torch": "2.6.0+cpu"}),
        ("[pip3] torchvision==0.21.0+cu124", {"torchvision": "0.21.0+cu124"}),
        ("PyTorch version: 2.0.1+cu117", {"torch": "2.0.1+cu117"}),
        ("but you have torch 2.2.0 which is incompatible.", {"torch": "2.2.0"}),
        ("Version: 2.5.1+cu124", {"torch": "2.5.1+cu124"}),
        ("'2.3.1+cu121'", {"torch": "2.3.1+cu121"}),
        ("2.6.0+cpu False", {"torch": "2.6.0+cpu"}),
        ("False 2.6.0+cu124", {"torch": "2.6.0+cu124"}),
        ("2.4.1+cu121 12.1 True", {"torch": "2.4.1+cu121"}),
        ("('2.7.0+cpu', None, False)", {"torch": "2.7.0+cpu"}),
        (
            "Successfully installed torch-2.4.1 torchvision-0.19.1 triton-3.0.0",
            {"torch": "2.4.1", "torchvision": "0.19.1"},
        ),
        ("TorchVision: 0.16.0+cu118", {"torchvision": "0.16.0+cu118"}),
        ("- PyTorch version (GPU?): 2.2.1+cu121 (True)", {"torch": "2.2.1+cu121"}),
        (
            "Requirement already satisfied: torch==2.3.1 in /e/lib (from x) (2.3.1+cu121)",
            {"torch": "2.3.1+cu121"},
        ),
        ("pytorch   2.1.2   py3.10_cuda12.1_cudnn8.9.2_0   pytorch", {"torch": "2.1.2+cu121"}),
        ("FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel", {"torch": "2.4.1+cu124"}),
        ("YOLOv5 v7.0 Python-3.10.12 torch-2.0.1+cu118 CUDA:0", {"torch": "2.0.1+cu118"}),
        ("Version: 0.21.0+cu124", {}),
        ("Version: 2.5.1", {}),
        ("torchmetrics==1.4.0", {}),
        ("torch.1.4.0", {}),
        ("torch==2.4.0.dev20240101", {}),
        ("/opt/lib/python3.10/site-packages/x.py", {"python": "3.10"}),
        ("C:\\Python311\\Lib\\site.py", {"python": "3.11"}),
        ("Python 3.12.1", {"python": "3.12"}),
    ],
)
def test_versions(line: str, versions: dict[str, str]) -> None:
    assert read(line).versions == versions


def test_the_first_version_counts() -> None:
    assert read("torch==2.4.0", "torch==2.5.0").versions == {"torch": "2.4.0"}


@pytest.mark.parametrize(
    ("line", "tool"),
    [
        ("$ uv run train.py", "uv-project"),
        ("$ uv pip list | grep torch", "uv"),
        ("/home/me/.cache/pypoetry/virtualenvs/x-Yk2f-py3.10/lib", "poetry"),
        ("C:\\Users\\me\\AppData\\Local\\pypoetry\\Cache\\virtualenvs\\x", "poetry"),
        ("poetry run python train.py", "poetry"),
        ("pipenv run python train.py", "pipenv"),
        ("the uv runs", ""),
    ],
)
def test_tool(line: str, tool: str) -> None:
    assert read(line).find_tool() == tool


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("#12 0.412 ImportError: x", "build"),
        ("#9 [6/7] RUN pip install x", "build"),
        ('ERROR: process "/bin/sh -c pip install x" did not complete', "build"),
        ("Step 7/9 : RUN python x.py", "build"),
        ("trainer-1  | epoch 3", "compose"),
        ("$ docker compose up train", "compose"),
        ("Attaching to train-1", "compose"),
        ("$ docker run x", "run"),
        ("the docker run x", ""),
        ("resnet-50 | loss 0.3", ""),
        ("#12 is fixed", ""),
    ],
)
def test_use_of_docker(line: str, use: str) -> None:
    assert read(line).find_docker_use() == use


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (
            "$ kubectl logs -n ml seg-train-7c9d5bf5c-x2x9k --tail=20",
            {"deployment": "seg-train", "namespace": "ml"},
        ),
        (
            "[pod/embed-7d5f6c9b8-zbcdx/worker] OSError",
            {"deployment": "embed", "container": "worker"},
        ),
        ("kubectl -n vision get pod resnet-6f7b9c8d5-qw8zt", {"deployment": "resnet"}),
        ("kubectl logs trainer-0", {"deployment": "trainer", "kind": "statefulset"}),
        ("kubectl logs unet-master-0", {"deployment": "unet", "kind": "pytorchjob"}),
        ("Controlled By:  StatefulSet/trainer", {"deployment": "trainer", "kind": "statefulset"}),
        ("$ kubectl -n ml logs job/unet -c torch", {"deployment": "unet", "container": "torch"}),
        ("kubectl get pods", {}),
        ("trainer-1  | epoch 3", {"service": "trainer"}),
        ("$ docker exec -it train nvidia-smi", {"entered": "train"}),
        ("root@b7a1f2c0e911:/exp# nvidia-smi", {"entered": "b7a1f2c0e911"}),
        ("/opt/conda/envs/yolo/lib/python3.8/x.py", {"conda_environment": "yolo"}),
        ("C:\\Users\\a\\miniconda3\\envs\\seg\\Lib\\x.py", {"conda_environment": "seg"}),
        ("/data/envs/yolo/images", {}),
    ],
)
def test_names(line: str, names: dict[str, str]) -> None:
    assert names.items() <= read(line).names.items()
    assert bool(names) == bool(read(line).names)


def test_a_service_with_a_name_of_its_own() -> None:
    detector = ProjectDetector()
    for line in ["fluxgym  | loading"] * 3:
        detector.read_line(line)
    assert detector.find_docker_use() == ""

    detector.read_line("fluxgym  | RuntimeError: x")

    assert detector.find_docker_use() == "compose"
    assert detector.names == {"service": "fluxgym"}


def test_the_first_container_that_is_described() -> None:
    detector = ProjectDetector()
    for line in ["Containers:", "  torch:", "    Image:  x", "  sidecar:"]:
        detector.read_line(line)

    assert detector.names == {"container": "torch"}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (
            "Dec 09 22:19:05 n2 systemd[1]: infer.service: Main process exited, code=exited",
            {"unit": "infer.service"},
        ),
        (
            "systemd[1]: train@3.service: Failed with result 'oom-kill'.",
            {"unit": "train@3.service"},
        ),
        ("\u25cf infer.service - batch inference", {"unit": "infer.service"}),
        ("systemd[1]: Started cron.service - Regular background program.", {}),
        ("<ipython-input-4-0f1e3c2d8a11> in <cell line: 0>()", {"notebook": "ipython-input-4"}),
        ("/tmp/ipykernel_42/31.py in <module>", {"notebook": "/ipykernel_42"}),
        ("systemd[1423]: app.service: Failed with result 'exit-code'.", {}),
        ("kernel: 5.14.0-427.el9.x86_64", {"distribution": ".el9"}),
        ("OS: Ubuntu 22.04, image of rockylinux:9", {"distribution": "Ubuntu"}),
    ],
)
def test_the_service_or_the_notebook(line: str, names: dict[str, str]) -> None:
    assert read(line).names == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("$ kubectl logs seg-train-7w9xk --previous", {"kind": "job", "deployment": "seg-train"}),
        ("$ kubectl logs web-5d8f7c9b4d-7w9xk", {"deployment": "web"}),
        ("$ kubectl logs my-train", {}),
        ("$ kubectl logs data-prepx", {}),
    ],
)
def test_a_pod_with_one_random_end_is_of_a_job(line: str, names: dict[str, str]) -> None:
    assert read(line).names == names

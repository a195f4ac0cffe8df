"""A change of a Kubernetes workload is one that its kind takes, under its own name."""

import pytest

from pipedoctor.check import Lasts, Remedy, environment
from pipedoctor.check.placeholders import mark_placeholders
from pipedoctor.check.project_names import put_names
from tests.explanation.test_remedies_of_logs import list_remedies

SHM = "RuntimeError: unable to write to file </torch_57_1_2>: No space left on device (28)\n"
WORKER = "spec:\n  mpiReplicaSpecs:\n    Worker:\n      template:\n        spec:\n"
GROUP = "workerGroupSpecs:\n{}- template:\n{}    spec:\n{}      containers:\n{}        - name: {}\n"


def indent_group(width: int, container: str) -> str:
    return GROUP.format(*(4 * [width * " "]), container)


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            "$ kubectl get mpijob bert -o yaml\nkind: MPIJob\nmetadata:\n  name: bert\nspec:\n"
            "  mpiReplicaSpecs:\n    Launcher:\n      template:\n        spec:\n"
            "          containers:\n          - name: mpirun\n    Worker:\n      template:\n"
            "        spec:\n          containers:\n          - name: rank\n",
            f"{WORKER}          containers:\n            - name: rank\n",
            id="the workers of a manifest",
        ),
        pytest.param(
            "resnet-launcher-7x2kq     0/1     Error       0          12m\n"
            "$ kubectl logs resnet-worker-0\n",
            WORKER,
            id="the pod of a launcher",
        ),
        pytest.param(
            "$ kubectl logs seg-raycluster-8xk2p-worker-gpu-6kq9w -c ray-worker\n",
            "spec:\n  rayClusterSpec:\n    " + indent_group(6, "ray-worker"),
            id="the pod of a RayJob",
        ),
        pytest.param(
            "$ kubectl describe rayclusters.ray.io seg\n",
            "spec:\n  " + indent_group(4, "ray-worker"),
            id="a RayCluster",
        ),
        pytest.param(
            "$ kubectl logs seg-raycluster-8xk2p-head-6kq9w -c ray-head\n",
            "spec:\n  rayClusterSpec:\n    headGroupSpec:\n      template:\n",
            id="its head",
        ),
        pytest.param(
            "$ kubectl describe trainjob llama\n",
            "spec:\n  containers:\n    - name: train\n",
            id="a kind whose manifest is not known",
        ),
        pytest.param(
            "$ kubectl logs\n", "spec:\n  containers:\n    - name: train\n", id="no name at all"
        ),
    ],
)
def test_the_manifest_of_what_cannot_be_patched(log: str, wanted: str) -> None:
    first = list_remedies(log + SHM)[0]

    assert (first.shell, wanted in first.snippet) == ("", True)
    assert "manifest" in first.title


def change(remedy: Remedy, kind: str) -> Remedy:
    return put_names(remedy, {"kind": kind, "deployment": "clip", "namespace": "ml"})


def type_line(*words: str) -> Remedy:
    return Remedy(title="Do it", lasts=Lasts.ALWAYS, argv=("kubectl", *words))


SECRET = type_line("set", "env", "deployment/TRAIN", "--from=secret/hf-token")
MOVE = type_line("exec", "deployment/TRAIN", "--", "mv", "-n", "/data/TRAIN/a", "/data/TRAIN/b")
RESTART = type_line("rollout", "restart", "deployment/TRAIN")


def test_a_job_takes_a_secret_in_its_manifest() -> None:
    assert change(SECRET, "deployment").argv[3:] == (
        *("deployment/clip", "--from=secret/hf-token", "--namespace", "ml"),
    )
    assert change(SECRET, "job").snippet.endswith(
        "envFrom:\n            - secretRef:\n                name: hf-token"
    )


def test_a_command_in_a_pod_keeps_its_paths_and_takes_the_namespace_before_it() -> None:
    for kind in ("statefulset", "job"):
        assert change(MOVE, kind).shell == (
            f"kubectl exec {kind}/clip --namespace ml -- mv -n /data/TRAIN/a /data/TRAIN/b"
        )
    assert change(MOVE, "rayjob").shell == ""
    unnamed = put_names(MOVE, {})
    assert unnamed == MOVE
    assert mark_placeholders(unnamed).title == "Do it (replace `TRAIN` with yours)"


def test_a_job_is_created_again_where_a_deployment_is_restarted() -> None:
    assert change(RESTART, "daemonset").shell.startswith("kubectl rollout restart daemonset/clip")
    job = change(RESTART, "job")
    assert (job.shell, job.snippet) == ("", "")
    assert job.title == "Do it (kubectl replace --force -f creates it again from its manifest)"


def test_a_variable_that_is_taken_away_is_no_line_of_a_manifest() -> None:
    (*_, pods) = environment("Set it", A="1")
    assert change(pods, "job").snippet.endswith(
        'env:\n            - name: A\n              value: "1"'
    )
    away = change(type_line("set", "env", "deployment/TRAIN", "PYTHONPATH-"), "job")
    assert (away.shell, away.snippet) == ("", "")

"""First remedies of logs of object stores, clocks, launchers, and versions of Python."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text

FORBIDDEN = "botocore.exceptions.ClientError: An error occurred (AccessDenied) when calling the"
RANK = (
    "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable"
)
OLD = "ValueError: require users to upgrade torch to at least v2.6"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            "$ kubectl logs fit-0\nexec /usr/bin/python3: exec format error\n"
            "$ kubectl get node n1 -L kubernetes.io/arch\n"
            "n1     Ready    <none>   4d   v1.31.0   amd64\n",
            "docker buildx build --platform linux/amd64 --tag IMAGE --push .",
            id="the processor of the node",
        ),
        pytest.param(
            "docker: no matching manifest for linux/arm64/v8 in the manifest list entries.\n",
            "docker buildx build --platform linux/arm64 --tag IMAGE --push .",
            id="the processor that the registry was asked for",
        ),
        pytest.param(
            "$ docker logs fit\nexec /usr/bin/python3: exec format error\n",
            "docker buildx build --platform linux/amd64,linux/arm64 --tag IMAGE --push .",
            id="neither processor is known",
        ),
        pytest.param(
            f"{FORBIDDEN} GetObject operation: User: arn:aws:sts::1:assumed-role/fit/i-1 is not"
            ' authorized to perform: s3:GetObject on resource: "arn:aws:s3:::pets/a.tar"\n',
            '"Action": ["s3:GetObject", "s3:ListBucket"], "Resource": ["arn:aws:s3:::pets", ',
            id="a role that may not read",
        ),
        pytest.param(
            f"{FORBIDDEN} PutObject operation: User: arn:aws:sts::1:assumed-role/fit/i-1 is not"
            ' authorized to perform: s3:PutObject on resource: "arn:aws:s3:::pets/a.tar"\n',
            '"s3:PutObject"',
            id="a role that may not write",
        ),
        pytest.param(
            f"{FORBIDDEN} GetObject operation: Access Denied\n",
            "aws sts get-caller-identity",
            id="an identity that the log does not name",
        ),
        pytest.param(
            'ds = load("gs://pets/v2")\ngcsfs.retry.HttpError: fit@lab.iam.gserviceaccount.com'
            " does not have storage.objects.get access to the Google Cloud Storage object., 403\n",
            "gcloud storage buckets add-iam-policy-binding gs://pets"
            " --member=serviceAccount:fit@lab.iam.gserviceaccount.com"
            " --role=roles/storage.objectViewer",
            id="an account of Google",
        ),
        pytest.param(
            "google.api_core.exceptions.Forbidden: 403 GET https://storage.googleapis.com/b/pets:"
            " fit@lab.iam.gserviceaccount.com does not have storage.buckets.get access to the"
            " Google Cloud Storage bucket.\n",
            "--role=roles/storage.legacyBucketReader",
            id="the bucket itself",
        ),
        pytest.param(
            "ErrorCode:AuthorizationPermissionMismatch\n",
            "az role assignment create --role 'Storage Blob Data Reader'",
            id="a role of Azure",
        ),
        pytest.param(
            f"C:\\w> python fit.py\n{FORBIDDEN.replace('AccessDenied', 'RequestTimeTooSkewed')}"
            " GetObject operation\n",
            "w32tm /resync",
            id="the clock of a Windows",
        ),
        pytest.param(
            "Linux box 5.15.167.4-microsoft-standard-WSL2\nSignature expired: 20250304T091500Z is"
            " now earlier than 20250304T101200Z\n",
            "sudo hwclock -s",
            id="the clock of a WSL",
        ),
        pytest.param(
            f"$ python fit.py --lr 1\n{RANK} RANK expected, but not set\n",
            "torchrun --standalone --nproc-per-node=gpu fit.py --lr 1",
            id="a script that needs a launcher",
        ),
        pytest.param(
            "DEFAULT 2025-02-19T09:01:44.100Z [resource.labels.taskName: workerpool0-0]"
            " Running command: python /t/fit.py --lr 1\n"
            "ERROR 2025-02-19T09:01:58.214Z [resource.labels.taskName: workerpool0-0]"
            f" {RANK} MASTER_ADDR expected, but not set\n",
            "torchrun --standalone --nproc-per-node=gpu /t/fit.py --lr 1",
            id="the same on Vertex AI",
        ),
        pytest.param(
            f"Cell In[3], line 1\n{RANK} RANK expected, but not set\n",
            'os.environ.update(RANK="0"',
            id="the same in a notebook",
        ),
        pytest.param(
            f"torch 2.5.1+cu118\n{OLD}\n",
            "python -m pip install torch==2.6.0 torchvision==0.21.0"
            " --index-url https://download.pytorch.org/whl/cu118",
            id="torch 2.6 for the same CUDA",
        ),
        pytest.param(
            "/Users/k/fit.py\nToken used too early, 1 < 2.\n",
            "sudo sntp -sS time.apple.com",
            id="the clock of a Mac",
        ),
        pytest.param(
            "bash: ./fit.sh: /bin/bash^M: bad interpreter: No such file or directory\n",
            "sed -i 's/\\r//' ./fit.sh",
            id="a script of Windows",
        ),
        pytest.param("bash: ./fit.sh: Permission denied\n", "chmod +x ./fit.sh", id="no right"),
        pytest.param(
            "job.sh: line 6: conda: command not found\n$ ls /opt/miniconda3/envs\n",
            "source /opt/miniconda3/etc/profile.d/conda.sh",
            id="conda in a batch job",
        ),
        pytest.param(
            "sbatch: error: Batch job submission failed: Invalid qos specification\n",
            "sacctmgr show associations",
            id="a QOS of others",
        ),
        pytest.param(
            "srun: error: Unable to create step for job 8: Invalid generic resource (gres)"
            " specification\n",
            "sinfo -o",
            id="GPUs that no partition has",
        ),
        pytest.param(
            "lea@box:~/w$ docker ps\npermission denied while trying to connect to the Docker daemon"
            " socket at unix:///var/run/docker.sock\n",
            "sudo usermod -aG docker lea",
            id="an account without Docker",
        ),
        pytest.param(
            "docker: Error response from daemon: pull access denied for nvcr.io/lab/fit, repository"
            " does not exist or may require 'docker login'\n",
            "docker login nvcr.io",
            id="a private registry",
        ),
        pytest.param(
            "(AuthorizationHeaderMalformed) the region 'us-east-1' is wrong; expecting"
            " 'eu-central-1'\n",
            "export AWS_DEFAULT_REGION=eu-central-1",
            id="the region of a bucket",
        ),
        pytest.param(
            "mujoco.FatalError\nX11: The DISPLAY environment variable is missing\n",
            "export MUJOCO_GL=egl PYOPENGL_PLATFORM=egl",
            id="a simulator without a display",
        ),
        pytest.param(
            "$ docker run fit:1\nwandb.errors.UsageError: api_key not configured (no-tty)\n",
            "docker run -e WANDB_API_KEY fit:1",
            id="a key for a container",
        ),
        pytest.param(
            "ImportError: cannot import name 'batched' from 'itertools'\n",
            "python -m uv venv --python 3.12 .venv-py312",
            id="a name of Python 3.12",
        ),
    ],
)
def test_first_remedy(log: str, wanted: str) -> None:
    assert wanted in first_text(log)

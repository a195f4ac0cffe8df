"""Remedies of logs whose fault lies outside of the job: hosts, mounts, tools of the system."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text

MANAGED = "error: externally-managed-environment\n"
NO_COMPILER = "RuntimeError: Failed to find C compiler. Please specify via CC.\n"
UNTRUSTED = "ssl.SSLError: CERTIFICATE_VERIFY_FAILED: self-signed certificate in chain\n"
NO_HUB = (
    "HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url:"
    " /org/model-1b/resolve/main/config.json (Caused by NewConnectionError('[Errno 101]'))\n"
)


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            f"$ sudo pip install --user 'timm>=1' einops\n{MANAGED}",
            "python3 -m venv .venv\n.venv/bin/python -m pip install 'timm>=1' einops",
            id="the refused packages",
        ),
        pytest.param(
            f"#6 [2/3] RUN pip install timm\n#6 0.7 {MANAGED}",
            "ENV PATH=/opt/venv/bin:$PATH\nRUN python -m pip install timm",
            id="an environment of the image",
        ),
        pytest.param(
            f"srun: job 7 queued\n{NO_COMPILER}", "module load gcc", id="a compiler of a cluster"
        ),
        pytest.param(
            f"$ docker run trainer\n{NO_COMPILER}",
            "RUN apt-get update && apt-get install -y build-essential",
            id="a compiler of an image",
        ),
        pytest.param(
            f"/home/a/miniconda3/envs/x/lib/python3.11/a.py\n{NO_COMPILER}",
            "conda install --name x --channel conda-forge gxx_linux-64",
            id="a compiler of conda",
        ),
        pytest.param(UNTRUSTED, "SSL_CERT_FILE=/etc/ssl/certs", id="a proxy"),
        pytest.param(
            f"Linux 5.14.0-503.el9.x86_64\n{UNTRUSTED}",
            "SSL_CERT_FILE=/etc/pki/tls/certs",
            id="a proxy, where there is no Debian",
        ),
        pytest.param(
            "SSL: CERTIFICATE_VERIFY_FAILED] certificate is not yet valid\n",
            "sudo timedatectl set-ntp true",
            id="a clock that is behind",
        ),
        pytest.param(
            f"srun: job 7 queued\n{NO_HUB}",
            "hf download org/model-1b\nexport HF_HUB_OFFLINE=1",
            id="a model without a network",
        ),
        pytest.param(
            f"$ docker run -it t:1 python a.py\n{NO_HUB}",
            "docker run --network=host -it t:1 python a.py",
            id="a container without a network",
        ),
        pytest.param(
            "HfHubHTTPError: 429 Client Error for url: https://huggingface.co/api/datasets/o/d/tree\n",
            "hf download --repo-type dataset --max-workers 4 o/d",
            id="too many requests",
        ),
        pytest.param(
            "OSError: [Errno 116] Stale file handle: '/nfs/a/b.bin'\n"
            "srun: error: n21: task 3: Exited with exit code 1\n",
            "sbatch --exclude=n21",
            id="a node with a stale mount",
        ),
        pytest.param(
            "$ rclone mount s3:b /mnt/b --read-only\n"
            "OSError: [Errno 107] Transport endpoint is not connected: '/mnt/b/0.tar'\n",
            "fusermount -uz /mnt/b\nrclone mount s3:b /mnt/b --read-only",
            id="the command of a mount",
        ),
        pytest.param(
            "RuntimeError: Could not open input file: /d/v 1.mp4 Invalid data found when"
            " processing input\n",
            "find . -name '*.mp4'",
            id="no part of a name with a space",
        ),
        pytest.param(
            "av.error.EOFError: [Errno 541478725] End of file: '/d/v.mkv'\n",
            "mv -- /d/v.mkv /d/v.mkv.damaged",
            id="a damaged video",
        ),
    ],
)
def test_what_is_typed_first(log: str, wanted: str) -> None:
    assert wanted in first_text(log)

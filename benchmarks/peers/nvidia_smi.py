"""An nvidia-smi for two H200; @driver@ and @cuda@ are put in when it is installed."""

import sys

FACTS = {
    "index": "0",
    "name": "NVIDIA H200",
    "gpu_name": "NVIDIA H200",
    "driver_version": "@driver@",
    "cuda_version": "@cuda@",
    "count": "2",
    "compute_cap": "9.0",
    "memory.total": "143771 MiB",
    "memory.used": "4 MiB",
    "memory.free": "143767 MiB",
    "utilization.gpu": "0 %",
    "temperature.gpu": "30",
    "uuid": "GPU-00000000-0000-0000-0000-000000000001",
    "gpu_uuid": "GPU-00000000-0000-0000-0000-000000000001",
    "pci.bus_id": "00000000:01:00.0",
    "persistence_mode": "Enabled",
    "mig.mode.current": "Disabled",
}
BANNER = """\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI @driver@   Driver Version: @driver@   CUDA Version: @cuda@     |
|-------------------------------+----------------------+----------------------+
|   0  NVIDIA H200           On | 00000000:01:00.0 Off |                    0 |
| N/A   30C    P0    70W / 700W |      4MiB /143771MiB |      0%      Default |
+-----------------------------------------------------------------------------+"""


def main(arguments: list[str]) -> None:
    """Answer like the real one to the questions that tools ask."""
    wanted = [a.partition("=")[2] for a in arguments if a.startswith("--query-gpu=")]
    if wanted:
        plain = any("nounits" in a for a in arguments)
        values = [FACTS.get(name, "[N/A]") for name in wanted[0].split(",")]
        if plain:
            values = [v.split(" M")[0].split(" %")[0] for v in values]
        for index in ("0", "1"):
            row = [index if v == "0" else v for v in values]
            print(", ".join(row))
    elif "-L" in arguments:
        for index in ("0", "1"):
            print(f"GPU {index}: {FACTS['name']} (UUID: {FACTS['uuid']})")
    else:
        print(BANNER)


main(sys.argv[1:])

"""What a probe saw of a loader, as tests of its stages share it."""

from pipedoctor.facts import (
    Contents,
    Costs,
    Pipeline,
    Setting,
    Shares,
    Trial,
    Window,
)

CALM = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=0.0)


def trial(workers: int, window: Window = CALM) -> Trial:
    return Trial(
        setting=Setting(num_workers=workers, prefetch_factor=2, batch_size=8),
        samples_per_second=100.0 * (workers + 1),
        batch_seconds=0.08 / (workers + 1),
        first_batch_seconds=0.25,
        costs=Costs(
            fetch_wall=0.08,
            fetch_cpu=0.07,
            fetch_process=0.07,
            collate_wall=0.004,
            send_wall=0.0005,
            receive_wall=0.001,
            next_cpu=0.002,
        ),
        window=window,
    )


SEEN = Pipeline(
    target="train.py:make",
    start=Setting(num_workers=1, prefetch_factor=2, batch_size=8),
    contents=Contents(bytes=4096, shared_bytes=4096, objects=2),
    wall=Shares(read=0.25, decode=0.5, transform=0.25),
    cpus=2.0,
    trials=(trial(0), trial(1)),
)

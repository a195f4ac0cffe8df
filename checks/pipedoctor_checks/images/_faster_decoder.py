"""A decoder that measured faster than PIL, and how to switch to it."""

from collections.abc import Iterator

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Finding,
    Gain,
    Remedy,
    Severity,
    in_code,
)
from pipedoctor.facts import BenchDecode
from pipedoctor.facts.bench_decode import (
    REFERENCE_PATH,
    DecodePath,
    Pixels,
    find_best_switch,
)

_IMAGE_SIDE = 224
_SNIPPETS = {
    "cv2 area": "image = cv2.imread(path, cv2.IMREAD_COLOR_RGB)\n"
    f"image = cv2.resize(image, ({_IMAGE_SIDE}, {_IMAGE_SIDE}), interpolation=cv2.INTER_AREA)",
    "torchvision": "image = torchvision.io.decode_image(path, mode='RGB')\n"
    f"image = torchvision.transforms.v2.functional.resize(image, [{_IMAGE_SIDE}, {_IMAGE_SIDE}])",
    "torchcodec": "image = torchcodec.decoders.decode_image(path)\n"
    f"image = torchvision.transforms.v2.functional.resize(image, [{_IMAGE_SIDE}, {_IMAGE_SIDE}])",
    "simplejpeg": "image = Image.fromarray(simplejpeg.decode_jpeg(data))\n"
    f"image = image.resize(({_IMAGE_SIDE}, {_IMAGE_SIDE}), Image.BILINEAR)",
    "PyTurboJPEG": "pixels = codec.decode(data, pixel_format=TJPF_RGB)\n"
    "image = Image.fromarray(pixels)\n"
    f"image = image.resize(({_IMAGE_SIDE}, {_IMAGE_SIDE}), Image.BILINEAR)",
}


def is_comparable(benchmark: BenchDecode) -> bool:
    """Was PIL measured, together with another decoder that gives pixels of the same kind?"""
    others = [
        path
        for path in benchmark.paths
        if path.task == "resize"
        and path.antialiased
        and path.ratio
        and not path.smaller
        and not path.allocator
    ]
    return bool(others) and benchmark.find(REFERENCE_PATH, "resize") is not None


def report_faster_decoder(benchmark: BenchDecode, faster: float) -> Iterator[Finding]:
    """Report the decoder that is certainly faster than PIL by this factor, if any."""
    path = find_best_switch(benchmark)
    if path is None or path.ratio is None or path.ratio.low <= faster:
        return
    ratio = path.ratio
    yield Finding(
        severity=Severity.SLOWS,
        confidence=Confidence.LIKELY,
        summary=f"{path.name} decodes and resizes {ratio.value:.2f} times as fast as"
        f" PIL here; {describe_pixel_change(path.pixels)}",
        evidence={
            "images": benchmark.images.count,
            "generated": benchmark.images.generated,
            "ratio": [ratio.low, ratio.value, ratio.high],
            "images_per_second": path.rate.value if path.rate else None,
            "measured": benchmark.host.created,
        },
        gain=Gain.from_speedup(ratio, "fraction of the CPU time of decoding"),
        counterfactual=Counterfactual(decode=ratio.value),
        remedies=(_switch_decoder(path),),
    )


def describe_pixel_change(pixels: Pixels | None) -> str:
    """Describe how the pixels change."""
    if pixels is None:
        return "how its pixels differ was not measured"
    if not pixels.largest:
        return "the pixels are identical"
    return f"pixels differ by {pixels.mean:.1f} of 255 on average, {pixels.largest} at most"


def _switch_decoder(path: DecodePath) -> Remedy:
    note = "" if path.pixels and not path.pixels.largest else ", and validate once"
    return in_code(f"Decode with {path.name}{note}", _SNIPPETS.get(path.name, ""))

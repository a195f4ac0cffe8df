"""A faster way to decode than PIL, as it was measured, and how to switch to it."""

from collections.abc import Iterator

from pipedoctor.check import Confidence, Counterfactual, Finding, Gain, Severity
from pipedoctor.facts import BenchDecode
from pipedoctor.facts.bench_decode import REFERENCE, DecodePath, Pixels, best_switch
from pipedoctor.remedy import Remedy, in_code

_SIDE = 224
_CODE = {
    "cv2 area": "image = cv2.imread(path, cv2.IMREAD_COLOR_RGB)\n"
    f"image = cv2.resize(image, ({_SIDE}, {_SIDE}), interpolation=cv2.INTER_AREA)",
    "torchvision": "image = torchvision.io.decode_image(path, mode='RGB')\n"
    f"image = torchvision.transforms.v2.functional.resize(image, [{_SIDE}, {_SIDE}])",
    "torchcodec": "image = torchcodec.decoders.decode_image(path)\n"
    f"image = torchvision.transforms.v2.functional.resize(image, [{_SIDE}, {_SIDE}])",
    "simplejpeg": "image = Image.fromarray(simplejpeg.decode_jpeg(data))\n"
    f"image = image.resize(({_SIDE}, {_SIDE}), Image.BILINEAR)",
    "PyTurboJPEG": "pixels = codec.decode(data, pixel_format=TJPF_RGB)\n"
    "image = Image.fromarray(pixels)\n"
    f"image = image.resize(({_SIDE}, {_SIDE}), Image.BILINEAR)",
}


def compared(measured: BenchDecode) -> bool:
    """Was PIL measured, and with it another way to pixels of the same kind?"""
    others = [
        path
        for path in measured.paths
        if path.task == "resize"
        and path.antialiased
        and path.ratio
        and not path.smaller
        and not path.allocator
    ]
    return bool(others) and measured.find(REFERENCE, "resize") is not None


def faster_way(measured: BenchDecode, faster: float) -> Iterator[Finding]:
    """What beats PIL by more than this factor for certain; nothing if nothing does."""
    path = best_switch(measured)
    if path is None or path.ratio is None or path.ratio.low <= faster:
        return
    ratio = path.ratio
    yield Finding(
        severity=Severity.SLOWS,
        confidence=Confidence.LIKELY,
        summary=f"{path.name} decodes and resizes {ratio.value:.2f} times as fast as"
        f" PIL here; {apart(path.pixels)}",
        evidence={
            "images": measured.images.count,
            "generated": measured.images.generated,
            "ratio": [ratio.low, ratio.value, ratio.high],
            "images_per_second": path.rate.value if path.rate else None,
            "measured": measured.host.created,
        },
        gain=Gain.faster(ratio, "fraction of the CPU time of decoding"),
        counterfactual=Counterfactual(decode=ratio.value),
        remedies=(_switch(path),),
    )


def apart(pixels: Pixels | None) -> str:
    """What changes in the pixels."""
    if pixels is None:
        return "how its pixels differ was not measured"
    if not pixels.largest:
        return "the pixels are the same"
    return (
        f"pixels differ by {pixels.mean:.1f} of 255 on average,"
        f" {pixels.largest} at most"
    )


def _switch(path: DecodePath) -> Remedy:
    note = "" if path.pixels and not path.pixels.largest else ", and validate once"
    return in_code(f"Decode with {path.name}{note}", _CODE.get(path.name, ""))

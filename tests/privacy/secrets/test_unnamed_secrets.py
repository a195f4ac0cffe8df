"""Secrets without a name beside them, and what looks drawn and is none."""

import random
import string

import pytest

from pipedoctor.privacy.secrets.drawn_words import find_drawn_part
from pipedoctor.privacy.secrets.search import mask_secrets

LETTERS = string.ascii_letters + string.digits


@pytest.mark.parametrize(("length", "most_missed"), [(12, 0.05), (20, 0.02)])
def test_hardly_any_drawn_word_is_missed(length: int, most_missed: float) -> None:
    drawn = random.Random(7)
    words = ["".join(drawn.choices(LETTERS, k=length)) for _ in range(400)]

    missed = [
        word
        for word in words
        if any(map(str.isdigit, word)) and find_drawn_part(word) != (0, length)
    ]

    assert len(missed) <= most_missed * len(words), missed


@pytest.mark.parametrize(
    "name",
    [
        *("Qwen2VLForConditionalGeneration", "mistralai.Mixtral-8x7B-Instruct-v0.1", "Conv2dReLU"),
        *("_ZN3c105ErrorC2ENS_14SourceLocationE", "N3c1010DistBackendErrorE", "GTX1080TiFounders"),
        *("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "0x7fA3B2C1D0E9"),
        *("%Y%m%d_%H%M%S", "a%2Fb%3AcD1%2Fe", "02101aa006f6898756c17e1aad30525675931a42"),
        *("py311h4ab18f5_0", "cp311-cp311-manylinux_2_17_x86_64", "ABCDEFGHIJKLMNopq0123456789"),
        *("avx512_vnni", "triton_poi_fused__to_copy_add_0d1d2d3de4de", "20260301T101112Z"),
    ],
)
def test_names_are_not_taken_for_drawn(name: str) -> None:
    assert find_drawn_part(name) is None


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("used ml:gFb51yBMWXaSCrU", "used ml:<secret>"),
        ("login ml/Mo0EkNBIzht5 failed", "login ml/<secret> failed"),
        ("Key Content : rR02mQCyvOrq", "Key Content : <secret>"),
        ("upload_gFb51yBMWXaSCrU is gone", "upload_<secret> is gone"),
        (f"export_token_{'02101aa006' * 4}", "export_token_<secret>"),
        ("passwords:\n  - hunter\n  - swordfish\nport: 5", "passwords:\n  - <secret>\nport: 5"),
    ],
)
def test_what_looks_drawn_is_masked(line: str, left: str) -> None:
    assert mask_secrets(line) == left


@pytest.mark.parametrize(
    "line",
    [
        *("open /tmp/tmp.gFb51yBMWXaSCrU/x", "https://youtu.be/gFb51yBMWXa", "gFb51yBMWXaSCrU.mp4"),
        *("request id: gFb51yBMWXaSCrU", "run gFb51yBMWXaSCrU", '"etag": "gFb51yBMWXaSCrU"'),
        *("sha512-gFb51yBMWXaSCrU", f"cache_key_{'02101aa006' * 4}", "Content-MD5: gFb51yBMWXaS"),
        *("flash-attn==2.7.4+cu12torch2.8cxx11abiTRUE", "api_key_header=X-Api-Key"),
        *("flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",),
        *("keys:\n- image\n- label", "tokens:\n - pad\n - eos"),
    ],
)
def test_its_place_tells_that_it_is_no_secret(line: str) -> None:
    assert mask_secrets(line) == line

"""Logs in the encodings of before Unicode."""

import pytest

from pipedoctor.log.legacy_encodings import ENCODINGS, convert_blocks

# ruff: noqa: RUF001  (Russian is what is meant)
SAID = {
    "cp932": "ページング ファイルが小さすぎるため、この操作を完了できません。",
    "euc_jp": "デバイスに空き領域がありません",
    "cp949": "장치에 남은 공간이 없음: 프로세스에서 파일에 액세스할 수 없습니다.",
    "gb18030": "页面文件太小，无法完成操作。设备上没有空间",
    "big5": "裝置上已無多餘空間，找不到指定的模組。",
    "cp1251": "На устройстве не осталось свободного места",
    "koi8_r": "На устройстве не осталось свободного места",
    "cp1252": "Auf dem Gerät ist kein Speicherplatz mehr verfügbar",
}


def test_every_kind_has_an_example() -> None:
    assert SAID.keys() == ENCODINGS.keys()


@pytest.mark.parametrize("encoding", SAID)
def test_lines_are_decoded(encoding: str) -> None:
    text = f"epoch 1\nOSError: [Errno 28] {SAID[encoding]}\nepoch 2\n"

    assert b"".join(convert_blocks([text.encode(encoding)])) == text.encode()


@pytest.mark.parametrize("encoding", SAID)
def test_what_was_learnt_holds_for_short_words(encoding: str) -> None:
    text = f"{SAID[encoding]}\n" * 9 + f"{SAID[encoding][-2:]}\n"

    assert b"".join(convert_blocks([text.encode(encoding)])) == text.encode()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("进度 |████▊ | 41%\nдом\n".encode(), id="UTF-8"),
        pytest.param("进度条目前在这里".encode()[:-1], id="a letter that was cut"),
        pytest.param(b"\xfe\xc0\xff\x81\n", id="nothing anybody knows"),
        pytest.param(b"plain\n", id="ASCII"),
    ],
)
def test_the_rest_stays(data: bytes) -> None:
    assert b"".join(convert_blocks([data])) == data


def test_a_line_of_the_wrong_kind_spoils_no_other() -> None:
    said = SAID["gb18030"].encode("gb18030")

    assert b"".join(convert_blocks([b"\xff\n" + said])) == b"\xff\n" + SAID["gb18030"].encode()


def test_a_settled_log_is_decoded_at_once() -> None:
    text = f"step 1: {SAID['gb18030']}\n" * 20
    blocks = [text.encode("gbk")] * 2 + [b"caf\xe9 \xff\n" + text.encode("gbk")]

    *first, last = convert_blocks(blocks)

    assert first == [text.encode()] * 2
    assert last.endswith(text.encode())


def test_lines_in_utf_8_stay_in_a_log_of_another_encoding() -> None:
    text = f"{SAID['gb18030']}\n" * 20
    mixed = "一步\n".encode() + text.encode("gbk")

    assert (
        b"".join(convert_blocks([text.encode("gbk"), mixed])) == (text + "一步\n" + text).encode()
    )


def test_utf_8_that_is_cut_is_not_taken_for_what_a_log_is_otherwise() -> None:
    text = f"{SAID['gb18030']}\n" * 20
    cut = "进度条目前在这里".encode()[:-1]

    assert list(convert_blocks([text.encode("gbk"), cut])) == [text.encode(), cut]


def test_of_what_is_no_text_only_the_lines_are_counted() -> None:
    data = bytes(range(256)) * 9

    assert b"".join(convert_blocks([data, b"plain\n"])) == b"\n" * 9 + b"plain\n"


def test_utf_16_that_begins_amid_a_log() -> None:
    later = "RuntimeError: x\r\n".encode("utf-16")

    assert b"".join(convert_blocks([b"step 1\n" + later])) == b"step 1\nRuntimeError: x\r\n"


def test_a_hole_where_a_log_was_cut() -> None:
    assert b"".join(convert_blocks([bytes(4096) + b"step 9\n"])) == b"step 9\n"

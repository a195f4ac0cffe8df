"""
Authenticate entries of the journal by a key that only its owner can read.

An entry carries an HMAC of its own text. So one that was planted, or changed, is told
from one that `fix` has written, wherever a copy of the journal comes from.
"""

import hashlib
import hmac
import os
import re
import stat

from pipedoctor.runtime.trusted_path import UntrustedError
from pipedoctor.runtime.verified_folder import PRIVATE_FILE, VerifiedFolder

KEY_NAME = "key"
KEY_BYTES = 32
_BLANK = b"0" * (2 * hashlib.sha256().digest_size)
_SEAL = re.compile(rb'"seal": "([0-9a-f]{64})"')

BLANK_SEAL = _BLANK.decode()
"""What stands in an entry's text while its seal is computed."""


def create_key(folder: VerifiedFolder) -> bytes:
    """The key of a journal, made where there is none; raises OSError."""
    try:
        return read_key(folder)
    except FileNotFoundError:
        folder.write(KEY_NAME, os.urandom(KEY_BYTES), PRIVATE_FILE)
        return read_key(folder)


def read_key(folder: VerifiedFolder) -> bytes:
    """The key of a journal; raises OSError, UntrustedError for one that others can read."""
    status = folder.stat(KEY_NAME)
    if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
        raise UntrustedError(folder.locate(KEY_NAME), "can be read by others; remove it")
    key = folder.read(KEY_NAME, KEY_BYTES)
    if len(key) != KEY_BYTES:
        raise UntrustedError(folder.locate(KEY_NAME), "is damaged; remove it")
    return key


def seal_text(text: bytes, key: bytes) -> bytes:
    """The text of an entry with its seal in place of the blank one."""
    return text.replace(_BLANK, _compute(text, key), 1)


def is_sealed(text: bytes) -> bool:
    """Does the text carry a seal, genuine or not?"""
    return _SEAL.search(text) is not None


def has_genuine_seal(text: bytes, key: bytes) -> bool:
    """Was exactly this text sealed with this key?"""
    match = _SEAL.search(text)
    if match is None:
        return False
    blank = text[: match.start(1)] + _BLANK + text[match.end(1) :]
    return hmac.compare_digest(_compute(blank, key), match[1])


def _compute(text: bytes, key: bytes) -> bytes:
    return hmac.new(key, text, hashlib.sha256).hexdigest().encode()

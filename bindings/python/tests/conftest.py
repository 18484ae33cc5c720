"""Where the command and the examples are: of the environment, as the chore `cargo xtask python` sets it."""

import os
import struct
import subprocess
import zlib
from pathlib import Path

import numpy
import pytest


@pytest.fixture(scope="session")
def examples():
    return Path(os.environ["PLANISH_EXAMPLES"])


@pytest.fixture(scope="session")
def command():
    """Runs the command; its standard output."""

    def run(*arguments, cwd=None):
        program = [os.environ["PLANISH_COMMAND"], *map(str, arguments)]
        return subprocess.run(program, check=True, stdout=subprocess.PIPE, cwd=cwd).stdout

    return run


def read_png(data):
    """The pixels of a PNG with four bytes a pixel, which is not interlaced."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        chunks[kind] = chunks.get(kind, b"") + data[at + 8 : at + 8 + length]
        assert zlib.crc32(data[at + 4 : at + 8 + length]) == struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]
        at += 12 + length
    width, height, depth, color, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, color, rest) == (8, 6, [0, 0, 0])
    rows = numpy.frombuffer(zlib.decompress(chunks[b"IDAT"]), numpy.uint8).reshape(height, 1 + width * 4)
    before = [0] * (width * 4)
    pixels = []
    for row in rows.tolist():
        filter, row = row[0], row[1:]
        for i in range(width * 4):
            left, up, corner = (row[i - 4], before[i], before[i - 4]) if i >= 4 else (0, before[i], 0)
            if filter == 4:
                guess = left + up - corner
                paeth = min((left, up, corner), key=lambda known: abs(guess - known))
            row[i] = (row[i] + [0, left, up, (left + up) // 2, filter == 4 and paeth][filter]) % 256
        before = row
        pixels.append(row)
    return numpy.array(pixels, numpy.uint8).reshape(height, width, 4)

"""Pictures: arrays of floats that notebooks show, and that can be saved as PNG."""

from __future__ import annotations

import os
import struct
import zlib

import numpy


class Picture(numpy.ndarray):
    """An array of the shape (height, width, 4): red, green, blue and alpha as float32, rows from the top."""

    def to_png(self) -> bytes:
        """The picture as PNG of 8 bits: values are limited to 0 to 1, and what is no number is 0."""
        if self.ndim != 3 or self.shape[2] not in (3, 4) or 0 in self.shape:
            raise ValueError(f"an array of the shape {self.shape} is no picture: (height, width, 4) is wanted")
        height, width, channels = self.shape
        values = numpy.clip(numpy.nan_to_num(numpy.asarray(self, numpy.float32), nan=0.0), 0.0, 1.0)
        # As the command rounds.
        scaled = values * numpy.float32(255)
        whole = numpy.floor(scaled)
        pixels = (whole + (scaled - whole >= 0.5)).astype(numpy.uint8).reshape(height, width * channels)
        # Each row begins with the number of its filter: none.
        rows = numpy.zeros((height, 1 + width * channels), numpy.uint8)
        rows[:, 1:] = pixels
        header = struct.pack(">IIBBBBB", width, height, 8, 6 if channels == 4 else 2, 0, 0, 0)
        chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 3)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture as a PNG file."""
        data = self.to_png()
        with open(path, "wb") as file:
            file.write(data)

    def _repr_png_(self) -> bytes | None:
        # A part of a picture may be none.
        try:
            return self.to_png()
        except ValueError:
            return None

# Its name in messages.
Picture.__module__ = "planish"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

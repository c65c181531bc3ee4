"""Arrays and what travels: little-endian, row-major, without a copy on the way in."""

import numpy as np

FLOAT, INT = np.dtype("<f4"), np.dtype("<i4")


def floats(data, *shape):
    """The numbers of a message, which cannot be written to."""
    x = np.frombuffer(data, FLOAT)
    return x.reshape(shape) if shape else x


def ints(data, *shape):
    x = np.frombuffer(data, INT)
    return x.reshape(shape) if shape else x


def octets(data, *shape):
    x = np.frombuffer(data, np.uint8)
    return x.reshape(shape) if shape else x


def packed(x, kind=FLOAT):
    return np.ascontiguousarray(x, kind).tobytes()

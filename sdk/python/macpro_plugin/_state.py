"""Saved states: named arrays, bytes and plain values as a safetensors file, the
format of every part of a checkpoint."""

import difflib
import json
import struct

import numpy as np

from ._check import Refusal

_KINDS = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U32": "<u4", "U64": "<u8", "U8": "|u1"}
_NAMES = {np.dtype(kind): name for name, kind in _KINDS.items()}
_CHUNK = 1 << 20


class State(dict):
    """A saved state by name. A name that it lacks is an error that says so."""

    def __missing__(self, name):
        near = difflib.get_close_matches(name, self, 1)
        hint = ', did you mean "%s"?' % near[0] if near else ""
        raise Refusal('none of the %d entries of the state has the name "%s"%s' % (len(self), name, hint))


def _array(name, x):
    if isinstance(x, (bytes, bytearray)):
        return np.frombuffer(bytes(x), np.uint8)
    kind = x.dtype.newbyteorder("<")
    if kind not in _NAMES:
        raise Refusal("state %s has numbers of kind %s, want one of %s" % (name, x.dtype, ", ".join(_KINDS.values())))
    return np.ascontiguousarray(x, kind)


def pieces(state):
    """The file in pieces. Equal states give equal bytes."""
    arrays, plain = {}, {}
    for name, x in state.items():
        if isinstance(x, (bytes, bytearray, np.ndarray)):
            arrays[name] = _array(name, x)
        else:
            plain[name] = json.dumps(x, sort_keys=True)
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    header, at = {"__metadata__": dict(sorted(plain.items()))} if plain else {}, 0
    for name in order:
        x = arrays[name]
        header[name] = {"dtype": _NAMES[x.dtype], "shape": list(x.shape), "data_offsets": [at, at + x.nbytes]}
        at += x.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield struct.pack("<Q", len(text)) + text
    for name in order:
        yield arrays[name].tobytes()


def cut(parts):
    """The same bytes in parts that fit into messages; at least one."""
    for i, data in enumerate(parts):
        for at in range(0, len(data) or i == 0, _CHUNK):
            yield data[at : at + _CHUNK]


def parse(data):
    """The State in a file."""
    try:
        (length,) = struct.unpack_from("<Q", data)
        if length > len(data) - 8:
            raise ValueError("a header of %d bytes in a file of %d" % (length, len(data)))
        header = json.loads(data[8 : 8 + length].decode())
        out, end = State(), 0
        for name, text in header.pop("__metadata__", {}).items():
            out[name] = json.loads(text)
        for name, entry in header.items():
            begin, after = entry["data_offsets"]
            if begin != end:
                raise ValueError("%s begins at %d, want %d" % (name, begin, end))
            x = np.frombuffer(data[8 + length + begin : 8 + length + after], _KINDS[entry["dtype"]])
            out[name], end = x.reshape(entry["shape"]), after
        if end != len(data) - 8 - length:
            raise ValueError("%d bytes of data, want %d" % (len(data) - 8 - length, end))
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as e:
        raise Refusal("this is no saved state: %s" % e) from None
    return out

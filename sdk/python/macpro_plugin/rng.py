"""Random streams: Philox4x64-10 (Salmon et al., 2011), as macpro has them."""

import hashlib
import math
import struct

_MASK = (1 << 64) - 1
_M0, _M1 = 0xD2E7470EE14C6C93, 0xCA5A826395121157
_W0, _W1 = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B


def _philox(counter, k0, k1):
    """Encrypt a block counter under a key; four 64-bit outputs."""
    x0, x1, x2, x3 = counter, 0, 0, 0
    for _ in range(10):
        p0, p1 = _M0 * x0, _M1 * x2
        x0, x1, x2, x3 = (p1 >> 64) ^ x1 ^ k0, p1 & _MASK, (p0 >> 64) ^ x3 ^ k1, p0 & _MASK
        k0, k1 = (k0 + _W0) & _MASK, (k1 + _W1) & _MASK
    return x0, x1, x2, x3


class Stream:
    """The stream of one seed. Draws depend on nothing but the seed."""

    def __init__(self, seed, other=_W1):
        self._key = seed & _MASK, other
        self._counter = 0
        self._left = []

    def bits(self):
        """64 uniform random bits as an integer."""
        if not self._left:
            self._left = list(reversed(_philox(self._counter, *self._key)))
            self._counter += 1
        return self._left.pop()

    def random(self):
        """A uniform number in [0, 1) with 53 random bits."""
        return (self.bits() >> 11) * 2.0**-53

    def uniform(self, low, high):
        """A uniform number in [low, high)."""
        return low + (high - low) * self.random()

    def below(self, n):
        """A uniform integer of 0 to n-1, without bias (Lemire's method)."""
        if n < 1:
            raise ValueError("below(%d): want at least 1" % n)
        product = self.bits() * n
        if product & _MASK < n:
            reject = ((1 << 64) - n) % n
            while product & _MASK < reject:
                product = self.bits() * n
        return product >> 64

    def normal(self):
        """A standard normal number (Box-Muller, two draws)."""
        u, v = 1 - self.random(), self.random()
        return math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)

    def sample(self, k, n):
        """k distinct integers of 0 to n-1, uniformly and in random order."""
        moved, out = {}, []  # a shuffle of which only the first k steps are made
        for i in range(k):
            j = i + self.below(n - i)
            out.append(moved.get(j, j))
            moved[j] = moved.get(i, i)
        return out

    def state(self):
        """25 bytes that restore() takes: the draws that follow then are those that
        follow now."""
        used = 4 - len(self._left) if self._counter else 0
        return struct.pack("<QQQB", *self._key, self._counter, used)

    def restore(self, state):
        """Go on as the stream did whose state() this is."""
        if len(state) != 25 or state[24] > 4:
            raise ValueError("a stream's state has 25 bytes with a last byte of at most 4, got %d bytes" % len(state))
        first, second, self._counter, used = struct.unpack("<QQQB", bytes(state))
        self._key, self._left = (first, second), []
        if self._counter:
            self._left = list(reversed(_philox(self._counter - 1, *self._key)))[: 4 - used]


class Source:
    """A point in the run's tree of streams. Different paths of names lead to
    independent streams, equal paths to equal ones, in Go and in Python."""

    def __init__(self, key):
        if len(key) != 16:
            raise ValueError("a source has 16 bytes, got %d" % len(key))
        self.key = bytes(key)

    def child(self, *names):
        """The source below this one that the names lead to."""
        key = self.key
        for name in names:
            key = hashlib.sha256(key + b"\x01" + name.encode()).digest()[:16]
        return Source(key)

    def child_int(self, i):
        """The source of a number below this one, which is not that of any name."""
        return Source(hashlib.sha256(self.key + b"\x02" + struct.pack("<q", i)).digest()[:16])

    def stream(self):
        """A new stream at its beginning."""
        return Stream(*struct.unpack("<QQ", self.key))

"""Random streams: Philox4x64-10 (Salmon et al., 2011), as macpro has them."""

import math

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

    def __init__(self, seed):
        self._key = seed & _MASK
        self._counter = 0
        self._left = []

    def bits(self):
        """64 uniform random bits as an integer."""
        if not self._left:
            self._left = list(reversed(_philox(self._counter, self._key, _W1)))
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

"""Episodes and the buffer that they are drawn from."""

import numpy as np

from . import plugin_pb2
from ._check import Refusal
from ._numbers import INT, floats, ints, octets, packed


class Episode:
    """One trajectory of t transitions of n agents with a actions. Record t is what
    was seen after the last action. The arrays are views of the message that the
    episode came in: they cannot be written to, and stay valid.

        obs [t+1, n, o]  state [t+1, S]  avail [t+1, n, a]  actions [t, n]  reward [t]
    """

    def __init__(self, message):
        m = self.message = message
        self.task, self.head, self.index, self.seed = m.task, m.head, m.index, m.seed
        self.t, self.n, self.a = m.t, m.n, m.a
        self.terminated, self.won = m.terminated, m.won
        self.reward = floats(m.reward, m.t)
        if m.obs:  # an episode that a stepper hears of has its end alone
            self.obs, self.state = floats(m.obs, m.t + 1, m.n, m.obs_width), floats(m.state, m.t + 1, m.state_width)
            self.avail, self.actions = octets(m.avail, m.t + 1, m.n, m.a), ints(m.actions, m.t, m.n)

    def last_actions(self):
        """What each agent did before each record [t+1, n], -1 at the start."""
        return np.concatenate([np.full((1, self.n), -1, INT), self.actions])

    def changed(self, **arrays):
        """A copy with other arrays of the same shapes, as in changed(reward=r)."""
        m = plugin_pb2.Episode()
        m.CopyFrom(self.message)
        for name, x in arrays.items():
            old = getattr(self, name)
            if np.shape(x) != old.shape:
                raise Refusal("%s of shape %s in place of %s" % (name, np.shape(x), old.shape))
            setattr(m, name, packed(x, old.dtype))
        return Episode(m)


def messages(episodes):
    return [e.message for e in episodes]


class Replay:
    """The replay buffer D: the newest episodes of a task. It draws batches from
    the stream "replay" below a source."""

    def __init__(self, settings, source):
        self.batch_size, self.buffer_size = settings["batch_size"], settings["buffer_size"]
        if not 1 <= self.batch_size <= self.buffer_size:
            raise Refusal("batch_size %d and buffer_size %d: a buffer holds at least one batch of at least one episode" % (self.batch_size, self.buffer_size))
        self.episodes, self.draw = [], source.child("replay").stream()
        self._first = 0  # place of the oldest

    def __len__(self):
        return len(self.episodes)

    def insert(self, episode):
        """Store an episode, in place of the oldest if the buffer is full."""
        if len(self.episodes) < self.buffer_size:
            self.episodes.append(episode)
            return
        self.episodes[self._first] = episode
        self._first = (self._first + 1) % self.buffer_size

    def clear(self):
        """Forget all episodes; the stream goes on."""
        self.episodes, self._first = [], 0

    def oldest_first(self):
        """All episodes."""
        return self.episodes[self._first :] + self.episodes[: self._first]

    def sample(self, k, stream):
        """k distinct episodes, uniformly and in random order."""
        n = len(self.episodes)
        if k > n:
            raise Refusal("replay buffer: %d episodes wanted, %d stored" % (k, n))
        return [self.episodes[(self._first + i) % n] for i in stream.sample(k, n)]

    def next_batch(self):
        """batch_size episodes, or None while fewer are stored."""
        return self.sample(self.batch_size, self.draw) if len(self.episodes) >= self.batch_size else None

    def state(self):
        """What is saved."""
        out = {"replay.%06d" % i: e.message.SerializeToString() for i, e in enumerate(self.oldest_first())}
        return dict(out, **{"replay.stream": self.draw.state(), "replay.episodes": len(self.episodes)})

    def restore(self, state):
        """Go on as the buffer did whose state() this is."""
        n = state["replay.episodes"]
        if n > self.buffer_size:
            raise Refusal("replay buffer: %d saved episodes, buffer_size is %d" % (n, self.buffer_size))
        self.draw.restore(state["replay.stream"].tobytes())
        self.episodes, self._first = [Episode(plugin_pb2.Episode.FromString(state["replay.%06d" % i].tobytes())) for i in range(n)], 0

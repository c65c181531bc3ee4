"""Many games of one task side by side, as macpro steps them."""

import sys
import threading
from array import array

from .rng import Stream

_TERMINATED, _TRUNCATED, _WON = 1, 2, 4


def _pack(code, numbers):
    """Numbers as little-endian bytes."""
    a = array(code, numbers)
    if sys.byteorder == "big":
        a.byteswap()
    return a.tobytes()


class Refusal(Exception):
    """A call that cannot be served; nothing was changed."""


class Frames:
    """What the listed lanes show, in the order of the list."""

    def __init__(self):
        self.obs, self.state, self.avail = [], [], bytearray()
        self.reward, self.flags = [], bytearray()

    def packed(self):
        return {
            "obs": _pack("f", self.obs),
            "state": _pack("f", self.state),
            "avail": bytes(self.avail),
            "reward": _pack("f", self.reward),
            "flags": bytes(self.flags),
        }


class Lanes:
    """Independent games with their clocks and masks."""

    def __init__(self, family, task, count, settings):
        if count < 1:
            raise Refusal("%s %s: %d lanes, want at least 1" % (family.name, task, count))
        self.name = "%s %s" % (family.name, task)
        self.games = [family.make(task, settings) for _ in range(count)]
        self.spec = self.games[0].spec
        self.clock = [None] * count  # transitions of the running episode
        self.masks = [None] * count
        self.lock = threading.Lock()

    def reset(self, lanes, seeds):
        self._check(lanes)
        if len(seeds) != len(lanes):
            raise Refusal("%s: %d seeds for %d lanes" % (self.name, len(seeds), len(lanes)))
        out = Frames()
        for lane, seed in zip(lanes, seeds):
            self.games[lane].reset(Stream(seed))
            self.clock[lane] = 0
            self._show(lane, out)
        return out

    def step(self, lanes, actions):
        self._check(lanes)
        n = self.spec.agents
        if len(actions) != len(lanes) * n:
            raise Refusal("%s: %d actions for %d lanes of %d agents" % (self.name, len(actions), len(lanes), n))
        for i, lane in enumerate(lanes):
            self._check_actions(lane, actions[i * n : (i + 1) * n])
        out = Frames()
        for i, lane in enumerate(lanes):
            reward, terminated, won = self.games[lane].step(list(actions[i * n : (i + 1) * n]))
            self.clock[lane] += 1
            truncated = not terminated and self.clock[lane] >= self.spec.limit
            if terminated or truncated:
                self.clock[lane] = None
            out.reward.append(reward)
            out.flags.append(_TERMINATED * bool(terminated) + _TRUNCATED * truncated + _WON * bool(won))
            self._show(lane, out)
        return out

    def close(self):
        for game in self.games:
            game.close()

    def _check(self, lanes):
        for lane in lanes:
            if not 0 <= lane < len(self.games):
                raise Refusal("%s: lane %d is not one of 0 to %d" % (self.name, lane, len(self.games) - 1))
        if len(set(lanes)) != len(lanes):
            raise Refusal("%s: a lane is listed twice: %s" % (self.name, list(lanes)))

    def _check_actions(self, lane, joint):
        if self.clock[lane] is None:
            raise Refusal("%s: lane %d has no running episode, reset it first" % (self.name, lane))
        for agent, action in enumerate(joint):
            mask = self.masks[lane][agent]
            if not 0 <= action < self.spec.actions or not mask[action]:
                raise Refusal("%s: lane %d, agent %d: action %d is not available" % (self.name, lane, agent, action))

    def _show(self, lane, out):
        game, s = self.games[lane], self.spec
        rows = game.observe()
        masks = game.available() or [[1] * s.actions] * s.agents
        state = game.state()
        for what, got, want in (("observations", len(rows), s.agents), ("masks", len(masks), s.agents), ("numbers of the state", len(state), s.state)):
            if got != want:
                raise Refusal("%s: lane %d shows %d %s, want %d" % (self.name, lane, got, what, want))
        for agent in range(s.agents):
            if len(rows[agent]) != s.obs or len(masks[agent]) != s.actions:
                raise Refusal(
                    "%s: lane %d, agent %d: an observation of %d numbers and a mask of %d, want %d and %d"
                    % (self.name, lane, agent, len(rows[agent]), len(masks[agent]), s.obs, s.actions)
                )
            out.obs.extend(rows[agent])
            out.avail.extend(int(m) for m in masks[agent])
        out.state.extend(state)
        self.masks[lane] = masks

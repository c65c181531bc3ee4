"""Many games of one task side by side, as macpro steps them."""

import sys
import threading
from array import array

from . import _check
from ._check import Refusal
from .env import Game
from .rng import Stream

_TERMINATED, _TRUNCATED, _WON = 1, 2, 4


def _pack(a):
    """Numbers as little-endian bytes."""
    if sys.byteorder == "big":
        a.byteswap()
    return a.tobytes()


def _floats(what, row):
    """A row of numbers as float32."""
    try:
        return array("f", row)
    except (TypeError, OverflowError):
        return array("f", [_check.number("%s, number %d" % (what, i), x) for i, x in enumerate(row)])


class Frames:
    """What the listed lanes show, in the order of the list."""

    def __init__(self):
        self.obs, self.state, self.avail = array("f"), array("f"), bytearray()
        self.reward, self.flags = array("f"), bytearray()

    def packed(self):
        return {
            "obs": _pack(self.obs),
            "state": _pack(self.state),
            "avail": bytes(self.avail),
            "reward": _pack(self.reward),
            "flags": bytes(self.flags),
        }


class Lanes:
    """Independent games with their clocks and masks."""

    def __init__(self, family, task, count, settings):
        if count < 1:
            raise Refusal("%s %s: %d lanes, want at least 1" % (family.name, task, count))
        self.name = "%s %s" % (family.name, task)
        self.games = [family.make(task, settings) for _ in range(count)]
        for game in self.games:
            if not isinstance(game, Game):
                raise Refusal("%s: make() returned %s, want a Game" % (self.name, type(game).__name__))
        self.spec = _check.spec(self.games[0].spec)
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
            reward, terminated, won = self._advance(lane, list(actions[i * n : (i + 1) * n]))
            self.clock[lane] += 1
            truncated = not terminated and self.clock[lane] >= self.spec.limit
            if terminated or truncated:
                self.clock[lane] = None
            out.reward.append(reward)
            out.flags.append(_TERMINATED * terminated + _TRUNCATED * truncated + _WON * won)
            self._show(lane, out)
        return out

    def _advance(self, lane, joint):
        """One step of a game, with what it returns checked."""
        where = "%s: lane %d: step()" % (self.name, lane)
        got = self.games[lane].step(joint)
        if not isinstance(got, (tuple, list)) or len(got) != 3:
            raise Refusal("%s returned %r, want reward, terminated, won" % (where, got))
        return _check.number(where + ": the reward", got[0]), _check.truth(where + ": terminated", got[1]), _check.truth(where + ": won", got[2])

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
        where = "%s: lane %d" % (self.name, lane)
        rows = _check.sized(where + ": observe()", game.observe(), s.agents)
        masks = game.available()
        masks = [bytes([1]) * s.actions] * s.agents if masks is None else _check.sized(where + ": available()", masks, s.agents)
        self.masks[lane] = []
        for agent in range(s.agents):
            one = "%s, agent %d" % (where, agent)
            out.obs.extend(_floats(one + ": the observation", _check.sized(one + ": the observation", rows[agent], s.obs)))
            mask = _check.bits(one + ": the mask", _check.sized(one + ": the mask", masks[agent], s.actions))
            out.avail.extend(mask)
            self.masks[lane].append(mask)
        out.state.extend(_floats(where + ": state()", _check.sized(where + ": state()", game.state(), s.state)))

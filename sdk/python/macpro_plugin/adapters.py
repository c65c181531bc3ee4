"""Games from environments with other interfaces. Nothing is imported here: an
environment only has to have the methods that are called.

Both adapters seed the environment with the episode's seed, so its results
depend on nothing else if it honours the seed; macpro's checks find out.
"""

from ._check import bits, number, truth
from .env import Game, Spec

_SEED_BITS = 32  # what numpy's legacy generators accept


class _Adapter(Game):
    """What both interfaces have in common: numbers of the last record."""

    def __init__(self, env, limit, max_return, score):
        self.env = env
        self.limit, self.max_return, self.score = limit, max_return, score
        self._masks = None
        self._t = 0

    def _describe(self, agents, actions, obs, state):
        self.agents, self.actions = agents, actions
        self.spec = Spec(agents, actions, obs, state, self.limit, self.max_return, self.score)

    def _tick(self, cut):
        """Count a step. macpro keeps the clock, so an environment that has one
        of its own must not run out before."""
        self._t += 1
        if cut and self._t < self.limit:
            raise ValueError("the environment cut an episode after %d steps: give the adapter limit=%d" % (self._t, self._t))

    def observe(self):
        return self._obs

    def state(self):
        return _flat(self.env.state()) if callable(getattr(self.env, "state", None)) else [x for row in self._obs for x in row]

    def available(self):
        return self._masks

    def close(self):
        if hasattr(self.env, "close"):
            self.env.close()


class Parallel(_Adapter):
    """A PettingZoo-style parallel environment: dicts by agent. The team's reward
    is the sum of its agents' rewards. The episode has ended truly when every
    agent is terminated. An agent that has left sees zeros and has action 0. A
    mask is read from infos[agent]["action_mask"] or from observations that are
    dicts with "observation" and "action_mask"."""

    def __init__(self, env, limit, max_return, score="return", won=None):
        super().__init__(env, limit, max_return, score)
        self.names = list(env.possible_agents)
        self._won = won or (lambda env, reward, terminated: False)
        sizes = [_size(env.observation_space(a)) for a in self.names]
        self._describe(len(self.names), max(env.action_space(a).n for a in self.names), max(sizes), self._state_size(max(sizes)))

    def _state_size(self, obs):
        space = getattr(self.env, "state_space", None)
        return _size(space) if space is not None else obs * len(self.names)

    def reset(self, rng):
        self._t = 0
        obs, infos = self.env.reset(seed=rng.bits() >> (64 - _SEED_BITS))
        self._take(obs, infos)

    def step(self, actions):
        alive = set(self.env.agents)
        joint = {a: actions[i] for i, a in enumerate(self.names) if a in alive}
        obs, rewards, terminated, truncated, infos = self.env.step(joint)
        self._take(obs, infos)
        terminated, truncated = _truths("terminated", terminated), _truths("truncated", truncated)
        self._tick(any(truncated.values()))
        over = all(terminated.get(a, True) for a in self.names) and not any(truncated.values())
        reward = float(sum(rewards.values()))
        return reward, over, over and truth("won()", self._won(self.env, reward, terminated))

    def _take(self, obs, infos):
        self._obs, self._masks = [], []
        for a in self.names:
            n = self.env.action_space(a).n
            x, mask = obs.get(a), infos.get(a, {}).get("action_mask")
            if isinstance(x, dict):
                x, mask = x["observation"], x.get("action_mask", mask)
            row = _flat(x) if x is not None else []
            self._obs.append(row + [0.0] * (self.spec.obs - len(row)))
            if x is None:
                mask = [1] + [0] * (n - 1)
            elif mask is None:
                mask = [1] * n
            self._masks.append(list(bits("the action_mask of %s" % a, mask)) + [0] * (self.actions - n))


class Joint(_Adapter):
    """A Gymnasium-style environment whose observations and actions are lists with
    one entry an agent: reset(seed=...) returns (observations, info), step(actions)
    returns (observations, rewards, terminated, truncated, info). Rewards are a
    number or a list, whose sum is the team's; flags are values or lists. A mask
    is read from info["action_mask"]."""

    def __init__(self, env, limit, max_return, score="return"):
        super().__init__(env, limit, max_return, score)
        spaces = list(env.observation_space)
        sizes = [_size(s) for s in spaces]
        state = _size(env.state_space) if hasattr(env, "state_space") else max(sizes) * len(spaces)
        self._describe(len(spaces), max(s.n for s in env.action_space), max(sizes), state)

    def reset(self, rng):
        self._t = 0
        obs, info = self.env.reset(seed=rng.bits() >> (64 - _SEED_BITS))
        self._take(obs, info)

    def step(self, actions):
        obs, rewards, terminated, truncated, info = self.env.step(list(actions))
        self._take(obs, info)
        self._tick(any(_flags("truncated", truncated)))
        over = all(_flags("terminated", terminated))
        reward = float(sum(rewards)) if hasattr(rewards, "__iter__") else number("the reward", rewards)
        return reward, over, over and truth('info["won"]', info.get("won", False))

    def _take(self, obs, info):
        rows = [_flat(x) for x in obs]
        self._obs = [row + [0.0] * (self.spec.obs - len(row)) for row in rows]
        masks = info.get("action_mask")
        self._masks = None if masks is None else [list(bits("the action_mask of agent %d" % i, mask)) for i, mask in enumerate(masks)]


def _flags(what, x):
    """One flag, or a list of flags, as a list of truth values."""
    if hasattr(x, "__iter__") and not isinstance(x, str):
        return [truth("%s, agent %d" % (what, i), y) for i, y in enumerate(x)]
    return [truth(what, x)]


def _truths(what, table):
    """A dict of flags by agent."""
    return {a: truth("%s of %s" % (what, a), x) for a, x in table.items()}


def _flat(x):
    """The numbers of an array, list or number, in row-major order."""
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        return [y for item in x for y in _flat(item)]
    return [float(x) if isinstance(x, bool) else number("a number of an observation or state", x)]


def _size(space):
    """How many numbers an observation of a space has."""
    if hasattr(space, "spaces"):
        space = space.spaces["observation"]
    size = 1
    for d in space.shape:
        size *= d
    return size

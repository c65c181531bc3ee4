"""Runs a checkout of the authors' code for a few thousand transitions.

Usage: original.py CHECKOUT TASK_CONFIG key=value ...

The configuration is put together as the checkout's own main.py does it. Sacred,
TensorBoard and a GPU are left out. Where gym, smac or tensorboard_logger are not
installed, the few lines of them that the code needs are stood in for here.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import logging
import os
import random
import sys
import time
import types

import numpy as np


def module(name, **content):
    m = types.ModuleType(name)
    m.__dict__.update(content)
    m.__path__ = []
    sys.modules[name] = m
    if "." in name:
        parent, _, child = name.rpartition(".")
        setattr(sys.modules[parent], child, m)
    return m


class Space:
    def __init__(self, shape=(), dtype=np.float32):
        self.shape, self.dtype = shape, dtype


class Discrete(Space):
    def __init__(self, n):
        super().__init__((), np.int64)
        self.n = n

    def sample(self):
        return random.randrange(self.n)


class Box(Space):
    def __init__(self, low, high, shape=None, dtype=np.float32):
        super().__init__(shape if shape is not None else np.asarray(low).shape, dtype)
        self.low, self.high = low, high


class Tuple(Space):
    def __init__(self, spaces):
        super().__init__()
        self.spaces = tuple(spaces)

    def __iter__(self):
        return iter(self.spaces)

    def __len__(self):
        return len(self.spaces)

    def __getitem__(self, i):
        return self.spaces[i]


def flatdim(space):
    return space.n if isinstance(space, Discrete) else int(np.prod(space.shape))


class Env:
    spec = None

    def close(self):
        pass


class Wrapper(Env):
    def __init__(self, env):
        self.env = env
        self.action_space = env.action_space
        self.observation_space = env.observation_space

    def __getattr__(self, name):
        return getattr(self.env, name)

    def reset(self, **kwargs):
        return self.env.reset(**kwargs)

    def step(self, action):
        return self.env.step(action)


class ObservationWrapper(Wrapper):
    def reset(self, **kwargs):
        return self.observation(self.env.reset(**kwargs))

    def step(self, action):
        observation, reward, done, info = self.env.step(action)
        return self.observation(observation), reward, done, info


class TimeLimit(Wrapper):
    def __init__(self, env, max_episode_steps=None):
        super().__init__(env)
        self._elapsed_steps = None

    def reset(self, **kwargs):
        self._elapsed_steps = 0
        return self.env.reset(**kwargs)


def gym():
    """The part of gym that environments of the checkout use."""
    known = {}

    def register(id, entry_point=None, kwargs=None, **_):
        known[id] = (entry_point, kwargs or {})

    def make(key):
        package, _, name = key.rpartition(":")
        if package:
            importlib.import_module(package)
        entry, kwargs = known[name]
        where, _, cls = entry.partition(":")
        return getattr(importlib.import_module(where), cls)(**kwargs)

    def np_random(seed=None):
        return np.random.RandomState(seed), seed

    module("gym", Env=Env, Space=Space, Wrapper=Wrapper, ObservationWrapper=ObservationWrapper, make=make)
    module("gym.spaces", Discrete=Discrete, Box=Box, Tuple=Tuple, Space=Space, flatdim=flatdim,
           flatten=lambda _, x: np.asarray(x, dtype=np.float32).flatten())
    module("gym.spaces.discrete", Discrete=Discrete)
    module("gym.utils")
    module("gym.utils.seeding", np_random=np_random)
    module("gym.wrappers", TimeLimit=TimeLimit)
    module("gym.envs", registry=known)
    module("gym.envs.registration", registry=known, register=register, make=make, spec=known.get, EnvSpec=object)


class Unused(type):
    """Classes that have every attribute, each another such class."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unused(name, (object,), {})


class Absent(types.ModuleType):
    """A module that has every name, none of which is used."""

    def __getattr__(self, name):
        return getattr(Unused("absent", (object,), {}), name)


class AbsentModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    packages = ("smac", "pysc2", "s2clientprotocol")

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.packages:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


def stand_in():
    if importlib.util.find_spec("gym") is None:
        gym()
    if importlib.util.find_spec("pysc2") is None:  # the environment of StarCraft II is not used
        sys.meta_path.insert(0, AbsentModules())
    for name, kind in (("bool", bool), ("int", int), ("float", float), ("object", object)):
        if name not in np.__dict__:  # removed from NumPy in 1.24
            setattr(np, name, kind)


def configuration(root, task, changes):
    import yaml

    def read(*path):
        with open(os.path.join(root, "src", "config", *path)) as f:
            return yaml.safe_load(f)

    def update(d, u):
        for k, v in u.items():
            d[k] = update(d.get(k, {}), v) if isinstance(v, dict) else v
        return d

    c = read("default.yaml")
    update(c, read("algs", "qmix_macpro_rnn.yaml"))
    update(c, read("tasks", task + ".yaml"))
    update(c, read("envs", c["env"] + ".yaml"))
    update(c, {"use_cuda": False, "use_tensorboard": False, "save_model": False, "seed": 1})
    for change in changes:
        key, _, value = change.partition("=")
        c[key] = yaml.safe_load(value)
    c["env_args"]["seed"] = c["seed"]
    return c


def timed(cls, name, into):
    """Lets a method note the processor seconds of its calls."""
    inner = getattr(cls, name)

    def outer(*args, **kwargs):
        before = time.process_time()
        try:
            return inner(*args, **kwargs)
        finally:
            into.append(time.process_time() - before)

    setattr(cls, name, outer)


def main():
    root, task = os.path.abspath(sys.argv[1]), sys.argv[2]
    for path in ("src", "src/envs/lb-foraging", "src/envs/mpe/multi_agent_particle", "src/envs/mpe"):
        sys.path.insert(0, os.path.join(root, path))
    stand_in()
    c = configuration(root, task, sys.argv[3:])
    import torch

    torch.set_num_threads(1)
    np.random.seed(c["seed"])
    torch.manual_seed(c["seed"])
    from run import run

    steps, contexts = [], []
    from learners import REGISTRY

    timed(REGISTRY[c["learner"]], "train", steps)
    timed(REGISTRY[c["learner"]], "train_probing", contexts)
    report = os.environ.get("ORIGINAL_TIMES")
    leave = os._exit  # which the code calls at its end

    def tell(code):
        if report:
            with open(report, "w") as f:
                json.dump({"steps": steps, "contexts": contexts}, f)
        leave(code)

    os._exit = tell
    os.chdir(os.environ.get("TMPDIR", "/tmp"))
    run(types.SimpleNamespace(info={}), c, logging.getLogger("quiet"))


if __name__ == "__main__":
    main()

"""Plugins for macpro in Python: environments, learners, continual methods and
ablations.

An environment is a Game (one instance of one task) and a Family (the tasks, their
settings and what makes a Game): serve(Family()). The kit plays many games side
by side, checks actions, keeps the clock, cuts episodes at the time limit and
talks to macpro. The random stream that reset() gets is macpro's own generator:
the same seed gives the same draws as in Go.

A method is a class derived from Method, or from Buffered, which is finetuning; a
learner one derived from Learner, or from FlatLearner: serve(TheClass). They need
numpy.

Whatever a plugin prints goes to macpro's record of its last words: standard
output belongs to the protocol.
"""

import importlib

from ._check import Refusal
from ._process import serve
from .env import Ablation, Family, Game, Key, Spec
from .rng import Source, Stream

# What needs numpy, by the module that it is in.
_LATER = {
    "episode": ("Episode", "Replay"),
    "flat": ("FlatLearner",),
    "learner": ("Activity", "JointStep", "Layer", "Learner", "Penalty", "Step", "TrainStats", "ValueTerm", "needs"),
    "method": ("Buffered", "Evaluation", "HeadPlan", "Method", "Stepper", "View"),
    "_rpc": ("NotFinite", "RunError"),
}

__all__ = ["Ablation", "Family", "Game", "Key", "Refusal", "Source", "Spec", "Stream", "serve"]


def __getattr__(name):
    for module, names in _LATER.items():
        if name in names:
            try:
                return getattr(importlib.import_module("." + module, __name__), name)
            except ModuleNotFoundError as e:
                raise ImportError("%s: methods and learners need numpy, grpcio and protobuf (Debian: python3-numpy python3-grpcio python3-protobuf)" % e) from e
    raise AttributeError("module %s has no attribute %s" % (__name__, name))

"""Environments and ablations for macpro, in Python.

Write a Game (one instance of one task) and a Family (the tasks, their settings
and what makes a Game), and call serve(Family()). The kit plays many games side
by side, checks actions, keeps the clock, cuts episodes at the time limit and
talks to macpro. The random stream that reset() gets is macpro's own generator:
the same seed gives the same draws as in Go.

Whatever a plugin prints goes to macpro's record of its last words: standard
output belongs to the protocol.
"""

from ._process import serve
from .env import Ablation, Family, Game, Key, Spec
from .rng import Stream

__all__ = ["Ablation", "Family", "Game", "Key", "Spec", "Stream", "serve"]

"""A game of one step: two agents see a side and get what a table pays for their
joint action. Tasks differ in the table's best entry."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../sdk/python"))
from macpro_plugin import Family, Game, Spec, serve  # noqa: E402

BEST = {"left": (0, 0), "right": (2, 2), "cross": (0, 2), "middle": (1, 1)}


class Table(Game):
    spec = Spec(agents=2, actions=3, obs=1, state=1, limit=1, max_return=1.0)

    def __init__(self, best):
        self.best = best

    def reset(self, rng):
        self.side = 2 * rng.random() - 1

    def observe(self):
        return [[self.side], [-self.side]]

    def state(self):
        return [self.side]

    def step(self, actions):
        won = tuple(actions) == self.best
        reward = 1.0 if won else 0.2 if actions[0] == self.best[0] else 0.0
        return reward, True, won


class MatrixGame(Family):
    name, summary, version = "matrix_game", "one step, a table of rewards for the joint action", "1"
    sequences = {"train": ["left", "right", "cross"]}
    generalization = ["middle"]
    config = "steps_per_task: 2000   # episodes have one step\n"

    def constants(self, task, settings):
        return {"best": BEST[task]}

    def make(self, task, settings):
        return Table(BEST[task])


if __name__ == "__main__":
    serve(MatrixGame())

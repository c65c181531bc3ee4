"""Level-based foraging with two players and one food item, in Python.

The rules, observations and draws are those of macpro's own environment "lbf":
equal seeds and actions give equal episodes, bit by bit.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../sdk/python"))
from macpro_plugin import Family, Game, Key, Spec, serve  # noqa: E402

MOVES = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]  # stay, north, south, west, east

# Side of the board and the food's row and column.
TRAIN = {"topright": (5, (0, 4)), "right": (5, (2, 4)), "bottomright": (5, (4, 4)), "bottom": (5, (4, 2)), "bottomleft": (5, (4, 0))}
TEST_ONLY = {"right3": (5, (2, 3)), "bottom1": (5, (4, 3)), "6x6-right": (6, (3, 5)), "6x6-bottom": (6, (5, 3))}
BOARDS = {**TRAIN, **TEST_ONLY}


class Board(Game):
    def __init__(self, size, food, settings):
        self.size, self.food = size, food
        self.spawn, self.levels = settings["env_args.spawn_size"], settings["env_args.max_level"]
        self.pay = settings["env_args.reward_scale"]
        self.spec = Spec(agents=2, actions=5, obs=10, state=10, limit=settings["env_args.time_limit"], max_return=self.pay)

    def reset(self, rng):
        cells = self.spawn * self.spawn
        first, second = rng.below(cells), rng.below(cells - 1)
        if second >= first:
            second += 1
        self.players = []
        for at in (first, second):
            self.players.append([(at // self.spawn, at % self.spawn), 1 + rng.below(self.levels)])
        self.eaten = False

    def step(self, actions):
        bound = [self._bound(p[0], MOVES[a]) for p, a in zip(self.players, actions)]
        if bound[0] != bound[1]:
            for p, cell in zip(self.players, bound):
                p[0] = cell
        self.eaten = all(abs(p[0][0] - self.food[0]) + abs(p[0][1] - self.food[1]) == 1 for p in self.players)
        return self.pay * sum(self._shares()), self.eaten, self.eaten

    def _bound(self, cell, move):
        """The cell that a player is bound for: its own if it cannot move."""
        to = (cell[0] + move[0], cell[1] + move[1])
        inside = 0 <= to[0] < self.size and 0 <= to[1] < self.size
        return to if inside and to != self.food else cell

    def _shares(self):
        """The players' parts of the food, 0 before it is eaten."""
        total = self.players[0][1] + self.players[1][1]
        return [p[1] / total if self.eaten else 0.0 for p in self.players]

    def _triple(self, i):
        (row, column), level = self.players[i]
        return [row, column, level]

    def _food(self, gone):
        return gone if self.eaten else [*self.food, self.players[0][1] + self.players[1][1]]

    def observe(self):
        shares, food = self._shares(), self._food([-1, -1, 0])
        return [food + self._triple(i) + self._triple(1 - i) + [shares[i]] for i in (0, 1)]

    def state(self):
        return self._food([0, 0, 0]) + self._triple(0) + self._triple(1) + [sum(self._shares())]


class Foraging(Family):
    name, summary, version = "lbf_python", "level-based foraging, the same as lbf, in Python", "1"
    sequences = {"train": list(TRAIN)}
    generalization = list(TEST_ONLY)
    config = """\
feature_scale: 0.2
env_args:
  time_limit: 25              # longest episode in transitions
  spawn_size: 2               # side of the top-left square of cells where players start
  max_level: 2                # players' levels are uniform in 1 to this
  reward_scale: 1.0           # what the team is paid for the food
"""
    schema = [
        Key("env_args.time_limit", "int", "longest episode in transitions", min=1),
        Key("env_args.spawn_size", "int", "side of the top-left square of cells where players start", min=2, max=3),
        Key("env_args.max_level", "int", "players' levels are uniform in 1 to this", min=1, max=1000),
        Key("env_args.reward_scale", "float", "what the team is paid for the food", min=0.001),
    ]

    def constants(self, task, settings):
        size, food = BOARDS[task]
        return {"board": "%dx%d" % (size, size), "food": food, **{k.key.split(".")[1]: settings[k.key] for k in self.schema}}

    def make(self, task, settings):
        return Board(*BOARDS[task], settings)


if __name__ == "__main__":
    serve(Foraging())

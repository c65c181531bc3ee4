"""Elastic weight consolidation (Kirkpatrick et al., 2017), with the bits of the
built-in method: at a task's end the importance F of every parameter of the agent
is estimated, and from the next task on the loss has the term

    (lambda/2) sum_j F_j (theta_j - theta*_j)^2
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../sdk/python"))
from macpro_plugin import Buffered, Key, NotFinite, Penalty, Refusal, serve  # noqa: E402


def total(x):
    """The sum in the order of the numbers, which numpy's own sum does not keep."""
    return float(np.cumsum(x, dtype=np.float64)[-1])


class EWC(Buffered):
    name, summary, version = "ewc_python", "elastic weight consolidation in Python, the same as ewc", "1"
    config = """\
ewc_lambda: 1000.0      # weight of the pull; 0 makes it Finetuning
ewc_gamma: 1.0          # factor on the importance so far when a task's is added
fisher_episodes: 256    # episodes of the buffer that the importance is estimated from
"""
    schema = [
        Key("ewc_lambda", "float", "weight of the pull towards earlier parameters; 0 switches it off", min=0),
        Key("ewc_gamma", "float", "factor on the importance so far when a task's is added", min=0, max=1),
        Key("fisher_episodes", "int", "episodes of the buffer D that the importance is estimated from", min=1),
    ]

    def __init__(self, settings, services):
        super().__init__(settings, services)
        self.draw = services.source.child("fisher").stream()
        self.task, self.logged = "", 0  # t_env of the last row about the drift
        self.importance = self.anchor = np.zeros(0, np.float32)

    def begin_task(self, task, progress):
        self.task = task.spec.task
        super().begin_task(task, progress)

    def trained(self, progress):
        if len(self.anchor) and progress.t_env - self.logged >= self.settings["log_interval"]:
            self.logged = progress.t_env
            self.services.emit("drift", self.task, progress, {"scope": "agent", "drift": self.drift()})

    def drift(self):
        d = self.learner.parameters("agent").astype(np.float64) - self.anchor
        return float(np.sqrt(total(d * d)))

    def end_task(self, progress):
        episodes = self.replay.sample(min(self.settings["fisher_episodes"], len(self.replay)), self.draw)
        if not episodes:
            raise Refusal("no episodes of task %s to estimate the importance of parameters from" % self.task)
        f = self.learner.importance(episodes, "td_loss")
        mass = total(f)
        if not np.isfinite(mass):
            raise NotFinite("task %s: the importance of parameters is not finite (sum %g)" % (self.task, mass))
        row = {
            "mean": mass / len(f), "max": float(f.max()), "zeros": np.count_nonzero(f == 0) / len(f), "clipped": 0.0,
            "episodes": len(episodes), "source": "td_loss", "scope": "agent",
        }
        if len(self.anchor):
            row["drift"] = self.drift()
        self.services.emit("fisher", self.task, progress, row)
        if mass > 0:
            f = (len(f) / mass * f.astype(np.float64)).astype(np.float32)
        if len(self.anchor):
            f = f + (self.settings["ewc_gamma"] * self.importance.astype(np.float64)).astype(np.float32)
        self.importance, self.anchor, self.logged = f, self.learner.parameters("agent"), progress.t_env
        self.pull()

    def pull(self):
        strength = self.settings["ewc_lambda"] / 2
        if len(self.anchor) and strength > 0:
            self.learner.set_penalties([Penalty("agent", self.anchor, strength, self.importance)])

    def save(self):
        own = {"task": self.task, "logged": self.logged, "importance": self.importance, "anchor": self.anchor, "draw": self.draw.state()}
        return dict(super().save(), **own)

    def load(self, state):
        super().load(state)
        self.task, self.logged = state["task"], state["logged"]
        self.importance, self.anchor = state["importance"], state["anchor"]
        self.draw.restore(state["draw"].tobytes())
        self.pull()


if __name__ == "__main__":
    serve(EWC)

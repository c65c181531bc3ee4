"""A method that uses all that a run lends, and fails where it is not what it has
to be."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python"))
from macpro_plugin import Buffered, HeadPlan, JointStep, NotFinite, Penalty, RunError, Step, Stepper, ValueTerm, needs, serve  # noqa: E402


def same(what, a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or not (a == b).all():
        raise AssertionError("%s: %s and %s" % (what, a, b))


def holds(what, x):
    if not x:
        raise AssertionError(what)


class Turns(Stepper):
    """One head after the other."""

    def __init__(self, heads, learner):
        self.heads, self.learner, self.steps, self.ended = heads, learner, 0, []

    def step_heads(self, view):
        lanes = len(view.episodes)
        holds("the learner answers a stepper", self.learner.heads == self.heads)
        holds("shapes", view.obs.shape == (lanes, view.spec.agents, view.spec.obs_width) and view.avail.shape[2] == view.spec.actions)
        holds("hidden states", view.hidden.shape == (lanes, view.spec.agents, self.learner.hidden_width))
        holds("the first actions", view.t > 0 or (view.last_actions == -1).all())
        view.source.child("x").stream().below(3)
        self.steps += 1
        return np.full_like(view.heads, view.t % self.heads)

    def episode_ended(self, number, episode):
        self.ended.append((number, episode.t, len(episode.reward)))

    def test_fields(self):
        return {"steps": self.steps, "share": 0.5, "name": "turns", "all": [1, True, None], "more": {"x": np.float32(0.1)}}


class Uses(Buffered):
    name, summary, version = "uses", "uses everything", "1"
    config = "# nothing\n"
    modes = ["turns", "single"]
    eval_modes = ["fixed"]
    task_heads = []

    @classmethod
    def match(cls, pairing):
        needs(pairing, "export", "values", "gradients", "weights")

    def begin_task(self, task, progress):
        super().begin_task(task, progress)
        x = self.learner
        same("abilities", sorted(x.abilities), ["export", "gradients", "values", "weights"])
        holds("tasks of the run", [t.task for t in self.services.tasks][task.index] == task.spec.task)
        self.head = x.new_head("copy" if task.index == 0 else "reset")
        self.task_heads = self.task_heads + [self.head]
        self.task, self.seen = task, 0
        self.played = self.play(task)
        self.services.emit("heads", task.spec.task, progress, {"head": self.head, "t": [e.t for e in self.played]})
        x.set_gradient_hook(self.hook)

    def play(self, task):
        x, run, n = self.learner, self.services.run, task.spec.agents
        source = self.services.source.child("play").child_int(task.index)
        turns = Turns(x.heads, x)
        a = run(task.spec.task, "probe", 3, source, stepper=turns)
        holds("a stepper hears of every end", [e[1] for e in turns.ended] == [e.t for e in a] and all(t == rewards for _, t, rewards in turns.ended))
        b = run(task.spec.task, "probe", 3, source, heads=np.full((3, n), self.head))
        c = run(task.spec.task, "probe", 3, source, epsilon=0.5)
        holds("three episodes each", len(a) == len(b) == len(c) == 3 and all(e.obs.shape == (e.t + 1, n, task.spec.obs_width) for e in a + b + c))
        return b + c

    def hook(self, g):
        """A step goes half as far. The gradient is that of the batch."""
        same("the gradient of the batch", g, self.learner.gradient("all", self.batch))
        self.seen += 1
        g *= 0.5

    def next_batch(self):
        self.batch = super().next_batch()
        return self.batch

    def collected(self, episode, progress):
        super().collected(episode, progress)
        if len(self.replay) == 4:
            self.look(self.replay.episodes)

    def look(self, batch):
        """Everything that changes nothing, or is put right afterwards."""
        x = self.learner
        state, agent = x.save(), x.parameters("agent")
        same("the agent", agent, np.concatenate([x.parameters("features"), x.parameters("head")]))
        holds("the weights are those of all heads and more", sum(w.size for w in x.weights().values()) >= len(agent))
        holds("importances", all((x.importance(batch, s) >= 0).all() and x.importance(batch, s).any() for s in ("td_loss", "q_grad", "value_norm")))
        self.act(batch[0])
        values = x.episode_values(batch)
        for v, w, e in zip(values, x.episode_values(batch, agent), batch):
            same("a teacher with the same weights", v, w)
            holds("values [t, n, a]", v.shape == (e.t, e.n, e.a))
        x.set_gradient_hook(None)
        x.set_value_term(ValueTerm("mse", 3.0, [v + 2 for v in values]))
        holds("values that are 2 away", abs(x.train(batch).value_loss - 12) < 0.01)
        head = x.parameters("head")
        x.train(batch)
        values = x.episode_values(batch, np.concatenate([x.parameters("features"), head]))
        x.set_value_term(ValueTerm("mse", 3.0, [v + 2 for v in values], only=True, head=head))
        stats = x.train(batch)
        holds("values of an earlier head, alone", abs(stats.value_loss - 12) < 0.01 and stats.td_loss == 0)
        x.set_penalties([Penalty("agent", x.parameters("agent") + 1, 0.5), Penalty("head", x.parameters("head") - 1, 1.0, l2=True)])
        far = x.train(batch).penalty
        holds("penalties", abs(far - 0.5 * len(agent) - len(x.parameters("head")) ** 0.5) < 0.01 * far)
        x.set_penalties([])
        self.edit(batch)
        x.load(state)
        same("the state is back", x.parameters("agent"), agent)
        x.set_gradient_hook(self.hook)

    def act(self, e):
        x, s = self.learner, self.task.spec
        step = Step(s, 1, e.obs[0], e.last_actions()[0], np.zeros((e.n, x.hidden_width)), e.a)
        q, hidden = x.act(step)
        both, again = x.head_values(step, [-1, self.head])
        same("heads by themselves and together", q, both[0])
        same("hidden states", hidden, again)
        x.save_head(self.head)
        x.save_mixer(self.head)
        step.heads = np.full(e.n, self.head)
        same("the saved head is the live one", q, x.act(step)[0])
        x.load_head(self.head)
        joint = JointStep(s, 1, -1, e.state[:1], e.avail[:1], q[None], e.actions[:1])
        live = x.joint_values(joint)
        joint.mixer = self.head
        same("the saved mixer", live, x.joint_values(joint))
        x.sync_target()
        joint.mixer = -2
        same("the target's mixer", live, x.joint_values(joint))

    def edit(self, batch):
        x = self.learner
        fixed = x.parameters("agent")
        x.set_frozen(np.ones(len(fixed), bool))
        x.train(batch)
        same("fixed parameters", fixed, x.parameters("agent"))
        x.set_frozen(None)
        x.set_parameters("head", x.parameters("head") * 2)
        same("written parameters", x.parameters("head"), fixed[-len(x.parameters("head")) :] * 2)
        layer = next(y for y in x.layers() if y.inputs)
        (seen,) = x.activity(batch, [layer.name], mean_abs=True, zeros=True, gram=True)
        holds("activations", seen.mean_abs.shape == seen.zeros.shape == (layer.width,) and seen.gram.shape == (layer.width, layer.width))
        x.reset_units(layer.name, [0])
        now = x.parameters("agent")
        holds("no outgoing weights", not any(now[o + k * s] for o, u, s, count in layer.outputs for k in range(count)))
        for wrong, kind in ((lambda: x.gradient("nowhere", batch), RunError), (lambda: x.reset_units("nowhere", [0]), RunError)):
            try:
                wrong()
            except kind as e:
                holds("the run's words", "nowhere" in str(e))
            else:
                raise AssertionError("an unknown name was accepted")

    def trained(self, progress):
        if progress.task_steps > 100:
            holds("the hook was asked", self.seen > 0)
        if os.environ.get("USES") == "diverges" and progress.task_steps > 100:
            raise NotFinite("it has diverged on purpose")
        if os.environ.get("USES") == "fails":
            raise KeyError("it fails on purpose")

    def choose_heads(self, task, mode, evaluation):
        if mode == "turns":
            return HeadPlan(stepper=Turns(self.learner.heads, self.learner), together=2)
        if mode == "fixed":
            return HeadPlan(heads=np.zeros((evaluation.episodes, task.spec.agents)))
        return HeadPlan(agent=self.learner.parameters("agent"))

    def save(self):
        return dict(super().save(), heads=self.task_heads)

    def load(self, state):
        super().load(state)
        self.task_heads = state["heads"]


if __name__ == "__main__":
    serve(Uses)

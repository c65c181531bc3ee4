"""Serves continual methods."""

import threading

import numpy as np

from . import method_pb2 as pb
from . import plugin_pb2
from ._check import Refusal, made_of, several, table, texts, whole
from ._lent import Services, Streams
from ._numbers import FLOAT, INT, floats, ints, octets, packed
from ._state import cut, parse, pieces
from ._values import settings, to_value
from .episode import Episode, messages
from .method import Evaluation, HeadPlan, View
from .rng import Source

_EMPTY = plugin_pb2.Empty()
_KEPT = 16  # plans of a method whose steppers can be asked


class Table:
    """What was made, by a number that is never used again."""

    def __init__(self, what):
        self._what, self._all, self._last, self._lock = what, {}, 0, threading.Lock()

    def add(self, x):
        with self._lock:
            self._last += 1
            self._all[self._last] = x
            return self._last

    def get(self, number):
        with self._lock:
            if number not in self._all:
                raise Refusal("there is no %s %d here" % (self._what, number))
            return self._all[number]

    def drop(self, number):
        x = self.get(number)
        with self._lock:
            del self._all[number]
        return x


def arrived(chunks, table):
    """What a stream of pieces is for, and the saved state in them."""
    first = next(chunks)
    return table.get(first.id), parse(b"".join([first.data] + [c.data for c in chunks]))


def sent(state):
    """A saved state in pieces."""
    return (plugin_pb2.Chunk(data=piece) for piece in cut(pieces(table("save()", state))))


def matched(plugin, pairing):
    """Ask a plugin whether it serves what a run combines."""
    plugin.match(pairing)
    return _EMPTY


class _Made:
    """A method with the steppers of its last plans."""

    def __init__(self, method, services):
        self.method, self.learner, self.steppers = method, services.learner, []


class Method:
    """The calls of the service by their names."""

    def __init__(self, plugin):
        self.plugin, self.streams = plugin, Streams()
        self.made, self.steppers = Table("method"), Table("plan of heads")

    def _get(self, q):
        return self.made.get(q.method).method

    def _state(self, m):
        return pb.MethodState(
            head=whole("head", m.head, -1), task_heads=[whole("task_heads", k, -1) for k in several("task_heads", m.task_heads, "heads")],
            context_steps=whole("context_steps", m.context_steps, 0), borders=whole("borders", m.borders, 0),
        )

    def Match(self, q):
        return matched(self.plugin, q)

    def New(self, q):
        services = Services(q, self.streams.dial(q.broker), self.steppers)
        m = self.plugin(settings(q.settings), services)
        number = self.made.add(_Made(m, services))
        return pb.MethodMade(method=number, modes=texts("modes", m.modes), eval_modes=texts("eval_modes", m.eval_modes), state=self._state(m))

    def Free(self, q):
        self.made.drop(q.method)
        return _EMPTY

    def BeginTask(self, q):
        m = self._get(q)
        m.begin_task(q.task, q.progress)
        return self._state(m)

    def Collected(self, q):
        m = self._get(q)
        m.collected(Episode(q.episode), q.progress)
        return self._state(m)

    def NextBatch(self, q):
        batch = self._get(q).next_batch()
        batch = several("next_batch()", [] if batch is None else batch, "episodes")
        return plugin_pb2.Episodes(episodes=messages(made_of("an entry of next_batch()", e, Episode) for e in batch))

    def Trained(self, q):
        m = self._get(q)
        m.trained(q.progress)
        return self._state(m)

    def EndTask(self, q):
        m = self._get(q)
        m.end_task(q.progress)
        return self._state(m)

    def ChooseHeads(self, q):
        made = self.made.get(q.method)
        m = made.method
        modes = list(m.modes) + list(m.eval_modes)
        if q.mode not in modes:
            raise Refusal('unknown test mode of %s "%s" (known: %s)' % (self.plugin.name, q.mode, ", ".join(modes)))
        plan = made_of("choose_heads()", m.choose_heads(q.task, q.mode, Evaluation(q.t_env, q.episodes, Source(q.source), q.task_head if q.HasField("task_head") else None)), HeadPlan)
        a = pb.HeadPlan(skip=plan.skip, together=plan.together, probe_episodes=plan.probe_episodes, probe_steps=plan.probe_steps)
        if plan.heads is not None:
            a.heads = packed(plan.heads, INT)
        if plan.agent is not None:
            a.agent = packed(plan.agent)
        if plan.stepper is not None:
            a.stepper = self.steppers.add(plan.stepper)
            made.steppers.append(a.stepper)
            if len(made.steppers) > _KEPT:
                self.steppers.drop(made.steppers.pop(0))
        return a

    def StepHeads(self, q):
        s, lanes, n = q.spec, len(q.episodes), q.spec.agents
        view = View(
            list(q.episodes), q.t, floats(q.obs, lanes, n, s.obs_width), floats(q.state, lanes, s.state_width), octets(q.avail, lanes, n, s.actions),
            floats(q.hidden).reshape(lanes, n, -1) if q.hidden else np.zeros((lanes, n, 0), FLOAT), ints(q.last, lanes, n), floats(q.reward, lanes),
            ints(q.heads, lanes, n), Source(q.source), s,
        )
        return pb.Heads(heads=packed(self.steppers.get(q.stepper).step_heads(view), INT))

    def EpisodeEnded(self, q):
        self.steppers.get(q.stepper).episode_ended(q.number, Episode(q.episode))
        return _EMPTY

    def TestFields(self, q):
        out = plugin_pb2.Table()
        for name, x in table("test_fields()", self.steppers.get(q.stepper).test_fields()).items():
            to_value(x, out.fields[name], name)
        return out

    def EditGradient(self, q):
        hook = self.made.get(q.method).learner.hook
        if hook is None:
            return pb.Gradient(values=q.gradient)
        g = floats(q.gradient).copy()
        other = hook(g)
        return pb.Gradient(values=packed(g if other is None else other))

    def Save(self, q):
        return sent(self._get(q).save())

    def Load(self, chunks):
        made, state = arrived(chunks, self.made)
        made.method.load(state)
        return self._state(made.method)

"""Serves learners of the team's values."""

import queue
import threading

import numpy as np

from . import learner_pb2 as pb
from . import plugin_pb2
from ._check import Refusal, made_of, several, sized, table, whole
from ._method_service import Table, arrived, matched, sent
from ._numbers import FLOAT, floats, ints, octets, packed
from ._rpc import FAULTS, NotFinite
from ._values import settings
from .episode import Episode
from .learner import JointStep, LearnerOptions, Penalty, Step, ValueTerm, abilities_of
from .rng import Source

_EMPTY = plugin_pb2.Empty()


def _spec(q):
    return q.spec if q.HasField("spec") else None


def _spans(spans):
    return [pb.Span(offset=o, unit=u, stride=s, count=c) for o, u, s, c in spans]


def _maybe(x):
    return None if x is None else packed(x)


def _finite(stats):
    """Statistics that a run can go on with."""
    made_of("train()", stats, pb.TrainStats)
    if not np.isfinite([stats.loss, stats.grad_norm]).all():
        raise NotFinite("TD loss %g, penalty %g and gradient norm %g" % (stats.td_loss, stats.penalty, stats.grad_norm))
    return stats


class Learner:
    """The calls of the service by their names."""

    def __init__(self, plugin):
        self.plugin, self.made = plugin, Table("learner")

    def _get(self, q):
        return self.made.get(q.learner)

    def _batch(self, q):
        return [Episode(m) for m in q.episodes]

    def _state(self, x, **more):
        return pb.LearnerState(hidden_width=x.hidden_width, heads=x.heads, **more)

    def Match(self, q):
        return matched(self.plugin, q)

    def New(self, q):
        x = self.plugin(settings(q.settings), q.spec, LearnerOptions(Source(q.source), q.threads, list(q.tasks)))
        return self._state(x, learner=self.made.add(x), abilities=abilities_of(x))

    def Free(self, q):
        self.made.drop(q.learner)
        return _EMPTY

    def State(self, q):
        return self._state(self._get(q))

    def SetTask(self, q):
        x = self._get(q)
        x.set_task(q.spec)
        return self._state(x)

    def _step(self, x, q, heads=None):
        last = ints(q.last_actions)
        rows = len(last)
        hidden = floats(q.hidden, rows, x.hidden_width) if q.hidden else np.zeros((rows, x.hidden_width), FLOAT)
        return Step(_spec(q), q.lanes, floats(q.obs).reshape(rows, -1), last, hidden, q.actions, heads)

    def Act(self, q):
        x = self._get(q)
        values, hidden = sized("act()", x.act(self._step(x, q, ints(q.heads) if q.heads else None)), 2)
        return pb.ActReply(q=packed(values), hidden=packed(hidden))

    def Train(self, q):
        return _finite(self._get(q).train(self._batch(q)))

    def SyncTarget(self, q):
        self._get(q).sync_target()
        return _EMPTY

    def NewHead(self, q):
        x = self._get(q)
        if q.init not in ("copy", "reset"):
            raise Refusal('unknown start of a head "%s" (copy, reset)' % q.init)
        k = whole("new_head()", x.new_head(q.init), 0)
        return self._state(x, head=k)

    def _saved(self, q):
        x = self._get(q)
        if not 0 <= q.head < x.heads:
            raise Refusal("there is no head %d, there are %d" % (q.head, x.heads))
        return x

    def SaveHead(self, q):
        self._saved(q).save_head(q.head)
        return _EMPTY

    def LoadHead(self, q):
        self._saved(q).load_head(q.head)
        return _EMPTY

    def SetPenalties(self, q):
        terms = [Penalty(p.scope, floats(p.anchor), p.coef, floats(p.importance) if p.HasField("importance") else None, p.l2) for p in q.penalties]
        self._get(q).set_penalties(terms)
        return _EMPTY

    def Parameters(self, q):
        return pb.Vector(values=packed(self._get(q).parameters(q.scope)))

    def Importance(self, q):
        return pb.Vector(values=packed(self._get(q).importance(self._batch(q), q.source)))

    def Save(self, q):
        return sent(self._get(q).save())

    def Load(self, chunks):
        x, state = arrived(chunks, self.made)
        x.load(state)
        return self._state(x)

    def Weights(self, q):
        return pb.WeightList(weights=[pb.Weight(name=name, shape=np.shape(w), data=packed(w)) for name, w in table("weights()", self._get(q).weights()).items()])

    def HeadValues(self, q):
        x = self._get(q)
        values, hidden = sized("head_values()", x.head_values(self._step(x, q), ints(q.heads)), 2)
        return pb.ActReply(q=packed(values), hidden=packed(hidden))

    def SaveMixer(self, q):
        self._saved(q).save_mixer(q.head)
        return _EMPTY

    def JointValues(self, q):
        lanes = q.lanes
        actions = ints(q.actions).reshape(lanes, -1)
        shape = actions.shape + (-1,)
        step = JointStep(_spec(q), lanes, q.mixer, floats(q.state).reshape(lanes, -1), octets(q.avail).reshape(shape), floats(q.q).reshape(shape), actions)
        return pb.Vector(values=packed(self._get(q).joint_values(step)))

    def EpisodeValues(self, q):
        agent = floats(q.agent) if q.HasField("agent") else None
        return pb.Vectors(values=[packed(v) for v in several("episode_values()", self._get(q).episode_values(self._batch(q), agent), "arrays")])

    def Gradient(self, q):
        return pb.Vector(values=packed(self._get(q).gradient(q.scope, self._batch(q))))

    def SetValueTerm(self, q):
        targets = [floats(t.values) if t.HasField("values") else None for t in q.targets]
        head = floats(q.head) if q.HasField("head") else None
        self._get(q).set_value_term(ValueTerm(q.loss, q.coef, targets, q.temperature, q.only, head))
        return _EMPTY

    def TrainEdited(self, edits):
        """A step with a hook on the other side. The step has a thread of its own: its
        hook sends the gradient and waits for what comes back."""
        q = next(edits).batch
        x, out = self._get(q), queue.Queue()

        def edit(g):
            out.put(pb.Edit(gradient=packed(g)))
            a = next(edits)
            if a.failed:
                raise Refusal(a.failed)
            return floats(a.gradient)

        def work():
            try:
                x.set_gradient_hook(edit)
                out.put(pb.Edit(stats=_finite(x.train(self._batch(q)))))
            except FAULTS as e:  # it is raised below
                out.put(e)
            finally:
                x.set_gradient_hook(None)

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        while True:
            a = out.get()
            if isinstance(a, FAULTS):
                raise a
            if a.HasField("stats"):
                worker.join()
                yield a
                return
            yield a

    def SetParameters(self, q):
        self._get(q).set_parameters(q.scope, floats(q.values))
        return _EMPTY

    def SetFrozen(self, q):
        self._get(q).set_frozen(octets(q.frozen).astype(bool) if q.HasField("frozen") else None)
        return _EMPTY

    def Layers(self, q):
        out = pb.LayerList()
        for x in several("layers()", self._get(q).layers(), "layers"):
            out.layers.add(name=x.name, width=x.width, out=_spans(x.outputs), **{"in": _spans(x.inputs)})
        return out

    def ResetUnits(self, q):
        self._get(q).reset_units(q.layer, list(q.units))
        return _EMPTY

    def Activity(self, q):
        found = self._get(q).activity(self._batch(q), list(q.layers), q.mean_abs, q.zeros, q.gram)
        return pb.ActivityList(layers=[pb.LayerActivity(layer=x.layer, rows=x.rows, mean_abs=_maybe(x.mean_abs), zeros=_maybe(x.zeros), gram=_maybe(x.gram)) for x in found])

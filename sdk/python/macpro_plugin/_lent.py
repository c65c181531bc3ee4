"""What a run lends to its method: the learner, rollouts and the journal."""

import threading

import grpc
import numpy as np

from . import learner_pb2 as pb
from . import method_pb2, plugin_pb2
from ._check import Refusal
from ._numbers import INT, floats, packed
from ._rpc import OPTIONS, Stub
from ._state import cut
from ._values import to_value
from .episode import Episode, messages
from .learner import Activity, Layer
from .rng import Source


class Streams:
    """Where the host serves what it lends, by the numbers of go-plugin's broker."""

    def __init__(self):
        self._places, self._changed = {}, threading.Condition()

    def listen(self, requests):
        """Take in what the host says until it is gone."""
        for words in requests:
            with self._changed:
                self._places[words.id] = words.address
                self._changed.notify_all()
        return ()

    def dial(self, number):
        """A channel to a stream."""
        with self._changed:
            if not self._changed.wait_for(lambda: number in self._places, 60):
                raise Refusal("the services of the run cannot be reached: nothing was heard of stream %d" % number)
            place = self._places.pop(number)
        return grpc.insecure_channel("unix:" + place, options=OPTIONS)


def _span(s):
    return s.offset, s.unit, s.stride, s.count


class LentLearner:
    """The run's learner; see Learner for what each call does. Those of an optional
    ability work if its name is in abilities."""

    def __init__(self, channel, abilities):
        self._calls, self.abilities = Stub(channel, pb.DESCRIPTOR.services_by_name["Learner"]), abilities
        self.hook = None

    @property
    def hidden_width(self):
        return self._calls.State(pb.LearnerRef()).hidden_width

    @property
    def heads(self):
        return self._calls.State(pb.LearnerRef()).heads

    def _act(self, call, request, step, heads):
        request.lanes, request.actions = step.lanes, step.actions
        request.obs, request.hidden = packed(step.obs), packed(step.hidden)
        request.last_actions = packed(step.last_actions, INT)
        if step.spec is not None:
            request.spec.CopyFrom(step.spec)
        if heads is not None:
            request.heads = packed(heads, INT)
        a, rows = call(request), len(step.last_actions)
        return floats(a.q).reshape(-1, rows, step.actions), floats(a.hidden).reshape(rows, -1)

    def act(self, step):
        q, hidden = self._act(self._calls.Act, pb.ActRequest(), step, step.heads)
        return q[0], hidden

    def train(self, batch):
        return self._calls.Train(pb.BatchRequest(episodes=messages(batch)))

    def sync_target(self):
        self._calls.SyncTarget(pb.LearnerRef())

    def new_head(self, init):
        return self._calls.NewHead(pb.HeadRequest(init=init)).head

    def save_head(self, k):
        self._calls.SaveHead(pb.HeadRequest(head=k))

    def load_head(self, k):
        self._calls.LoadHead(pb.HeadRequest(head=k))

    def set_penalties(self, penalties):
        q = pb.Penalties()
        for p in penalties:
            q.penalties.add(scope=p.scope, anchor=packed(p.anchor), coef=p.coef, l2=p.l2, importance=None if p.importance is None else packed(p.importance))
        self._calls.SetPenalties(q)

    def parameters(self, scope):
        return floats(self._calls.Parameters(pb.ScopeRequest(scope=scope)).values)

    def importance(self, batch, source):
        return floats(self._calls.Importance(pb.BatchRequest(episodes=messages(batch), source=source)).values)

    def save(self):
        """The complete state, as bytes that load() takes."""
        return b"".join(c.data for c in self._calls.Save(pb.LearnerRef()))

    def load(self, state):
        self._calls.Load(plugin_pb2.Chunk(data=piece) for piece in cut([state]))

    def weights(self):
        """Ability export: the weights by name."""
        return {w.name: floats(w.data, *w.shape) for w in self._calls.Weights(pb.LearnerRef()).weights}

    def head_values(self, step, heads):
        """Ability values: what several heads give in one step, [heads, rows, A], and
        the hidden states."""
        return self._act(self._calls.HeadValues, pb.HeadStep(), step, heads)

    def save_mixer(self, k):
        self._calls.SaveMixer(pb.HeadRequest(head=k))

    def joint_values(self, step):
        """Q_tot [lanes] of a JointStep."""
        q = pb.JointRequest(lanes=step.lanes, mixer=step.mixer, spec=step.spec, state=packed(step.state), q=packed(step.q))
        q.avail, q.actions = packed(step.avail, np.uint8), packed(step.actions, INT)
        return floats(self._calls.JointValues(q).values)

    def episode_values(self, batch, agent=None):
        """The values [t, n, a] in whole episodes, by the online parameters or by
        those of a teacher."""
        q = pb.ValuesRequest(episodes=messages(batch), agent=None if agent is None else packed(agent))
        return [floats(v, e.t, e.n, e.a) for v, e in zip(self._calls.EpisodeValues(q).values, batch)]

    def gradient(self, scope, batch):
        """Ability gradients: that of the TD loss of a batch; nothing changes."""
        return floats(self._calls.Gradient(pb.GradientRequest(scope=scope, episodes=messages(batch))).values)

    def set_gradient_hook(self, edit):
        """edit(g) changes the gradient of every step, or returns another; None takes
        the hook away."""
        self._calls.SetHook(pb.HookRequest(on=edit is not None))
        self.hook = edit

    def set_value_term(self, term):
        q = pb.ValueTerm(loss=term.loss, temperature=term.temperature, coef=term.coef, only=term.only, head=None if term.head is None else packed(term.head))
        for v in term.targets:
            q.targets.add(values=None if v is None else packed(v))
        self._calls.SetValueTerm(q)

    def set_parameters(self, scope, values):
        """Ability weights: write a scope's online parameters."""
        self._calls.SetParameters(pb.ParametersRequest(scope=scope, values=packed(values)))

    def set_frozen(self, frozen):
        """Fix the marked parameters of the agent; None frees all."""
        self._calls.SetFrozen(pb.FrozenRequest(frozen=None if frozen is None else packed(frozen, np.uint8)))

    def layers(self):
        return [Layer(x.name, x.width, [_span(s) for s in getattr(x, "in")], [_span(s) for s in x.out]) for x in self._calls.Layers(pb.LearnerRef()).layers]

    def reset_units(self, layer, units):
        self._calls.ResetUnits(pb.UnitsRequest(layer=layer, units=units))

    def activity(self, batch, layers=(), mean_abs=False, zeros=False, gram=False):
        """The activations of layers, of all if none is named."""
        q = pb.ActivityRequest(episodes=messages(batch), layers=layers, mean_abs=mean_abs, zeros=zeros, gram=gram)
        out = []
        for x in self._calls.Activity(q).layers:
            width = round((len(x.gram) / 4) ** 0.5)
            out.append(Activity(x.layer, x.rows, floats(x.mean_abs) if mean_abs else None, floats(x.zeros) if zeros else None, floats(x.gram, width, width) if gram else None))
        return out


class Services:
    """What a run lends to its method: learner, source (the parent of the method's
    own streams), threads, tasks (specs of the run's tasks in their order), rollouts
    by run() and the journal by emit()."""

    def __init__(self, q, channel, steppers):
        host = Stub(channel, method_pb2.DESCRIPTOR.services_by_name["Host"])
        self._host, self._steppers = host, steppers
        self.learner = LentLearner(channel, list(q.learner_abilities))
        self.source, self.threads, self.tasks = Source(q.source), q.threads, list(q.tasks)

    def run(self, task, purpose, episodes, source, heads=None, stepper=None, epsilon=0.0):
        """Play episodes outside of training. heads [episodes, n] act, or those that a
        Stepper chooses, else the live head."""
        q = method_pb2.RolloutRequest(task=task, purpose=purpose, episodes=episodes, epsilon=epsilon, source=source.key)
        if heads is not None:
            q.heads = packed(heads, INT)
        if stepper is not None:
            q.stepper = self._steppers.add(stepper)
        try:
            return [Episode(m) for m in self._host.Run(q).episodes]
        finally:
            if stepper is not None:
                self._steppers.drop(q.stepper)

    def emit(self, kind, task, progress, fields):
        """Write a row of the run's record."""
        q = method_pb2.EventRow(kind=kind, t_env=progress.t_env, episode=progress.episode, task=task)
        for name, x in fields.items():
            to_value(x, q.fields.fields[name], name)
        self._host.Emit(q)

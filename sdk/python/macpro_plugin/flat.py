"""A learner of which only the networks are missing."""

import numpy as np

from ._check import Refusal
from ._rpc import NotFinite
from .learner import SOURCES, Learner


class FlatLearner(Learner):
    """A learner whose parameters are one vector: features, head, mixer. A class that
    is derived from it gives

        sizes(spec)            how many parameters each of the three has
        initial(stream)        a vector of fresh parameters
        values(agent, step)    act() with the parameters of features and a head
        differentiate(batch, source)

    The last is the gradient, with respect to self.online, of the mean over all
    transitions of the squared TD error (td_loss), of Q_tot (q_grad), or of the mean
    over agents of the squared norm of their values (value_norm); with it go
    TrainStats with td_loss, td_abs, q_taken and target. It reads self.target.

    Heads, penalties, fixed parameters, target, RMSProp by macpro's keys and the
    saved state are here. So are the gradient and the hook of the ability gradients;
    set_value_term() is what a class that has it must add."""

    hook = None  # on the gradient of every step

    def __init__(self, settings, spec, options):
        self.settings, self.spec, self.tasks = settings, spec, options.tasks
        features, head, mixer = self.sizes(spec)
        self._scopes = {
            "features": slice(0, features), "head": slice(features, features + head),
            "agent": slice(0, features + head), "all": slice(0, features + head + mixer),
        }
        self._init = options.source.child("init").stream()
        self.online = np.asarray(self.initial(self._init), np.float32)
        self.target, self.square = self.online.copy(), np.zeros_like(self.online)
        self._saved, self._penalties, self._free = [], [], None

    @classmethod
    def match(cls, pairing):
        """Refuse a sequence whose tasks one network cannot serve."""
        for task in pairing.tasks:
            cls._same_shapes(pairing.tasks[0], task)

    @classmethod
    def _same_shapes(cls, first, task):
        for shape in ("agents", "actions", "obs_width", "state_width"):
            here, there = getattr(first, shape), getattr(task, shape)
            if here != there:
                raise Refusal("%s was made for task %s with %s %d, task %s has %d" % (cls.name, first.task, shape, here, task.task, there))

    def sizes(self, spec):
        raise NotImplementedError

    def initial(self, stream):
        raise NotImplementedError

    def values(self, agent, step):
        raise NotImplementedError

    def differentiate(self, batch, source):
        raise NotImplementedError

    def _part(self, scope):
        if scope not in self._scopes:
            raise Refusal('unknown scope "%s" (%s)' % (scope, ", ".join(self._scopes)))
        return self._scopes[scope]

    def set_task(self, spec):
        self._same_shapes(self.spec, spec)
        self.spec = spec

    def act(self, step):
        agent = self.online[self._part("agent")]
        if step.heads is None:
            return self.values(agent, step)
        q = np.empty((len(step.heads), step.actions), np.float32)
        for k in np.unique(step.heads):
            if not -1 <= k < self.heads:
                raise Refusal("there is no head %d, there are %d" % (k, self.heads))
            if k >= 0:
                agent = np.concatenate([self.online[self._part("features")], self._saved[k]])
            else:
                agent = self.online[self._part("agent")]
            all_rows, hidden = self.values(agent, step)
            q[step.heads == k] = all_rows[step.heads == k]
        return q, hidden

    def train(self, batch):
        s = self.settings
        g, stats = self.differentiate(batch, "td_loss")
        g = np.array(g, np.float32)
        if self.hook:
            other = self.hook(g)
            g = g if other is None else np.array(other, np.float32)
        g = self._held(g)
        if s["clip_scope"] == "td":
            stats.grad_norm, stats.clip = self._clip(g)
        for p in self._penalties:
            stats.penalty += self._pull(p, g)
        g = self._held(g)
        if s["clip_scope"] != "td":
            stats.grad_norm, stats.clip = self._clip(g)
        stats.loss = stats.td_loss + stats.penalty + stats.value_loss
        if not np.isfinite(stats.loss + stats.grad_norm):
            raise NotFinite("TD loss %g, penalty %g and gradient norm %g: the step was not made" % (stats.td_loss, stats.penalty, stats.grad_norm))
        rate = np.full_like(g, s["lr"])
        if self._penalties:
            rate[self._part("features")] *= np.float32(s["phi_lr_scale"])
        alpha = np.float32(s["optim_alpha"])
        self.square = alpha * self.square + (1 - alpha) * g * g
        self.online = self.online - rate * g / (np.sqrt(self.square) + np.float32(s["optim_eps"]))
        return stats

    def _held(self, g):
        """A gradient without the parameters that are fixed."""
        if self._free is not None:
            g[self._part("agent")] *= self._free
        return g

    def _pull(self, p, g):
        """Add a penalty's gradient; its value."""
        part = self._part(p.scope)
        d = self.online[part].astype(np.float64) - p.anchor
        weighted = d if p.importance is None else p.importance * d
        total = float(weighted @ d)
        if p.l2:
            total = total**0.5
            g[part] += (p.coef / max(total, 1e-12) * d).astype(np.float32)
        else:
            g[part] += (2 * p.coef * weighted).astype(np.float32)
        return p.coef * total

    def _clip(self, g):
        norm = float(np.sqrt(g.astype(np.float64) @ g))
        limit = self.settings["grad_norm_clip"]
        factor = min(1.0, limit / (norm + 1e-6)) if limit > 0 else 1.0
        if factor < 1:
            g *= np.float32(factor)
        return norm, factor

    def sync_target(self):
        self.target = self.online.copy()

    @property
    def heads(self):
        return len(self._saved)

    def _live(self, head):
        """Another head becomes live."""
        part = self._part("head")
        self.online = self.online.copy()
        self.online[part] = head
        if self.settings["optim_on_switch"] == "reset_head":
            self.square[part] = 0

    def new_head(self, init):
        part = self._part("head")
        self._live(self.initial(self._init)[part] if init == "reset" else self.online[part])
        self._saved.append(self.online[part].copy())
        return self.heads - 1

    def save_head(self, k):
        self._saved[k] = self.online[self._part("head")].copy()

    def load_head(self, k):
        self._live(self._saved[k])

    def set_penalties(self, penalties):
        for p in penalties:
            n = len(self.online[self._part(p.scope)])
            if len(p.anchor) != n or p.importance is not None and (p.l2 or len(p.importance) != n):
                raise Refusal("a penalty on %s, which has %d parameters: %d anchors; importances need as many, and no norm" % (p.scope, n, len(p.anchor)))
        self._penalties = list(penalties)

    def parameters(self, scope):
        return self.online[self._part(scope)].copy()

    def importance(self, batch, source):
        if source not in SOURCES:
            raise Refusal('unknown importance "%s" (%s)' % (source, ", ".join(SOURCES)))
        part, total = self._part("agent"), 0.0
        for e in batch:
            g = np.asarray(self.differentiate([e], source)[0], np.float64)[part]
            total = total + (np.abs(g) if source == "value_norm" else g * g)
        return total / len(batch)

    def gradient(self, scope, batch):
        return np.asarray(self.differentiate(batch, "td_loss")[0], np.float32)[self._part(scope)]

    def set_gradient_hook(self, edit):
        self.hook = edit

    def set_parameters(self, scope, values):
        part = self._part(scope)
        if len(values) != len(self.online[part]):
            raise Refusal("%d values for scope %s of %d parameters" % (len(values), scope, len(self.online[part])))
        self.online = self.online.copy()
        self.online[part] = values

    def set_frozen(self, frozen):
        n = len(self.online[self._part("agent")])
        if frozen is not None and len(frozen) != n:
            raise Refusal("%d marks for the %d parameters of the agent" % (len(frozen), n))
        self._free = None if frozen is None else 1 - np.asarray(frozen, np.float32)

    def layers(self):
        """No layer shows its units, unless a class says otherwise."""
        return []

    def reset_units(self, layer, units):
        raise Refusal('unknown layer "%s"' % layer)

    def activity(self, batch, layers=(), mean_abs=False, zeros=False, gram=False):
        for layer in layers:
            raise Refusal('unknown layer "%s"' % layer)
        return []

    def save(self):
        heads = np.stack(self._saved) if self._saved else np.zeros((0, 0), np.float32)
        return {"online": self.online, "target": self.target, "square": self.square, "heads": heads, "init": self._init.state()}

    def load(self, state):
        for name in ("online", "target", "square"):
            if state[name].shape != self.online.shape:
                raise Refusal("state %s has shape %s, want %s" % (name, state[name].shape, self.online.shape))
        self.online, self.target, self.square = (state[n].copy() for n in ("online", "target", "square"))
        self._saved = [h.copy() for h in state["heads"]]
        self._init.restore(state["init"].tobytes())

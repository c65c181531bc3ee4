"""The linear learner of the examples with all the optional abilities, for the
suite of learners."""

import os
import sys

import numpy as np

_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(_HERE, "../python"), os.path.join(_HERE, "../../examples/python/linear_vdn")]
from linear_vdn import LinearVDN  # noqa: E402
from macpro_plugin import Activity, Layer, Refusal, TrainStats, serve  # noqa: E402


class Able(LinearVDN):
    name = "able"
    term = None

    def weights(self):
        w, psi = self.networks(self.online)
        return {"phi": w, "head": psi}

    def head_values(self, step, heads):
        agents = [self.online if k < 0 else np.concatenate([self.parameters("features"), self._saved[k]]) for k in heads]
        return np.stack([self.values(a, step)[0] for a in agents]), step.hidden

    def save_mixer(self, k):
        pass

    def joint_values(self, step):
        return np.take_along_axis(step.q, step.actions[..., None], -1)[..., 0].sum(-1)

    def episode_values(self, batch, agent=None):
        w, psi = self.networks(self.online if agent is None else agent)
        # Row by row, as in acting.
        return [np.stack([self.inputs(o[None]) @ w.T @ psi.T for o in e.obs[:-1]])[:, 0] for e in batch]

    def set_value_term(self, term):
        if term.loss != "mse":
            raise Refusal("unknown loss %s" % term.loss)
        if term.head is not None and len(term.head) != len(self.parameters("head")):
            raise Refusal("a head of %d parameters" % len(term.head))
        self.term = term

    def differentiate(self, batch, source):
        term, self.term = self.term, None
        if term is None:
            return super().differentiate(batch, source)
        if len(term.targets) != len(batch):
            raise Refusal("%d targets for %d episodes" % (len(term.targets), len(batch)))
        team = [e for e, v in zip(batch, term.targets) if v is None or not term.only]
        g, stats = super().differentiate(team, source) if team else (np.zeros_like(self.online), TrainStats())
        w, psi = self.networks(self.online)
        if term.head is not None:
            psi = term.head.reshape(psi.shape)
        rows = sum(e.t * e.n for e, v in zip(batch, term.targets) if v is not None)
        for e, v in zip(batch, term.targets):
            if v is None:
                continue
            x = self.inputs(e.obs[:-1])
            h = x @ w.T
            free = e.avail[:-1].astype(np.float32)
            share = free / free.sum(-1, keepdims=True) / rows
            d = (h @ psi.T - v.reshape(e.t, e.n, e.a)) * free
            stats.value_loss += term.coef * float((share * d * d).sum())
            slope = 2 * term.coef * share * d
            more = [np.einsum("tna,ak,tnx->kx", slope, psi, x), np.einsum("tna,tnk->ak", slope, h) * (term.head is None)]
            g = g + np.concatenate([m.ravel() for m in more])
        return g, stats

    def layers(self):
        (k, inputs), (actions, _) = self.shapes(self.spec)
        return [Layer("features", k, [(0, inputs, 1, inputs)], [(k * inputs, 1, k, actions)])]

    def reset_units(self, layer, units):
        (x,) = self.layers()
        if layer != x.name or not all(0 <= j < x.width for j in units):
            raise Refusal("units %s of layer %s" % (units, layer))
        fresh, agent = np.array(self.initial(self._init), np.float32), self.online.copy()
        for j in units:
            for source, spans in ((fresh, x.inputs), (np.zeros_like(fresh), x.outputs)):
                for offset, unit, stride, count in spans:
                    at = offset + j * unit + stride * np.arange(count)
                    agent[at], self.square[at] = source[at], 0
        self.online = agent

    def activity(self, batch, layers=(), mean_abs=False, zeros=False, gram=False):
        w, _ = self.networks(self.online)
        h = np.concatenate([(self.inputs(e.obs[:-1]) @ w.T).reshape(-1, w.shape[0]) for e in batch])
        return [Activity("features", len(h), np.abs(h).mean(0) if mean_abs else None, (h == 0).mean(0) if zeros else None, h.T @ h / len(h) if gram else None)]


if __name__ == "__main__":
    serve(Able)

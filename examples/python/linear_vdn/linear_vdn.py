"""Value decomposition (VDN, Sunehag et al., 2018) with linear agents, in numpy:

    q_i(a) = psi_a . W x_i        Q_tot = sum_i q_i(a_i)

x_i is the agent's observation, its number (one-hot) and a one. The features are
W, the head is psi. The learner trains on macpro's one-step targets.
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../sdk/python"))
from macpro_plugin import FlatLearner, Key, TrainStats, serve  # noqa: E402


class LinearVDN(FlatLearner):
    name, summary, version = "linear_vdn", "sum of the values of linear agents", "1"
    config = "linear_features: 8   # width of the features\n"
    schema = [Key("linear_features", "int", "width of the features", min=1, max=4096)]

    def shapes(self, spec):
        """Those of W and psi."""
        k = self.settings["linear_features"]
        return (k, spec.obs_width + spec.agents + 1), (spec.actions, k)

    def sizes(self, spec):
        w, psi = self.shapes(spec)
        return w[0] * w[1], psi[0] * psi[1], 0

    def initial(self, stream):
        out = []
        for rows, columns in self.shapes(self.spec):
            bound = columns**-0.5
            out += [stream.uniform(-bound, bound) for _ in range(rows * columns)]
        return out

    def networks(self, agent):
        """W and psi."""
        w, psi = self.shapes(self.spec)
        return agent[: w[0] * w[1]].reshape(w), agent[w[0] * w[1] : w[0] * w[1] + psi[0] * psi[1]].reshape(psi)

    def inputs(self, obs):
        """x [..., n, o+n+1]."""
        n = self.spec.agents
        scale = np.float32(self.settings["feature_scale"])
        number = np.broadcast_to(np.eye(n, dtype=np.float32), obs.shape[:-1] + (n,))
        return np.concatenate([scale * obs, number, np.ones(obs.shape[:-1] + (1,), np.float32)], -1)

    def values(self, agent, step):
        w, psi = self.networks(agent)
        x = self.inputs(step.obs.reshape(step.lanes, self.spec.agents, -1))
        return (x @ w.T @ psi.T).reshape(-1, step.actions), step.hidden

    def ahead(self, e, q):
        """What each transition of an episode may expect from its next record on."""
        w, psi = self.networks(self.target)
        target = self.inputs(e.obs) @ w.T @ psi.T
        chooser = q if self.settings["double_q"] else target
        best = np.where(e.avail == 1, chooser, -np.inf).argmax(-1)
        out = np.take_along_axis(target, best[..., None], -1)[..., 0].sum(-1)[1:]
        if e.terminated or not self.settings["bootstrap_on_timeout"]:
            out[-1] = 0
        return out

    def differentiate(self, batch, source):
        w, psi = self.networks(self.online)
        grad_w, grad_psi = np.zeros_like(w), np.zeros_like(psi)
        stats, steps = TrainStats(), sum(e.t for e in batch)
        for e in batch:
            x = self.inputs(e.obs)
            h = x @ w.T
            q = h @ psi.T  # [t+1, n, A]
            taken = np.take_along_axis(q[:-1], e.actions[..., None], -1)[..., 0].sum(-1)
            y = e.reward + np.float32(self.settings["gamma"]) * self.ahead(e, q)
            d = taken - y
            if source == "value_norm":
                slope = 2 * q[:-1] * e.avail[:-1] / e.n
            else:
                slope = np.zeros_like(q[:-1])
                each = 2 * d if source == "td_loss" else np.ones_like(d)
                np.put_along_axis(slope, e.actions[..., None], np.repeat(each[:, None], e.n, 1)[..., None], -1)
            grad_psi += np.einsum("tna,tnk->ak", slope, h[:-1])
            grad_w += np.einsum("tna,ak,tnx->kx", slope, psi, x[:-1])
            stats.td_loss += float(d @ d) / steps
            stats.td_abs += float(np.abs(d).sum()) / steps
            stats.q_taken += float(taken.sum()) / steps
            stats.target += float(y.sum()) / steps
        return np.concatenate([grad_w.ravel(), grad_psi.ravel()]) / steps, stats


if __name__ == "__main__":
    serve(LinearVDN)

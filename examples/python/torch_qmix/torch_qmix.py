"""QMIX (Rashid et al., 2018) in PyTorch. Networks, keys and the order of the
parameters are those of the built-in learner for flat observations, and so is a
gradient step within rounding.

    agents  layers with ReLU, a GRU, one layer for the values of the actions
    mixer   Q_tot = elu(q W1 + b1) . wf + V, all of them made from the state
"""

import os
import sys

import numpy as np

try:
    import torch
except ImportError:
    sys.exit("torch_qmix needs PyTorch (Debian: python3-torch)")
from torch.nn import functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../sdk/python"))
from macpro_plugin import FlatLearner, Key, TrainStats, serve  # noqa: E402


def stacked(episodes, name, records):
    """An array of all episodes [episode, records, ...], zero behind their ends."""
    first = getattr(episodes[0], name)
    out = np.zeros((len(episodes), records) + first.shape[1:], first.dtype)
    for row, e in zip(out, episodes):
        x = getattr(e, name)
        row[: len(x)] = x
    return torch.from_numpy(out)


class TorchQMIX(FlatLearner):
    name, summary, version = "torch_qmix", "QMIX in PyTorch, the same networks as qmix", "1"
    config = """\
mixing_embed_dim: 32          # E, width of the mixing network
hypernet_embed: 64            # hidden width of the hypernetworks of W1 and wf
hypernet_layers: 2            # layers of these hypernetworks: 1 | 2
"""
    schema = [
        Key("mixing_embed_dim", "int", "E, width of the mixing network", min=1, max=4096),
        Key("hypernet_embed", "int", "hidden width of the hypernetworks of W1 and wf", min=1, max=4096),
        Key("hypernet_layers", "int", "layers of the hypernetworks of W1 and wf", min=1, max=2),
    ]

    def __init__(self, settings, spec, options):
        torch.set_num_threads(1)  # another number would give other bits
        self.hidden_width = settings["rnn_hidden_dim"]
        super().__init__(settings, spec, options)

    def layouts(self, spec):
        """The widths of each stack of layers, in the order of the parameters."""
        s, n, h, e = self.settings, spec.agents, self.hidden_width, self.settings["mixing_embed_dim"]
        width = spec.obs_width + s["obs_last_action"] * spec.actions + s["obs_agent_id"] * n
        hyper = [spec.state_width] + [s["hypernet_embed"]] * (s["hypernet_layers"] - 1)
        agents = {"mlp": [width] + [s["mlp_hidden"]] * (s["mlp_layers"] - 1) + [h], "gru": [h], "head": [h, spec.actions]}
        return agents, {"w1": hyper + [n * e], "wf": hyper + [e], "b1": [spec.state_width, e], "v": [spec.state_width, e, 1]}

    def shapes(self, name, widths):
        """The shapes of a stack's tensors, and the fan-in of each."""
        if name == "gru":
            h = widths[0]
            return [((3 * h, h), h), ((3 * h, h), h), ((3 * h,), h), ((3 * h,), h)]
        return [x for i, o in zip(widths, widths[1:]) for x in (((o, i), i), ((o,), i))]

    def sizes(self, spec):
        def size(*names_and_widths):
            return sum(int(np.prod(shape)) for name, widths in names_and_widths for shape, _ in self.shapes(name, widths))

        agents, mixer = self.layouts(spec)
        features = [("mlp", agents["mlp"]), ("gru", agents["gru"])]
        return size(*features), size(("head", agents["head"])), size(*mixer.items())

    def initial(self, stream):
        agents, mixer = self.layouts(self.spec)
        out = []
        for name, widths in {**agents, **mixer}.items():
            for shape, inputs in self.shapes(name, widths):
                out += [stream.uniform(-(inputs**-0.5), inputs**-0.5) for _ in range(int(np.prod(shape)))]
        return out

    def tensors(self, flat):
        """The tensors of each stack that lie in a vector."""
        agents, mixer = self.layouts(self.spec)
        out, at = {}, 0
        for name, widths in {**agents, **mixer}.items():
            out[name] = []
            for shape, _ in self.shapes(name, widths):
                if at < len(flat):  # an agent's vector ends before the mixer
                    out[name].append(flat[at : at + int(np.prod(shape))].view(shape))
                at += int(np.prod(shape))
        return out

    @staticmethod
    def stack(tensors, x):
        """Layers with ReLU between them."""
        for i in range(0, len(tensors), 2):
            x = F.linear(torch.relu(x) if i else x, tensors[i], tensors[i + 1])
        return x

    def inputs(self, obs, last):
        """What the agents' networks read, from [..., n, o] and [..., n]."""
        s, parts = self.settings, [self.settings["feature_scale"] * obs]
        if s["obs_last_action"]:
            parts.append(F.one_hot(last.long() + 1, self.spec.actions + 1)[..., 1:].float())
        if s["obs_agent_id"]:
            parts.append(torch.eye(self.spec.agents).expand(obs.shape[:-1] + (self.spec.agents,)))
        return torch.cat(parts, -1)

    def advance(self, w, x, h):
        """The values of all actions, and the hidden states after a step."""
        h = torch.gru_cell(torch.relu(self.stack(w["mlp"], x)), h, *w["gru"])
        return self.stack(w["head"], h), h

    def values(self, agent, step):
        n = self.spec.agents
        with torch.no_grad():
            obs, last = torch.from_numpy(step.obs.copy()), torch.from_numpy(step.last_actions.copy())
            x = self.inputs(obs.view(-1, n, obs.shape[-1]), last.view(-1, n)).flatten(0, 1)
            q, h = self.advance(self.tensors(torch.from_numpy(agent.copy())), x, torch.from_numpy(step.hidden.copy()))
        return q.numpy(), h.numpy()

    def unroll(self, w, x):
        """The values [episode, record, n, A] from inputs [episode, record, n, width]."""
        b, t, n, _ = x.shape
        h, out = torch.zeros(b * n, self.hidden_width), []
        for k in range(t):
            q, h = self.advance(w, x[:, k].flatten(0, 1), h)
            out.append(q.view(b, n, -1))
        return torch.stack(out, 1)

    def mix(self, w, q, state):
        """Q_tot [...] of the agents' values [..., n]."""
        n, e = self.spec.agents, self.settings["mixing_embed_dim"]
        w1 = self.stack(w["w1"], state).abs().view(q.shape[:-1] + (n, e))
        hidden = F.elu((q[..., None] * w1).sum(-2) + self.stack(w["b1"], state))
        return (hidden * self.stack(w["wf"], state).abs()).sum(-1) + self.stack(w["v"], state)[..., 0]

    def targets(self, batch, ahead, reward):
        """y [episode, t], from the target's Q_tot at the records 1 to t."""
        y, s, after = torch.zeros_like(reward), self.settings, torch.zeros(len(batch))
        last = torch.tensor([e.t - 1 for e in batch])
        beyond = torch.tensor([float(s["bootstrap_on_timeout"] and not e.terminated) for e in batch])
        for k in reversed(range(reward.shape[1])):
            mixed = (1 - s["td_lambda"]) * ahead[:, k] + s["td_lambda"] * after
            after = reward[:, k] + s["gamma"] * torch.where(last == k, beyond * ahead[:, k], mixed)
            y[:, k] = after
        return y

    def differentiate(self, batch, source):
        longest, steps = max(e.t for e in batch), sum(e.t for e in batch)
        obs, state, avail = (stacked(batch, name, longest + 1) for name in ("obs", "state", "avail"))
        actions, reward = stacked(batch, "actions", longest).long(), stacked(batch, "reward", longest)
        last = F.pad(actions, (0, 0, 1, 0), value=-1)
        real = torch.tensor([[k < e.t for k in range(longest)] for e in batch])
        state = self.settings["feature_scale"] * state
        x = self.inputs(obs, last)
        flat = torch.tensor(self.online, requires_grad=True)
        w, target = self.tensors(flat), self.tensors(torch.from_numpy(self.target.copy()))
        q = self.unroll(w, x)
        total = self.mix(w, q[:, :-1].gather(-1, actions[..., None])[..., 0], state[:, :-1])
        with torch.no_grad():
            q_target = self.unroll(target, x)
            chooser = q if self.settings["double_q"] else q_target
            best = chooser.masked_fill(avail == 0, -np.inf).argmax(-1, keepdim=True)
            best = q_target.gather(-1, best)[..., 0] * avail.any(-1)
            y = self.targets(batch, self.mix(target, best[:, 1:], state[:, 1:]), reward)
        d = (total - y)[real]
        objective = {
            "td_loss": lambda: (d * d).sum(), "q_grad": lambda: total[real].sum(),
            "value_norm": lambda: ((q * avail)[:, :-1][real] ** 2).sum() / self.spec.agents,
        }[source]() / steps
        objective.backward()
        d = d.detach()
        stats = TrainStats(
            td_loss=float((d * d).sum()) / steps, td_abs=float(d.abs().sum()) / steps,
            q_taken=float(total.detach()[real].sum()) / steps, target=float(y[real].sum()) / steps,
        )
        return flat.grad.numpy(), stats


if __name__ == "__main__":
    serve(TorchQMIX)

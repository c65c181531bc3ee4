"""What a user of the kit writes for a learner of the team's values, and the words
that methods and learners share."""

from dataclasses import dataclass
from typing import Any, List

from . import learner_pb2
from ._check import Refusal

# The numbers of a gradient step: loss, td_loss, penalty, value_loss, td_abs,
# q_taken, target, grad_norm, clip.
TrainStats = learner_pb2.TrainStats

LIVE_HEAD, TARGET_HEAD = -1, -2
SCOPES = ("features", "head", "agent", "all")
SOURCES = ("td_loss", "q_grad", "value_norm")
# The methods of a learner that make up each optional ability.
ABILITIES = {
    "export": ("weights",),
    "values": ("head_values", "save_mixer", "joint_values", "episode_values"),
    "gradients": ("gradient", "set_gradient_hook", "set_value_term"),
    "weights": ("set_parameters", "set_frozen", "layers", "reset_units", "activity"),
}


@dataclass
class Penalty:
    """A pull of a scope's parameters towards an anchor: coef * sum importance *
    (theta - anchor)^2, or with l2 coef * ||theta - anchor||."""

    scope: str
    anchor: Any
    coef: float
    importance: Any = None  # None is 1 everywhere
    l2: bool = False


@dataclass
class ValueTerm:
    """A term of the next step's loss: coef times the mean distance of the agents'
    values to targets."""

    loss: str  # mse or kl
    coef: float
    targets: List[Any]  # for each episode [t, n, a]; None leaves it alone
    temperature: float = 1.0  # of kl
    only: bool = False  # episodes with targets have no TD loss
    head: Any = None  # parameters that give the values in place of the live head, as constants


@dataclass
class Step:
    """One time step of acting. Rows are (lane, agent), agent fastest."""

    spec: Any  # of the lanes; None is that of set_task
    lanes: int
    obs: Any  # [rows, o]
    last_actions: Any  # [rows], -1 at an episode's start
    hidden: Any  # [rows, hidden_width], zero at an episode's start
    actions: int  # A
    heads: Any = None  # [rows] ids, -1 the live head; None is the live head everywhere


@dataclass
class JointStep:
    """One time step of valuing joint actions."""

    spec: Any
    lanes: int
    mixer: int  # the saved head whose mixer counts; LIVE_HEAD, TARGET_HEAD
    state: Any  # [lanes, S]
    avail: Any  # [lanes, n, A]
    q: Any  # [lanes, n, A]
    actions: Any  # [lanes, n]


@dataclass
class Layer:
    """Units of the agent network. A span (offset, unit, stride, count) says that
    weight k of unit j is parameter offset + j*unit + k*stride of the agent."""

    name: str
    width: int
    inputs: List[tuple]  # the weights that units are computed from
    outputs: List[tuple]  # those that read them


@dataclass
class Activity:
    """What was asked about a layer's activations, None where it was not."""

    layer: str
    rows: int
    mean_abs: Any = None  # [width]
    zeros: Any = None  # [width]
    gram: Any = None  # [width, width]


@dataclass
class LearnerOptions:
    """The run's resources."""

    source: Any  # parent of the learner's own streams
    threads: int
    tasks: List[Any]  # an episode's task is a place in this list; empty: all are of one task


class Learner:
    """A value-based team learner: features shared by agents and tasks, a live head,
    saved heads, a mixer, and a target copy of all. serve(TheClass) serves it.
    Vectors of parameters have the order features, head, mixer. FlatLearner does
    everything but the network itself."""

    kind = "learner"
    name: str
    summary: str
    version: str  # changes whenever results may change
    config = ""  # YAML with the defaults of its keys
    schema: List[Any] = []

    hidden_width = 0  # numbers of recurrent state of an agent
    heads = 0  # how many are saved; ids are 0 to heads-1

    def __init__(self, settings, spec, options):
        """Make a learner for a run whose first task is spec."""

    @classmethod
    def match(cls, pairing):
        """Raise a Refusal if the learner cannot serve what a run combines."""

    def set_task(self, spec):
        """Training has come to a task; an error if the networks cannot serve it."""
        raise NotImplementedError

    def act(self, step):
        """The action values [rows, A] of a Step, and the hidden states after it."""
        raise NotImplementedError

    def train(self, batch):
        """Make a gradient step on a list of episodes; TrainStats."""
        raise NotImplementedError

    def sync_target(self):
        """Copy the online networks into the target networks."""
        raise NotImplementedError

    def new_head(self, init):
        """Append a saved head, make it live ("copy" of the live one, or "reset") and
        return its id."""
        raise NotImplementedError

    def save_head(self, k):
        """Copy the live head into head k."""
        raise NotImplementedError

    def load_head(self, k):
        """Copy head k into the live head."""
        raise NotImplementedError

    def set_penalties(self, penalties):
        """Replace the terms that are added to the TD loss."""
        raise NotImplementedError

    def parameters(self, scope):
        """The online parameters of one of SCOPES, a copy."""
        raise NotImplementedError

    def importance(self, batch, source):
        """For the agent's parameters the mean over episodes of the squared gradient
        (td_loss, q_grad) or of the absolute one (value_norm)."""
        raise NotImplementedError

    def save(self):
        """The complete state: a dict of arrays, bytes and plain values."""
        raise NotImplementedError

    def load(self, state):
        """Go on as the learner did whose save() this is."""
        raise NotImplementedError


def abilities_of(learner):
    """The optional abilities whose every method a learner has."""
    return [name for name, calls in ABILITIES.items() if all(hasattr(learner, c) for c in calls)]


def needs(pairing, *abilities):
    """Refuse a learner that lacks abilities, in the match of a method."""
    lacking = [a for a in abilities if a not in pairing.abilities]
    if lacking:
        raise Refusal("method %s needs a learner that can %s, and learner %s cannot" % (pairing.method, ", ".join(lacking), pairing.learner))

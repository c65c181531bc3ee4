"""What a user of the kit writes for a continual method."""

from dataclasses import dataclass
from typing import Any, List, Optional

from .episode import Replay


@dataclass
class HeadPlan:
    """Which heads act in the episodes of a test."""

    heads: Any = None  # [episodes, n]; None is the live head everywhere
    stepper: Optional["Stepper"] = None  # chooses anew at every step
    agent: Any = None  # parameters that act in the test in place of the online ones
    skip: bool = False  # the mode is not defined for this task
    together: int = 0  # most episodes side by side; 0 is any number
    probe_episodes: int = 0
    probe_steps: int = 0


@dataclass
class View:
    """What a Stepper may look at: the running episodes at one step."""

    episodes: List[int]  # the episode in each lane
    t: int
    obs: Any  # [lanes, n, o]
    state: Any  # [lanes, S]
    avail: Any  # [lanes, n, A]
    hidden: Any  # [lanes, n, hidden_width] before this step
    last_actions: Any  # [lanes, n], -1 at the start
    reward: Any  # [lanes] of the last step
    heads: Any  # [lanes, n] as they are before the choice
    source: Any  # for draws of this test
    spec: Any


class Stepper:
    """Chooses heads at every step."""

    def step_heads(self, view):
        """The heads [lanes, n] that act now."""
        raise NotImplementedError

    def episode_ended(self, number, episode):
        """An episode is over; of its arrays it has the rewards alone."""

    def test_fields(self):
        """What joins the row of a test, a dict."""
        return {}


@dataclass
class Evaluation:
    """The context of one test."""

    t_env: int
    episodes: int
    source: Any  # of all randomness of the test
    task_head: Optional[int] = None  # with hidden boundaries: the head trained on the task, None if it has not begun


class Method:
    """A continual method. serve(TheClass) serves it. The order of calls is

        begin_task { collected { next_batch, a gradient step }* trained }* end_task

    with choose_heads at any point between two iterations. With hidden boundaries the
    whole run is one such task, named "hidden"; only a task_free method runs so."""

    kind = "method"
    name: str
    summary: str
    version: str  # changes whenever results may change
    config = ""  # YAML with the defaults of its keys
    schema: List[Any] = []

    modes = ["single"]  # test modes, the method's own first
    eval_modes: List[str] = []  # further ones, for evaluations that name them
    head = 0  # id of the head that is trained
    task_heads: List[int] = []  # of every task that has begun, if there are several heads
    context_steps = 0  # updates of encoders
    task_free = False  # it can train without hearing when the task changes (boundaries: hidden)
    borders = 0  # changes of the task that it has found by itself, where they are hidden

    def __init__(self, settings, services):
        """Make the method; services are what the run lends to it."""

    @classmethod
    def match(cls, pairing):
        """Raise a Refusal if the method cannot serve what a run combines; see needs."""

    def begin_task(self, task, progress):
        """Prepare for task.spec, number task.index of the run."""
        raise NotImplementedError

    def collected(self, episode, progress):
        """A training episode is finished. It may be kept."""
        raise NotImplementedError

    def next_batch(self):
        """The episodes of the next gradient step, None when there are not enough."""
        raise NotImplementedError

    def trained(self, progress):
        """The gradient steps that follow an episode are made."""

    def end_task(self, progress):
        """A task is over, and so is the test that closes it."""

    def choose_heads(self, task, mode, evaluation):
        """The HeadPlan of a test in one of the modes. It changes nothing that
        training can see."""
        return HeadPlan()

    def save(self):
        """The complete state: a dict of arrays, bytes and plain values."""
        raise NotImplementedError

    def load(self, state):
        """Go on as the method did whose save() this is. Penalties, hooks and fixed
        weights of the learner are set again."""
        raise NotImplementedError


class Buffered(Method):
    """Finetuning: one network is trained from a replay buffer that is emptied at
    the start of every task. Others add to it."""

    def __init__(self, settings, services):
        self.learner, self.services, self.settings = services.learner, services, settings
        self.replay = Replay(settings, services.source)

    def begin_task(self, task, progress):
        self.replay.clear()

    def collected(self, episode, progress):
        self.replay.insert(episode)

    def next_batch(self):
        return self.replay.next_batch()

    def save(self):
        return self.replay.state()

    def load(self, state):
        self.replay.restore(state)

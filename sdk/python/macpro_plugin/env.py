"""What a user of the kit writes: families of environments, and ablations."""

import hashlib
from dataclasses import dataclass, field
from typing import Dict, List, Optional


@dataclass
class Spec:
    """The shapes and limits of one task."""

    agents: int
    actions: int
    obs: int  # numbers in one agent's observation
    state: int  # numbers in the central state
    limit: int  # longest episode in transitions
    max_return: float  # largest possible return of an episode
    score: str = "return"  # or "win_rate"


@dataclass
class Key:
    """A key of the configuration, such as env_args.width."""

    key: str
    kind: str  # bool, int, float, string, strings or ints
    help: str
    min: Optional[float] = None
    max: Optional[float] = None
    enum: List[str] = field(default_factory=list)
    neutral: str = ""  # a run with this value, as in a file, has the configuration of one without the key
    only: str = ""  # when the key counts, as in "other_key=value", "other!=value", "flat" or "entities"; joined by spaces


class Game:
    """One instance of one task. The kit checks actions before step() and does
    not call it after an episode's end."""

    spec: Spec

    def reset(self, rng):
        """Start an episode; rng is its only source of randomness."""
        raise NotImplementedError

    def step(self, actions):
        """Advance by one joint action (a list of integers); return the team's
        reward, whether a true terminal state was reached, and whether the team
        has won. The kit cuts the episode at spec.limit."""
        raise NotImplementedError

    def observe(self):
        """A list of numbers for each agent."""
        raise NotImplementedError

    def state(self):
        """The numbers of the central state."""
        raise NotImplementedError

    def available(self):
        """A list of 0 and 1 for each agent, or None where all actions are
        always available."""
        return None

    def close(self):
        """Free what the game holds."""


class Family:
    """A family of tasks."""

    kind = "env"
    name: str
    summary: str
    version: str  # changes whenever results may change
    # The plugin's file: YAML with the defaults of its keys, and shared keys
    # that runs on this family override.
    config: str = ""
    schema: List[Key] = []
    sequences: Dict[str, List[str]] = {}  # "train" is the default
    generalization: List[str] = []  # tasks that are only ever tested
    # Sequences that other settings give: by name what to set, as in
    # {"drawn": "set env_args.count to its number of tasks"}.
    absent: Dict[str, str] = {}

    def tasks(self, settings):
        """The sequences by name, and the tasks that are only tested."""
        return self.sequences, self.generalization

    def constants(self, task, settings):
        """The printable constants of a task, a dict in reading order; everything
        that can change a result, besides the version."""
        spec = self.make(task, settings).spec
        own = {k.key: settings[k.key] for k in self.schema}
        return {"agents": spec.agents, "actions": spec.actions, "limit": spec.limit, **own}

    def make(self, task, settings):
        """Make one game of a task."""
        raise NotImplementedError

    def max_lanes(self, settings):
        """The most games that may play at a time; 0 is any number."""
        return 0

    def hash(self, task, settings):
        """SHA-256 over everything that can change a task's results."""
        lines = [repr((self.name, self.version, task))]
        lines += [repr((k, str(v))) for k, v in self.constants(task, settings).items()]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass
class Ablation:
    """A named overlay on the configuration."""

    kind = "ablation"  # without a type it is no field
    name: str
    summary: str
    version: str
    config: str  # YAML: the keys that the ablation changes
    algs: List[str] = field(default_factory=list)  # empty means all methods

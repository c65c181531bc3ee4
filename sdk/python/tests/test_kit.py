"""Tests of the kit: streams, lanes and adapters."""

import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from macpro_plugin import Family, Game, Key, Spec, Stream, _check, plugin_pb2  # noqa: E402
from macpro_plugin._lanes import Lanes, Refusal  # noqa: E402
from macpro_plugin._rpc import NotFinite, _guarded  # noqa: E402
from macpro_plugin._service import Env  # noqa: E402
from macpro_plugin.adapters import Joint, Parallel  # noqa: E402


class StreamTest(unittest.TestCase):
    def test_draws_of_seed_7(self):
        s = Stream(7)
        self.assertEqual([s.below(10) for _ in range(12)], [3, 1, 1, 1, 0, 2, 2, 5, 0, 1, 4, 8])
        self.assertEqual(s.random(), 0.10087620778924933)


class Counter(Game):
    """Ends when an agent takes action 1; action 2 is never available."""

    spec = Spec(agents=2, actions=3, obs=1, state=1, limit=3, max_return=1.0)

    def reset(self, rng):
        self.t = 0

    def step(self, actions):
        self.t += 1
        return 0.5, 1 in actions, 1 in actions

    def observe(self):
        return [[self.t], [self.t]]

    def state(self):
        return [self.t]

    def available(self):
        return [[1, 1, 0]] * 2


class Counters(Family):
    name, summary, version = "counters", "count", "1"

    def make(self, task, settings):
        return Counter()


class ServeTest(unittest.TestCase):
    def test_what_is_no_plugin_is_refused(self):
        out = subprocess.run(
            [sys.executable, "-c", "import macpro_plugin as m\nfor x in (m.Game(), m.Family, 3):\n  try: m.serve(x)\n  except SystemExit as e: print(e, file=m._process.sys.stderr)"],
            cwd=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."), env=dict(os.environ, PLUGIN_MACPRO_COOKIE="continual teams"),
            stderr=subprocess.PIPE, text=True, check=True,
        )
        self.assertEqual(out.stderr.count("serve() wants a Family or an Ablation, or the class of a Method or a Learner, not"), 3)

    def test_lanes_are_bounded(self):
        class Few(Counters):
            def max_lanes(self, settings):
                return settings["few"]

        q = plugin_pb2.Settings()
        q.values["few"].integer = 3
        self.assertEqual((Env(Few()).MaxLanes(q).lanes, Env(Counters()).MaxLanes(q).lanes), (3, 0))
        q.values["few"].integer = -1
        with self.assertRaisesRegex(Refusal, "max_lanes"):
            Env(Few()).MaxLanes(q)


class AbsentTest(unittest.TestCase):
    def test_what_absent_sequences_need(self):
        family = Counters()
        family.sequences, family.absent = {"train": ["a"]}, {"drawn": "set count", "train": "set nothing"}
        self.assertEqual(dict(Env(family).Tasks(plugin_pb2.Settings()).absent), {"drawn": "set count"})
        family.absent = {"drawn": 3}
        with self.assertRaisesRegex(Refusal, "absent: what drawn needs is 3, want a string"):
            Env(family).Tasks(plugin_pb2.Settings())


class LanesTest(unittest.TestCase):
    def setUp(self):
        self.lanes = Lanes(Counters(), "x", 3, {})
        self.lanes.reset([0, 2], [1, 2])

    def test_ends(self):
        self.lanes.step([0, 2], [0, 0, 0, 0])
        self.assertEqual(bytes(self.lanes.step([0, 2], [0, 1, 0, 0]).flags), b"\x05\x00")  # terminated and won
        self.assertEqual(bytes(self.lanes.step([2], [0, 0]).flags), b"\x02")  # truncated

    def test_refusals(self):
        for lanes, actions, says in [
            ([1], [0, 0], "lane 1 has no running episode"),
            ([0, 3], [0] * 4, "lane 3"),
            ([0, 0], [0] * 4, "twice"),
            ([0, 2], [0, 0, 0, 2], "lane 2, agent 1: action 2"),
            ([0], [0], "1 actions for 1 lanes"),
        ]:
            with self.assertRaisesRegex(Refusal, says):
                self.lanes.step(lanes, actions)
        self.assertEqual(self.lanes.games[0].t, 0)  # nothing has moved


class Aborted(Exception):
    pass


class Context:
    def abort(self, code, text):
        raise Aborted("%s %s" % (code.name, text))


class FaultTest(unittest.TestCase):
    """Whatever a plugin raises answers the call: macpro would wait for ever."""

    def test_every_exception_answers(self):
        for error, want in [
            (ValueError("x"), "INTERNAL ValueError: x"),
            (SystemExit(3), "INTERNAL SystemExit: 3"),
            (SystemExit("bye"), "INTERNAL SystemExit: bye"),
            (SystemExit(), "INTERNAL SystemExit: "),
            (KeyboardInterrupt(), "INTERNAL KeyboardInterrupt: "),
            (MemoryError("big"), "INTERNAL MemoryError: big"),
            (Refusal("no"), "INVALID_ARGUMENT no"),
            (NotFinite("nan"), "OUT_OF_RANGE nan"),
        ]:

            def call(_, error=error):
                raise error

            def stream(_, error=error):
                yield 1
                raise error

            for fails in (
                lambda: _guarded(call, "unary_unary")(None, Context()),
                lambda: list(_guarded(stream, "unary_stream")(None, Context())),
            ):
                with self.subTest(repr(error)), self.assertRaises(Aborted) as got:
                    fails()
                said, _, trace = str(got.exception).partition("\n\n")
                self.assertEqual(said, want)
                self.assertEqual("raise error" in trace, want.startswith("INTERNAL"))

    def test_a_reader_may_leave_a_stream(self):
        def stream(_):
            yield 1
            yield 2

        answers = _guarded(stream, "unary_stream")(None, Context())
        self.assertEqual(next(answers), 1)
        answers.close()


class Odd(Counter):
    """A counter of which one method returns something else."""

    def __init__(self, method, value):
        self.method, self.value = method, value
        setattr(self, method, lambda *_: value)
        if method == "spec":
            self.spec = value

    def reset(self, rng):
        self.t = 0


class Odds(Family):
    name, summary, version = "odds", "return odd values", "1"

    def __init__(self, method, value):
        self.game = Odd(method, value)

    def make(self, task, settings):
        return self.game


class TypesTest(unittest.TestCase):
    """What a game returns is of the type that the contract says, or refused."""

    def test_refusals(self):
        for method, value, says in [
            ("step", (1.0, "no", False), "lane 0: step.*: terminated is 'no', want True or False"),
            ("step", (1.0, None, False), "terminated is None"),
            ("step", (1.0, [], False), r"terminated is \[\]"),
            ("step", (1.0, 2, False), "terminated is 2"),
            ("step", (1.0, False, "yes"), "won is 'yes'"),
            ("step", ("1", False, False), "the reward is '1', want a number"),
            ("step", (None, False, False), "the reward is None"),
            ("step", (True, False, False), "the reward is True"),
            ("step", ([1.0, 2.0], False, False), "the reward is"),
            ("step", (1.0, False), "want reward, terminated, won"),
            ("step", 1.0, "want reward, terminated, won"),
            ("observe", [["1"], [2]], "agent 0: the observation, number 0 is '1', want a number"),
            ("observe", [[1], [None]], "agent 1: the observation, number 0 is None"),
            ("observe", [1, 2], "agent 0: the observation is 1, want a list of 1"),
            ("observe", ["1", "2"], "agent 0: the observation is '1', want a list"),
            ("observe", [[1]], "observe.* has 1 entries, want 2"),
            ("observe", None, "observe.* is None, want a list of 2"),
            ("observe", {0: [1], 1: [2]}, "want a list of 2"),
            ("state", [1, 2], "state.* has 2 entries, want 1"),
            ("state", "1", "state.* is '1', want a list of 1"),
            ("state", [[1]], "number 0 is .*, want a number"),
            ("available", [["1", "1", "0"]] * 2, "the mask, action 0 is '1', want True or False"),
            ("available", [[1, 1, 0.5]] * 2, "the mask, action 2 is 0.5"),
            ("available", [[1, 1, 2]] * 2, "the mask, action 2 is 2"),
            ("available", [], "available.* has 0 entries, want 2"),
            ("spec", Spec(2.0, 3, 1, 1, 3, 1.0), "spec.agents is 2.0, want a whole number of at least 1"),
            ("spec", Spec(2, "3", 1, 1, 3, 1.0), "spec.actions is '3'"),
            ("spec", Spec(2, 3, 0, 1, 3, 1.0), "spec.obs is 0"),
            ("spec", Spec(2, 3, 1, 1, True, 1.0), "spec.limit is True"),
            ("spec", Spec(2, 3, 1, 1, 3, "1"), "spec.max_return is '1'"),
            ("spec", Spec(2, 3, 1, 1, 3, 1.0, "points"), "spec.score is 'points', want one of return, win_rate"),
        ]:
            with self.subTest(method=method, value=value), self.assertRaisesRegex(Refusal, says):
                lanes = Lanes(Odds(method, value), "x", 1, {})
                lanes.reset([0], [1])
                lanes.step([0], [0, 0])

    def test_accepted(self):
        for value in [(1, 0, 1), (0.5, True, False), [1.0, False, False]]:
            lanes = Lanes(Odds("step", value), "x", 1, {})
            lanes.reset([0], [1])
            lanes.step([0], [0, 0])
        for mask in [[True, 1, 1.0], (1, 1, 0), bytes([1, 0, 0])]:
            lanes = Lanes(Odds("available", [mask, mask]), "x", 1, {})
            lanes.reset([0], [1])
            lanes.step([0], [0, 0])

    def test_not_a_game(self):
        odds = Odds("step", None)
        odds.game = object()
        with self.assertRaisesRegex(Refusal, "make.* returned object, want a Game"):
            Lanes(odds, "x", 1, {})

    def test_descriptions(self):
        for name, value, says in [
            ("summary", None, "summary is None, want a string"), ("version", 1, "version is 1, want a string"), ("config", b"x", "config is"),
            ("schema", [Key("k", "integer", "h")], "key k: kind is 'integer'"), ("schema", [Key("k", "int", 3)], "key k: help is 3"),
            ("schema", [Key("k", "int", "h", min="0")], "a bound is '0'"), ("schema", [Key("k", "string", "h", enum="ab")], "enum is 'ab'"),
        ]:
            family = Counters()
            setattr(family, name, value)
            with self.subTest(name=name, value=value), self.assertRaisesRegex(Refusal, says):
                _check.description(family)


class Box:
    def __init__(self, *shape):
        self.shape = shape


class Discrete:
    def __init__(self, n):
        self.n = n


class FakeParallel:
    """Two agents; the second leaves at its first step."""

    possible_agents = ["a", "b"]

    def observation_space(self, agent):
        return Box(2)

    def action_space(self, agent):
        return Discrete(2 if agent == "a" else 3)

    def reset(self, seed=None):
        self.agents, self.t, self.seed = ["a", "b"], 0, seed
        return {a: [seed % 7, 0] for a in self.agents}, {"a": {"action_mask": [0, 1]}, "b": {}}

    def step(self, joint):
        self.t += 1
        self.joint = joint
        over = {"a": self.t == 2, "b": True}
        out = {a: [1, 1] for a in self.agents}
        rewards = {a: 1.0 for a in self.agents}
        terminated = {a: over[a] for a in self.agents}
        truncated = {a: False for a in self.agents}
        self.agents = [a for a in self.agents if not over[a]]
        if self.t > 1:
            out.pop("b", None)
        return out, rewards, terminated, truncated, {a: {} for a in out}


class FakeJoint:
    observation_space = [Box(2), Box(1)]
    action_space = [Discrete(2), Discrete(2)]
    cut = 3

    def reset(self, seed=None):
        self.t = 0
        return [[1, 2], [3]], {}

    def step(self, actions):
        self.t += 1
        return [[1, 2], [3]], [0.5, 0.5], False, self.t == self.cut, {"action_mask": [[1, 0], [1, 1]]}


class AdapterTest(unittest.TestCase):
    def test_parallel(self):
        g = Parallel(FakeParallel(), limit=5, max_return=4.0, won=lambda env, reward, terminated: reward > 0)
        self.assertEqual((g.spec.agents, g.spec.actions, g.spec.obs, g.spec.state), (2, 3, 2, 4))
        g.reset(Stream(1))
        self.assertEqual(g.available(), [[0, 1, 0], [1, 1, 1]])
        self.assertEqual(g.step([1, 2]), (2.0, False, False))
        self.assertEqual(g.step([1, 0])[1:], (True, True))
        self.assertEqual(g.env.joint, {"a": 1})  # only who is still there acts
        self.assertEqual(g.observe()[1], [0.0, 0.0])
        self.assertEqual(g.available()[1], [1, 0, 0])

    def test_joint(self):
        g = Joint(FakeJoint(), limit=3, max_return=3.0)
        g.reset(Stream(1))
        self.assertEqual(g.observe(), [[1.0, 2.0], [3.0, 0.0]])
        self.assertIsNone(g.available())
        self.assertEqual(g.step([0, 1]), (1.0, False, False))
        self.assertEqual(g.available(), [[1, 0], [1, 1]])

    def test_flags(self):
        for wrong, says in [({"terminated": "no"}, "terminated is 'no'"), ({"truncated": [False, "no"]}, "truncated, agent 1 is 'no'"), ({"won": "yes"}, "won.* is 'yes'")]:
            env = FakeJoint()
            env.cut = 9
            flags = {"terminated": [True, True], "truncated": False, "won": True, **wrong}
            env.step = lambda _, f=flags: ([[1, 2], [3]], 1.0, f["terminated"], f["truncated"], {"won": f["won"]})
            g = Joint(env, limit=9, max_return=3.0)
            g.reset(Stream(1))
            with self.subTest(says), self.assertRaisesRegex(Refusal, says):
                g.step([0, 1])

    def test_clock(self):
        g = Joint(FakeJoint(), limit=9, max_return=3.0)
        g.reset(Stream(1))
        g.step([0, 0]), g.step([0, 0])
        with self.assertRaisesRegex(ValueError, "limit=3"):
            g.step([0, 0])


if __name__ == "__main__":
    unittest.main()

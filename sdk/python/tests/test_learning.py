"""Tests of what methods and learners stand on: sources, states and buffers."""

import os
import sys
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not here (Debian: python3-numpy)") from None
from macpro_plugin import Episode, Refusal, Replay, Source, Stream, needs  # noqa: E402
from macpro_plugin import FlatLearner, Method, Stepper, learner_pb2, method_pb2, plugin_pb2  # noqa: E402
from macpro_plugin import _learner_service, _method_service  # noqa: E402
from macpro_plugin._state import cut, parse, pieces  # noqa: E402


class StreamTest(unittest.TestCase):
    def test_a_stream_goes_on_from_every_state(self):
        s = Stream(7)
        for _ in range(9):
            other = Stream(0)
            other.restore(s.state())
            self.assertEqual([other.bits() for _ in range(6)], [Stream.bits(c) for c in [self.copy(s)] * 6])
            s.bits()

    def copy(self, s):
        out = Stream(0)
        out._key, out._counter, out._left = s._key, s._counter, list(s._left)
        return out

    def test_a_sample_is_distinct(self):
        for k in range(6):
            got = Stream(k).sample(k, 5)
            self.assertEqual((len(got), len(set(got))), (k, k))
            self.assertTrue(all(0 <= i < 5 for i in got))

    def test_paths_lead_to_different_streams(self):
        root = Source(bytes(range(16)))
        keys = {s.key for s in (root, root.child("a"), root.child("b"), root.child("a", "b"), root.child_int(1), root.child("1"))}
        self.assertEqual(len(keys), 6)
        self.assertEqual(root.child("a", "b").key, root.child("a").child("b").key)


class StateTest(unittest.TestCase):
    STATE = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.array([1, 2], np.int64), "raw": b"abc", "none": np.zeros(0, np.float64), "plain": [1, {"a": None}]}

    def test_a_state_comes_back(self):
        data = b"".join(cut(pieces(self.STATE)))
        self.assertEqual(data, b"".join(pieces(dict(reversed(list(self.STATE.items()))))))
        got = parse(data)
        self.assertEqual((got["plain"], got["raw"].tobytes(), got["w"].tolist(), got["n"].dtype), ([1, {"a": None}], b"abc", [[0, 1, 2], [3, 4, 5]], np.int64))
        with self.assertRaisesRegex(Refusal, 'has the name "plan", did you mean "plain"'):
            got["plan"]

    def test_pieces_are_small_and_never_none(self):
        self.assertEqual([len(p) for p in cut([b"", bytes((1 << 20) + 1)])], [0, 1 << 20, 1])

    def test_what_is_no_state_is_refused(self):
        data = b"".join(pieces(self.STATE))
        for bad in (b"", data[:4], data[: len(data) // 2], data + b"x", b"\xff" * 20, data.replace(b'"F32"', b'"F99"')):
            with self.assertRaises(Refusal):
                parse(bad)
        with self.assertRaisesRegex(Refusal, "complex"):
            list(pieces({"w": np.zeros(2, complex)}))


def episode(index):
    return Episode(plugin_pb2.Episode(index=index, t=1, n=1, a=2, obs_width=1, state_width=0, obs=bytes(8), avail=b"\1" * 4, actions=bytes(4), reward=np.float32([index]).tobytes()))


class ReplayTest(unittest.TestCase):
    def setUp(self):
        self.replay = Replay({"batch_size": 2, "buffer_size": 3}, Source(bytes(16)))

    def test_the_newest_stay(self):
        self.assertIsNone(self.replay.next_batch())
        for i in range(5):
            self.replay.insert(episode(i))
        self.assertEqual([e.index for e in self.replay.oldest_first()], [2, 3, 4])
        other = Replay({"batch_size": 2, "buffer_size": 3}, Source(bytes(16)))
        other.restore(parse(b"".join(pieces(self.replay.state()))))
        for _ in range(4):
            self.assertEqual([e.index for e in self.replay.next_batch()], [e.index for e in other.next_batch()])
        small = Replay({"batch_size": 1, "buffer_size": 2}, Source(bytes(16)))
        with self.assertRaisesRegex(Refusal, "3 saved episodes, buffer_size is 2"):
            small.restore(parse(b"".join(pieces(self.replay.state()))))

    def test_arrays_are_views_and_copies_change(self):
        e = episode(1)
        with self.assertRaises(ValueError):
            e.reward[0] = 2
        self.assertEqual((e.changed(reward=[5]).reward[0], e.reward[0], e.changed(reward=[5]).index), (5, 1, 1))
        with self.assertRaisesRegex(Refusal, "shape"):
            e.changed(reward=[5, 6])


class AnswersTest(unittest.TestCase):
    """What a plugin returns is refused by name if it is of another kind."""

    def test_of_methods(self):
        for name, wrong, call, says in [
            ("next_batch", 7, "NextBatch", r"next_batch\(\) is 7, want a list of episodes"),
            ("next_batch", {}, "NextBatch", r"next_batch\(\) is {}, want a list of episodes"),
            ("next_batch", "e", "NextBatch", r"next_batch\(\) is 'e', want a list of episodes"),
            ("next_batch", [3], "NextBatch", r"an entry of next_batch\(\) is 3, want an object of class Episode"),
            ("choose_heads", None, "ChooseHeads", r"choose_heads\(\) is None, want an object of class HeadPlan"),
            ("save", [1], "Save", r"save\(\) is \[1\], want a dict"),
        ]:
            service = _method_service.Method(Method)
            m = Method({}, None)
            setattr(m, name, lambda *_, w=wrong: w)
            number = service.made.add(_method_service._Made(m, types.SimpleNamespace(learner=None)))
            q = method_pb2.ChooseHeadsRequest(method=number, mode="single", source=bytes(16))
            with self.assertRaisesRegex(Refusal, says):
                list(getattr(service, call)(q))
        m.task_heads = 1
        with self.assertRaisesRegex(Refusal, "task_heads is 1, want a list of heads"):
            service.EndTask(method_pb2.ProgressRequest(method=number))
        m.head = "first"
        with self.assertRaisesRegex(Refusal, "head is 'first', want a whole number of at least -1"):
            service.EndTask(method_pb2.ProgressRequest(method=number))
        s = Stepper()
        s.test_fields = lambda: 4
        with self.assertRaisesRegex(Refusal, r"test_fields\(\) is 4, want a dict"):
            service.TestFields(method_pb2.StepperRef(stepper=service.steppers.add(s)))

    def test_of_learners(self):
        class Odd(FlatLearner):
            name = "odd"
            hidden_width = 1

            def __init__(self):
                pass

        for name, wrong, call, says in [
            ("train", 3.0, "Train", r"train\(\) is 3.0, want an object of class TrainStats"),
            ("act", (1, 2, 3), "Act", r"act\(\) has 3 entries, want 2"),
            ("layers", 3, "Layers", r"layers\(\) is 3, want a list of layers"),
            ("weights", [], "Weights", r"weights\(\) is \[\], want a dict"),
            ("episode_values", None, "EpisodeValues", r"episode_values\(\) is None, want a list of arrays"),
            ("new_head", None, "NewHead", r"new_head\(\) is None, want a whole number of at least 0"),
        ]:
            service, x = _learner_service.Learner(Odd), Odd()
            setattr(x, name, lambda *_, w=wrong: w)
            number = service.made.add(x)
            q = {"NewHead": learner_pb2.HeadRequest(learner=number, init="copy"), "Act": learner_pb2.ActRequest(learner=number, obs=bytes(4), last_actions=bytes(4)),
                 "EpisodeValues": learner_pb2.ValuesRequest(learner=number)}
            with self.assertRaisesRegex(Refusal, says):
                getattr(service, call)(q.get(call, learner_pb2.BatchRequest(learner=number)))

    def test_tasks_of_unlike_shapes(self):
        tasks = [plugin_pb2.Spec(task=name, agents=n, actions=1, obs_width=1) for name, n in (("small", 2), ("large", 3))]

        class Flat(FlatLearner):
            name = "flat"

        with self.assertRaisesRegex(Refusal, "flat was made for task small with agents 2, task large has 3"):
            Flat.match(plugin_pb2.Pairing(tasks=tasks))
        Flat.match(plugin_pb2.Pairing(tasks=tasks[:1] * 2))


class NeedsTest(unittest.TestCase):
    def test_what_is_missing_is_named(self):
        pairing = types.SimpleNamespace(abilities=["export"], method="m", learner="l")
        needs(pairing, "export")
        with self.assertRaisesRegex(Refusal, "method m needs a learner that can gradients, and learner l cannot"):
            needs(pairing, "export", "gradients")


if __name__ == "__main__":
    unittest.main()

"""The services of a plugin's process."""

import difflib
import sys
import threading
from array import array

import grpc

from . import _check, env_pb2, plugin_pb2
from ._check import Refusal
from ._lanes import Lanes
from ._rpc import handler
from ._values import settings as settings_of


# The optional calls that every plugin of a kind answers here.
_ABILITIES = {"env": ["max_lanes"], "learner": ["match"], "method": ["match"]}


class Description:
    """Says what the process serves."""

    def __init__(self, plugin):
        self.plugin = plugin

    def Describe(self, _):
        p = self.plugin
        _check.description(p)
        d = plugin_pb2.Description(
            kind=p.kind,
            name=p.name,
            summary=p.summary,
            version=p.version,
            config=p.config.encode(),
            algs=getattr(p, "algs", []),
            abilities=_ABILITIES.get(p.kind, []) + (["task_free"] if p.kind == "method" and p.task_free else []),
        )
        for k in getattr(p, "schema", []):
            d.schema.add(key=k.key, kind=k.kind, help=k.help, min=k.min, max=k.max, enum=k.enum, neutral=k.neutral, only=k.only)
        return d


class Env:
    """Serves a family of environments."""

    def __init__(self, family):
        self.family = family
        self.open, self.last, self.lock = {}, 0, threading.Lock()

    def Tasks(self, q):
        settings = settings_of(q)
        sequences, generalization = self._tasks(settings)
        absent = {name: _check.text("absent: what %s needs" % name, hint) for name, hint in _check.table("absent", getattr(self.family, "absent", {})).items() if name not in sequences}
        out = env_pb2.TaskList(generalization=generalization, absent=absent)
        for name, tasks in sequences.items():
            out.sequences[name].names.extend(tasks)
        for task in self._known(settings):
            for name, value in _check.table('the constants of task "%s"' % task, self.family.constants(task, settings)).items():
                out.params[task].params.add(name=name, value=str(value))
        return out

    def _tasks(self, settings):
        sequences, generalization = self.family.tasks(settings)
        for name, tasks in _check.table("sequences", sequences).items():
            _check.texts('sequence "%s"' % name, tasks)
        return sequences, _check.texts("generalization", generalization)

    def _known(self, settings):
        """All tasks, each once, in reading order."""
        sequences, generalization = self._tasks(settings)
        return list(dict.fromkeys([t for s in sequences.values() for t in s] + list(generalization)))

    def Open(self, q):
        settings = settings_of(q.settings)
        known = self._known(settings)
        if q.task not in known:
            near = difflib.get_close_matches(q.task, known, 1)
            hint = ', did you mean "%s"?' % near[0] if near else ""
            raise Refusal('unknown %s task "%s"%s (known: %s)' % (self.family.name, q.task, hint, ", ".join(known)))
        lanes = Lanes(self.family, q.task, q.lanes, settings)
        with self.lock:
            self.last += 1
            number = self.last
            self.open[number] = lanes
        s = lanes.spec
        spec = plugin_pb2.Spec(
            env=self.family.name, task=q.task, agents=s.agents, actions=s.actions, obs_width=s.obs, state_width=s.state,
            limit=s.limit, score=s.score, max_return=s.max_return, hash=self.family.hash(q.task, settings),
        )
        return env_pb2.Opened(env=number, spec=spec)

    def MaxLanes(self, q):
        return env_pb2.LaneLimit(lanes=_check.whole("max_lanes()", self.family.max_lanes(settings_of(q)), 0))

    def Reset(self, q):
        lanes = self._get(q.env)
        with lanes.lock:
            return env_pb2.Frames(**lanes.reset(q.lanes, q.seeds).packed())

    def Step(self, q):
        lanes = self._get(q.env)
        actions = array("i")
        actions.frombytes(q.actions)
        if sys.byteorder == "big":
            actions.byteswap()
        with lanes.lock:
            return env_pb2.Frames(**lanes.step(q.lanes, actions).packed())

    def Close(self, q):
        lanes = self._get(q.env)
        with self.lock:
            del self.open[q.env]
        with lanes.lock:
            lanes.close()
        return plugin_pb2.Empty()

    def _get(self, number):
        with self.lock:
            if number not in self.open:
                raise Refusal("there is no environment %d here" % number)
            return self.open[number]


def handlers(plugin):
    """The generic handlers of all services that serve a plugin."""
    out = [handler(plugin_pb2.DESCRIPTOR.services_by_name["Plugin"], Description(plugin))]
    if plugin.kind == "env":
        out.append(handler(env_pb2.DESCRIPTOR.services_by_name["Env"], Env(plugin)))
    elif plugin.kind == "learner":
        from . import _learner_service, learner_pb2

        out.append(handler(learner_pb2.DESCRIPTOR.services_by_name["Learner"], _learner_service.Learner(plugin)))
    elif plugin.kind == "method":
        from . import _method_service, method_pb2

        service = _method_service.Method(plugin)
        broker = grpc.stream_stream_rpc_method_handler(
            lambda requests, _: service.streams.listen(requests),
            request_deserializer=method_pb2.BrokerStream.FromString, response_serializer=bytes,
        )
        out.append(handler(method_pb2.DESCRIPTOR.services_by_name["Method"], service))
        out.append(grpc.method_handlers_generic_handler("plugin.GRPCBroker", {"StartStream": broker}))
    return out

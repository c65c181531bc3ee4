"""The services of a plugin's process, without generated stubs."""

import difflib
import sys
import threading
import traceback
from array import array

import grpc

from . import _check, env_pb2, plugin_pb2
from ._check import Refusal
from ._lanes import Lanes
from .env import Family


def _value(v):
    """A setting as a Python value."""
    kind = v.WhichOneof("kind")
    if kind == "list":
        return [_value(i) for i in v.list.items]
    return getattr(v, kind)


def _settings(message):
    return {key: _value(v) for key, v in message.values.items()}


class Description:
    """Says what the process serves."""

    def __init__(self, plugin):
        self.plugin = plugin

    def Describe(self, _):
        p = self.plugin
        _check.description(p)
        d = plugin_pb2.Description(
            kind="env" if isinstance(p, Family) else "ablation",
            name=p.name,
            summary=p.summary,
            version=p.version,
            config=p.config.encode(),
            algs=getattr(p, "algs", []),
        )
        for k in getattr(p, "schema", []):
            d.schema.add(key=k.key, kind=k.kind, help=k.help, min=k.min, max=k.max, enum=k.enum)
        return d


class Env:
    """Serves a family of environments."""

    def __init__(self, family):
        self.family = family
        self.open, self.last, self.lock = {}, 0, threading.Lock()

    def Tasks(self, q):
        settings = _settings(q)
        sequences, generalization = self._tasks(settings)
        out = env_pb2.TaskList(generalization=generalization)
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
        settings = _settings(q.settings)
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


def _guarded(call):
    """A handler that turns an exception into an error that macpro shows. What
    the kit refuses is a Refusal; anything else is a fault of the plugin, and its
    trace goes to standard error."""

    def handler(request, context):
        try:
            return call(request)
        except Refusal as e:
            text = str(e)
        except Exception as e:  # noqa: BLE001 - whatever it is, macpro must hear of it
            text = "%s: %s" % (type(e).__name__, e)
            print(traceback.format_exc(), file=sys.stderr, flush=True)
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, text)

    return handler


def handlers(plugin):
    """The generic handlers of all services that serve a plugin."""
    services = [("Plugin", Description(plugin), {"Describe": plugin_pb2.Empty})]
    if isinstance(plugin, Family):
        requests = {
            "Tasks": plugin_pb2.Settings, "Open": env_pb2.OpenRequest, "Reset": env_pb2.ResetRequest,
            "Step": env_pb2.StepRequest, "Close": env_pb2.EnvRef,
        }
        services.append(("Env", Env(plugin), requests))
    out = []
    for name, service, requests in services:
        methods = {
            call: grpc.unary_unary_rpc_method_handler(
                _guarded(getattr(service, call)), request_deserializer=kind.FromString, response_serializer=lambda m: m.SerializeToString(),
            )
            for call, kind in requests.items()
        }
        out.append(grpc.method_handlers_generic_handler("macpro.plugin.v1." + name, methods))
    return out

"""Services and their callers, made from the descriptions of the services."""

import sys
import traceback

import grpc
from google.protobuf import descriptor_pb2

from ._check import Refusal

MAX_MESSAGE = 256 << 20
MOST_TRACE = 4 << 10  # characters
OPTIONS = [("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.max_send_message_length", MAX_MESSAGE)]


class RunError(Exception):
    """What the run says about a call that it could not serve."""


class NotFinite(Exception):
    """Numbers have become infinite or not a number: macpro calls it divergence."""


def _kinds(descriptor):
    """How many messages go each way in every call, and of what types."""
    proto = descriptor_pb2.ServiceDescriptorProto()
    descriptor.CopyToProto(proto)
    for call, words in zip(descriptor.methods, proto.method):
        many = ("stream" if words.client_streaming else "unary") + "_" + ("stream" if words.server_streaming else "unary")
        yield call.name, many, _message(call.input_type), _message(call.output_type)


def _message(descriptor):
    module = descriptor.file.name.rsplit("/", 1)[1].replace(".proto", "_pb2")
    return getattr(sys.modules[__package__ + "." + module], descriptor.name)


def _fail(context, error):
    """End a call. What the kit refuses is a Refusal; anything else is a fault of
    the plugin, whose trace goes along. macpro shows both."""
    code, text = grpc.StatusCode.INVALID_ARGUMENT, str(error)
    if isinstance(error, NotFinite):
        code = grpc.StatusCode.OUT_OF_RANGE
    elif not isinstance(error, (Refusal, RunError)):
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        code, text = grpc.StatusCode.INTERNAL, "%s: %s\n\n%s" % (type(error).__name__, error, trace[-MOST_TRACE:])
    context.abort(code, text)


# Whatever ends a call, macpro must hear of it. sys.exit() would end a thread of the
# server, and macpro would wait.
FAULTS = (Exception, SystemExit, KeyboardInterrupt)


def _guarded(call, many):
    """A handler that turns an exception into an error that macpro shows."""

    def once(request, context):
        try:
            return call(request)
        except FAULTS as e:
            _fail(context, e)

    def stream(request, context):
        try:
            yield from call(request)
        except FAULTS as e:
            _fail(context, e)

    return stream if many.endswith("_stream") else once


def handler(descriptor, service):
    """The generic handler of a service, for the calls that the object has."""
    methods = {}
    for name, many, request, _ in _kinds(descriptor):
        call = getattr(service, name, None)
        if call:
            make = getattr(grpc, many + "_rpc_method_handler")
            methods[name] = make(_guarded(call, many), request_deserializer=request.FromString, response_serializer=lambda m: m.SerializeToString())
    return grpc.method_handlers_generic_handler(descriptor.full_name, methods)


class Stub:
    """Calls of a service on the other side: stub.Train(request)."""

    def __init__(self, channel, descriptor):
        for name, many, request, reply in _kinds(descriptor):
            call = getattr(channel, many)("/%s/%s" % (descriptor.full_name, name), request_serializer=request.SerializeToString, response_deserializer=reply.FromString)
            setattr(self, name, _asked(call, many))



def _asked(call, many):
    """A call whose failure is the run's own words."""

    def once(request):
        try:
            return list(call(request)) if many.endswith("_stream") else call(request)
        except grpc.RpcError as e:
            kind = NotFinite if e.code() == grpc.StatusCode.OUT_OF_RANGE else RunError
            raise kind(e.details()) from None

    return once

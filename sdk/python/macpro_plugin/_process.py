"""The life of a plugin's process: handshake, service, end."""

import os
import signal
import sys
import tempfile
import threading
import time
from concurrent import futures

_COOKIE = ("PLUGIN_MACPRO_COOKIE", "continual teams")
_PROTOCOL = 1

# The first line of standard output is the handshake, so everything else that is
# written to it goes to standard error, from the import of this kit on.
_handshake = None
if os.environ.get(_COOKIE[0]) == _COOKIE[1]:
    _handshake = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)


def _watch_parent():
    """End the process when its parent has died."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _lifecycle(grpc, end):
    """The services by which go-plugin asks for health and ends a process."""

    def raw(answer):
        return grpc.unary_unary_rpc_method_handler(answer, request_deserializer=bytes, response_serializer=bytes)

    def shutdown(_, __):
        end.set()
        return b""

    serving = b"\x08\x01"  # HealthCheckResponse{status: SERVING}
    return [
        grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": raw(lambda _, __: serving)}),
        grpc.method_handlers_generic_handler("plugin.GRPCController", {"Shutdown": raw(shutdown)}),
    ]


def serve(plugin):
    """Serve a Family, an Ablation, or the class of a Method or a Learner until
    macpro is done with it."""
    if _handshake is None:
        sys.exit("This is a plugin for macpro: it is started by it, as in: macpro run --env-plugin FOLDER")
    if getattr(plugin, "kind", None) is None or isinstance(plugin, type) != (plugin.kind in ("learner", "method")):
        sys.exit("serve() wants a Family or an Ablation, or the class of a Method or a Learner, not %r" % (plugin,))
    try:
        import google.protobuf  # noqa: F401 - only to see whether it is there
        import grpc
    except ImportError as e:
        sys.exit("%s: install grpcio and protobuf for %s (Debian: python3-grpcio python3-protobuf)" % (e, sys.executable))

    from ._rpc import OPTIONS
    from ._service import handlers

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch_parent, daemon=True).start()
    end = threading.Event()
    # A method is called while it waits for the run: its steppers, its hook, and the
    # stream of the broker each take a thread.
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16), options=OPTIONS)
    server.add_generic_rpc_handlers(handlers(plugin) + _lifecycle(grpc, end))
    folder = os.environ.get("PLUGIN_UNIX_SOCKET_DIR") or tempfile.mkdtemp(prefix="macpro-")
    path = os.path.join(folder, "plugin-%d" % os.getpid())
    if not server.add_insecure_port("unix:" + path):
        sys.exit("no socket can be opened at %s" % path)
    server.start()
    _handshake.write("1|%d|unix|%s|grpc\n" % (_PROTOCOL, path))
    _handshake.flush()
    end.wait()
    server.stop(0.2).wait()
    os._exit(0)

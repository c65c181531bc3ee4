"""Values of settings and of journal rows."""

import numbers

from ._check import Refusal


def from_value(v):
    """A value as Python has it."""
    kind = v.WhichOneof("kind")
    if kind == "list":
        return [from_value(i) for i in v.list.items]
    return getattr(v, kind)


def settings(message):
    return {key: from_value(v) for key, v in message.values.items()}


def to_value(x, v, what):
    """Write anything that JSON can hold into a message."""
    if type(x).__name__ == "float32":  # numpy's, which keeps its width
        v.single = x
        return
    if hasattr(x, "tolist"):
        x = x.tolist()  # of numpy
    if isinstance(x, bool):
        v.truth = x
    elif isinstance(x, numbers.Integral):
        if x < 1 << 63:
            v.integer = int(x)
        else:
            v.natural = int(x)
    elif isinstance(x, numbers.Real):
        v.number = float(x)
    elif isinstance(x, str):
        v.text = x
    elif isinstance(x, (list, tuple)):
        v.list.SetInParent()
        for i in x:
            to_value(i, v.list.items.add(), what)
    elif isinstance(x, dict):
        v.table.SetInParent()
        for key, y in x.items():
            to_value(y, v.table.fields[key], "%s.%s" % (what, key))
    elif x is None:
        v.SetInParent()
    else:
        raise Refusal("field %s is a %s, want what JSON can hold" % (what, type(x).__name__))

"""Checks of what a plugin returns. Python would take "no" for true and "12" for
two actions; what is of another type than the contract says is refused by name."""

import numbers

_KINDS = ("bool", "int", "float", "string", "strings", "ints")
_SCORES = ("return", "win_rate")


class Refusal(Exception):
    """A call that cannot be served."""


def _shown(x):
    text = repr(x)
    return text if len(text) <= 80 else text[:80] + "..."


def truth(what, x):
    """A truth value: a bool (numpy's as well), or the numbers 0 and 1."""
    if isinstance(x, bool):
        return x
    if type(x).__name__ in ("bool_", "bool") or isinstance(x, numbers.Real):
        if x == 0 or x == 1:
            return bool(x)
    raise Refusal("%s is %s, want True or False" % (what, _shown(x)))


def number(what, x):
    """A real number. Whether it is finite is checked by macpro."""
    if isinstance(x, numbers.Real) and not isinstance(x, bool):
        return float(x)
    raise Refusal("%s is %s, want a number" % (what, _shown(x)))


def whole(what, x, low):
    """A whole number of at least low."""
    if isinstance(x, numbers.Integral) and not isinstance(x, bool) and x >= low:
        return int(x)
    raise Refusal("%s is %s, want a whole number of at least %d" % (what, _shown(x), low))


def text(what, x):
    if isinstance(x, str):
        return x
    raise Refusal("%s is %s, want a string" % (what, _shown(x)))


def texts(what, x):
    """A list of strings; a string is not taken for the list of its letters."""
    if isinstance(x, (list, tuple)):
        return [text("%s: item %d" % (what, i), y) for i, y in enumerate(x)]
    raise Refusal("%s is %s, want a list of strings" % (what, _shown(x)))


def table(what, x):
    """A dict whose keys are strings."""
    if not isinstance(x, dict):
        raise Refusal("%s is %s, want a dict" % (what, _shown(x)))
    for key in x:
        text("%s: a key" % what, key)
    return x


def several(what, x, of):
    """A list or whatever else can be gone through, but for texts and tables."""
    if isinstance(x, (str, bytes, dict)) or not hasattr(x, "__iter__"):
        raise Refusal("%s is %s, want a list of %s" % (what, _shown(x), of))
    return x


def made_of(what, x, kind):
    """An object of a class of the kit."""
    if isinstance(x, kind):
        return x
    raise Refusal("%s is %s, want an object of class %s" % (what, _shown(x), kind.__name__))


def one_of(what, x, known):
    if x in known:
        return x
    raise Refusal("%s is %s, want one of %s" % (what, _shown(x), ", ".join(known)))


def sized(what, x, want):
    """A list, or anything else with a length, of the wanted length."""
    if isinstance(x, (str, dict)) or not hasattr(x, "__len__"):
        raise Refusal("%s is %s, want a list of %d" % (what, _shown(x), want))
    if len(x) != want:
        raise Refusal("%s has %d entries, want %d" % (what, len(x), want))
    return x


def bits(what, row):
    """A mask as bytes of 0 and 1."""
    try:
        out = bytes(list(row))
        if max(out) <= 1:
            return out
    except (TypeError, ValueError):
        pass
    return bytes(truth("%s, action %d" % (what, i), x) for i, x in enumerate(row))


def spec(s):
    """The shapes and limits of a task."""
    for name, low in (("agents", 1), ("actions", 1), ("obs", 1), ("state", 0), ("limit", 1)):
        setattr(s, name, whole("spec.%s" % name, getattr(s, name), low))
    s.max_return = number("spec.max_return", s.max_return)
    one_of("spec.score", s.score, _SCORES)
    return s


def description(p):
    """What a Family or an Ablation says of itself."""
    for name in ("name", "summary", "version", "config"):
        text(name, getattr(p, name, None))
    texts("algs", getattr(p, "algs", []))
    for k in getattr(p, "schema", []):
        key = "schema: key %s" % text("schema: a key", k.key)
        one_of(key + ": kind", k.kind, _KINDS)
        text(key + ": help", k.help)
        texts(key + ": enum", k.enum)
        text(key + ": neutral", k.neutral)
        text(key + ": only", k.only)
        for bound in (k.min, k.max):
            if bound is not None:
                number(key + ": a bound", bound)

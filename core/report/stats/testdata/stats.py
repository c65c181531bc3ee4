"""Reference values for stats_test.go, from the definitions, with the standard
library alone. Intervals are exact: every resample is enumerated, where the Go
code draws at random.   python3 stats.py > stats.json"""
import itertools
import json
import statistics


def iqm(x):
    x = sorted(x)
    k = int(0.25 * len(x))
    return statistics.fmean(x[k:len(x) - k])


def quantile(values, q):
    """The smallest value whose share of smaller or equal values reaches q."""
    values = sorted(values)
    return next(v for i, v in enumerate(values, 1) if i / len(values) >= q)


def interval(scores, stat):
    """Draws whole runs: the scores of a run stay together."""
    out = [stat([v for run in pick for v in run]) for pick in itertools.product(scores, repeat=len(scores))]
    return [quantile(out, 0.025), quantile(out, 0.975)]


def improvement(x, y):
    per_task = []
    for cx, cy in zip(zip(*x), zip(*y)):
        wins = sum((a > b) + 0.5 * (a == b) for a in cx for b in cy)
        per_task.append(wins / (len(cx) * len(cy)))
    return statistics.fmean(per_task)


cases = {
    "five runs, one task": [[1.0], [1.0], [1.0], [1.0], [0.0]],
    "three runs, one task": [[0.2], [0.5], [0.9]],
    "three runs, two tasks": [[0.2, 0.9], [0.5, 0.7], [0.9, 1.0]],
    "five runs, two tasks that fail together": [[0.9, 0.9], [1.0, 0.9], [0.1, 0.0], [0.8, 0.9], [0.2, 0.1]],
}
other = {
    "five runs, one task": [[0.0], [0.0], [1.0]],
    "three runs, one task": [[0.5], [0.1], [0.95], [0.3]],
    "three runs, two tasks": [[0.3, 0.9], [0.4, 0.95], [0.9, 0.1]],
    "five runs, two tasks that fail together": [[0.9, 0.5], [0.3, 0.0]],
}
out = []
for name, s in cases.items():
    flat = [v for row in s for v in row]
    means = [statistics.fmean(r) for r in s]
    out.append({
        "name": name, "scores": s, "other": other[name],
        "mean": statistics.fmean(means), "std": statistics.pstdev(means), "iqm": iqm(flat),
        "mean_interval": interval(s, statistics.fmean), "iqm_interval": interval(s, iqm),
        "improvement": improvement(s, other[name]),
    })
print(json.dumps(out, indent=1))

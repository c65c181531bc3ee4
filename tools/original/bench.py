"""Compares macpro with a checkout of the authors' code, in processor seconds.

Both train MACPro on two tasks, LBF and PP, at the settings of the paper, in turn.
Processor time is what other processes on the machine disturb least. OPENBLAS_CORETYPE
chooses the kernels of OpenBLAS for the authors' code; without it OpenBLAS may choose
slow ones on processors that are younger than it is.

Ours runs with each precision. float32 is the default, and what the authors' code
computes with. bf16 is a setting that the user chooses: it gives other bits.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TASKS = {
    "lbf": ("[topright,right]", ["lbforaging:Foraging-5x5-2p-1f-coop-%s-v1" % t for t in ("topright", "right")]),
    "pp": ("[heuristic,bull-bull]", ["mpe:SimpleTag-%s-v0" % t for t in ("heuristic", "bull-bull")]),
}


def seconds(command, env):
    """The processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if r.returncode:
        sys.exit("%s\nfailed:\n%s" % (" ".join(command), r.stderr[-2000:]))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(a, env_name, precision, path, out):
    command = [a.macpro, "run", "--alg", "macpro", "--env", env_name, "--profile", "paper", "--compat", "official",
               "--threads", "1", "--quiet", "--out", out]
    for change in ("tasks=" + TASKS[env_name][0], "steps_per_task=%d" % a.steps, "test_interval=2000", "test_nepisode=32",
                   "precision=" + precision):
        command += ["--set", change]
    return seconds(command, dict(os.environ, MACPROKERNEL=path))


def theirs(a, env_name, times):
    """Processor seconds of a run; it adds the median milliseconds of its gradient steps and context steps to times."""
    tasks = "train_tasks=[%s]" % ",".join('"%s"' % t for t in TASKS[env_name][1])
    command = [a.python, os.path.join(HERE, "original.py"), a.original, env_name, tasks,
               "change_task_interval=%d" % a.steps, "test_interval=2000", "test_nepisode=32"]
    report = tempfile.mktemp()
    took = seconds(command, dict(os.environ, OPENBLAS_CORETYPE=a.coretype, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", ORIGINAL_TIMES=report))
    with open(report) as f:
        calls = json.load(f)
    os.remove(report)
    for kind in ("steps", "contexts"):
        done = [x for x in calls[kind] if x > 0.001]  # calls without enough episodes return at once
        if done:
            times.setdefault((env_name, kind), []).append(1000 * statistics.median(done))
    return took


def flags():
    """Features of the processor, none where /proc does not tell."""
    try:
        with open("/proc/cpuinfo") as f:
            text = f.read()
    except OSError:
        return "unknown", []
    model = [x.partition(":")[2].strip() for x in text.splitlines() if x.startswith("model name")]
    known = [x.partition(":")[2].split() for x in text.splitlines() if x.startswith("flags")]
    return (model or ["unknown"])[0], (known or [[]])[0]


def variants(features):
    """The precisions and kernels that this processor has, best first. On other processors float32 with the default."""
    known = [(p, path) for p, path, needs in (
        ("float32", "avx512", ("avx512f", "avx512vl")), ("float32", "avx2", ("avx2", "fma")),
        ("bf16", "avx512bf16", ("avx512f", "avx512vl", "avx512bw", "avx512_bf16")), ("bf16", "avx2", ("avx2", "fma")),
    ) if all(n in features for n in needs)]
    return known or [("float32", "")]


def main():
    model, features = flags()
    best = "SKYLAKEX" if "avx512vl" in features else "HASWELL"
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--original", required=True, help="checkout of the authors' code")
    p.add_argument("--macpro", default="./macpro", help="our program (default ./macpro)")
    p.add_argument("--python", default=sys.executable, help="Python with torch, numpy and yaml, for the authors' code")
    p.add_argument("--coretype", default=os.environ.get("OPENBLAS_CORETYPE", best), help="OPENBLAS_CORETYPE (default %s)" % best)
    p.add_argument("--envs", default="lbf,pp", help="environments (default lbf,pp)")
    p.add_argument("--turns", type=int, default=3, help="times that each program runs (default 3)")
    p.add_argument("--steps", type=int, default=4000, help="transitions of each task (default 4000)")
    a = p.parse_args()
    if not os.path.exists(os.path.join(a.original, "src", "main.py")):
        sys.exit("%s is no checkout of the authors' code: it has no src/main.py" % a.original)
    print("%s; OPENBLAS_CORETYPE=%s; load %s at the start; %d tasks of %d transitions, %d turns, processor seconds\n"
          % (model, a.coretype, "%.1f" % os.getloadavg()[0], 2, a.steps, a.turns))
    print("| environment | original | precision | kernels | here | ratio: median (least to largest) |\n|---|---|---|---|---|---|")
    times = {}
    for name in a.envs.split(","):
        old, new = [], {x: [] for x in variants(features)}
        for _ in range(a.turns):
            old.append(theirs(a, name, times))
            for x in new:
                out = tempfile.mkdtemp()
                new[x].append(ours(a, name, *x, out))
                shutil.rmtree(out)
        for (precision, path), took in new.items():
            r = sorted(o / n for o, n in zip(old, took))
            print("| %s | %.1f | %s | %s | %.2f | %.1f (%.1f to %.1f) |" % (
                name.upper(), statistics.median(old), precision, path or "default", statistics.median(took), statistics.median(r), r[0], r[-1]), flush=True)
    print("\n| step of the original | ms, median of its calls |\n|---|---|")
    for (name, kind), ms in times.items():
        print("| %s %s | %.0f |" % (name.upper(), {"steps": "gradient step", "contexts": "context step"}[kind], statistics.median(ms)))
    print("\nload %.1f at the end" % os.getloadavg()[0])


if __name__ == "__main__":
    main()

"""Final scores and curves from the table of "macpro data", with pandas.

    macpro data my-sweep -o x.csv
    python3 curves.py x.csv [figure.png]
"""

import sys

import pandas as pd


def read(name):
    """The table as macpro wrote it: empty texts stay empty."""
    if name.endswith(".parquet"):
        return pd.read_parquet(name)
    return pd.read_csv(name, keep_default_na=False)


BY = ["env", "method", "ablation", "learner", "profile", "settings", "mode"]


def final(d):
    """Mean, standard deviation over seeds (population) and number of seeds of the final average."""
    x = d[d.metric == "final_average"].groupby(BY).value
    return pd.DataFrame({"mean": x.mean(), "std": x.std(ddof=0), "seeds": x.count()})


def curves(d, metric="score"):
    """Mean of a metric over the tasks seen so far, by run and t_env: a column a run."""
    tests = d[(d.metric == metric) & d.seen & (d["mode"] != "train") & (d.task != "")]
    return tests.groupby(BY + ["t_env", "seed"]).value.mean().unstack("seed")


def main(name, figure=None):
    d = read(name)
    print(final(d).to_string())
    c = curves(d)
    print()
    print(c.groupby(BY).last().round(3).to_string())
    if figure:
        import matplotlib.pyplot as plt

        for group, x in c.groupby(BY):
            own = x.droplevel(BY).interpolate(method="index")
            plt.plot(own.index, own.mean(axis=1), label=" ".join(w for w in group if w))
        plt.xlabel("training steps")
        plt.ylabel("average score")
        plt.legend()
        plt.savefig(figure)


if __name__ == "__main__":
    main(*sys.argv[1:])

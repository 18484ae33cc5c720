"""Times the kernels of stage.rs in Polars, for the number of elements that is given: prints the seconds of a call, and the name, of each."""

import statistics
import sys
import time

import numpy as np
import polars as pl

n = int(sys.argv[1])
random = np.random.default_rng(1)
a, b = (pl.Series(random.random(n) * 2 - 0.5) for _ in range(2))
pair = pl.DataFrame({"a": a, "b": b})
tasks = {
    "dot": lambda: pair.select(pl.col("a").dot("b")),
    "sum, reassociated": lambda: a.sum(),
    "filter, sqrt, sum": lambda: pair.lazy().filter(pl.col("a") > 0).select(pl.col("a").sqrt().sum()).collect(),
    "mean and variance": lambda: pair.select(pl.col("a").mean().alias("mean"), pl.col("a").var(ddof=0)),
    "a·x + y": lambda: pair.select(0.5 * pl.col("a") + pl.col("b")),
    "branch: clamp": lambda: a.clip(0.0, 1.0),
}
small = a.cast(pl.Float32)
tasks["mean of 8 neighbours"] = lambda: small.rolling_mean(8)


def hashes(count):
    """As `index` in stage.rs."""
    return pl.Series((np.arange(n, dtype=np.uint32) * np.uint32(2_654_435_761)) % np.uint32(count))


def trade(charge):
    """A state that each element changes, which no expression has."""
    mean = held = money = 0.0

    def step(price):
        nonlocal mean, held, money
        mean = mean * 0.99 + price * 0.01
        if price > mean * 1.01 and held < 1.0:
            held += 1.0
            money -= price + charge
        elif price < mean * 0.99 and held > 0.0:
            held -= 1.0
            money += price - charge
        return money + held * mean

    return step


if n <= 10_000_000:
    codes = (a.to_numpy() * 300.0).astype(np.int32).astype(np.uint8)
    coded = pl.DataFrame({"code": codes})
    tasks["histogram"] = lambda: coded.group_by("code").agg(pl.len())
    table, places = pl.Series(random.random(1000)), hashes(1000)
    tasks["y[i] = table[x[i]]"] = lambda: table.gather(places)
    for count in (100, 1_000_000):
        grouped = pl.DataFrame({"key": hashes(count), "x": a})
        tasks[f"group by {count} keys, sum"] = lambda grouped=grouped: grouped.group_by("key").agg(pl.sum("x")).select(pl.sum("x"))
    rows = max(n // 10, 1)
    columns, vector = hashes(rows), pl.Series(random.random(rows))
    tasks["sparse matrix–vector"] = lambda: (a * vector.gather(columns)).reshape((rows, 10)).arr.sum()
    digits = np.where(codes % 7 == 0, ord(" "), ord("0") + codes % 10).astype(np.uint8)
    text = pl.DataFrame({"text": [digits.tobytes().decode()]})
    tasks["numbers of a text"] = lambda: text.select(pl.col("text").str.split(" ").explode().cast(pl.UInt64, strict=False).sum())
if n <= 1_000_000:
    tasks["state: a trading rule (map_elements)"] = lambda: a.map_elements(trade(0.01), return_dtype=pl.Float64)
    tasks["a·x + y (map_elements)"] = lambda: pair.select(
        pl.struct("a", "b").map_elements(lambda row: 0.5 * row["a"] + row["b"], return_dtype=pl.Float64)
    )


def sample(task):
    """Seconds of a call, from calls for 10 ms at least."""
    begin, calls = time.perf_counter(), 0
    while time.perf_counter() - begin < 0.01:
        task()
        calls += 1
    return (time.perf_counter() - begin) / calls


for name, task in tasks.items():
    sample(task)
    print(statistics.median(sample(task) for _ in range(5 if n > 10_000_000 or "elements" in name else 21)), name)

"""Times the queries of queries.rs in Polars: prints the name and the median in seconds of each."""

import statistics
import sys
import time
from datetime import date

import polars as pl

folder, rows = sys.argv[1], int(sys.argv[2])
t = pl.read_ipc(f"{folder}/numbers{rows}.arrow")
items = pl.read_ipc(f"{folder}/lineitem{rows}.arrow")
price, discount = pl.col("l_extendedprice"), pl.col("l_discount")
discounted = price * (1 - discount)

QUERIES = {
    "Q1": lambda: items.lazy()
    .filter(pl.col("l_shipdate") <= date(1998, 9, 2))
    .group_by("l_returnflag", "l_linestatus")
    .agg(
        pl.sum("l_quantity").alias("a"),
        pl.sum("l_extendedprice").alias("b"),
        discounted.sum().alias("c"),
        (discounted * (1 + pl.col("l_tax"))).sum().alias("d"),
        pl.mean("l_quantity").alias("e"),
        pl.mean("l_extendedprice").alias("f"),
        pl.mean("l_discount").alias("g"),
        pl.len().alias("h"),
    )
    .sort("l_returnflag", "l_linestatus")
    .collect(),
    "Q6": lambda: items.lazy()
    .filter(
        (pl.col("l_shipdate") >= date(1994, 1, 1))
        & (pl.col("l_shipdate") < date(1995, 1, 1))
        & (discount >= 0.05)
        & (discount <= 0.07)
        & (pl.col("l_quantity") < 24)
    )
    .select((price * discount).sum())
    .collect(),
    "axpy": lambda: t.select(2.5 * pl.col("x") + pl.col("y")),
    "filter_map_sum": lambda: t.lazy().filter(pl.col("x") > 0).select(pl.col("x").sqrt().sum()).collect(),
    "group_sum": lambda: t.group_by("k").agg(pl.sum("x")),
    "sessions": lambda: t.select((pl.col("t").diff() > 30).fill_null(False).cast(pl.Int64).cum_sum()),
    "axpy_map_elements": lambda: t.select(
        pl.struct("x", "y").map_elements(lambda row: 2.5 * row["x"] + row["y"], return_dtype=pl.Float64)
    ),
}

for name, query in QUERIES.items():
    times = []
    rounds = 3 if name == "axpy_map_elements" else 25 if rows > 100_000 else 200
    for _ in range(rounds + 2):
        begin = time.perf_counter()
        query()
        times.append(time.perf_counter() - begin)
    print(name, statistics.median(times[2:]))

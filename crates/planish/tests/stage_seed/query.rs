//! A query is one loop and one table.

use planish::stage::{In, Out, Rep, function};

use super::{Float, made, on_engines, steps};

/// `select flag, sum(price), sum(price * (1 - discount)), count(*) from items where date <= limit group by flag order by flag`.
#[test]
fn query() {
    let f = made(function(
        "query",
        |limit: Rep<i32>,
         date: In<[i32]>,
         flag: In<[u8]>,
         price: In<[f64]>,
         discount: In<[f64]>,
         flags: Out<[u8]>,
         sums: Out<[[f64; 2]]>,
         counts: Out<[u32]>| {
            let columns = date.iter().zip(flag.iter()).zip(price.iter().zip(discount.iter()));
            let rows = columns.map(|((date, flag), (price, discount))| (date, flag, price, discount));
            let chosen = rows.filter(move |(date, ..)| date.le(limit));
            let groups = chosen.group_by(|(_, flag, ..)| flag).fold(
                (0.0, 0.0, 0u32),
                |(sum, reduced, count): (Float, Float, Rep<u32>), (_, _, price, discount)| {
                    (sum + price, reduced + price * (1.0 - discount), count + 1)
                },
            );
            let sorted = groups.iter().collect().sorted_by_key(|(flag, _)| flag);
            sorted.iter().map(|(flag, _)| flag).write_to(flags);
            sorted.iter().map(|(_, (sum, reduced, _))| [sum, reduced]).write_to(sums);
            sorted.iter().map(|(_, (.., count))| count).write_to(counts)
        },
    ));
    let about = "A selection, groups, sums and an order: one loop over the rows, which finds the number of the group in one table.\n\
                 The other loops are over groups: the table's slots, the order, the results.";
    steps("51_query", about, &f);
    let text = planish::ir::text::print(&f.optimized());
    // (Each column is read in one place only: there is one loop over the rows.)
    for memory in ["memory0", "memory1", "memory2", "memory3"] {
        assert_eq!(text.matches(&format!("memory_load[{memory}")).count(), 1, "{memory}\n{text}");
    }
    let (date, flag) = ([3, 1, 9, 2, 2, 5], [b'N', b'A', b'A', b'N', b'R', b'A']);
    let (price, discount) = ([1.0, 2.0, 4.0, 8.0, 16.0, 32.0], [0.5, 0.0, 0.0, 0.25, 0.5, 0.5]);
    for compiled in on_engines(&f) {
        let (mut flags, mut sums, mut counts) = ([0; 3], [[0.0; 2]; 3], [0; 3]);
        let count = compiled.call(5, &date, &flag, &price, &discount, &mut flags, &mut sums, &mut counts);
        assert_eq!(count.expect("it does not trap"), 3);
        assert_eq!((&flags, counts), (b"ANR", [2, 2, 1]));
        assert_eq!(sums, [[34.0, 18.0], [9.0, 6.5], [16.0, 8.0]]);
    }
}

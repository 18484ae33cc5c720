//! A table as text, of columns that are known: the parser of a line has no loop over columns, and reads only what is asked for.

use planish::stage::{In, Out, Rep, function, stage};

use crate::{Error, Shown, shown};

/// Whether a column is a number to be added.
const SCHEMA: [bool; 5] = [false, true, false, false, true];

/// Adds the numbers of each column.
#[stage]
fn totals(schema: &[bool], text: In<[u8]>, sums: Out<[i64]>) -> Rep<u32> {
    let mut at = Rep::new(0u32);
    let mut lines = Rep::new(0u32);
    while at < text.len() {
        for (column, is_number) in (0u32..).zip(schema) {
            let mut number = Rep::new(0i64);
            while at < text.len() && text.at(at) != 44u32 && text.at(at) != 10u32 {
                if *is_number {
                    number = number * 10 + (text.at(at) - 48u32).as_::<i64>();
                }
                at += 1;
            }
            at += 1;
            if *is_number {
                sums.update(column, |sum| sum + number);
            }
        }
        lines += 1;
    }
    lines
}

fn plain(text: &str, schema: &[bool]) -> Option<Vec<i64>> {
    let mut sums = vec![0; schema.len()];
    for line in text.lines() {
        for ((sum, is_number), field) in sums.iter_mut().zip(schema).zip(line.split(',')) {
            *sum += if *is_number { field.parse::<i64>().ok()? } else { 0 };
        }
    }
    Some(sums)
}

/// A table of three columns that are skipped and two that are added.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let made = function("totals", |text: In<[u8]>, sums: Out<[i64]>| totals(&SCHEMA, text, sums))?;
    let (compiled, mut sums) = (made.compile()?, [0; 5]);
    let text: String = (0..5000).map(|i| format!("name {i},{},x,some text,{}\n", i * 7, i % 13)).collect();
    let lines = compiled.call(text.as_bytes(), &mut sums)?;
    if lines != 5000 || Some(sums.to_vec()) != plain(&text, &SCHEMA) {
        return Err(format!("another result than plain Rust: {lines} lines, {sums:?}").into());
    }
    let schema = std::hint::black_box(&SCHEMA);
    Ok(shown(&made.optimized(), || compiled.call(text.as_bytes(), &mut sums).ok(), || plain(&text, schema)))
}

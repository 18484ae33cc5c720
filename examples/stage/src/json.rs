//! Records of a known schema as JSON: names and kinds of the fields are known, so the parser has no table, no tree and no strings.

use planish::stage::{In, Out, Rep, check, function, stage};
use serde::Deserialize;

use crate::{Error, Shown, shown};

/// Names of fields, and whether each is a number; a text is skipped.
const SCHEMA: [(&str, bool); 4] = [("id", true), ("name", false), ("price", true), ("weight", true)];

/// The place behind the bytes that must come next.
#[stage]
fn behind(bytes: &str, text: In<[u8]>, first: Rep<u32>) -> Rep<u32> {
    let mut at = first;
    while at < text.len() && text.at(at) <= 32 {
        at += 1;
    }
    for byte in bytes.bytes() {
        check(text.at(at) == u32::from(byte));
        at += 1;
    }
    at
}

/// Fills a row of numbers for each record; returns how many numbers there are.
#[stage]
fn parse(schema: &[(&str, bool)], text: In<[u8]>, rows: Out<[f64]>) -> Rep<u32> {
    let mut at = behind("[", text, Rep::new(0u32));
    let mut filled = Rep::new(0u32);
    let mut more = Rep::new(true);
    while more {
        for (number, (name, is_number)) in schema.iter().enumerate() {
            at = behind(if number == 0 { "{" } else { "," }, text, at);
            at = behind(&format!("\"{name}\""), text, at);
            at = behind(":", text, at);
            at = behind(if *is_number { "" } else { "\"" }, text, at);
            if *is_number {
                let is_negative = text.at(at) == 45;
                at += if is_negative { 1u32 } else { 0u32 };
                let mut digits = Rep::new(0.0);
                let mut scale = Rep::new(1.0);
                let mut step = Rep::new(1.0);
                while text.at(at) == 46 || (text.at(at) >= 48 && text.at(at) < 58) {
                    if text.at(at) == 46 {
                        step = Rep::new(10.0);
                    } else {
                        digits = digits * 10.0 + (text.at(at) - 48).as_::<f64>();
                        scale *= step;
                    }
                    at += 1;
                }
                rows.set(filled, if is_negative { -digits / scale } else { digits / scale });
                filled += 1;
            } else {
                while text.at(at) != 34 {
                    at += if text.at(at) == 92 { 2u32 } else { 1u32 };
                }
                at += 1;
            }
        }
        at = behind("}", text, at);
        more = text.at(at) == 44;
        at += if more { 1u32 } else { 0u32 };
    }
    let _ = behind("]", text, at);
    filled
}

/// A record of `serde_json`, which skips the name, too.
#[derive(Deserialize)]
struct PlainRecord {
    id: f64,
    price: f64,
    weight: f64,
}

fn plain(text: &str) -> Result<Vec<f64>, serde_json::Error> {
    let records: Vec<PlainRecord> = serde_json::from_str(text)?;
    Ok(records.iter().flat_map(|record| [record.id, record.price, record.weight]).collect())
}

/// The numbers of 2,000 records, against the crate `serde_json`.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let made = function("parse", |text: In<[u8]>, rows: Out<[f64]>| parse(&SCHEMA, text, rows))?;
    let (compiled, mut rows) = (made.compile()?, vec![0.0; 6000]);
    let record = |i: u32| {
        let (price, weight) = (f64::from(i * 7919 % 100_000) / 100.0, -f64::from(i % 77) / 8.0);
        format!("{{\"id\": {i}, \"name\": \"the \\\"{i}th\\\"\", \"price\":{price}, \"weight\": {weight}}}")
    };
    let text = format!("[{}]", (0..2000).map(record).collect::<Vec<_>>().join(",\n"));
    if compiled.call(text.as_bytes(), &mut rows)? != 6000 || rows != plain(&text)? {
        return Err("other numbers than those of serde_json".into());
    }
    for wrong in [&text[..text.len() - 1], "[{\"id\": 1, \"price\": 2}]", "[]", ""] {
        if compiled.call(wrong.as_bytes(), &mut rows).is_ok() {
            return Err(format!("accepted: {wrong:.40}").into());
        }
    }
    Ok(shown(&made.optimized(), || compiled.call(text.as_bytes(), &mut rows).ok(), || plain(&text).ok()))
}

//! A regular expression that is known: its states become cases of a switch, in one loop over the text.

use planish::stage::{In, Rep, function, switch, var};

use crate::{Error, Shown, shown};

/// A byte that fits, or any but a new line; and whether it may be there any number of times.
type Item = (Option<u8>, bool);

/// A state: the items that may come next, as bits; and with each also those behind items that may be missing.
fn with_next(items: &[Item], state: u64) -> u64 {
    items.iter().enumerate().fold(state, |state, (i, item)| state | (state >> i & u64::from(item.1)) << (i + 1))
}

/// The states after each byte, by state, and whether the text may end there.
fn automaton(items: &[Item]) -> Vec<(Vec<u32>, bool)> {
    let fits = |item: &Item, byte: u8| item.0.map_or(byte != b'\n', |wanted| wanted == byte);
    let (mut states, mut table) = (vec![with_next(items, 1)], Vec::new());
    while let Some(&state) = states.get(table.len()) {
        let to = |byte| {
            let fitting = items.iter().enumerate().filter(|(i, item)| state >> i & 1 == 1 && fits(item, byte));
            let next = with_next(items, fitting.fold(0, |next, (i, item)| next | 1 << (i + usize::from(!item.1))));
            let known = states.iter().position(|known| *known == next);
            known.unwrap_or_else(|| (states.len(), states.push(next)).0) as u32
        };
        table.push(((0..=255).map(to).collect(), state >> items.len() & 1 == 1));
    }
    table
}

fn matches(text: In<[u8]>, table: &[(Vec<u32>, bool)]) -> Rep<bool> {
    let state = var(0u32);
    text.iter().for_each(|byte: Rep<u32>| {
        let cases = (0u32..).zip(table).fold(switch(state.get()), |cases, (from, (moves, _))| {
            let bytes = move |to| (0u32..256).filter(move |byte| moves[*byte as usize] == to);
            let most = (0..table.len() as u32).max_by_key(|&to| bytes(to).count()).unwrap_or(0);
            let others = (0..table.len() as u32).filter(move |to| *to != most && moves.contains(to));
            cases.case(from, move || {
                others.fold(switch(byte), |s, to| s.cases(bytes(to), move || to)).otherwise(move || most)
            })
        });
        state.set(cases.otherwise(|| 0u32));
    });
    let ends = (0u32..).zip(table).filter(|(_, (_, ends))| *ends);
    ends.fold(Rep::new(false), |found, (number, _)| found | state.get().eq(number))
}

/// `a*b.*aab`, against the crate `regex`.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let items = [
        (Some(b'a'), true),
        (Some(b'b'), false),
        (None, true),
        (Some(b'a'), false),
        (Some(b'a'), false),
        (Some(b'b'), false),
    ];
    let (table, other) = (automaton(&items), regex::bytes::Regex::new("^a*b.*aab$")?);
    let staged = function("matches", |text: In<[u8]>| matches(text, &table))?;
    let compiled = staged.compile()?;
    for text in ["baab", "aaabxyzaab", "aab", "baabx", "aab\naab", "", "aaaa", "abaaaaab"] {
        if compiled.call(text.as_bytes())? != other.is_match(text.as_bytes()) {
            return Err(format!("another answer for {text:?}").into());
        }
    }
    let text = format!("{}b{}aab", "a".repeat(20_000), "ab".repeat(20_000));
    Ok(shown(&staged.optimized(), || compiled.call(text.as_bytes()).ok(), || other.is_match(text.as_bytes())))
}

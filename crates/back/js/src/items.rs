//! A function's statements as a flat list, before its jumps are written.
//!
//! A jump names its target. Whether it is a `break`, a `continue`, needs a label, or is omitted because control falls
//! through to the target, is decided when the list is complete; blocks that no jump leaves are not written.

use std::fmt::Write;

use planish_ir::entity::Block;
use planish_target::structure::Label;

/// A place to jump to.
pub(crate) type Target = (Block, Label);

/// Kind of a pair of braces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Head {
    /// A labelled block.
    Block,
    /// `if (…)`
    If(String),
    /// `while (…)`, or, with an update between iterations, `for (; …; …)`. Without a condition it is endless.
    Loop { condition: Option<String>, update: Option<String> },
    /// `do … while`, whose condition is in its `Close`.
    Do,
    /// `switch (…)`
    Switch(String),
    /// `case …:`, as often as there are values
    Case(Vec<String>),
}

/// A statement, or the begin or end of a compound one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// A statement without a jump, with its semicolon.
    Line(String),
    /// `name = value`; with `declared`, `const` or `let` before.
    Assign {
        name: String,
        value: String,
        declared: Option<&'static str>,
    },
    /// A statement that leaves the function.
    Leave(String),
    /// To the places.
    Jump(Target),
    Open {
        head: Head,
        /// Targets of a `break`.
        breaks: Vec<Target>,
        /// Targets of a `continue`.
        continues: Vec<Target>,
    },
    Else,
    /// The end; of a `do`, with its condition.
    Close(Option<String>),
    /// A removed item.
    Gone,
}

/// Of each `Open` and `Else` its `Close` (or `Else`), and the reverse.
struct Pairs {
    end: Vec<usize>,
}

impl Pairs {
    fn new(items: &[Item]) -> Self {
        let mut end = vec![usize::MAX; items.len()];
        let mut open = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Open { .. } => open.push(at),
                Item::Else | Item::Close(_) => {
                    if let Some(start) = open.pop() {
                        end[start] = at;
                    }
                    if *item == Item::Else {
                        open.push(at);
                    }
                }
                _ => {}
            }
        }
        Pairs { end }
    }

    /// The end of a whole compound statement, from its begin or its `else`.
    fn close(&self, items: &[Item], at: usize) -> usize {
        let end = self.end[at];
        if items[end] == Item::Else { self.end[end] } else { end }
    }
}

/// Removes jumps to places that control falls through to, and blocks that no jump leaves. Returns, for each item, the
/// number of its label if it opens a compound statement that needs one, else 0.
pub(crate) fn resolve_jumps(items: &mut [Item]) -> Vec<u32> {
    let pairs = Pairs::new(items);
    remove_needless_jumps(items, &pairs);
    let mut labelled = vec![false; items.len()];
    let mut used = vec![false; items.len()];
    let mut around: Vec<usize> = Vec::new();
    for at in 0..items.len() {
        match &items[at] {
            Item::Open { .. } => around.push(at),
            Item::Close(_) => {
                around.pop();
            }
            Item::Jump(target) => {
                let (to, plain) = resolve(items, &around, *target);
                used[to] = true;
                labelled[to] |= !plain;
            }
            _ => {}
        }
    }
    for at in 0..items.len() {
        if matches!(items[at], Item::Open { head: Head::Block, .. }) && !used[at] {
            items[pairs.end[at]] = Item::Gone;
            items[at] = Item::Gone;
        }
    }
    let mut labels = 0;
    let mut number = |needed: bool| {
        labels += u32::from(needed);
        if needed { labels } else { 0 }
    };
    labelled.into_iter().map(&mut number).collect()
}

/// Whether the statement is a loop or a switch, which a plain `break` leaves.
fn stops_breaks(item: &Item) -> bool {
    matches!(item, Item::Open { head: Head::Loop { .. } | Head::Do | Head::Switch(_), .. })
}

fn is_loop(item: &Item) -> bool {
    matches!(item, Item::Open { head: Head::Loop { .. } | Head::Do, .. })
}

/// The compound statement around that a jump leaves or goes on with, and whether the plain word means it.
fn resolve(items: &[Item], around: &[usize], target: Target) -> (usize, bool) {
    for (i, &at) in around.iter().enumerate().rev() {
        let Item::Open { breaks, continues, .. } = &items[at] else { continue };
        let inner = &around[i + 1..];
        if breaks.contains(&target) {
            return (at, stops_breaks(&items[at]) && !inner.iter().any(|&a| stops_breaks(&items[a])));
        }
        if continues.contains(&target) {
            return (at, !inner.iter().any(|&a| is_loop(&items[a])));
        }
    }
    unreachable!("jumps go to constructs around")
}

fn remove_needless_jumps(items: &mut [Item], pairs: &Pairs) {
    let mut around: Vec<usize> = Vec::new();
    for at in 0..items.len() {
        match items[at] {
            Item::Open { .. } => around.push(at),
            Item::Close(_) => {
                around.pop();
            }
            Item::Jump(target) if goes_there_anyway(items, pairs, &around, at, target) => items[at] = Item::Gone,
            _ => {}
        }
    }
}

/// Whether control falls through from an item to the target.
fn goes_there_anyway(items: &[Item], pairs: &Pairs, around: &[usize], at: usize, target: Target) -> bool {
    let mut at = at + 1;
    let mut around = around.iter().rev();
    while at < items.len() {
        match &items[at] {
            Item::Gone => at += 1,
            Item::Else => at = pairs.close(items, at),
            Item::Close(_) => {
                let Some(&frame) = around.next() else { return false };
                let Item::Open { head, breaks, continues } = &items[frame] else { return false };
                match head {
                    Head::Block | Head::If(_) => {
                        if breaks.contains(&target) {
                            return true;
                        }
                    }
                    Head::Loop { .. } | Head::Do => return continues.contains(&target),
                    Head::Switch(_) if breaks.contains(&target) => return true,
                    // Control falls through from a case to the next case.
                    Head::Case(_) if !matches!(items.get(at + 1), Some(Item::Close(_))) => return false,
                    Head::Switch(_) | Head::Case(_) => {}
                }
                at += 1;
            }
            _ => return false,
        }
    }
    false
}

/// Of an `if` in which there is only a jump or a `return`: where that is, and where the `if` ends.
fn short(items: &[Item], at: usize) -> Option<(usize, usize)> {
    let mut inside = (at + 1..items.len()).filter(|&i| items[i] != Item::Gone);
    let (inner, end) = (inside.next()?, inside.next()?);
    let is_short = matches!(items[inner], Item::Jump(_) | Item::Leave(_)) && matches!(items[end], Item::Close(_));
    is_short.then_some((inner, end))
}

/// `else { if … }` where nothing else is in the braces: `else if …`.
struct Chains {
    /// The `else`, the `if` in it, and the end of the braces.
    elses: Vec<bool>,
    begins: Vec<bool>,
    ends: Vec<bool>,
}

impl Chains {
    fn new(items: &[Item]) -> Self {
        let pairs = Pairs::new(items);
        let mut chains = Chains {
            elses: vec![false; items.len()],
            begins: vec![false; items.len()],
            ends: vec![false; items.len()],
        };
        let next = |at: usize| (at + 1..items.len()).find(|&i| items[i] != Item::Gone).unwrap_or(items.len());
        for at in (0..items.len()).filter(|&at| items[at] == Item::Else) {
            let (inner, end) = (next(at), pairs.end[at]);
            let is_if = matches!(items[inner], Item::Open { head: Head::If(_), .. });
            if is_if && next(pairs.close(items, inner)) == end {
                (chains.elses[at], chains.begins[inner], chains.ends[end]) = (true, true, true);
            }
        }
        chains
    }
}

/// Writes the statements, indented.
pub(crate) fn print(items: &[Item], labels: &[u32], depth: usize, out: &mut String) {
    let mut depth = depth;
    let mut around: Vec<usize> = Vec::new();
    let line = |out: &mut String, depth: usize, text: &str| {
        // Deeper ones no further, so that a deep program's text stays linear in its size.
        (0..depth.min(32)).for_each(|_| out.push_str("  "));
        out.push_str(text);
        out.push('\n');
    };
    let label = |at: usize| format!("l{}", labels[at]);
    let jump = |around: &[usize], target: &Target| {
        let (to, plain) = resolve(items, around, *target);
        let leaves = matches!(&items[to], Item::Open { breaks, .. } if breaks.contains(target));
        let name = if plain { String::new() } else { format!(" {}", label(to)) };
        format!("{}{name};", if leaves { "break" } else { "continue" })
    };
    let chains = Chains::new(items);
    let mut skipped = 0..0;
    for (at, item) in items.iter().enumerate() {
        if skipped.contains(&at) {
            continue;
        }
        match item {
            Item::Gone => {}
            Item::Line(text) | Item::Leave(text) => line(out, depth, text),
            Item::Assign { name, value, declared } => {
                let word = declared.map_or(String::new(), |d| format!("{d} "));
                line(out, depth, &format!("{word}{name} = {value};"));
            }
            Item::Jump(target) => line(out, depth, &jump(&around, target)),
            Item::Open { head: Head::If(condition), .. } if chains.begins[at] => {
                line(out, depth - 1, &format!("}} else if ({condition}) {{"));
                around.push(at);
            }
            Item::Close(_) if chains.ends[at] => {
                around.pop();
            }
            Item::Else if chains.elses[at] => {}
            Item::Open { head: Head::If(condition), .. } if short(items, at).is_some() => {
                let (inner, end) = short(items, at).expect("it was just found");
                let text = match &items[inner] {
                    Item::Jump(target) => jump(&around, target),
                    Item::Leave(text) => text.clone(),
                    _ => unreachable!("short ones hold only these"),
                };
                line(out, depth, &format!("if ({condition}) {text}"));
                skipped = at..end + 1;
            }
            Item::Open { head, .. } => {
                let mut text = if labels[at] != 0 { format!("{}: ", label(at)) } else { String::new() };
                print_head(head, &mut text);
                line(out, depth, &text);
                around.push(at);
                depth += 1;
            }
            Item::Else => line(out, depth - 1, "} else {"),
            Item::Close(condition) => {
                around.pop();
                depth -= 1;
                match condition {
                    Some(condition) => line(out, depth, &format!("}} while ({condition});")),
                    None => line(out, depth, "}"),
                }
            }
        }
    }
}

fn print_head(head: &Head, text: &mut String) {
    let written = match head {
        Head::Block => write!(text, "{{"),
        Head::If(condition) => write!(text, "if ({condition}) {{"),
        Head::Loop { condition: Some(condition), update: None } => write!(text, "while ({condition}) {{"),
        Head::Loop { condition: None, update: None } => write!(text, "while (1) {{"),
        Head::Loop { condition, update: Some(update) } => {
            let condition = condition.as_ref().map_or(String::new(), |c| format!(" {c}"));
            write!(text, "for (;{condition}; {update}) {{")
        }
        Head::Do => write!(text, "do {{"),
        Head::Switch(selector) => write!(text, "switch ({selector}) {{"),
        Head::Case(values) => {
            let values: Vec<String> =
                values.iter().map(|v| if v == "default" { "default:".into() } else { format!("case {v}:") }).collect();
            write!(text, "{} {{", values.join(" "))
        }
    };
    written.expect("strings take all that is written");
}

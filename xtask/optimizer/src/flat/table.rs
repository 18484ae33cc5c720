//! The report of a run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use planish::flatten::STAGES;
use xtask::Failure;

use super::{Counts, End, Row};
use crate::options::Options;

/// Number of entries shown for a kind; all are in a file.
const SHOWN: usize = 12;
/// Minimum share of the shaders with bounded loops that must become flat.
const BAR: f64 = 0.9;

pub(super) fn report(rows: &[Row], options: &Options) -> Result<(), Failure> {
    let folder = xtask::conformance_folder().join("flatten");
    std::fs::create_dir_all(&folder)?;
    let mut faults: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in rows {
        for (kind, what) in &row.faults {
            faults.entry(kind).or_default().push(format!("{}: {what}", row.name));
        }
    }
    let mut all = String::new();
    faults.iter().for_each(|(kind, lines)| lines.iter().for_each(|l| writeln!(all, "{kind}: {l}").expect("grows")));
    std::fs::write(folder.join("faults.txt"), all)?;
    let mut refused = String::new();
    for row in rows {
        if let End::Refused { code, why } = &row.end {
            writeln!(refused, "{code}: {}: {why}", row.name).expect("grows");
        }
    }
    std::fs::write(folder.join("refused.txt"), refused)?;
    let mut residuals = String::new();
    for (row, (setting, check, what)) in rows.iter().flat_map(|r| r.residuals.iter().map(move |x| (r, x))) {
        writeln!(residuals, "{setting} {check}: {}: {what}", row.name).expect("grows");
    }
    std::fs::write(folder.join("residuals.txt"), residuals)?;
    let summary = summary(rows);
    print!("{summary}");
    for (kind, lines) in &faults {
        println!("\n{kind}: {}", lines.len());
        lines.iter().take(SHOWN).for_each(|line| println!("  {line}"));
    }
    println!("\nall faults, and what was refused: {}", folder.display());
    if options.bless {
        std::fs::write(xtask::root().join("docs/flattening-corpus.md"), document(&summary))?;
    }
    let (flat, bounded) = bounded(rows);
    match faults.values().map(Vec::len).sum::<usize>() {
        0 if flat as f64 >= BAR * bounded as f64 => Ok(()),
        0 => Err(Failure::Broken(format!("{flat} of {bounded} are flat; the bar is {:.0} %", BAR * 100.0))),
        faults => Err(Failure::Broken(format!("{faults} faults"))),
    }
}

/// Share of the shaders with constant loop bounds that became flat; and the number of those shaders.
fn bounded(rows: &[Row]) -> (usize, usize) {
    let flat = rows.iter().filter(|r| matches!(r.end, End::Flat(_))).count();
    let unbounded = rows.iter().filter(|r| matches!(&r.end, End::Refused { code, .. } if code == "E1101")).count();
    (flat, rows.len() - unbounded)
}

fn document(summary: &str) -> String {
    format!(
        "# Flattening: the corpus\n\nWritten by `cargo xtask flatten --bless`: every fragment shader of the corpus \
         (docs/conformance.md), flattened, drawn after every stage, and compared bit by bit.\n\n{summary}"
    )
}

fn summary(rows: &[Row]) -> String {
    let mut text = String::new();
    let (flat, bounded) = bounded(rows);
    let share = 100.0 * flat as f64 / bounded.max(1) as f64;
    let undrawn = rows.iter().filter(|r| r.undrawn.is_some()).count();
    writeln!(
        text,
        "{} fragment shaders; {bounded} have loops with constant bounds only, or none. Of those, {flat} \
         ({share:.1} %) become flat; {} are compared picture by picture.\n",
        rows.len(),
        rows.len() - undrawn
    )
    .expect("grows");
    let open = rows.iter().filter(|r| r.open).count();
    writeln!(
        text,
        "{open} draw something else, and may: they derive, or sample with implicit derivatives, in a branch or behind an \
         early return, where GLSL leaves derivatives open.\n"
    )
    .expect("grows");
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        if let End::Refused { code, .. } = &row.end {
            *codes.entry(code).or_default() += 1;
        }
    }
    if !codes.is_empty() {
        text += "| refused with | shaders |\n| --- | ---: |\n";
        codes.iter().for_each(|(code, count)| writeln!(text, "| {code} | {count} |").expect("grows"));
        text += "\n";
    }
    let counts: Vec<&Counts> =
        rows.iter().filter_map(|r| if let End::Flat(c) = &r.end { Some(c) } else { None }).collect();
    let sum = |of: &dyn Fn(&Counts) -> u64| counts.iter().map(|c| of(c)).sum::<u64>();
    writeln!(text, "Nodes of all flat shaders; {} before, with branches, loops and calls.\n", sum(&|c| c.before))
        .expect("grows");
    text += "| after | strict | fast-math |\n| --- | ---: | ---: |\n";
    for (i, stage) in STAGES.iter().enumerate() {
        let (strict, fast) = (sum(&|c| c.strict[i]), sum(&|c| c.fast[i]));
        writeln!(text, "| {} | {strict} | {fast} |", stage.name).expect("grows");
    }
    text += "\n";
    let clean = |setting| {
        let is_flat = |r: &&Row| matches!(r.end, End::Flat(_));
        let all = rows.iter().filter(is_flat);
        all.filter(|r| r.residuals.iter().all(|(s, ..)| *s != setting)).count()
    };
    let found: usize = rows.iter().map(|r| r.residuals.len()).sum();
    writeln!(
        text,
        "The checkers find nothing in {} of {flat} strict, in {} with fast-math; {found} residuals in all.\n",
        clean("strict"),
        clean("fast")
    )
    .expect("grows");
    text + &peers(rows)
}

/// The comparison with spirv-opt's if-conversion.
fn peers(rows: &[Row]) -> String {
    let both: Vec<(&Counts, &super::Peer)> = rows
        .iter()
        .filter_map(|r| match (&r.end, &r.peer) {
            (End::Flat(counts), Some(Ok(peer))) => Some((counts, peer)),
            _ => None,
        })
        .collect();
    if both.is_empty() {
        return String::new();
    }
    let free = |p: &super::Peer| p.counts.branches == 0 && p.counts.loops == 0;
    let cleared: Vec<_> = both.iter().filter(|(_, p)| free(p)).collect();
    let no_loop = both.iter().filter(|(_, p)| p.counts.loops == 0).count();
    let ratio = |pairs: &[&(&Counts, &super::Peer)]| {
        let logs: f64 = pairs.iter().map(|(c, p)| (c.spirv as f64 / f64::from(p.counts.body)).ln()).sum();
        (logs / pairs.len().max(1) as f64).exp()
    };
    format!(
        "`spirv-opt --inline-entry-points-exhaustive --if-conversion --loop-unroll --simplify-instructions -O` on the {} \
         of them that branch: it leaves no branch in {}, and no loop in {no_loop}. Instructions of our flat SPIR-V over \
         its, geometric mean: {:.3} over all, {:.3} where it is free of branches too.\n",
        both.len(),
        cleared.len(),
        ratio(&both.iter().collect::<Vec<_>>()),
        ratio(&cleared),
    )
}

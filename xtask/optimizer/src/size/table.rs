//! The tables: instructions against the better of spirv-opt's two results, and bytes of GLSL against the source.

use std::fmt::Write as _;

use super::Row;
use super::words::Counts;
use crate::subject::levels;

/// A shader is listed when it has this many times the peer's instructions.
const WORSE: f64 = 1.1;
/// Number of the worst programs named on the page.
const NAMED: usize = 25;

pub(super) struct Report<'a> {
    pub(super) rows: &'a [Row],
    /// Names and reasons.
    pub(super) failures: &'a [(String, String)],
    pub(super) tools: &'a str,
}

/// Whether a reason is a limitation of the peer, or that the shader is invalid in Vulkan.
pub(crate) fn is_peers(why: &str) -> bool {
    why.starts_with("glslangValidator: ") || why.starts_with("spirv-opt: ")
}

/// Pairs of numbers, as the geometric mean of their quotients and the quotient of their sums.
#[derive(Clone, Copy, Default)]
struct Ratio {
    logs: f64,
    pairs: u32,
    sums: [f64; 2],
}

impl Ratio {
    fn of(pairs: impl Iterator<Item = (u32, u32)>) -> Ratio {
        let mut ratio = Ratio::default();
        for (ours, theirs) in pairs {
            let (ours, theirs) = (f64::from(ours), f64::from(theirs));
            // A shader without any such instruction counts as one with one.
            ratio.logs += (ours.max(1.0) / theirs.max(1.0)).ln();
            ratio.pairs += 1;
            ratio.sums = [ratio.sums[0] + ours, ratio.sums[1] + theirs];
        }
        ratio
    }

    fn cells(self) -> String {
        let mean = if self.pairs == 0 { 1.0 } else { (self.logs / f64::from(self.pairs)).exp() };
        let sum = if self.sums[1] == 0.0 { 1.0 } else { self.sums[0] / self.sums[1] };
        format!(" {mean:.3} | {sum:.3} |")
    }
}

/// Selects a row's two numbers.
type Pair = fn(&Row) -> (u32, u32);

impl Report<'_> {
    /// For the terminal.
    pub(super) fn summary(&self) -> String {
        let mut text = self.instructions();
        text += "\n";
        text += &self.bytes();
        let _ = writeln!(text, "\n{}", self.counted());
        text
    }

    /// `docs/size.md`.
    pub(super) fn document(&self) -> String {
        let [speed, size] = levels();
        // A tool without a version is part of one that has it.
        let tools: Vec<&str> = self.tools.split("; ").filter(|tool| !tool.is_empty()).collect();
        let mut text = PREFACE.replace("{tools}", &tools.join("; "));
        let _ = write!(text, "{}\n\n## Instructions\n\n{}\n", self.counted(), self.instructions());
        let _ = write!(
            text,
            "Each pair of columns: the geometric mean over the shaders of the quotient, and the quotient of the sums. The \
             first six pairs are ours over the better of `spirv-opt -O` and `spirv-opt -Os`, taken for each shader; the last \
             two are for orientation: `spirv-opt -O` over what glslang wrote.\n\nspirv-opt takes floats for real numbers in \
             places: `x * 0.0` is `0.0` to it, `x + 0.0` is `x`. We do so with `--fast-math` only (fast math: `-O{speed} \
             --fast-math`), so the other columns hold us to more than it.\n\n## Larger than {WORSE} times\n\n"
        );
        text += &self.worst();
        let _ = write!(text, "\n## Bytes of GLSL\n\n{}\n", self.bytes());
        let _ = writeln!(
            text,
            "GLSL of the version that the source has, over the source (with its comments and what nothing uses): at \
             `-O{speed}` and `-O{size}` as it is printed for people, and with `--minify`; the last column is what `--minify` \
             alone does."
        );
        if !self.failures.is_empty() {
            text += "\n## Left out\n\n";
            for (name, why) in self.failures {
                let _ = writeln!(text, "- `{name}`: {}", why.replace('<', "&lt;").replace('_', "\\_"));
            }
        }
        text
    }

    fn counted(&self) -> String {
        format!("{} shaders compared, {} left out.", self.rows.len(), self.failures.len())
    }

    /// Groups by package, and all.
    fn groups(&self) -> Vec<(String, Vec<&Row>)> {
        let packages = self.rows.chunk_by(|a, b| a.program.package == b.program.package);
        let mut groups: Vec<_> =
            packages.map(|rows| (rows[0].program.package.clone(), rows.iter().collect::<Vec<_>>())).collect();
        groups.push(("**all**".into(), self.rows.iter().collect()));
        groups
    }

    fn instructions(&self) -> String {
        let [speed, size] = levels();
        let pairs: [Pair; 8] = [
            |r| (r.ours[0].body, r.peer.best().body),
            |r| (r.ours[1].body, r.peer.best().body),
            |r| (r.ours[2].body, r.peer.best().body),
            |r| (r.ours[0].arithmetic, r.peer.best().arithmetic),
            |r| (r.ours[1].arithmetic, r.peer.best().arithmetic),
            |r| (r.ours[2].arithmetic, r.peer.best().arithmetic),
            |r| (r.peer.speed.body, r.peer.unoptimized.body),
            |r| (r.peer.speed.arithmetic, r.peer.unoptimized.arithmetic),
        ];
        let titles = [
            format!("body `-O{speed}`"),
            format!("body `-O{size}`"),
            "body, fast math".into(),
            format!("arithmetic `-O{speed}`"),
            format!("arithmetic `-O{size}`"),
            "arithmetic, fast math".into(),
            "spirv-opt: body".into(),
            "arithmetic".into(),
        ];
        let mut text = format!("| package | shaders | {} |\n", titles.map(|t| format!("{t} | sum")).join(" | "));
        let _ = writeln!(text, "| --- | ---: |{}", " ---: | ---: |".repeat(pairs.len()));
        for (name, rows) in self.groups() {
            let _ = write!(text, "| {name} | {} |", rows.len());
            for pair in pairs {
                text += &Ratio::of(rows.iter().map(|row| pair(row))).cells();
            }
            text.push('\n');
        }
        text
    }

    fn bytes(&self) -> String {
        let [speed, size] = levels();
        let of: [fn(&Row) -> usize; 5] =
            [|r| r.glsl.plain[0], |r| r.glsl.plain[1], |r| r.glsl.small[0], |r| r.glsl.small[1], |r| r.glsl.minified];
        let titles = [
            format!("`-O{speed}`"),
            format!("`-O{size}`"),
            format!("`-O{speed} --minify`"),
            format!("`-O{size} --minify`"),
            "`-O0 --minify`".into(),
        ];
        let mut text = format!("| package | shaders | source, bytes | {} |\n", titles.join(" | "));
        let _ = writeln!(text, "| --- | ---: |{}", " ---: |".repeat(of.len() + 1));
        for (name, rows) in self.groups() {
            let source: usize = rows.iter().map(|row| row.glsl.source).sum();
            let _ = write!(text, "| {name} | {} | {source} |", rows.len());
            for of in of {
                let bytes: usize = rows.iter().map(|row| of(row)).sum();
                let _ = write!(text, " {:.3} |", bytes as f64 / source.max(1) as f64);
            }
            text.push('\n');
        }
        text
    }

    /// The shaders whose bodies, at the level for speed, are too large; most first.
    fn larger(&self) -> Vec<(f64, &Row)> {
        let share = |row: &Row| f64::from(row.ours[0].body) / f64::from(row.peer.best().body.max(1));
        let mut rows: Vec<_> = self.rows.iter().map(|row| (share(row), row)).filter(|(s, _)| *s > WORSE).collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.program.file.cmp(&b.1.program.file)));
        rows
    }

    /// All of them, a line each.
    pub(super) fn worse(&self) -> String {
        let mut text = String::new();
        for (share, row) in self.larger() {
            let (ours, peer) = (row.ours[0], row.peer.best());
            let _ = writeln!(text, "{share:.3} {} {} against {}", row.program.name(), show(ours), show(peer));
        }
        text
    }

    fn worst(&self) -> String {
        let [speed, _] = levels();
        let larger = self.larger();
        let mut text = format!(
            "{} of {} shaders at `-O{speed}`, by the instructions of their bodies",
            larger.len(),
            self.rows.len()
        );
        if larger.is_empty() {
            return text + ".\n";
        }
        text += "; the first (body, arithmetic):\n\n| shader | quotient | ours | with fast math | theirs |\n";
        text += "| --- | ---: | ---: | ---: | ---: |\n";
        for (share, row) in larger.into_iter().take(NAMED) {
            let [ours, _, fast] = row.ours.map(show);
            let (name, peer) = (row.program.name(), show(row.peer.best()));
            let _ = writeln!(text, "| `{name}` | {share:.2} | {ours} | {fast} | {peer} |");
        }
        text
    }
}

fn show(counts: Counts) -> String {
    format!("{}, {}", counts.body, counts.arithmetic)
}

const PREFACE: &str = "\
# Size of optimized shaders

`cargo xtask size --bless` writes this page. Each shader of the conformance corpus is compiled to SPIR-V by Planish, and by
glslang from the unoptimized GLSL 4.50 output (`glslangValidator -V -R`), which is then optimized by `spirv-opt -O` and
`spirv-opt -Os`. Every module passes `spirv-val`. ({tools})
Of 400 shaders in GLSL ES 3.00, glslang accepts the source of 242 with version 3.10; for these, the result of `spirv-opt -O`
from GLSL 4.50 over that from the source is 1.008 in the geometric mean (body), 1.012 (arithmetic).

Counted are the instructions inside function bodies (**body**; `OpFunctionParameter`, `OpLine` and `OpNop` are left out),
and of these the **arithmetic**: without loads, stores, access chains, variables, labels, branches, phis, merges, calls,
returns and `OpUndef`. Texture lookups and constructors are arithmetic.

";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_means_of_quotients_and_quotients_of_sums() {
        assert_eq!(Ratio::of([(10, 20), (40, 20)].into_iter()).cells(), " 1.000 | 1.250 |");
        assert_eq!(Ratio::of([(0, 0), (0, 3)].into_iter()).cells(), " 0.577 | 0.000 |");
        assert_eq!(Ratio::of([].into_iter()).cells(), " 1.000 | 1.000 |");
    }
}

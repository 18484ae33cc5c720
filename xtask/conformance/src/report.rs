//! The report: a table for the terminal and the document, all outcomes for machines, and the bar.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;
use xtask::Failure;
use xtask::corpus::Program;

use crate::outcome::{Outcome, Reason, Step};
use crate::pictures::Pictures;

/// Minimum share of programs that the front end must accept.
const ACCEPTED: f64 = 0.99;
/// The share of the accepted programs that must be valid in each target.
const VALID: f64 = 0.98;
/// The least number of pictures that must be compared.
const PICTURES: usize = 40;
/// Number of programs named for each reason.
const EXAMPLES: usize = 3;

/// Counts of one package, or of all.
#[derive(Clone, Default, Serialize)]
struct Row {
    programs: usize,
    accepted: usize,
    glsl: usize,
    wgsl: usize,
    spirv: usize,
    msl: usize,
    hlsl: usize,
}

impl Row {
    fn add(&mut self, outcome: &Outcome) {
        self.programs += 1;
        self.accepted += usize::from(outcome.accepted.is_fine());
        self.glsl += usize::from(outcome.glsl.is_fine());
        self.wgsl += usize::from(outcome.wgsl.is_fine());
        self.spirv += usize::from(outcome.spirv.is_fine());
        self.msl += usize::from(outcome.msl.is_fine());
        self.hlsl += usize::from(outcome.hlsl.is_fine());
    }

    fn cells(&self, name: &str) -> String {
        let valid = |n: usize| format!("{n} ({})", percent(n, self.accepted));
        let accepted = format!("{} ({})", self.accepted, percent(self.accepted, self.programs));
        let targets = [self.glsl, self.wgsl, self.spirv, self.msl, self.hlsl].map(valid);
        format!("| {name} | {} | {accepted} | {} |\n", self.programs, targets.join(" | "))
    }
}

fn percent(n: usize, of: usize) -> String {
    // Rounded down: 99.96 % is not all of them.
    (n * 1000).checked_div(of).map_or("–".into(), |tenths| format!("{:.1} %", tenths as f64 / 10.0))
}

/// Programs that failed for one kind of reason.
#[derive(Serialize)]
struct Group {
    kind: String,
    count: usize,
    example: Reason,
    files: Vec<String>,
}

/// The whole report.
pub(crate) struct Report<'a> {
    outcomes: &'a [Outcome],
    rejected: &'a [Program],
    packages: BTreeMap<&'a str, Row>,
    all: Row,
    pictures: Pictures,
}

impl<'a> Report<'a> {
    /// Counts.
    pub(crate) fn new(outcomes: &'a [Outcome], rejected: &'a [Program], pictures: Pictures) -> Report<'a> {
        let mut packages: BTreeMap<&str, Row> = BTreeMap::new();
        let mut all = Row::default();
        for outcome in outcomes {
            packages.entry(&outcome.program.package).or_default().add(outcome);
            all.add(outcome);
        }
        Report { outcomes, rejected, packages, all, pictures }
    }

    /// The table by package.
    pub(crate) fn table(&self) -> String {
        let mut table =
            String::from("| package | programs | accepted | GLSL valid | WGSL valid | SPIR-V valid | MSL | HLSL |\n");
        table += "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
        for (package, row) in &self.packages {
            table += &row.cells(package);
        }
        table + &self.all.cells("**all**")
    }

    /// `docs/conformance.md`. Its contents depend on the compiler and the corpus only.
    pub(crate) fn document(&self) -> String {
        let mut text = String::from(PREFACE);
        text += &self.table();
        text += "\nThe percentages of the targets are of the accepted programs.\n";
        let linked = self.outcomes.iter().filter(|o| o.linked.is_fine()).count();
        let asked = linked + self.outcomes.iter().filter(|o| matches!(o.linked, Step::Failed(_))).count();
        let _ = writeln!(
            text,
            "\nOf {asked} pairs of a vertex and a fragment shader in GLSL that we wrote, {linked} link."
        );
        text += &self.pictures.section();
        text += "\n## Reasons of the rest\n";
        for (title, groups) in self.groups() {
            let _ = write!(text, "\n### {title}\n\n");
            if groups.is_empty() {
                text += "None.\n";
            }
            for group in groups {
                let shown: Vec<_> = group.files.iter().take(EXAMPLES).map(|file| format!("`{file}`")).collect();
                let more = if group.count > EXAMPLES { ", …" } else { "" };
                let _ = writeln!(text, "- {} × {}: {}{more}", group.count, escape(&group.kind), shown.join(", "));
            }
        }
        text += "\n## Programs that were left out\n\n";
        let _ = writeln!(text, "{LEFT_OUT}\n");
        for (kind, files) in self.left_out() {
            let _ = writeln!(
                text,
                "- {} × {}: `{}`{}",
                files.len(),
                escape(&kind),
                files[0],
                if files.len() > 1 { ", …" } else { "" }
            );
        }
        text
    }

    /// Everything, as JSON.
    pub(crate) fn json(&self) -> String {
        let slowest = |n: usize| {
            let mut all: Vec<_> =
                self.outcomes.iter().map(|o| (o.micros, &o.program.package, &o.program.file)).collect();
            all.sort_by(|a, b| b.cmp(a));
            all.truncate(n);
            all
        };
        let value = serde_json::json!({
            "schema": 1,
            "all": self.all,
            "packages": self.packages,
            "reasons": self.groups().into_iter().collect::<BTreeMap<_, _>>(),
            "pictures": self.pictures,
            "slowest_micros": slowest(20),
            "micros": self.outcomes.iter().map(|o| o.micros).sum::<u64>(),
            "programs": self.outcomes,
        });
        serde_json::to_string_pretty(&value).expect("plain data") + "\n"
    }

    /// Fails if a required rate is missed, with every such rate.
    pub(crate) fn bar(&self) -> Result<(), Failure> {
        let Row { programs, accepted, glsl, wgsl, spirv, .. } = self.all;
        let mut missed = vec![];
        let mut ask = |what: &str, n: usize, of: usize, share: f64| {
            if (n as f64) < share * of as f64 {
                missed.push(format!("{what}: {} of {of}, the bar is {} %", percent(n, of), share * 100.0));
            }
        };
        ask("accepted", accepted, programs, ACCEPTED);
        ask("valid GLSL", glsl, accepted, VALID);
        ask("valid WGSL", wgsl, accepted, VALID);
        ask("valid SPIR-V", spirv, accepted, VALID);
        missed.extend(self.pictures.complaints(PICTURES));
        let panics = self.outcomes.iter().flat_map(reasons).filter(|(_, reason)| reason.who == "panic").count();
        if panics > 0 {
            missed.push(format!("{panics} panics; there may be none"));
        }
        if missed.is_empty() { Ok(()) } else { Err(Failure::Broken(missed.join("\n       "))) }
    }

    /// The failures of the front end and of each target, grouped by kind, most first.
    fn groups(&self) -> Vec<(&'static str, Vec<Group>)> {
        let titles = ["accepted", "GLSL", "pairs", "WGSL", "SPIR-V", "MSL", "HLSL"];
        let group = |title: &'static str| {
            let mut kinds: BTreeMap<String, Group> = BTreeMap::new();
            for outcome in self.outcomes {
                for (_, reason) in reasons(outcome).into_iter().filter(|(at, _)| *at == title) {
                    let kind = reason.kind();
                    let new = || Group { kind: kind.clone(), count: 0, example: reason.clone(), files: vec![] };
                    let group = kinds.entry(kind.clone()).or_insert_with(new);
                    group.count += 1;
                    group.files.push(format!("{}/{}", outcome.program.package, outcome.program.file));
                }
            }
            let mut groups: Vec<Group> = kinds.into_values().collect();
            groups.sort_by(|a, b| b.count.cmp(&a.count).then(a.kind.cmp(&b.kind)));
            (title, groups)
        };
        titles.map(group).into()
    }

    /// Programs rejected by the reference, by reason.
    fn left_out(&self) -> BTreeMap<String, Vec<String>> {
        let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for program in self.rejected {
            let message = program.message.clone().unwrap_or_default();
            let told = message.splitn(3, ':').nth(2).unwrap_or(&message).trim().to_string();
            kinds.entry(told).or_default().push(format!("{}/{}", program.package, program.file));
        }
        kinds
    }
}

/// Each failure of a program, with what failed.
fn reasons(outcome: &Outcome) -> Vec<(&'static str, &Reason)> {
    let steps = [("accepted", &outcome.accepted), ("pairs", &outcome.linked)].into_iter().chain(outcome.targets());
    steps.filter_map(|(name, step)| if let Step::Failed(reason) = step { Some((name, reason)) } else { None }).collect()
}

/// Messages are text, not Markdown.
fn escape(text: &str) -> String {
    text.replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_").replace('|', "\\|")
}

const PREFACE: &str = "\
# Conformance on real input

`cargo xtask conformance` writes this page. It installs the pinned packages of `xtask/conformance/package-lock.json`, builds from
each the shaders that its users' browsers would get (three, postprocessing, cesium, luma.gl, ogl and pixi.js through their own
renderers over a mock WebGL context that records every `linkProgram`; the others as their own code joins the pieces), keeps the
distinct ones that `glslangValidator` accepts, and compiles each to three targets:

- **accepted**: the front end takes it without an error;
- **GLSL valid**: printed in the same version, taken again by the front end and by `glslangValidator`;
- **WGSL valid**: naga parses the text and validates the module;
- **SPIR-V valid**: `spirv-val` takes the module for Vulkan 1.1;
- **MSL**, **HLSL**: written without an error; no validator of these runs on the machines that write this page.

A program is one shader of one stage. The bar: 99 % accepted, and of those 98 % valid in each target.

";

const LEFT_OUT: &str = "\
`glslangValidator` 12 rejects these, so they say nothing about us. (It takes a user's function named `average` for a built-in of
its own; it is asked about a copy in which that function has another name.)";

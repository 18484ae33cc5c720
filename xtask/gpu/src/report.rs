//! The table of `docs/gpu.md`.

use std::fmt::{self, Write as _};

use crate::compare::{Difference, FAST, SAME};
use crate::draw::Failure;
use crate::exceptions::reason;
use crate::subjects::{Set, Subject};
use crate::twins::Form;

/// Number of shaders that must agree.
const ENOUGH: usize = 60;

/// The result of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Comparison {
    pub(crate) difference: Difference,
    /// Between two pictures of the GPU, whose inputs differ in their last bits.
    pub(crate) own: Option<Difference>,
}

/// The result of one form of one shader.
pub(crate) struct Row {
    name: String,
    set: Set,
    form: Form,
    comparison: Option<Comparison>,
    pub(crate) verdict: Verdict,
}

/// The judgement.
pub(crate) enum Verdict {
    /// The pictures are the same within the tolerance.
    Agrees,
    /// They are not, for a documented reason.
    Exception(&'static str),
    /// They are not.
    Differs,
    /// One side has no picture, or the shader has inputs that cannot be set (for the corpus only: no verdict).
    NoPicture(String),
    /// The GPU has no picture to compare with, for a reason that is not ours.
    NotCompared(String),
}

impl Row {
    /// The verdict on a comparison.
    pub(crate) fn new(subject: &Subject, form: Form, comparison: Result<Comparison, Failure>) -> Row {
        let verdict = match &comparison {
            Ok(comparison) if comparison.difference.clears(form.bar()) => Verdict::Agrees,
            Ok(_) => reason(&subject.name, form).map_or(Verdict::Differs, Verdict::Exception),
            Err(Failure::Ours(why)) => Verdict::NoPicture(format!("planish: {why}")),
            Err(Failure::Theirs(why) | Failure::MissingInput(why)) if subject.set != Set::Corpus => {
                Verdict::NoPicture(why.clone())
            }
            Err(Failure::Theirs(why) | Failure::MissingInput(why)) => Verdict::NotCompared(why.clone()),
        };
        Row { name: subject.name.clone(), set: subject.set, form, comparison: comparison.ok(), verdict }
    }

    fn share(&self) -> String {
        percent(self.comparison.map(|j| j.difference))
    }

    fn own(&self) -> String {
        percent(self.comparison.and_then(|j| j.own))
    }

    /// For the table's last column.
    fn remark(&self) -> String {
        match &self.verdict {
            Verdict::Agrees => String::new(),
            Verdict::Exception(why) => format!("exception: {why}"),
            Verdict::Differs => "**differs**".into(),
            Verdict::NoPicture(why) => format!("**no picture**: {}", first_line(why)),
            Verdict::NotCompared(why) => format!("not compared: {}", first_line(why)),
        }
    }

    fn largest(&self) -> String {
        self.comparison.map_or("–".into(), |j| format!("{:.1}", j.difference.largest * 255.0))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.form.bar().steps;
        match self.form {
            Form::Original => write!(f, "{}: ", self.name)?,
            form => write!(f, "{} ({}): ", self.name, form.name())?,
        }
        match &self.verdict {
            Verdict::Agrees => write!(f, "agrees"),
            Verdict::Exception(why) => write!(f, "{} within {steps}/255, an exception: {why}", self.share()),
            Verdict::Differs => write!(
                f,
                "DIFFERS: {} within {steps}/255, at most {}/255; the GPU with itself: {}",
                self.share(),
                self.largest(),
                self.own()
            ),
            Verdict::NoPicture(why) => write!(f, "NO PICTURE: {why}"),
            Verdict::NotCompared(why) => write!(f, "not compared: {}", why.lines().next().unwrap_or_default()),
        }
    }
}

/// All of a run.
pub(crate) struct Report {
    pub(crate) renderer: String,
    /// The device of wgpu.
    pub(crate) device: Option<String>,
    pub(crate) rows: Vec<Row>,
}

impl Report {
    /// Whether every difference has a reason, and (of a whole run) enough shaders agree.
    pub(crate) fn holds(&self, whole: bool) -> bool {
        let originals = self.rows.iter().filter(|row| row.form == Form::Original && row.set != Set::Flatten);
        let enough = !whole || originals.filter(|row| matches!(row.verdict, Verdict::Agrees)).count() >= ENOUGH;
        enough && self.rows.iter().all(|row| !matches!(row.verdict, Verdict::Differs | Verdict::NoPicture(_)))
    }

    /// A line for the originals, and one for each kind of twins.
    pub(crate) fn summary(&self) -> String {
        let line = |form: Form, what: &str| {
            let count =
                |is: fn(&Verdict) -> bool| self.rows.iter().filter(|row| row.form == form && is(&row.verdict)).count();
            let agree = count(|v| matches!(v, Verdict::Agrees));
            let exceptions = count(|v| matches!(v, Verdict::Exception(_)));
            let differ = count(|v| matches!(v, Verdict::Differs | Verdict::NoPicture(_)));
            let not_compared = count(|v| matches!(v, Verdict::NotCompared(_)));
            format!(
                "{agree} {what} agree with the GPU, {exceptions} differ for a known reason, {differ} fail, \
                 {not_compared} are not compared."
            )
        };
        let forms = [
            (Form::Original, "shaders"),
            (Form::Flat, "flat twins"),
            (Form::Fast, "flat twins with fast-math"),
            (Form::Device, "shaders as WGSL"),
        ];
        let shown = forms.iter().filter(|(form, _)| self.rows.iter().any(|row| row.form == *form));
        shown.map(|(form, what)| line(*form, what)).collect::<Vec<_>>().join("\n")
    }

    /// The document.
    pub(crate) fn document(&self) -> String {
        let mut text = format!(
            "# The evaluator against a software GPU\n\n\
             Written by `cargo xtask gpu`. Each shader is drawn twice at the same size, with the same uniforms, varyings \
             and textures: by the evaluator of Planish, and by {}. A pixel agrees if all four channels are within 1/255 after \
             clamping to 0…1; a shader agrees if {} % of its pixels do, and at least {ENOUGH} shaders must agree. The GPU draws \
             to 32-bit floats, its textures are 32-bit floats, and `mediump` and `lowp` are raised to `highp`, since the \
             evaluator always computes in 32 bits. The column *the GPU with itself* compares two pictures of the GPU, the \
             second with every input float changed in its last bit: values below 100 % depend on rounding, which GLSL does not specify.\n\n{}\n",
            self.renderer,
            SAME.share * 100.0,
            self.summary().replace('\n', "\n\n")
        );
        self.table(&mut text, "The examples", Set::Examples);
        self.twins(&mut text);
        self.table(&mut text, "Images in VL", Set::Images);
        self.table(&mut text, "A sample of the conformance corpus", Set::Corpus);
        self.by_device(&mut text);
        text
    }

    /// The rows of the device that are not the evaluator's picture to the last pixel.
    fn by_device(&self, text: &mut String) {
        let Some(device) = &self.device else { return };
        write!(
            text,
            "\n## As WGSL, by wgpu\n\nThe same pictures by `planish run --gpu`: the shader as WGSL, on {device}. Shaders that are not here agree with all \
             their pixels. Inputs and outputs of all kinds are compared in `xtask/gpu/src/interface.rs`.\n\n| shader | pixels within 1/255 | largest difference, in 1/255 | remark |\n| --- | --- | --- | --- |\n"
        )
        .expect("strings grow");
        let all = |row: &&Row| row.comparison.is_some_and(|c| c.difference.within == 1.0);
        for row in self.rows.iter().filter(|row| row.form == Form::Device && !all(row)) {
            let (share, largest) = (row.share(), row.largest());
            writeln!(text, "| {} | {share} | {largest} | {} |", row.name, row.remark()).expect("strings grow");
        }
    }

    fn table(&self, text: &mut String, title: &str, set: Set) {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.set == set && row.form != Form::Device).collect();
        if rows.is_empty() {
            return;
        }
        let header = "| shader | pixels within 1/255 | largest difference, in 1/255 | the GPU with itself | remark |\n| --- | --- | --- | --- | --- |";
        write!(text, "\n## {title}\n\n{header}\n").expect("strings grow");
        for row in rows {
            let (share, largest, own) = (row.share(), row.largest(), row.own());
            writeln!(text, "| {} | {share} | {largest} | {own} | {} |", row.name, row.remark()).expect("strings grow");
        }
    }

    /// The shaders whose twins are drawn, too: three rows are one.
    fn twins(&self, text: &mut String) {
        let rows: Vec<&Row> =
            self.rows.iter().filter(|row| row.set == Set::Flatten && row.form != Form::Device).collect();
        if rows.is_empty() {
            return;
        }
        write!(
            text,
            "\n## Flat twins\n\nThe shaders of `examples/flatten`, and what `--flatten` makes of them, written as GLSL and drawn \
             by the GPU; all three are compared with the evaluator's picture of the original. With `--fast-math`, {} % of the \
             pixels must be within {}/255. Each cell has the share of the pixels, and the largest difference in 1/255.\n\n\
             | shader | original | the GPU with itself | flat | flat, fast-math | remark |\n\
             | --- | --- | --- | --- | --- | --- |\n",
            FAST.share * 100.0,
            FAST.steps
        )
        .expect("strings grow");
        for rows in rows.chunk_by(|a, b| a.name == b.name) {
            let mut line = format!("| {} |", rows[0].name.trim_start_matches("flatten/"));
            for row in rows {
                write!(line, " {}, {} |", row.share(), row.largest()).expect("strings grow");
                if row.form == Form::Original {
                    write!(line, " {} |", row.own()).expect("strings grow");
                }
            }
            // A remark shared by several forms is written once.
            let mut remarks: Vec<(String, Vec<&str>)> = vec![];
            for row in rows.iter().filter(|row| !matches!(row.verdict, Verdict::Agrees)) {
                match remarks.iter_mut().find(|(remark, _)| *remark == row.remark()) {
                    Some((_, forms)) => forms.push(row.form.name()),
                    None => remarks.push((row.remark(), vec![row.form.name()])),
                }
            }
            let remarks = remarks.iter().map(|(remark, forms)| format!("{}: {remark}", forms.join(" and ")));
            let remarks: Vec<String> = remarks.collect();
            writeln!(text, "{line} {} |", remarks.join("; ")).expect("strings grow");
        }
    }
}

/// The share that is within, rounded down, so that 100 % means all.
fn percent(difference: Option<Difference>) -> String {
    difference.map_or("–".into(), |d| format!("{:.2} %", (d.within * 10_000.0).floor() / 100.0))
}

fn first_line(why: &str) -> String {
    why.lines().next().unwrap_or_default().replace('|', "\\|")
}

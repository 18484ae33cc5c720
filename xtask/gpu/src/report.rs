//! The table of `docs/gpu.md`.

use std::fmt::{self, Write as _};

use crate::compare::{Difference, SHARE, compare};
use crate::draw::{Failure, Pictures};
use crate::exceptions::reason;
use crate::subjects::Subject;

/// How many shaders must agree.
const ENOUGH: usize = 60;

/// What became of one shader.
pub(crate) struct Row {
    name: String,
    example: bool,
    difference: Option<Difference>,
    /// Between two pictures of the GPU, whose inputs differ in their last bits.
    own: Option<Difference>,
    pub(crate) verdict: Verdict,
}

/// The judgement.
pub(crate) enum Verdict {
    /// The pictures are the same, as far as a display shows.
    Agrees,
    /// They are not, for a documented reason.
    Exception(&'static str),
    /// They are not.
    Differs,
    /// One of the two gave no picture, or the judge cannot feed the shader (of the corpus only: no verdict).
    NoPicture(String),
    /// The GPU has no picture to compare with, for a reason that is not ours.
    NotJudged(String),
}

impl Row {
    /// Judges what was drawn.
    pub(crate) fn new(subject: &Subject, drawn: Result<Pictures, Failure>) -> Row {
        let difference = drawn.as_ref().ok().map(|p| compare(&p.ours, &p.theirs));
        let own = drawn.as_ref().ok().map(|p| compare(&p.theirs, &p.nudged));
        let verdict = match (&drawn, difference) {
            (Ok(_), Some(d)) if d.agrees() => Verdict::Agrees,
            (Ok(_), _) => reason(&subject.name).map_or(Verdict::Differs, Verdict::Exception),
            (Err(Failure::Ours(why)), _) => Verdict::NoPicture(format!("planish: {why}")),
            (Err(Failure::Theirs(why) | Failure::CannotFeed(why)), _) if subject.example => {
                Verdict::NoPicture(why.clone())
            }
            (Err(Failure::Theirs(why) | Failure::CannotFeed(why)), _) => Verdict::NotJudged(why.clone()),
        };
        Row { name: subject.name.clone(), example: subject.example, difference, own, verdict }
    }

    fn share(&self) -> String {
        percent(self.difference)
    }

    fn largest(&self) -> String {
        self.difference.map_or("–".into(), |d| format!("{:.1}", d.largest * 255.0))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        match &self.verdict {
            Verdict::Agrees => write!(f, "agrees"),
            Verdict::Exception(why) => write!(f, "{} within 1/255, an exception: {why}", self.share()),
            Verdict::Differs => write!(
                f,
                "DIFFERS: {} within 1/255, at most {}/255; the GPU with itself: {}",
                self.share(),
                self.largest(),
                percent(self.own)
            ),
            Verdict::NoPicture(why) => write!(f, "NO PICTURE: {why}"),
            Verdict::NotJudged(why) => write!(f, "not judged: {}", why.lines().next().unwrap_or_default()),
        }
    }
}

/// All of a run.
pub(crate) struct Report {
    pub(crate) renderer: String,
    pub(crate) rows: Vec<Row>,
}

impl Report {
    /// Whether nothing differs without a reason, and (of a whole run) enough shaders agree.
    pub(crate) fn holds(&self, whole: bool) -> bool {
        let enough = !whole || self.count(|v| matches!(v, Verdict::Agrees)) >= ENOUGH;
        enough && self.count(|v| matches!(v, Verdict::Differs | Verdict::NoPicture(_))) == 0
    }

    fn count(&self, is: impl Fn(&Verdict) -> bool) -> usize {
        self.rows.iter().filter(|row| is(&row.verdict)).count()
    }

    /// One line.
    pub(crate) fn summary(&self) -> String {
        let agree = self.count(|v| matches!(v, Verdict::Agrees));
        let exceptions = self.count(|v| matches!(v, Verdict::Exception(_)));
        let differ = self.count(|v| matches!(v, Verdict::Differs | Verdict::NoPicture(_)));
        let unjudged = self.count(|v| matches!(v, Verdict::NotJudged(_)));
        format!(
            "{agree} shaders agree with the GPU, {exceptions} differ for a known reason, {differ} fail, {unjudged} are not judged"
        )
    }

    /// The document.
    pub(crate) fn document(&self) -> String {
        let mut text = format!(
            "# The evaluator against a software GPU\n\n\
             Written by `cargo xtask gpu`. Each shader is drawn twice at the same size and fed the same uniforms, varyings \
             and textures: by planish's evaluator, and by {}. A pixel agrees if all four channels are within 1/255 after \
             clamping to 0…1; a shader agrees if {} % of its pixels do, and at least {ENOUGH} shaders have to. The GPU draws \
             into 32-bit floats, its textures hold 32-bit floats, and everything that GLSL ES would let it compute in 16 \
             bits (`mediump`, `lowp`) is raised to `highp`, since the evaluator computes in 32 bits always. The column *the GPU with \
             itself* compares two pictures of the GPU, the second one with every float that it is fed changed in its last \
             bit: what is below 100 % there hangs on rounding, which GLSL leaves open.\n\n{}.\n",
            self.renderer,
            SHARE * 100.0,
            self.summary()
        );
        self.table(&mut text, "The examples", true);
        self.table(&mut text, "A sample of the conformance corpus", false);
        text
    }

    fn table(&self, text: &mut String, title: &str, example: bool) {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.example == example).collect();
        if rows.is_empty() {
            return;
        }
        let header = "| shader | pixels within 1/255 | largest difference, in 1/255 | the GPU with itself | remark |\n| --- | --- | --- | --- | --- |";
        write!(text, "\n## {title}\n\n{header}\n").expect("strings grow");
        for row in rows {
            let remark = match &row.verdict {
                Verdict::Agrees => String::new(),
                Verdict::Exception(why) => format!("exception: {why}"),
                Verdict::Differs => "**differs**".into(),
                Verdict::NoPicture(why) => format!("**no picture**: {}", first_line(why)),
                Verdict::NotJudged(why) => format!("not judged: {}", first_line(why)),
            };
            writeln!(text, "| {} | {} | {} | {} | {remark} |", row.name, row.share(), row.largest(), percent(row.own))
                .expect("strings grow");
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

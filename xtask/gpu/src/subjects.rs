//! Shaders to draw: the repository's examples, and a sample of the conformance corpus if it has been harvested.

use std::io;

use planish::InputKind;
use planish::module::{Module, Stage};
use planish_gl::Api;

use crate::draw::{self, Failure};
use crate::twins::{self, Form};

/// Number of programs of the corpus that are drawn.
const SAMPLE: usize = 90;

/// A fragment shader to draw.
pub(crate) struct Subject {
    /// `plasma`, or `three/0123.frag` of the corpus.
    pub(crate) name: String,
    /// As its author wrote it.
    pub(crate) source: String,
    /// Width and height of the picture, in pixels.
    pub(crate) size: [u32; 2],
    /// Its language.
    pub(crate) input: InputKind,
    pub(crate) set: Set,
}

/// Origin of shaders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Set {
    /// `examples/shaders`: all of them must be drawn.
    Examples,
    /// The corpus: only shaders whose inputs can be set must be drawn.
    Corpus,
    /// Those of `examples/vl` that are images: all of them must be drawn, with reals in double precision.
    Images,
    /// `examples/flatten`: all of them must be drawn, and their flat twins as well.
    Flatten,
}

/// The context for a source.
pub(crate) fn api(source: &str) -> Api {
    let version = source.lines().map(str::trim).find(|line| line.starts_with("#version")).unwrap_or_default();
    let number: u32 = version.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(100);
    if version.ends_with("es") || number == 100 { Api::Es } else { Api::Desktop }
}

impl Subject {
    /// The forms that the GPU draws.
    pub(crate) fn forms(&self) -> &'static [Form] {
        if self.set == Set::Flatten {
            &[Form::Original, Form::Flat, Form::Fast, Form::Device]
        } else {
            &[Form::Original, Form::Device]
        }
    }

    /// The source for the GPU: a Shadertoy source is wrapped here rather than by the compiler under test. Languages
    /// other than GLSL are written as GLSL.
    pub(crate) fn for_gpu(&self, module: &Module) -> Result<String, Failure> {
        match self.input {
            InputKind::Vl => return twins::optimized_glsl(module),
            InputKind::Glsl => {}
            _ => return twins::glsl(module),
        }
        if !self.source.contains("void mainImage(") {
            return Ok(self.source.clone());
        }
        let around = "#version 300 es\nprecision highp float;\nprecision highp int;\n\
            uniform vec3 iResolution; uniform float iTime; uniform float iTimeDelta; uniform int iFrame; \
            uniform vec4 iMouse; uniform vec4 iDate; uniform vec3 iChannelResolution[4]; uniform float iChannelTime[4]; \
            uniform sampler2D iChannel0; uniform sampler2D iChannel1; uniform sampler2D iChannel2; uniform sampler2D iChannel3; \
            out vec4 planish_color;\n";
        let main = "void main() { mainImage(planish_color, gl_FragCoord.xy); }";
        Ok(format!("{around}{}\n{main}\n", self.source))
    }
}

/// All of `examples/shaders`, by name.
pub(crate) fn examples() -> io::Result<Vec<Subject>> {
    folder("shaders", [192, 192], Set::Examples)
}

/// All of `examples/flatten`, by name: smaller, since each is drawn three times.
pub(crate) fn flatten() -> io::Result<Vec<Subject>> {
    folder("flatten", [96, 96], Set::Flatten)
}

/// Those of `examples/vl` that are images, by name.
pub(crate) fn images() -> io::Result<Vec<Subject>> {
    let mut all = folder("vl", [192, 128], Set::Images)?;
    // Others compute numbers.
    all.retain(|subject| {
        let module = draw::module(subject.input, &subject.name, &subject.source);
        module.is_ok_and(|module| module.entry_point(Some(Stage::Fragment)).is_some())
    });
    Ok(all)
}

fn folder(name: &str, size: [u32; 2], set: Set) -> io::Result<Vec<Subject>> {
    let mut subjects = vec![];
    for entry in std::fs::read_dir(xtask::root().join("examples").join(name))? {
        let path = entry?.path();
        let input = match path.extension().and_then(|e| e.to_str()) {
            Some("frag") => InputKind::Glsl,
            Some("wgsl") => InputKind::Wgsl,
            Some("vl") => InputKind::Vl,
            _ => continue,
        };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = match set {
            Set::Flatten => format!("flatten/{stem}"),
            Set::Images => format!("vl/{stem}"),
            Set::Examples | Set::Corpus => stem.into_owned(),
        };
        subjects.push(Subject { name, source: std::fs::read_to_string(&path)?, size, input, set });
    }
    subjects.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(subjects)
}

/// An even sample of the corpus' fragment shaders; none if there is no corpus.
pub(crate) fn corpus() -> io::Result<Vec<Subject>> {
    let folder = xtask::conformance_folder();
    let Ok(programs) = xtask::corpus::read(&folder) else { return Ok(vec![]) };
    let fragments: Vec<_> = programs.iter().filter(|p| p.stage == "frag" && p.accepted == Some(true)).collect();
    let step = (fragments.len() / SAMPLE).max(1);
    let sampled = fragments.into_iter().step_by(step);
    let read = sampled.map(|program| {
        let source = std::fs::read_to_string(program.path(&folder.join("programs")))?;
        let name = format!("{}/{}", program.package, program.file);
        Ok(Subject { name, source, size: [64, 64], input: InputKind::Glsl, set: Set::Corpus })
    });
    read.collect()
}

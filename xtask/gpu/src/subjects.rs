//! What is drawn: the repository's examples, and a sample of the conformance corpus where it has been harvested.

use std::io;

use planish_gl::Api;

/// How many programs of the corpus are drawn.
const SAMPLE: usize = 90;

/// A fragment shader to draw.
pub(crate) struct Subject {
    /// `plasma`, or `three/0123.frag` of the corpus.
    pub(crate) name: String,
    /// As its author wrote it.
    pub(crate) source: String,
    /// Width and height of the picture, in pixels.
    pub(crate) size: [u32; 2],
    /// Whether it is one of the examples: all of them must be drawn. Of the corpus those are that need only what can be fed.
    pub(crate) example: bool,
}

impl Subject {
    /// Which context takes it.
    pub(crate) fn api(&self) -> Api {
        let version = self.source.lines().map(str::trim).find(|line| line.starts_with("#version")).unwrap_or_default();
        let number: u32 = version.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(100);
        if version.ends_with("es") || number == 100 { Api::Es } else { Api::Desktop }
    }

    /// What a GPU gets: a Shadertoy source becomes a whole shader. It is wrapped here once more, and not by the compiler
    /// under test.
    pub(crate) fn for_gpu(&self) -> String {
        if !self.source.contains("void mainImage(") {
            return self.source.clone();
        }
        let around = "#version 300 es\nprecision highp float;\nprecision highp int;\n\
            uniform vec3 iResolution; uniform float iTime; uniform float iTimeDelta; uniform int iFrame; \
            uniform vec4 iMouse; uniform vec4 iDate; uniform vec3 iChannelResolution[4]; uniform float iChannelTime[4]; \
            uniform sampler2D iChannel0; uniform sampler2D iChannel1; uniform sampler2D iChannel2; uniform sampler2D iChannel3; \
            out vec4 planish_color;\n";
        let main = "void main() { mainImage(planish_color, gl_FragCoord.xy); }";
        format!("{around}{}\n{main}\n", self.source)
    }
}

/// All of `examples/shaders`, by name.
pub(crate) fn examples() -> io::Result<Vec<Subject>> {
    let mut subjects = vec![];
    for entry in std::fs::read_dir(xtask::root().join("examples/shaders"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|e| e != "frag") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        subjects.push(Subject { name, source: std::fs::read_to_string(&path)?, size: [192, 192], example: true });
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
        Ok(Subject { name, source, size: [64, 64], example: false })
    });
    read.collect()
}

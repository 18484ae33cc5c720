//! Output files for external tools, and the verdicts of naga, glslangValidator and spirv-val.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use naga::valid::{Capabilities, ValidationFlags, Validator};
use xtask::corpus::Program;
use xtask::{Failure, validators};

use crate::outcome::{Outcome, Reason};

/// The environment that SPIR-V is validated for: the oldest Vulkan that anyone still ships.
const ENVIRONMENT: &str = "vulkan1.1";

/// Directory of our GLSL, which mirrors the corpus.
pub(crate) fn glsl_folder(folder: &Path) -> PathBuf {
    folder.join("out/glsl")
}

/// Path of a program's SPIR-V.
pub(crate) fn spirv_path(folder: &Path, program: &Program) -> PathBuf {
    folder.join("out/spirv").join(&program.package).join(format!("{}.spv", program.file))
}

/// Clears the outputs of the last run, and creates the directories of this one.
pub(crate) fn prepare(folder: &Path, programs: &[Program]) -> Result<(), Failure> {
    let out = folder.join("out");
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    for group in programs.chunk_by(|a, b| a.package == b.package) {
        std::fs::create_dir_all(glsl_folder(folder).join(&group[0].package))?;
        std::fs::create_dir_all(out.join("spirv").join(&group[0].package))?;
    }
    Ok(())
}

/// naga must parse our WGSL and find it valid.
pub(crate) fn check_wgsl(text: &str) -> Result<(), Reason> {
    let said = |message: String| Reason::new("naga on our WGSL", message);
    let module = naga::front::wgsl::parse_str(text).map_err(|error| {
        let line = error.location(text).map(|location| location.line_number);
        Reason { line, ..said(error.message().to_string()) }
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&module).map(|_| ()).map_err(|error| said(chain(error.as_inner())))
}

/// An error with all its causes, outermost first.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// Runs the tools on the output files, and adds their verdicts to the outcomes.
pub(crate) fn run_validators(folder: &Path, outcomes: &mut [Outcome], jobs: usize) -> Result<(), Failure> {
    let asked: Vec<usize> = (0..outcomes.len()).filter(|i| outcomes[*i].glsl.is_fine()).collect();
    let glsl = glsl_folder(folder);
    let files: Vec<_> =
        asked.iter().map(|i| (outcomes[*i].program.path(&glsl), outcomes[*i].program.stage.as_str())).collect();
    let verdicts = validators::glslang(&files, &folder.join("out/oracle"), jobs)?;
    drop(files);
    for (i, verdict) in asked.into_iter().zip(verdicts) {
        let said = verdict.map_or(Ok(()), |message| Err(Reason::new("glslangValidator on our GLSL", message)));
        outcomes[i].glsl.and(said);
    }

    ask_about_pairs(folder, outcomes, jobs)?;

    let asked: Vec<usize> = (0..outcomes.len()).filter(|i| outcomes[*i].spirv.is_fine()).collect();
    let files: Vec<_> = asked.iter().map(|i| spirv_path(folder, &outcomes[*i].program)).collect();
    let verdicts = validators::spirv_val(&files, ENVIRONMENT, jobs)?;
    for (i, verdict) in asked.into_iter().zip(verdicts) {
        let said = verdict.map_or(Ok(()), |message| Err(Reason::new("spirv-val", message)));
        outcomes[i].spirv.and(said);
    }
    Ok(())
}

/// Checks that the stages of a program still match: each vertex shader's GLSL with that of its first partner.
fn ask_about_pairs(folder: &Path, outcomes: &mut [Outcome], jobs: usize) -> Result<(), Failure> {
    let glsl = glsl_folder(folder);
    let fine: HashMap<PathBuf, usize> = (0..outcomes.len())
        .filter(|i| outcomes[*i].glsl.is_fine())
        .map(|i| (outcomes[i].program.path(&glsl), i))
        .collect();
    let partner = |i: usize| Some(glsl.join(&outcomes[i].program.package).join(outcomes[i].program.partner.as_ref()?));
    let mut asked: Vec<(usize, [PathBuf; 2])> = vec![];
    for (path, i) in fine.iter().filter(|(_, i)| outcomes[**i].program.stage == "vert") {
        if let Some(other) = partner(*i).filter(|other| fine.contains_key(other)) {
            asked.push((*i, [path.clone(), other]));
        }
    }
    asked.sort();
    let (indices, pairs): (Vec<usize>, Vec<[PathBuf; 2]>) = asked.into_iter().unzip();
    let verdicts = validators::glslang_link(&pairs, &folder.join("out/oracle"), jobs)?;
    for (i, verdict) in indices.into_iter().zip(verdicts) {
        let said = verdict.map_or(Ok(()), |message| Err(Reason::new("glslangValidator on the pair", message)));
        outcomes[i].linked.and(said);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_wgsl;

    #[test]
    fn naga_judges_syntax_and_meaning() {
        let shader = |body: &str| format!("@fragment fn main() -> @location(0) vec4<f32> {{ {body} }}");
        assert_eq!(check_wgsl(&shader("return vec4(1.0);")), Ok(()));
        let syntax = check_wgsl(&shader("return vec4(1.0)")).unwrap_err();
        assert_eq!(syntax.line, Some(1));
        // Valid syntax, but invalid: both have the same binding.
        let twice = "@group(0) @binding(0) var a: sampler; @group(0) @binding(0) var t: texture_2d<f32>;";
        let main = shader("return textureSample(t, a, vec2(0.0));");
        assert!(check_wgsl(&format!("{twice}\n{main}")).unwrap_err().message.contains("onflict"));
    }
}

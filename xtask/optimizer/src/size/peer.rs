//! spirv-opt's output for a program. glslang gets our own GLSL 4.50 of the program as the front end reads it (not
//! optimized), so that both begin with the same shader.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use planish::module::Module;
use planish::{EmitOptions, Target, Version};
use serde::{Deserialize, Serialize};
use xtask::conformance_folder;
use xtask::corpus::Program;
use xtask::validators::rename_word;

use super::words::{Counts, count};
use crate::subject;

/// The environment that SPIR-V is validated for, as in the conformance run.
pub(super) const ENVIRONMENT: &str = "vulkan1.1";

/// The result of the peer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Peer {
    /// Fingerprint of the input; the cached result is invalid if it differs.
    key: u64,
    /// Output of glslang.
    pub(super) unoptimized: Counts,
    /// After `spirv-opt -O`.
    pub(super) speed: Counts,
    /// After `spirv-opt -Os`.
    pub(super) size: Counts,
}

impl Peer {
    /// The better of the two, in each respect.
    pub(super) fn best(&self) -> Counts {
        Counts {
            body: self.speed.body.min(self.size.body),
            arithmetic: self.speed.arithmetic.min(self.size.arithmetic),
            ..self.speed
        }
    }
}

/// Path of a cached file of a program, with this extension.
pub(crate) fn file(program: &Program, extension: &str) -> PathBuf {
    let folder = conformance_folder().join("size").join(&program.package);
    folder.join(format!("{}.{extension}", program.file))
}

/// The program as GLSL 4.50 for glslang.
pub(crate) fn twin(module: &Module) -> Result<String, String> {
    let version = Version::parse("450").expect("is a version");
    let options = EmitOptions { version: Some(version), ..EmitOptions::default() };
    let bytes = subject::write(module, Target::Glsl, &options)?;
    let text = String::from_utf8(bytes).map_err(|e| e.to_string())?;
    // A type in GLSL for Vulkan, a name in the rest.
    Ok(rename_word(&text, "sampler", "sampler_"))
}

/// Runs glslang and spirv-opt on the program, or returns their cached result.
pub(super) fn peer(program: &Program, module: &Module, tools: &str) -> Result<Peer, String> {
    let twin = twin(module)?;
    let mut hasher = DefaultHasher::new();
    (tools, &twin).hash(&mut hasher);
    let key = hasher.finish();
    let cached = file(program, "json");
    let kept = std::fs::read_to_string(&cached).ok().and_then(|text| serde_json::from_str::<Peer>(&text).ok());
    if let Some(peer) = kept.filter(|peer| peer.key == key) {
        return Ok(peer);
    }
    let [source, unoptimized, speed, size] =
        ["450.glsl", "unoptimized.spv", "spirv-opt-O.spv", "spirv-opt-Os.spv"].map(|e| file(program, e));
    let to_message = |e: std::io::Error| e.to_string();
    std::fs::create_dir_all(source.parent().expect("a file in a folder")).map_err(to_message)?;
    std::fs::write(&source, twin).map_err(to_message)?;
    glslang(&program.stage, &[], &source, &unoptimized)?;
    spirv_opt(&unoptimized, &["-O"], &speed)?;
    spirv_opt(&unoptimized, &["-Os"], &size)?;
    let counted = |path: &Path| {
        validate(path)?;
        count(&std::fs::read(path).map_err(to_message)?)
    };
    let peer = Peer { key, unoptimized: counted(&unoptimized)?, speed: counted(&speed)?, size: counted(&size)? };
    std::fs::write(cached, serde_json::to_string(&peer).expect("plain data")).map_err(to_message)?;
    for file in [&speed, &size] {
        std::fs::remove_file(file).map_err(to_message)?;
    }
    Ok(peer)
}

/// GLSL to SPIR-V for Vulkan; loose uniforms are gathered in a block, bindings and locations are assigned.
pub(crate) fn glslang(stage: &str, more: &[&str], source: &Path, to: &Path) -> Result<(), String> {
    let mut command = Command::new("glslangValidator");
    command.args(["-V", "-R", "--auto-map-locations", "--auto-map-bindings", "-S", stage]).args(more);
    run(command.arg(source).arg("-o").arg(to), "glslangValidator")
}

/// SPIR-V to SPIR-V.
pub(crate) fn spirv_opt(from: &Path, passes: &[&str], to: &Path) -> Result<(), String> {
    run(Command::new("spirv-opt").args(passes).arg(from).arg("-o").arg(to), "spirv-opt")
}

/// Asks spirv-val.
pub(super) fn validate(path: &Path) -> Result<(), String> {
    run(Command::new("spirv-val").args(["--target-env", ENVIRONMENT]).arg(path), "spirv-val")
}

/// SPIR-V as text.
pub(super) fn disassemble(from: &Path, to: &Path) -> Result<(), String> {
    run(Command::new("spirv-dis").arg(from).arg("-o").arg(to), "spirv-dis")
}

/// Runs a tool; the first line of its output is the error.
fn run(command: &mut Command, name: &str) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("{name}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let to_message = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned();
    let mut lines = to_message.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().find(|line| line.contains("rror")).or_else(|| lines.next());
    let error = lines.find(|line| line.starts_with("ERROR: ") || line.starts_with("error: ")).or(first);
    Err(format!("{name}: {}", error.unwrap_or("no message")))
}

/// The versions of the tools, which are part of the cache key.
pub(crate) fn tools() -> Result<String, String> {
    let version = |tool: &str| {
        let output = Command::new(tool).arg("--version").output();
        let to_message =
            output.map_err(|_| format!("`{tool}` cannot be started; on Debian: spirv-tools, glslang-tools"))?;
        Ok(String::from_utf8_lossy(&to_message.stdout).lines().next().unwrap_or_default().trim().to_owned())
    };
    let versions: Result<Vec<String>, String> =
        ["glslangValidator", "spirv-opt", "spirv-val"].into_iter().map(version).collect();
    Ok(versions?.join("; "))
}

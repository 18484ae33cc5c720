//! A simple if-conversion by spirv-opt, for orientation: its result for the same shader, and whether branches are left.

use std::hash::{DefaultHasher, Hash, Hasher};

use planish::module::Module;
use serde::{Deserialize, Serialize};
use xtask::corpus::Program;

use crate::size::{self, Counts};

/// Inlines, unrolls, turns branches into selects, and cleans up.
const PASSES: [&str; 5] =
    ["--inline-entry-points-exhaustive", "--if-conversion", "--loop-unroll", "--simplify-instructions", "-O"];

/// The result of the peer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Peer {
    /// Fingerprint of the input; the cached result is invalid if it differs.
    key: u64,
    /// Size of the result.
    pub(super) counts: Counts,
}

/// Runs spirv-opt on the program, or returns its cached result.
pub(super) fn peer(program: &Program, module: &Module, tools: &str) -> Result<Peer, String> {
    let twin = size::twin(module)?;
    let mut hasher = DefaultHasher::new();
    (tools, PASSES, &twin).hash(&mut hasher);
    let key = hasher.finish();
    let cached = size::file(program, "flat.json");
    let kept = std::fs::read_to_string(&cached).ok().and_then(|text| serde_json::from_str::<Peer>(&text).ok());
    if let Some(peer) = kept.filter(|peer| peer.key == key) {
        return Ok(peer);
    }
    let [source, before, after] = ["flat.glsl", "flat-before.spv", "flat-after.spv"].map(|e| size::file(program, e));
    let to_message = |e: std::io::Error| e.to_string();
    std::fs::create_dir_all(source.parent().expect("a file in a folder")).map_err(to_message)?;
    std::fs::write(&source, twin).map_err(to_message)?;
    size::glslang(&program.stage, &[], &source, &before)?;
    size::spirv_opt(&before, &PASSES, &after)?;
    let peer = Peer { key, counts: size::count(&std::fs::read(&after).map_err(to_message)?)? };
    for file in [&source, &before, &after] {
        std::fs::remove_file(file).map_err(to_message)?;
    }
    std::fs::write(cached, serde_json::to_string(&peer).expect("plain data")).map_err(to_message)?;
    Ok(peer)
}

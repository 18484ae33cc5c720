//! The external tools that the conformance run needs, and their packages.

use std::process::{Command, Stdio};

use crate::Failure;

/// A command, and the Debian package that has it.
pub(super) struct Tool {
    command: &'static str,
    package: &'static str,
}

/// All of them.
pub(super) const ALL: [Tool; 4] = [
    Tool { command: "node", package: "nodejs" },
    Tool { command: "npm", package: "npm" },
    Tool { command: "glslangValidator", package: "glslang-tools" },
    Tool { command: "spirv-val", package: "spirv-tools" },
];

/// Fails with one message that names every missing tool and the packages that have them.
pub(super) fn require(tools: &[Tool]) -> Result<(), Failure> {
    let missing: Vec<&Tool> = tools.iter().filter(|tool| !answers(tool.command)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let commands: Vec<_> = missing.iter().map(|tool| format!("`{}`", tool.command)).collect();
    let packages: Vec<_> = missing.iter().map(|tool| tool.package).collect();
    Err(Failure::Missing(format!(
        "the conformance run needs {}, which cannot be started here; on Debian: apt-get install {}",
        commands.join(", "),
        packages.join(" ")
    )))
}

/// The version of a tool: the first line identifies it.
pub(super) fn version(command: &str) -> String {
    let output = Command::new(command).arg("--version").output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_string()
}

fn answers(command: &str) -> bool {
    Command::new(command).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

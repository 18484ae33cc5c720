//! Validation of SPIR-V by external tools.

// Not every test that has this module uses all of it.
use std::io::Write as _;
use std::process::{Command, Stdio};

/// `spirv-val` must take the words; where it is missing, that is skipped with a message.
pub(crate) fn accepts(words: &[u32], environment: &str) {
    let command = Command::new("spirv-val")
        .args(["--target-env", environment, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = command else {
        eprintln!("skipped: there is no spirv-val");
        return;
    };
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    child.stdin.take().expect("piped").write_all(&bytes).expect("spirv-val reads");
    let output = child.wait_with_output().expect("spirv-val ends");
    let said = [output.stdout, output.stderr].map(|s| String::from_utf8_lossy(&s).into_owned()).concat();
    assert!(output.status.success(), "{said}");
}

/// The instructions of a module.
pub(crate) fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = &words[5..];
    std::iter::from_fn(move || {
        let length = (*rest.first()? >> 16) as usize;
        let (instruction, after) = rest.split_at(length);
        rest = after;
        Some(instruction)
    })
}

//! The external references: verdicts of the user's next tools about files. Files are checked in batches, since starting
//! a process costs more than a verdict.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

/// Number of files for one process of glslang.
const BATCH: usize = 64;

/// A tool's verdict on a file: `None` if it is fine, else the first message.
pub type Verdict = Option<String>;

/// Checks GLSL files with `glslangValidator`, each with its stage (`vert`, `frag`, `comp`). Verdicts are in the order
/// of the files.
///
/// Version 12 takes a user's function named `average` for a redeclaration of a built-in of its own, so it gets a copy
/// below `copies` with another name.
pub fn glslang(files: &[(PathBuf, &str)], copies: &Path, jobs: usize) -> io::Result<Vec<Verdict>> {
    let mut batches: Vec<(&str, Vec<(usize, PathBuf)>)> = vec![];
    for (i, (path, stage)) in files.iter().enumerate() {
        let asked = without_average(path, &copies.join(i.to_string()).with_extension(stage))?;
        match batches.iter_mut().find(|(s, batch)| s == stage && batch.len() < BATCH) {
            Some((_, batch)) => batch.push((i, asked)),
            None => batches.push((stage, vec![(i, asked)])),
        }
    }
    let verdicts = Mutex::new(vec![None; files.len()]);
    in_parallel(batches, jobs, |(stage, batch)| -> io::Result<()> {
        let paths: Vec<&Path> = batch.iter().map(|(_, path)| path.as_path()).collect();
        let messages = glslang_batch(stage, &paths)?;
        let mut verdicts = verdicts.lock().expect("no verdict panics");
        for ((i, _), verdict) in batch.iter().zip(messages) {
            verdicts[*i] = verdict;
        }
        Ok(())
    })?;
    Ok(verdicts.into_inner().expect("no verdict panics"))
}

/// Checks with `glslangValidator` that the stages of a program match. Verdicts are in the order of the programs.
pub fn glslang_link(programs: &[[PathBuf; 2]], copies: &Path, jobs: usize) -> io::Result<Vec<Verdict>> {
    let verdicts = Mutex::new(vec![None; programs.len()]);
    in_parallel(programs.iter().enumerate().collect(), jobs, |(i, stages)| -> io::Result<()> {
        let mut command = Command::new("glslangValidator");
        command.arg("-l");
        for stage in stages {
            let extension = stage.extension().unwrap_or_default();
            command.arg(without_average(stage, &copies.join(i.to_string()).with_extension(extension))?);
        }
        let output = command.output()?;
        let messages = String::from_utf8_lossy(&output.stdout);
        let message = messages.lines().find_map(|line| line.strip_prefix("ERROR: ")).unwrap_or("no message");
        let verdict = if output.status.success() { None } else { Some(message.to_string()) };
        verdicts.lock().expect("no verdict panics")[i] = verdict;
        Ok(())
    })?;
    Ok(verdicts.into_inner().expect("no verdict panics"))
}

/// Asks `spirv-val` about SPIR-V modules, for the given target environment (`vulkan1.1`, …).
pub fn spirv_val(files: &[PathBuf], environment: &str, jobs: usize) -> io::Result<Vec<Verdict>> {
    let verdicts = Mutex::new(vec![None; files.len()]);
    in_parallel(files.iter().enumerate().collect(), jobs, |(i, path)| -> io::Result<()> {
        let output = Command::new("spirv-val").args(["--target-env", environment]).arg(path).output()?;
        let verdict = if output.status.success() { None } else { Some(first_line(&output)) };
        verdicts.lock().expect("no verdict panics")[i] = verdict;
        Ok(())
    })?;
    Ok(verdicts.into_inner().expect("no verdict panics"))
}

/// Runs `action` on every item, on `jobs` threads; the first failure wins.
pub(crate) fn in_parallel<T: Send, E: Send>(
    items: Vec<T>,
    jobs: usize,
    action: impl Fn(T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let queue = Mutex::new(items.into_iter());
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("taking does not panic").next();
                    let Some(item) = next else { break };
                    if let Err(error) = action(item) {
                        failure.lock().expect("storing does not panic").get_or_insert(error);
                        break;
                    }
                }
            });
        }
    });
    failure.into_inner().expect("storing does not panic").map_or(Ok(()), Err)
}

/// One process of glslang over files of one stage.
fn glslang_batch(stage: &str, paths: &[&Path]) -> io::Result<Vec<Verdict>> {
    let output = Command::new("glslangValidator").args(["-S", stage]).args(paths).output()?;
    if output.status.success() {
        return Ok(vec![None; paths.len()]);
    }
    // A name on a line of its own, followed by the messages about that file. After a crash the rest of a batch has no
    // verdict.
    let messages = String::from_utf8_lossy(&output.stdout);
    let mut verdicts: HashMap<&str, Verdict> = HashMap::new();
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let mut current = None;
    for line in messages.lines() {
        if let Some(name) = names.iter().find(|name| *name == line) {
            current = Some(name.as_str());
            verdicts.insert(name, None);
        } else if let (Some(name), Some(message)) = (current, line.strip_prefix("ERROR: ")) {
            verdicts.get_mut(name).expect("inserted above").get_or_insert_with(|| message.to_string());
        }
    }
    let whole = output.status.code().is_some() && verdicts.len() == names.len();
    match (whole, paths) {
        (true, _) => Ok(names.iter().map(|name| verdicts[name.as_str()].clone()).collect()),
        (false, [_]) => Ok(vec![Some(format!("glslangValidator ended with {}", output.status))]),
        (false, _) => {
            let (left, right) = paths.split_at(paths.len() / 2);
            let mut all = glslang_batch(stage, left)?;
            all.extend(glslang_batch(stage, right)?);
            Ok(all)
        }
    }
}

/// The file itself, or a copy in which its function `average` has another name.
fn without_average(path: &Path, copy: &Path) -> io::Result<PathBuf> {
    let text = std::fs::read_to_string(path)?;
    let renamed = rename_word(&text, "average", "average_");
    if renamed == text {
        return Ok(path.to_path_buf());
    }
    std::fs::create_dir_all(copy.parent().expect("a file in a folder"))?;
    std::fs::write(copy, renamed)?;
    Ok(copy.to_path_buf())
}

/// Replaces a whole identifier.
pub fn rename_word(text: &str, from: &str, to: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        result.push_str(before);
        result.push_str(if whole { to } else { from });
        rest = after;
    }
    result + rest
}

pub(crate) fn first_line(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text);
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message").trim().to_string()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::process::Command;

    use super::{glslang, glslang_link, rename_word, spirv_val};

    #[test]
    fn renames_whole_words_only() {
        let text = "vec3 average(averages a) { return average (a.x_average); }";
        let renamed = "vec3 average_(averages a) { return average_ (a.x_average); }";
        assert_eq!(rename_word(text, "average", "average_"), renamed);
    }

    /// A fresh folder for a test's files, or `None` if the tool is missing; CI has them all.
    fn folder(tool: &str, name: &str) -> Option<PathBuf> {
        if Command::new(tool).arg("--version").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "CI must have {tool}");
            eprintln!("skipped: there is no {tool} here");
            return None;
        }
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/validator-tests").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Some(folder)
    }

    fn write(folder: &std::path::Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn verdicts_come_in_the_order_of_the_files() {
        let Some(folder) = folder("glslangValidator", "order") else { return };
        let right = "void main() { gl_FragColor = vec4(1.0); }";
        let wrong = "void main() { gl_FragColor = vec3(1.0); }";
        let average = "precision mediump float; float average(float a) { return a; } void main() { gl_FragColor = vec4(average(1.0)); }";
        let vertex = "void main() { gl_Position = vec4(0.0); }";
        let sources =
            [("a.frag", right), ("b.frag", wrong), ("c.vert", vertex), ("d.frag", average), ("e.vert", wrong)];
        let files: Vec<_> =
            sources.iter().map(|(name, text)| (write(&folder, name, text), name.split_once('.').unwrap().1)).collect();
        let verdicts = glslang(&files, &folder.join("copies"), 2).unwrap();
        let accepted: Vec<bool> = verdicts.iter().map(Option::is_none).collect();
        assert_eq!(accepted, [true, false, true, true, false], "{verdicts:?}");
        assert!(verdicts[1].as_ref().unwrap().contains("cannot convert"), "{verdicts:?}");
    }

    #[test]
    fn stages_must_fit_together() {
        let Some(folder) = folder("glslangValidator", "link") else { return };
        let stage =
            |io: &str, main: &str| format!("#version 300 es\nprecision highp float;\n{io}\nvoid main() {{ {main} }}\n");
        let vertex = write(&folder, "a.vert", &stage("out vec2 uv;", "uv = vec2(0.0); gl_Position = vec4(0.0);"));
        let fits = write(&folder, "a.frag", &stage("in vec2 uv; out vec4 c;", "c = uv.xyxy;"));
        let misfit = write(&folder, "b.frag", &stage("in vec3 uv; out vec4 c;", "c = uv.xyzz;"));
        let programs = [[vertex.clone(), fits], [vertex, misfit]];
        let verdicts = glslang_link(&programs, &folder.join("copies"), 1).unwrap();
        assert_eq!(verdicts.iter().map(Option::is_none).collect::<Vec<_>>(), [true, false], "{verdicts:?}");
    }

    #[test]
    fn words_that_are_no_module_are_not_valid() {
        let Some(folder) = folder("spirv-val", "words") else { return };
        let noise = write(&folder, "noise.spv", "no module");
        let verdicts = spirv_val(&[noise], "vulkan1.1", 1).unwrap();
        assert!(verdicts[0].is_some());
    }
}

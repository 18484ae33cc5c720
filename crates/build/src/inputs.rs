//! The shaders of a build: files of folders, the names of their modules, and their grouping into programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use planish::{rust_identifier, stage_from_file};

use crate::Error;

/// Something that a build was told to compile.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Folder(PathBuf),
    File(PathBuf),
}

/// A file to compile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// Its path below the folder that was given.
    pub(crate) name: PathBuf,
}

/// The stages of one program, or one file.
pub(crate) struct Group {
    /// The name of its module.
    pub(crate) name: String,
    pub(crate) sources: Vec<Source>,
}

/// The programs in the order of their names, and the folders that were looked at.
pub(crate) fn groups(inputs: &[Input], group_stages: bool) -> Result<(Vec<Group>, Vec<PathBuf>), Error> {
    let (mut sources, mut folders) = (vec![], vec![]);
    for input in inputs {
        match input {
            Input::Folder(folder) => {
                let before = sources.len();
                shaders_of(folder, Path::new(""), &mut vec![], &mut sources)?;
                if sources.len() == before {
                    return Err(Error::new(format!(
                        "no shaders in {}: their names end in .vert, .frag, .comp, .vs, .fs, .cs (also with .glsl after it), .wgsl or .spv, \
                         and other files are for `#include`",
                        folder.display()
                    )));
                }
                folders.push(folder.clone());
            }
            Input::File(file) => {
                let name = file.file_name().ok_or_else(|| Error::new(format!("{} is no file", file.display())))?;
                sources.push(Source { path: file.clone(), name: name.into() });
            }
        }
    }
    if sources.is_empty() {
        return Err(Error::new("there is nothing to compile: name shaders with `folder` or `file`"));
    }
    let mut programs: BTreeMap<PathBuf, Vec<Source>> = BTreeMap::new();
    for (i, source) in sources.iter().enumerate() {
        let earlier = sources[..i].iter().find(|earlier| earlier.name == source.name);
        match earlier {
            Some(earlier) if earlier.path == source.path => continue,
            Some(earlier) => return Err(two_of_one_name(earlier, source, "two shaders of one name")),
            None => {}
        }
        let key = if group_stages { stem(&source.name) } else { source.name.clone() };
        programs.entry(key).or_default().push(source.clone());
    }
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for sources in programs.into_values() {
        let name = module_name(&sources[0].name);
        if let Some(other) = groups.get(&name) {
            let [a, b] = [&other.sources[0], &sources[0]];
            let stages = stem(&a.name) == stem(&b.name);
            let help = if stages {
                "`group_stages` makes one program of the stages that have one name"
            } else {
                "rename one of them"
            };
            return Err(two_of_one_name(a, b, &format!("two modules of the name `{name}`; {help}")));
        }
        groups.insert(name.clone(), Group { name, sources });
    }
    Ok((groups.into_values().collect(), folders))
}

fn two_of_one_name(a: &Source, b: &Source, what: &str) -> Error {
    Error::new(format!("{} and {} would be {what}", a.path.display(), b.path.display()))
}

/// The shaders of a folder and of those in it, sorted. Hidden files are none.
/// Recursion: over the folders; `above` are those that this one is in, so that links do not make a circle.
fn shaders_of(folder: &Path, name: &Path, above: &mut Vec<PathBuf>, found: &mut Vec<Source>) -> Result<(), Error> {
    let cannot = |error| Error::new(format!("cannot read the folder {}: {error}", folder.display()));
    let place = folder.canonicalize().map_err(cannot)?;
    if above.contains(&place) {
        return Ok(());
    }
    above.push(place);
    let mut names = vec![];
    for entry in fs::read_dir(folder).map_err(cannot)? {
        names.push(entry.map_err(cannot)?.file_name());
    }
    names.sort();
    for entry in names.into_iter().filter(|name| !name.as_encoded_bytes().starts_with(b".")) {
        let (path, name) = (folder.join(&entry), name.join(&entry));
        if path.is_dir() {
            shaders_of(&path, &name, above, found)?;
        } else if is_shader(&name) && !is_module(&path) {
            found.push(Source { path, name });
        }
    }
    above.pop();
    Ok(())
}

/// Whether a file of a folder is a shader by its name: one with a stage, WGSL or SPIR-V.
fn is_shader(name: &Path) -> bool {
    let is_whole = name.extension().is_some_and(|e| e == "wgsl" || e == "spv");
    is_whole || stage_from_file(&name.to_string_lossy()).is_some()
}

/// Whether a file is for `#import` alone.
fn is_module(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "wgsl") && planish_files::import_path(file).is_some()
}

/// The path without what tells the stage: `post/blur` of `post/blur.frag` and `post/blur.frag.glsl`.
fn stem(name: &Path) -> PathBuf {
    let inner = name.with_extension("");
    match name.extension().is_some_and(|e| e == "glsl") && stage_from_file(&inner.to_string_lossy()).is_some() {
        true => inner.with_extension(""),
        false => inner,
    }
}

/// The name of the module of a file: `post_blur` of `post/blur.frag`.
fn module_name(name: &Path) -> String {
    rust_identifier(&stem(name).to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_have_names_of_rust() {
        let of = |name: &str| module_name(Path::new(name));
        assert_eq!(["sky.frag", "sky.frag.glsl", "post/blur.wgsl"].map(of), ["sky", "sky", "post_blur"]);
        assert_eq!(["2d-sky.frag", "fn.frag", "a.b.spv"].map(of), ["n2d_sky", "fn_", "a_b"]);
        let is = |name: &str| is_shader(Path::new(name));
        assert_eq!(["a.fs", "a.vert.glsl", "a.spv", "a.glsl", "a.txt"].map(is), [true, true, true, false, false]);
    }
}

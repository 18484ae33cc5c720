//! `#include` from folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use planish::{IncludeResolver, Options, Prelude};

/// `#include` from the including file's folder, then from the given folders.
#[derive(Clone, Debug)]
pub struct Includes {
    folders: Vec<PathBuf>,
    /// Whether `<name>` is a chunk of three.js, in a file `name`, `name.glsl` or `name.glsl.js`.
    chunks: bool,
    /// The files that were read.
    found: Vec<PathBuf>,
}

impl Includes {
    /// Includes from these folders, for compilations under these options.
    pub fn new(folders: Vec<PathBuf>, options: &Options) -> Self {
        let chunks = options.preludes.contains(&Prelude::Three);
        Includes { folders, chunks, found: vec![] }
    }

    /// The files that were read, in order; one that is included twice is there twice.
    pub fn into_found(self) -> Vec<PathBuf> {
        self.found
    }

    fn read(&mut self, path: PathBuf) -> Option<(String, Arc<str>)> {
        // Comments may contain any bytes; invalid ones elsewhere are reported by the front end.
        let text = std::fs::read(&path).ok()?;
        let shown = path.display().to_string();
        self.found.push(path);
        Some((shown, String::from_utf8_lossy(&text).into()))
    }
}

impl IncludeResolver for Includes {
    fn resolve(&mut self, name: &str, from: &str, system: bool) -> Option<(String, Arc<str>)> {
        let own = (!system).then(|| Path::new(from).parent().map(Path::to_path_buf)).flatten();
        let folders: Vec<PathBuf> = own.into_iter().chain(self.folders.iter().cloned()).collect();
        let names = [name.to_owned(), format!("{name}.glsl"), format!("{name}.glsl.js")];
        let names = if self.chunks && system { &names[..] } else { &names[..1] };
        let mut paths = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
        let (name, text) = paths.find_map(|path| self.read(path))?;
        match self.chunks && name.ends_with(".js") {
            true => planish::text_of_chunk(&text).map(|text| (name, text.into())),
            false => Some((name, text)),
        }
    }
}

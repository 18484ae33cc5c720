//! `#include` from folders.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use planish::{IncludeResolver, Options, Prelude};

/// The texts of files, by path, for several compilations at about the same time; `None` where there is no file.
#[derive(Debug, Default)]
pub struct Texts(Mutex<HashMap<PathBuf, Option<Arc<str>>>>);

impl Texts {
    /// The text of a file, which is read once.
    fn get(&self, path: &Path) -> Option<Arc<str>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let text = read(path);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), text.clone());
            text
        })
    }
}

/// The text of a file. Comments may contain any bytes; invalid ones elsewhere are reported by the front end.
fn read(path: &Path) -> Option<Arc<str>> {
    let bytes = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into())
}

/// `#include` from the including file's folder, then from the given folders.
#[derive(Clone, Debug)]
pub struct Includes {
    folders: Vec<PathBuf>,
    /// Whether `<name>` is a chunk of three.js, in a file `name`, `name.glsl` or `name.glsl.js`.
    chunks: bool,
    /// The files that were read.
    found: Vec<PathBuf>,
    /// Files that other compilations have read, too.
    texts: Option<Arc<Texts>>,
}

impl Includes {
    /// Includes from these folders, for compilations under these options.
    pub fn new(folders: Vec<PathBuf>, options: &Options) -> Self {
        let chunks = options.preludes.contains(&Prelude::Three);
        Includes { folders, chunks, found: vec![], texts: None }
    }

    /// The files that were read, in order; one that is included twice is there twice.
    pub fn into_found(self) -> Vec<PathBuf> {
        self.found
    }

    /// The same, with the texts that other compilations have read.
    #[must_use]
    pub fn sharing(self, texts: &Arc<Texts>) -> Self {
        Includes { texts: Some(Arc::clone(texts)), ..self }
    }

    fn read(&mut self, path: PathBuf) -> Option<(String, Arc<str>)> {
        let text = match &self.texts {
            Some(texts) => texts.get(&path),
            None => read(&path),
        }?;
        let shown = path.display().to_string();
        self.found.push(path);
        Some((shown, text))
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

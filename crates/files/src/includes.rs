//! `#include` from folders.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use planish::{IncludeResolver, Options, Prelude};

/// The texts of files and the modules of WGSL in folders, for several compilations at about the same time.
#[derive(Debug, Default)]
pub struct Texts {
    /// By path; `None` where there is no file.
    texts: Mutex<HashMap<PathBuf, Option<Arc<str>>>>,
    /// By folder, of that alone or (if true) of those below, too.
    modules: Mutex<HashMap<(PathBuf, bool), Modules>>,
}

/// Files of modules of WGSL, by the paths that they define.
type Modules = Arc<HashMap<String, PathBuf>>;

impl Texts {
    /// The text of a file, which is read once.
    fn get(&self, path: &Path) -> Option<Arc<str>> {
        let known = self.texts.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let text = read(path);
            self.texts.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), text.clone());
            text
        })
    }

    /// The modules in a folder, which is searched once.
    fn modules(&self, folder: PathBuf, is_deep: bool) -> Modules {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let search = |(folder, is_deep): &(PathBuf, bool)| Arc::new(modules_in(folder, *is_deep));
        modules.entry((folder, is_deep)).or_insert_with_key(search).clone()
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
    /// Files that were read, perhaps by other compilations, too.
    texts: Arc<Texts>,
}

/// The path of the module of WGSL that a file is, if it is one: that of `#define_import_path`.
pub fn import_path(file: &Path) -> Option<String> {
    let text = read(file)?;
    let path = text.lines().find_map(|line| line.trim().strip_prefix("#define_import_path"))?;
    Some(path.trim().trim_end_matches(';').to_owned())
}

/// Files that are searched in one folder for modules.
const MOST_FILES: usize = 20_000;

/// The files of a folder that define an import path, by that. Of several files with one path, the first by name.
fn modules_in(folder: &Path, is_deep: bool) -> HashMap<String, PathBuf> {
    let mut modules = HashMap::new();
    let (mut folders, mut files) = (vec![folder.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            if path.extension().is_some_and(|extension| extension == "wgsl") && files < MOST_FILES {
                files += 1;
                if let Some(name) = import_path(&path) {
                    let path = path.strip_prefix("./").map(Path::to_owned).unwrap_or(path);
                    modules.entry(name).or_insert(path);
                }
            } else if is_deep && path.is_dir() && !path.is_symlink() {
                folders.push(path);
            }
        }
    }
    modules
}

impl Includes {
    /// Includes from these folders, for compilations under these options.
    pub fn new(folders: Vec<PathBuf>, options: &Options) -> Self {
        let chunks = options.preludes.contains(&Prelude::Three);
        Includes { folders, chunks, found: vec![], texts: Arc::default() }
    }

    /// The files that were read, in order; one that is included twice is there twice.
    pub fn into_found(self) -> Vec<PathBuf> {
        self.found
    }

    /// The same, with the texts that other compilations have read.
    #[must_use]
    pub fn sharing(self, texts: &Arc<Texts>) -> Self {
        Includes { texts: Arc::clone(texts), ..self }
    }

    fn read(&mut self, path: PathBuf) -> Option<(String, Arc<str>)> {
        let text = self.texts.get(&path)?;
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

    /// By the `#define_import_path` of the files in the folders and below, and beside the importing file; else by the name of the file.
    fn module(&mut self, path: &str, from: &str) -> Option<(String, Arc<str>)> {
        let own = Path::new(from).parent().map(Path::to_path_buf);
        let folders = own.into_iter().map(|own| (own, false)).chain(self.folders.iter().map(|f| (f.clone(), true)));
        let found = folders.map(|(folder, is_deep)| self.texts.modules(folder, is_deep).get(path).cloned());
        if let Some(file) = found.flatten().next() {
            return self.read(file);
        }
        self.resolve(&format!("{}.wgsl", path.replace("::", "/")), from, false)
    }
}

//! Shaders compiled by a build script: a folder of GLSL, WGSL and SPIR-V to every language of shaders, and a module of Rust with the code, the
//! names of entry points and bindings, and types for uniforms, storage buffers and vertices, in the layout that the shaders have.
//!
//! ```toml
//! [dependencies]
//! bytemuck = { version = "1", features = ["derive", "min_const_generics"] } # with `bytemuck(true)`
//!
//! [build-dependencies]
//! planish-build = "0.1"
//! ```
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), planish_build::Error> {
//!     planish_build::Build::new().folder("shaders").group_stages(true).bytemuck(true).compile()
//! }
//! ```
//!
//! ```ignore
//! // src/main.rs
//! mod shaders {
//!     include!(concat!(env!("OUT_DIR"), "/shaders.rs"));
//! }
//! let params = shaders::sky::Params::new([640.0, 480.0], 1.5);
//! ```
//!
//! The generated module, for files of a test instead of those of a crate:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = std::env::temp_dir().join(format!("planish-build-{}", std::process::id()));
//! std::fs::create_dir_all(folder.join("shaders"))?;
//! std::fs::write(
//!     folder.join("shaders/sky.frag"),
//!     "#version 300 es
//!     precision highp float;
//!     uniform Params { vec2 size; float time; };
//!     out vec4 color;
//!     void main() { color = vec4(gl_FragCoord.xy / size, time, 1.0); }",
//! )?;
//! let output = planish_build::Build::new().folder(folder.join("shaders")).compile_to(&folder)?;
//! let module = std::fs::read_to_string(&output.module)?;
//! assert!(module.contains("pub const WGSL: &str = include_str!(\"shaders/sky.frag.wgsl\");"));
//! assert!(module.contains("pub const fn new(size: [f32; 2], time: f32) -> Self"));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! The guide is `docs/build-scripts.md`.

#![forbid(unsafe_code)]

mod code;
mod error;
mod inputs;
mod layout;
mod program;
mod write;

use std::env;
use std::path::{Path, PathBuf};

use planish::{Settings, Target};

pub use error::Error;
/// The library, for its targets and settings.
pub use planish;

use inputs::Input;

/// The shaders of a crate, and how they are compiled.
#[derive(Clone, Debug)]
#[must_use = "`compile` compiles the shaders"]
pub struct Build {
    inputs: Vec<Input>,
    targets: Vec<Target>,
    settings: Settings,
    /// Settings that were wrong.
    wrong: Vec<String>,
    includes: Vec<PathBuf>,
    preludes: Vec<PathBuf>,
    environment: Vec<String>,
    group_stages: bool,
    types: bool,
    bytemuck: bool,
    wgpu: bool,
    name: String,
}

impl Default for Build {
    fn default() -> Self {
        let mut settings = Settings::default();
        settings.set("level", "2").expect("there is the level");
        Build {
            inputs: vec![],
            targets: vec![],
            settings,
            wrong: vec![],
            includes: vec![],
            preludes: vec![],
            environment: vec![],
            group_stages: false,
            types: true,
            bytemuck: false,
            wgpu: false,
            name: "shaders".into(),
        }
    }
}

/// The files of a build.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Output {
    /// The module of Rust.
    pub module: PathBuf,
    /// All files, the module included, whether or not they had changed.
    pub files: Vec<PathBuf>,
    /// The files and folders that were read: the result depends on nothing else but the environment.
    pub read: Vec<PathBuf>,
    /// Warnings about the shaders with their lines.
    pub warnings: Vec<String>,
}

impl Build {
    /// Nothing to compile yet; to WGSL, optimized for speed.
    pub fn new() -> Self {
        Build::default()
    }

    /// Compiles all shaders of a folder and the folders in it: files with a stage in their name (`.vert`, `.frag`, `.comp`, `.vs`, `.fs`, `.cs`, also
    /// with `.glsl` after it), `.wgsl` and `.spv`. Other files are for `#include`, and WGSL with `#define_import_path` is for `#import`. Paths are relative to the folder of `Cargo.toml`.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.inputs.push(Input::Folder(folder.into()));
        self
    }

    /// Compiles a file, in any language that Planish reads.
    pub fn file(mut self, file: impl Into<PathBuf>) -> Self {
        self.inputs.push(Input::File(file.into()));
        self
    }

    /// Adds a target. Without any, shaders are compiled to WGSL.
    pub fn target(mut self, target: Target) -> Self {
        self.targets.push(target);
        self
    }

    /// Adds targets.
    pub fn targets(mut self, targets: impl IntoIterator<Item = Target>) -> Self {
        self.targets.extend(targets);
        self
    }

    /// All settings, in place of those so far. Those of [`Build::new`] are the defaults with level 2.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets a setting by the name that `planish compile` has for it: `set("level", "s")`, `set("minify", "true")`, `set("override", "COUNT=4")`
    /// ([`Settings::set`]). Overrides that one of the programs has not are those of others.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.wrong.extend(self.settings.set(name, value).err());
        self
    }

    /// Defines a macro of GLSL.
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.read.defines.push((name.into(), value.into()));
        self
    }

    /// Defines a macro with the value of an environment variable of the same name, if there is one; the shaders are compiled again when it changes.
    pub fn define_from_env(mut self, name: impl Into<String>) -> Self {
        self.environment.push(name.into());
        self
    }

    /// A folder for `#include`, after that of the file with the `#include`.
    pub fn include(mut self, folder: impl Into<PathBuf>) -> Self {
        self.includes.push(folder.into());
        self
    }

    /// A file of GLSL that is read before every shader, after other preludes.
    pub fn prelude_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.preludes.push(file.into());
        self
    }

    /// Files that differ only in their stage, as `sky.vert` and `sky.frag`, are the stages of one program: they are linked, so that they have the same
    /// locations and uniforms, and have one module with a module for each stage in it. Off by default.
    pub fn group_stages(mut self, wanted: bool) -> Self {
        self.group_stages = wanted;
        self
    }

    /// Structs for blocks and vertices. On by default.
    pub fn types(mut self, wanted: bool) -> Self {
        self.types = wanted;
        self
    }

    /// Structs derive `bytemuck::Pod` and `bytemuck::Zeroable`: the crate needs `bytemuck` with the features `derive` and `min_const_generics`. Off by
    /// default.
    pub fn bytemuck(mut self, wanted: bool) -> Self {
        self.bytemuck = wanted;
        self
    }

    /// Functions and constants for `wgpu`: shader modules from the WGSL, layouts of bind groups and vertices. The crate needs `wgpu` 30. Off by
    /// default.
    pub fn wgpu(mut self, wanted: bool) -> Self {
        self.wgpu = wanted;
        self
    }

    /// The name of the module's file and of the folder with the outputs, `shaders` by default: for several builds in one script.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Compiles the shaders into the build script's `OUT_DIR`, and tells Cargo what to watch. Warnings are shown as those of the script.
    ///
    /// # Errors
    /// Errors of the shaders, and files that cannot be read or written. Then nothing is written.
    pub fn compile(&self) -> Result<(), Error> {
        let Some(folder) = env::var_os("OUT_DIR") else {
            let help = "call `compile` from a build script, or `compile_to` with a folder elsewhere";
            return Err(Error::new(format!("OUT_DIR is not set, which Cargo sets for build scripts: {help}")));
        };
        let output = self.compile_to(folder)?;
        for line in write::directives(&output, &self.environment)? {
            println!("{line}");
        }
        Ok(())
    }

    /// Compiles the shaders into a folder, and prints nothing. Files whose contents are the same stay as they are.
    ///
    /// # Errors
    /// As [`Build::compile`].
    pub fn compile_to(&self, folder: impl AsRef<Path>) -> Result<Output, Error> {
        self.check()?;
        let (groups, folders) = inputs::groups(&self.inputs, self.group_stages)?;
        let compiled = program::compile(self, &groups)?;
        let mut files = vec![];
        for unit in compiled.programs.iter().flat_map(|program| &program.units) {
            files.extend(unit.files.iter().map(|file| (file.name.clone(), file.bytes.clone())));
        }
        let module = PathBuf::from(format!("{}.rs", self.name));
        files.push((module.clone(), compiled.code.into_bytes()));
        let folder = folder.as_ref();
        let files = write::write(folder, files)?;
        let read = folders.into_iter().chain(compiled.read).collect();
        Ok(Output { module: folder.join(module), files, read, warnings: compiled.warnings })
    }

    /// Checks the options.
    fn check(&self) -> Result<(), Error> {
        if let Some(wrong) = self.wrong.first() {
            return Err(Error::new(wrong));
        }
        if self.wgpu && !self.all_targets().contains(&Target::Wgsl) {
            return Err(Error::new("`wgpu` is for WGSL, and that is none of the targets: add `Target::Wgsl`"));
        }
        let is_name = |name: &str| planish::rust_identifier(name) == name;
        if !is_name(&self.name) {
            return Err(Error::new(format!("`{}` is no name for a module of Rust", self.name)));
        }
        Ok(())
    }

    fn all_targets(&self) -> Vec<Target> {
        let mut targets = if self.targets.is_empty() { vec![Target::Wgsl] } else { self.targets.clone() };
        let mut seen = vec![];
        targets.retain(|target| {
            !seen.contains(target) && {
                seen.push(*target);
                true
            }
        });
        targets
    }
}

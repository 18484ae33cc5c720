//! Compiles the functions of `src/kernels.rs` to a static library, and writes the Rust that calls it.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use planish::stage::Library;

#[path = "src/kernels.rs"]
mod kernels;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/kernels.rs");
    let mut library = Library::new("kernels", Some(&env::var("TARGET")?));
    library.add(&kernels::dot()?)?;
    library.add(&kernels::blur()?)?;
    library.add(&kernels::turn()?)?;
    library.add(&kernels::summary()?)?;
    let folder = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(folder.join(library.file_name()), library.archive())?;
    fs::write(folder.join("kernels.rs"), library.rust())?;
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=static=kernels");
    Ok(())
}

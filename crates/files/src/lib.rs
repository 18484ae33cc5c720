//! Files of the `planish` command and of build scripts: the library reads and writes none.
//!
//! ```
//! let folder = std::env::temp_dir();
//! let file = folder.join(format!("planish-files-{}", std::process::id()));
//! planish_files::replace(&file, b"whole").unwrap();
//! assert_eq!(std::fs::read(&file).unwrap(), b"whole");
//! # std::fs::remove_file(file).unwrap();
//! ```

#![forbid(unsafe_code)]

mod includes;
mod replace;

pub use includes::{Includes, Texts, import_path};
pub use replace::{Temporary, folder, replace, replacing};

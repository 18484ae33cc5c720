//! Calls of WASI as used by Rust's standard library. Exits with 7, or panics.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, ErrorKind, Read, Seek, SeekFrom, Write};

fn main() {
    assert_eq!(std::env::args().skip(1).collect::<Vec<_>>(), ["argument"]);
    assert_eq!(std::env::vars().collect::<Vec<_>>(), [("NAME".to_string(), "value".to_string())]);
    assert_eq!(std::io::stdin().lock().lines().map(Result::unwrap).collect::<Vec<_>>(), ["input"]);
    fs::create_dir_all("/data/rs/inner").unwrap();
    fs::write("/data/rs/inner/file", "hello").unwrap();
    let mut file = OpenOptions::new().read(true).write(true).open("/data/rs/inner/file").unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    file.write_all(b" world").unwrap();
    file.rewind().unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), file.metadata().unwrap().len()), ("hello world", 11));
    file.set_len(5).unwrap();
    file.sync_all().unwrap();
    OpenOptions::new().append(true).open("/data/rs/inner/file").unwrap().write_all(b"!").unwrap();
    fs::rename("/data/rs/inner/file", "/data/rs/moved").unwrap();
    fs::copy("/data/rs/moved", "/data/rs/copied").unwrap();
    fs::hard_link("/data/rs/moved", "/data/rs/linked").unwrap();
    assert_eq!(fs::read_to_string("/data/rs/linked").unwrap(), "hello!");
    // More than one buffer of names.
    (0..300).for_each(|i| fs::write(format!("/data/rs/inner/a-rather-long-name-{i}"), "").unwrap());
    assert_eq!(fs::read_dir("/data/rs/inner").unwrap().count(), 300);
    assert_eq!(fs::read("/data/none").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(fs::read("/data/../secret").unwrap_err().kind(), ErrorKind::PermissionDenied);
    fs::remove_dir_all("/data/rs").unwrap();
    let start = std::time::Instant::now();
    std::thread::sleep(std::time::Duration::from_millis(3));
    assert!(start.elapsed().as_millis() >= 3);
    println!("all is well");
    std::process::exit(7);
}

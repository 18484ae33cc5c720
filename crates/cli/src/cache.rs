//! Results of earlier runs, in a folder or behind an HTTP cache, which machines may share.
//!
//! The layout is that of Bazel's HTTP cache, which plain file servers with PUT can hold too:
//!
//! ```text
//! ac/KEY     KEY: SHA-256 of all that the result depends on, this program included
//!            contents: an ActionResult of Bazel's remote execution interface, which lists outputs by their digests
//! cas/HASH   HASH: SHA-256 of the contents: an output
//! ```
//!
//! An output whose contents have another digest is none: damage costs time only. Files in a folder are replaced atomically.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};

use crate::Stop;

/// Bytes in a folder, above which the files that were not used for longest are deleted.
const LARGEST: u64 = 1 << 30;

/// A folder or a server.
pub(crate) struct Cache {
    place: Place,
    /// Of this program.
    tool: String,
    hits: AtomicUsize,
    /// Whether it is asked no more, since it failed.
    is_off: AtomicBool,
    /// The first failure.
    failure: Mutex<Option<String>>,
}

enum Place {
    Folder(PathBuf),
    #[cfg(not(target_family = "wasm"))]
    Server {
        agent: ureq::Agent,
        url: String,
    },
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Cache {
    /// The cache of a folder, which is made, or of a URL.
    ///
    /// # Errors
    /// If it is neither, or the folder cannot be made, or this program cannot be read.
    pub(crate) fn open(place: &str) -> Result<Self, Stop> {
        let place = match place.split_once("://") {
            #[cfg(not(target_family = "wasm"))]
            Some(("http", _)) => {
                let timeout = Some(std::time::Duration::from_secs(10));
                let config = ureq::Agent::config_builder().timeout_global(timeout).build();
                Place::Server { agent: config.into(), url: place.trim_end_matches('/').to_owned() }
            }
            Some(("https", _)) => {
                return Err(Stop::usage(
                    "this build of Planish has no TLS: give --cache an http:// URL, such as that of a proxy",
                ));
            }
            Some(_) => return Err(Stop::usage(format!("--cache takes a folder or an http:// URL, not {place}"))),
            None => {
                let folder = Path::new(place);
                for below in ["ac", "cas"] {
                    crate::output::make_folder(&folder.join(below))?;
                }
                Place::Folder(folder.to_owned())
            }
        };
        let program = crate::PROGRAM.get().cloned().map_or_else(std::env::current_exe, Ok).and_then(fs::read);
        let program = program.map_err(|error| Stop::usage(format!("--cache: cannot read this program: {error}")))?;
        Ok(Cache {
            place,
            tool: digest(&program),
            hits: AtomicUsize::new(0),
            is_off: AtomicBool::new(false),
            failure: Mutex::new(None),
        })
    }

    /// The key of a result that depends on a text and this program.
    pub(crate) fn key(&self, identity: &str) -> String {
        digest(format!("{}\n{identity}", self.tool).as_bytes())
    }

    /// The number of results that were found.
    pub(crate) fn hits(&self) -> usize {
        self.hits.load(Relaxed)
    }

    /// The reason why it is asked no more.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.lock().ok().and_then(|failure| failure.clone())
    }

    /// The outputs of a result; `None` if it is not there.
    pub(crate) fn get(&self, key: &str) -> Option<Vec<Vec<u8>>> {
        let hashes = hashes(&self.read(&format!("ac/{key}"))?)?;
        let output = |hash: &String| {
            let bytes = self.read(&format!("cas/{hash}"))?;
            (digest(&bytes) == *hash).then_some(bytes)
        };
        let outputs = hashes.iter().map(output).collect::<Option<Vec<_>>>()?;
        self.hits.fetch_add(1, Relaxed);
        Some(outputs)
    }

    /// Keeps the outputs of a result.
    pub(crate) fn put(&self, key: &str, outputs: &[&[u8]]) {
        for output in outputs {
            self.write(&format!("cas/{}", digest(output)), output);
        }
        // Only when the outputs are there.
        self.write(&format!("ac/{key}"), &action_result(outputs));
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        if self.is_off.load(Relaxed) {
            return None;
        }
        match &self.place {
            Place::Folder(folder) => {
                let path = folder.join(name);
                let bytes = fs::read(&path).ok()?;
                // The oldest are deleted first.
                let _ = fs::File::options().append(true).open(&path).and_then(|f| f.set_modified(SystemTime::now()));
                Some(bytes)
            }
            #[cfg(not(target_family = "wasm"))]
            Place::Server { agent, url } => match agent.get(format!("{url}/{name}")).call() {
                Ok(response) => response.into_body().with_config().limit(LARGEST).read_to_vec().ok(),
                Err(ureq::Error::StatusCode(404 | 410)) => None,
                Err(error) => {
                    self.fail(error.to_string());
                    None
                }
            },
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        if self.is_off.load(Relaxed) {
            return;
        }
        let written = match &self.place {
            Place::Folder(folder) => {
                planish_files::replace(&folder.join(name), bytes).map_err(|error| error.to_string())
            }
            #[cfg(not(target_family = "wasm"))]
            Place::Server { agent, url } => {
                agent.put(format!("{url}/{name}")).send(bytes).map(drop).map_err(|error| error.to_string())
            }
        };
        if let Err(error) = written {
            self.fail(error);
        }
    }

    fn fail(&self, error: String) {
        self.is_off.store(true, Relaxed);
        if let Ok(mut failure) = self.failure.lock() {
            failure.get_or_insert(error);
        }
    }

    /// Deletes the files that were not used for longest, if there is too much in a folder.
    pub(crate) fn tidy(&self) {
        #[cfg_attr(target_family = "wasm", expect(irrefutable_let_patterns, reason = "there are no servers"))]
        if let Place::Folder(folder) = &self.place {
            let _ = delete_oldest(folder, LARGEST);
        }
    }
}

fn delete_oldest(folder: &Path, most: u64) -> io::Result<()> {
    let mut files = vec![];
    for below in ["ac", "cas"] {
        for entry in fs::read_dir(folder.join(below))? {
            let entry = entry?;
            let data = entry.metadata()?;
            files.push((data.modified()?, data.len(), entry.path()));
        }
    }
    let mut sum: u64 = files.iter().map(|file| file.1).sum();
    if sum <= most {
        return Ok(());
    }
    files.sort();
    for (_, bytes, path) in files {
        if sum <= most / 4 * 3 {
            break;
        }
        fs::remove_file(path)?;
        sum -= bytes;
    }
    Ok(())
}

/// `ActionResult { output_files: [OutputFile { path, digest: Digest { hash, size_bytes } }] }` in Protocol Buffers: the fields 2; 1 and
/// 2; 1 and 2.
fn action_result(outputs: &[&[u8]]) -> Vec<u8> {
    let mut result = vec![];
    for (number, output) in outputs.iter().enumerate() {
        let mut of_digest = vec![];
        field(&mut of_digest, 1, digest(output).as_bytes());
        of_digest.push(2 << 3);
        varint(&mut of_digest, output.len() as u64);
        let mut file = vec![];
        field(&mut file, 1, number.to_string().as_bytes());
        field(&mut file, 2, &of_digest);
        field(&mut result, 2, &file);
    }
    result
}

/// A field with a length.
fn field(to: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    to.push(number << 3 | 2);
    varint(to, bytes.len() as u64);
    to.extend(bytes);
}

fn varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// The digests of the output files of an `ActionResult`; `None` if it is none.
fn hashes(mut result: &[u8]) -> Option<Vec<String>> {
    let mut hashes = vec![];
    while !result.is_empty() {
        let (2, file) = next(&mut result)? else { continue };
        let mut file = file?;
        while !file.is_empty() {
            let (2, digest) = next(&mut file)? else { continue };
            let mut digest = digest?;
            while !digest.is_empty() {
                let (1, hash) = next(&mut digest)? else { continue };
                let hash = std::str::from_utf8(hash?).ok()?;
                let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
                hashes.push(is_hash.then(|| hash.to_owned())?);
            }
        }
    }
    Some(hashes)
}

/// The next field of a message: its number, and its bytes if it has a length.
fn next<'b>(message: &mut &'b [u8]) -> Option<(u64, Option<&'b [u8]>)> {
    let tag = read_varint(message)?;
    let length = match tag & 7 {
        0 => {
            read_varint(message)?;
            return Some((tag >> 3, None));
        }
        1 => 8,
        2 => usize::try_from(read_varint(message)?).ok()?,
        5 => 4,
        _ => return None,
    };
    let bytes;
    (bytes, *message) = message.split_at_checked(length)?;
    Some((tag >> 3, (tag & 7 == 2).then_some(bytes)))
}

fn read_varint(message: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = message.split_first()?;
        *message = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_list_their_outputs_by_digest() {
        let outputs: [&[u8]; 3] = [b"", b"abc", &[7; 300]];
        let result = action_result(&outputs);
        assert_eq!(hashes(&result).unwrap(), outputs.map(digest));
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        for end in 0..result.len() {
            assert!(hashes(&result[..end]).is_none_or(|found| found.len() < 3), "cut at {end}");
        }
        assert_eq!(hashes(&[0xff; 20]), None);
    }

    #[test]
    fn a_folder_gives_what_it_was_given_unless_it_is_damaged() {
        let folder = std::env::temp_dir().join(format!("planish-cache-{}", std::process::id()));
        let cache = Cache::open(folder.to_str().unwrap()).unwrap();
        let key = cache.key("a");
        assert_ne!(key, cache.key("b"));
        assert_eq!(cache.get(&key), None);
        cache.put(&key, &[b"one", b"two"]);
        assert_eq!(cache.get(&key).unwrap(), [b"one", b"two"]);
        assert_eq!(cache.hits(), 1);
        fs::write(folder.join("cas").join(digest(b"two")), b"too").unwrap();
        assert_eq!(cache.get(&key), None, "damaged");
        cache.put(&key, &[b"one", b"two"]);
        assert!(cache.get(&key).is_some());
        delete_oldest(&folder, 4).unwrap();
        assert_eq!(cache.get(&key), None, "deleted");
        fs::remove_dir_all(folder).unwrap();
    }
}

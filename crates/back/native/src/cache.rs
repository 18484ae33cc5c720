//! Code on disk: the code of a module's functions, found again by all that it was made from.
//!
//! ```text
//! name of a file   SHA-256 of the functions as Cranelift gets them, the processor, its features, settings and versions
//! its contents     magic number, SHA-256 of the rest, the code of each function ([`Made`])
//! ```
//!
//! A file is written under another name and renamed when it is complete, so that several processes may share a directory.
//! One that is damaged is as good as none: the code is made again, and takes its place. Places in the source are not in it.

use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::Function;
use planish_ir::entity::Func;
use sha2::{Digest as _, Sha256};

use crate::host::Host;
use crate::link::{Jump, Made};

/// It changes with the format of files.
const MAGIC: &[u8; 8] = b"PLNCODE2";
/// Bytes of a SHA-256.
const DIGEST: usize = 32;
/// Bytes of all files of a directory, above which the oldest are deleted.
const LARGEST: u64 = 256 << 20;

/// A directory with code.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    hits: AtomicU64,
}

/// The name of the code of a module.
pub(crate) struct Key(String);

struct Hashed(Sha256);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("the digest has more bits")
    }
}

impl Key {
    /// Of functions with their numbers, in order; `wide`: with vectors of 256 bits.
    pub(crate) fn new<'f>(host: &Host, wide: bool, functions: impl Iterator<Item = (Func, &'f Function)>) -> Self {
        let mut hashed = Hashed(Sha256::new());
        (MAGIC, cranelift_codegen::VERSION, env!("CARGO_PKG_VERSION")).hash(&mut hashed);
        wide.hash(&mut hashed);
        let isa = &*host.0;
        (isa.name(), isa.triple()).hash(&mut hashed);
        (isa.flags(), isa.isa_flags_hash_key()).hash(&mut hashed);
        for (func, function) in functions {
            func.as_u32().hash(&mut hashed);
            function.stencil.hash(&mut hashed);
            for name in function.params.user_named_funcs().values() {
                (name.namespace, name.index).hash(&mut hashed);
            }
        }
        Key(hashed.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl Cache {
    /// The code in a directory, which is made if it does not exist.
    ///
    /// # Errors
    /// If files cannot be written there, or others than its owner may write: the reason.
    pub fn open(directory: &Path) -> Result<Self, String> {
        let cache = Cache { directory: directory.to_owned(), hits: AtomicU64::new(0) };
        let checked = make(directory).and_then(|()| {
            let probe = cache.unused_path();
            File::create_new(&probe).and_then(|_| fs::remove_file(&probe))
        });
        checked.map_err(|error| format!("`{}` cannot keep code: {error}", directory.display()))?;
        Ok(cache)
    }

    /// Number of modules whose code was there.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// The code of functions, in order; `None` if there is none, or it is damaged.
    pub(crate) fn get(&self, key: &Key, functions: &[Func]) -> Option<Vec<Made>> {
        let path = self.directory.join(&key.0);
        let bytes = fs::read(&path).ok()?;
        let found = read(&bytes, functions)?;
        // The oldest are deleted first.
        let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(found)
    }

    /// Keeps the code of functions. If that fails, the next process makes it again.
    pub(crate) fn insert<'p>(&self, key: &Key, pieces: impl ExactSizeIterator<Item = (Func, &'p Made)>) {
        let path = self.unused_path();
        let written = File::create_new(&path).and_then(|mut file| file.write_all(&write(pieces)));
        if written.and_then(|()| fs::rename(&path, self.directory.join(&key.0))).is_err() {
            let _ = fs::remove_file(&path);
        }
        let _ = self.delete_oldest();
    }

    /// A name that no other thread or process uses.
    fn unused_path(&self) -> PathBuf {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (process, next) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        self.directory.join(format!("new-{process}-{next}-{now}"))
    }

    fn delete_oldest(&self) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let data = entry.metadata()?;
            files.push((data.modified()?, data.len(), entry.path()));
        }
        let mut sum: u64 = files.iter().map(|file| file.1).sum();
        if sum <= LARGEST {
            return Ok(());
        }
        files.sort();
        for (_, bytes, path) in files {
            if sum <= LARGEST / 4 * 3 {
                break;
            }
            fs::remove_file(path)?;
            sum -= bytes;
        }
        Ok(())
    }
}

/// Makes a directory that its owner alone may write to; an error if others may.
fn make(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
        builder.mode(0o700).create(directory)?;
        if fs::metadata(directory)?.mode() & 0o022 != 0 {
            return Err(io::Error::other("others than its owner may write to it, and so have their code run"));
        }
        Ok(())
    }
    #[cfg(not(unix))]
    builder.create(directory)
}

/// The kinds of distances, by their number in a file.
const KINDS: [Reloc; 4] = [Reloc::X86CallPCRel4, Reloc::X86PCRel4, Reloc::X86CallPLTRel4, Reloc::Arm64Call];

/// The contents of a file.
fn write<'p>(pieces: impl ExactSizeIterator<Item = (Func, &'p Made)>) -> Vec<u8> {
    let mut bytes = vec![0; MAGIC.len() + DIGEST];
    let mut put = |word: u32| bytes.extend(word.to_le_bytes());
    put(pieces.len() as u32);
    for (func, made) in pieces {
        [func.as_u32(), made.alignment, made.frame, made.direct].into_iter().for_each(&mut put);
        put(made.jumps.len() as u32);
        for jump in &made.jumps {
            // (One of another kind cannot be linked.)
            let kind = KINDS.iter().position(|&kind| kind == jump.kind).unwrap_or(KINDS.len());
            [jump.at, kind as u32, jump.addend as u32, (jump.addend >> 32) as u32, jump.to.as_u32()]
                .into_iter()
                .for_each(&mut put);
        }
        put(made.faults.len() as u32);
        made.faults.iter().flat_map(|&(at, access)| [at, access]).for_each(&mut put);
        put(made.bytes.len() as u32);
        made.bytes.chunks(4).for_each(|chunk| {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            put(u32::from_le_bytes(word));
        });
    }
    let digest = Sha256::digest(&bytes[MAGIC.len() + DIGEST..]);
    bytes[..MAGIC.len()].copy_from_slice(MAGIC);
    bytes[MAGIC.len()..][..DIGEST].copy_from_slice(&digest);
    bytes
}

/// The code of functions in the contents of a file; `None` if they are not what was written for these functions.
fn read(bytes: &[u8], functions: &[Func]) -> Option<Vec<Made>> {
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (digest, mut rest) = rest.split_first_chunk::<DIGEST>()?;
    if magic != MAGIC || Sha256::digest(rest)[..] != digest[..] {
        return None;
    }
    let mut word = || {
        let (word, after) = rest.split_first_chunk::<4>()?;
        rest = after;
        Some(u32::from_le_bytes(*word))
    };
    if word()? as usize != functions.len() {
        return None;
    }
    let mut all = Vec::with_capacity(functions.len());
    for func in functions {
        if word()? != func.as_u32() {
            return None;
        }
        let (alignment, frame, direct) = (word()?, word()?, word()?);
        let jumps = (0..word()?).map(|_| {
            let (at, kind) = (word()?, *KINDS.get(word()? as usize)?);
            let addend = i64::from(word()?) | i64::from(word()?) << 32;
            let to = Func::from_u32(word()?);
            functions.binary_search(&to).ok()?;
            Some(Jump { at, kind, addend, to })
        });
        let jumps = jumps.collect::<Option<_>>()?;
        let faults = (0..word()?).map(|_| Some((word()?, word()?))).collect::<Option<_>>()?;
        let size = word()? as usize;
        let mut code = Vec::with_capacity(size.next_multiple_of(4));
        for _ in 0..size.div_ceil(4) {
            code.extend(word()?.to_le_bytes());
        }
        code.truncate(size);
        all.push(Made { bytes: code, alignment, frame, direct, jumps, faults });
    }
    Some(all)
}

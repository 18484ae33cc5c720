//! Changes of files, by their times.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Time between two looks at the files.
pub(super) const EVERY: Duration = Duration::from_millis(200);

/// Time and length of a file; `None` if it is not there.
type Stamp = Option<(SystemTime, u64)>;

/// Files that are watched.
pub(super) struct Watch {
    files: Vec<(PathBuf, Stamp)>,
    next: Instant,
}

impl Watch {
    /// Watches these files from now on.
    pub(super) fn new(files: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut files: Vec<PathBuf> = files.into_iter().collect();
        files.sort();
        files.dedup();
        let stamped = files.into_iter().map(|file| (stamp(&file), file)).map(|(stamp, file)| (file, stamp));
        Watch { files: stamped.collect(), next: Instant::now() + EVERY }
    }

    /// True if a file has changed since the last call that returned true. Looks at the files only so often.
    pub(super) fn has_changed(&mut self, now: Instant) -> bool {
        if now < self.next {
            return false;
        }
        self.next = now + EVERY;
        let mut changed = false;
        for (file, last) in &mut self.files {
            let stamp = stamp(file);
            // An editor that writes a new file in place of the old one leaves none for a moment.
            if stamp.is_some() && stamp != *last {
                *last = stamp;
                changed = true;
            }
        }
        changed
    }
}

fn stamp(file: &Path) -> Stamp {
    let data = std::fs::metadata(file).ok()?;
    Some((data.modified().ok()?, data.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_once_and_a_missing_file_is_none() {
        let file = std::env::temp_dir().join(format!("planish-watch-{}", std::process::id()));
        std::fs::write(&file, "a").expect("it can be written");
        let mut watch = Watch::new([file.clone(), file.clone()]);
        let later = |n: u32| Instant::now() + EVERY * n;
        assert!(!watch.has_changed(later(2)));
        std::fs::write(&file, "ab").expect("it can be written");
        assert!(!watch.has_changed(later(2)), "it is too early to look");
        assert!(watch.has_changed(later(4)));
        assert!(!watch.has_changed(later(6)));
        std::fs::remove_file(&file).expect("it is there");
        assert!(!watch.has_changed(later(8)));
        std::fs::write(&file, "abc").expect("it can be written");
        assert!(watch.has_changed(later(10)));
        std::fs::remove_file(&file).expect("it is there");
    }
}

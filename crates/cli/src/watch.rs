//! Changes of files, by their times.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Time between two looks at the files.
pub(crate) const EVERY: Duration = Duration::from_millis(200);

/// Time and length of a file; `None` if it is not there.
type Stamp = Option<(SystemTime, u64)>;

/// Files that are watched.
pub(crate) struct Watch {
    files: Vec<(PathBuf, Stamp)>,
    next: Instant,
}

impl Watch {
    /// Watches these files from now on.
    pub(crate) fn new(files: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut files: Vec<PathBuf> = files.into_iter().collect();
        files.sort();
        files.dedup();
        let stamped = files.into_iter().map(|file| (stamp(&file), file)).map(|(stamp, file)| (file, stamp));
        Watch { files: stamped.collect(), next: Instant::now() + EVERY }
    }

    /// Watches more files, which were read since a time: those that have changed since then count as changed.
    pub(crate) fn add(&mut self, files: impl IntoIterator<Item = PathBuf>, since: SystemTime) {
        for file in files {
            if self.files.iter().all(|(known, _)| *known != file) {
                let stamp = stamp(&file).filter(|(modified, _)| *modified < since);
                self.files.push((file, stamp));
            }
        }
    }

    /// Number of files.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// The files that have changed since they were last returned. Looks at the files only so often.
    pub(crate) fn changed(&mut self, now: Instant) -> Vec<PathBuf> {
        if now < self.next {
            return vec![];
        }
        self.next = now + EVERY;
        let mut changed = vec![];
        for (file, last) in &mut self.files {
            let stamp = stamp(file);
            // An editor that writes a new file in place of the old one leaves none for a moment.
            if stamp.is_some() && stamp != *last {
                *last = stamp;
                changed.push(file.clone());
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
        assert_eq!(watch.len(), 1);
        let later = |n: u32| Instant::now() + EVERY * n;
        assert!(watch.changed(later(2)).is_empty());
        std::fs::write(&file, "ab").expect("it can be written");
        assert!(watch.changed(later(2)).is_empty(), "it is too early to look");
        assert_eq!(watch.changed(later(4)), std::slice::from_ref(&file));
        assert!(watch.changed(later(6)).is_empty());
        std::fs::remove_file(&file).expect("it is there");
        assert!(watch.changed(later(8)).is_empty());
        std::fs::write(&file, "abc").expect("it can be written");
        assert_eq!(watch.changed(later(10)), std::slice::from_ref(&file));
        let mut late = Watch::new([]);
        late.add([file.clone()], SystemTime::now() + EVERY);
        assert!(late.changed(later(2)).is_empty());
        let mut late = Watch::new([]);
        late.add([file.clone()], SystemTime::UNIX_EPOCH);
        assert_eq!(late.changed(later(2)), std::slice::from_ref(&file), "it was written after that time");
        std::fs::remove_file(&file).expect("it is there");
    }
}

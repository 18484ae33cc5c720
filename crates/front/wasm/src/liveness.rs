//! Local variables that a construct must merge: those that may be written in it *and* may be read afterwards, before
//! they are written again. They become inputs of the block after a `block` or `if`, or of the header of a loop; all
//! others keep their values. A function with thousands of variables and blocks needs few of either.
//!
//! A backward live-variable analysis over the events of a function. The set that is live at the beginning of a loop is
//! unknown when its end is visited, so it is assumed to be empty, and the walk is repeated until the assumption holds:
//! as often as loops nest, at most [`MAX_WALKS`] times; then all variables count as live at loop heads. Linear in
//! events plus constructs times local variables / 64.

use crate::scan::{Event, Kind, Scan};

/// Maximum number of walks, after which all variables are taken to be live at loop heads.
const MAX_WALKS: u32 = 12;

/// Maximum number of words of the sets of one function: 128 MiB.
const MAX_WORDS: usize = 1 << 24;

/// Maximum number of variables in the lists of one function.
const MAX_LISTED: usize = 1 << 24;

/// The function has so many variables and nested constructs that the sets or lists would exceed a limit.
#[derive(Debug)]
pub(crate) struct TooLarge;

/// The lists, and scratch memory for the sets. Reused from one function to the next.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    /// The numbers of local variables that the constructs' ranges mean.
    pub(crate) lists: Vec<u32>,
    /// The variables that may be read from here on.
    live: Vec<u64>,
    /// Three sets for each open construct: live at the target of jumps to it (for a loop: after it), live at the
    /// beginning of its second arm, and written in it.
    frames: Vec<u64>,
    /// The construct of each frame.
    open: Vec<u32>,
    /// By construct: its frame, or for a loop the number of its set in `headers`.
    slots: Vec<u32>,
    /// For each loop that is a jump target, the variables live at its head.
    headers: Vec<u64>,
}

impl Liveness {
    /// Computes the lists of every construct.
    ///
    /// # Errors
    /// If the sets would be too large.
    pub(crate) fn find(&mut self, scan: &mut Scan<'_>, locals: usize) -> Result<(), TooLarge> {
        let words = locals.div_ceil(64);
        self.number_headers(scan, words)?;
        let mut walks = 0;
        loop {
            walks += 1;
            if walks == MAX_WALKS {
                self.headers.fill(u64::MAX);
            }
            if !self.walk(scan, words)? {
                return Ok(());
            }
        }
    }

    fn number_headers(&mut self, scan: &Scan<'_>, words: usize) -> Result<(), TooLarge> {
        self.slots.clear();
        let mut loops = 0;
        for construct in &scan.constructs {
            self.slots.push(loops);
            loops += u32::from(construct.kind == Kind::Loop && construct.targeted);
        }
        let size = loops as usize * words;
        if size > MAX_WORDS {
            return Err(TooLarge);
        }
        self.headers.clear();
        self.headers.resize(size, 0);
        Ok(())
    }

    /// One walk over all events; returns whether more is live at some loop's head than was assumed.
    fn walk(&mut self, scan: &mut Scan<'_>, words: usize) -> Result<bool, TooLarge> {
        self.lists.clear();
        self.live.clear();
        self.live.resize(words, 0);
        self.frames.clear();
        self.open.clear();
        let mut changed = false;
        for index in (0..scan.events.len()).rev() {
            match scan.events[index] {
                Event::Get(local) => set(&mut self.live, local),
                Event::Set(local) => {
                    clear(&mut self.live, local);
                    if !self.open.is_empty() {
                        let at = self.frames.len() - words;
                        set(&mut self.frames[at..], local);
                    }
                }
                Event::Leave => self.live.fill(0),
                Event::Jump(to) => {
                    self.live.fill(0);
                    self.add_target(scan, to, words);
                }
                Event::MayJump(to) => self.add_target(scan, to, words),
                Event::Table(from, to) => {
                    self.live.fill(0);
                    for target in from..to {
                        self.add_target(scan, scan.targets[target as usize], words);
                    }
                }
                Event::Close(construct) => self.close(scan, construct, words)?,
                Event::Else => {
                    // The first arm's end leads to the code after the construct.
                    let at = self.frames.len() - 3 * words;
                    let (live_after, second) = self.frames[at..at + 2 * words].split_at_mut(words);
                    second.copy_from_slice(&self.live);
                    self.live.copy_from_slice(live_after);
                }
                Event::Open(construct) => changed |= self.open(scan, construct, words)?,
            }
        }
        Ok(changed)
    }

    /// Adds the variables live at a jump's target.
    fn add_target(&mut self, scan: &Scan<'_>, to: u32, words: usize) {
        let slot = self.slots[to as usize] as usize;
        let set = match scan.constructs[to as usize].kind {
            Kind::Loop => &self.headers[slot * words..],
            _ => &self.frames[slot * 3 * words..],
        };
        for (live, more) in self.live.iter_mut().zip(set) {
            *live |= more;
        }
    }

    fn close(&mut self, scan: &Scan<'_>, index: u32, words: usize) -> Result<(), TooLarge> {
        let construct = scan.constructs[index as usize];
        if !construct.targeted && construct.kind != Kind::If {
            return Ok(());
        }
        if self.frames.len() + 3 * words > MAX_WORDS {
            return Err(TooLarge);
        }
        if construct.kind != Kind::Loop {
            self.slots[index as usize] = self.open.len() as u32;
        }
        self.open.push(index);
        self.frames.extend_from_slice(&self.live);
        self.frames.resize(self.frames.len() + 2 * words, 0);
        Ok(())
    }

    /// The beginning of a construct, where its lists are complete. Returns whether more is live at a loop's head than
    /// was assumed.
    fn open(&mut self, scan: &mut Scan<'_>, index: u32, words: usize) -> Result<bool, TooLarge> {
        let construct = &mut scan.constructs[index as usize];
        if !construct.targeted && construct.kind != Kind::If {
            return Ok(false);
        }
        self.open.pop();
        let at = self.frames.len() - 3 * words;
        let (live_after, rest) = self.frames[at..].split_at(words);
        let (second, written) = rest.split_at(words);
        construct.live_after = list(&mut self.lists, written, live_after);
        let mut changed = false;
        match construct.kind {
            Kind::Loop => {
                let slot = self.slots[index as usize] as usize * words;
                let header = &mut self.headers[slot..slot + words];
                for (known, live) in header.iter_mut().zip(&mut self.live) {
                    changed |= *live & !*known != 0;
                    *known |= *live;
                    *live = *known;
                }
                construct.carried = list(&mut self.lists, written, header);
            }
            Kind::If => {
                let other = if construct.has_else { second } else { live_after };
                self.live.iter_mut().zip(other).for_each(|(live, more)| *live |= more);
            }
            Kind::Block => {}
        }
        if !self.open.is_empty() {
            for word in 0..words {
                self.frames[at - words + word] |= self.frames[at + 2 * words + word];
            }
        }
        self.frames.truncate(at);
        if self.lists.len() > MAX_LISTED { Err(TooLarge) } else { Ok(changed) }
    }
}

fn set(words: &mut [u64], local: u32) {
    words[local as usize / 64] |= 1 << (local % 64);
}

fn clear(words: &mut [u64], local: u32) {
    words[local as usize / 64] &= !(1 << (local % 64));
}

/// Adds the members of both sets to the lists, and returns their range.
fn list(lists: &mut Vec<u32>, a: &[u64], b: &[u64]) -> (u32, u32) {
    let from = lists.len() as u32;
    for (word, (a, b)) in a.iter().zip(b).enumerate() {
        let mut both = a & b;
        while both != 0 {
            lists.push(word as u32 * 64 + both.trailing_zeros());
            both &= both - 1;
        }
    }
    (from, lists.len() as u32)
}

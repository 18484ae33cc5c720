//! The calls of a store: those in progress inside each other, and those that wait for fuel. All share one stack, so a call
//! goes on only when everything above it is gone.
//!
//! ```text
//!  stack  │ waits │ waits │ in progress … host … │ waits │ in progress … │ top
//!         └── below: not to be touched now ──────┘
//! ```

use std::sync::{Arc, Weak};

use crate::error::Error;

/// Calls of the embedder's that may be in progress inside each other. Each takes native stack.
const MAX_DEPTH: u32 = 200;

/// See the module.
#[derive(Default)]
pub(crate) struct Calls {
    /// Words of the stack that are in use.
    pub(crate) top: usize,
    /// Calls that are in progress inside each other.
    depth: u32,
    /// Calls that wait for fuel, the last one on top.
    waiting: Vec<Waiting>,
    /// How many of them were there before the innermost call in progress.
    below: usize,
    next: u64,
}

struct Waiting {
    number: u64,
    /// Words of the stack that were in use when it began.
    top: usize,
    /// Gone when the embedder has given the call up.
    wanted: Weak<()>,
}

/// Which of the calls that wait a call is. Dropped, it is given up.
pub(crate) struct Ticket {
    number: u64,
    _wanted: Arc<()>,
}

/// What the calls of a store were at some time.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) top: usize,
    depth: u32,
    waiting: usize,
    below: usize,
}

impl Calls {
    /// What they are now.
    pub(crate) fn mark(&self) -> Mark {
        Mark { top: self.top, depth: self.depth, waiting: self.waiting.len(), below: self.below }
    }

    /// A call begins, or goes on, on top of what is there; `None` if there are too many.
    pub(crate) fn enter(&mut self) -> Option<Mark> {
        self.forget_unwanted();
        let mark = self.mark();
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        self.below = self.waiting.len();
        Some(mark)
    }

    /// Everything is as it was: what began since is over, and what waits since is given up.
    pub(crate) fn leave(&mut self, mark: Mark) {
        self.waiting.truncate(mark.waiting);
        (self.top, self.depth, self.below) = (mark.top, mark.depth, mark.below);
    }

    /// The call that has just ended waits instead, with so many words of the stack in use.
    pub(crate) fn wait(&mut self, used: usize) -> Ticket {
        let wanted = Arc::new(());
        self.next += 1;
        self.waiting.push(Waiting { number: self.next, top: self.top, wanted: Arc::downgrade(&wanted) });
        self.top = used;
        Ticket { number: self.next, _wanted: wanted }
    }

    /// A call is to go on.
    ///
    /// # Errors
    /// If another one is above it, or it is over, as what it began in is.
    pub(crate) fn wake(&mut self, ticket: &Ticket) -> Result<(), Error> {
        self.forget_unwanted();
        match self.waiting.last() {
            Some(last) if last.number == ticket.number && self.waiting.len() > self.below => {
                self.top = last.top;
                self.waiting.pop();
                Ok(())
            }
            _ => Err(Error::Type("only the call that began last can go on, in the function it began in".into())),
        }
    }

    /// Takes what was given up from the top.
    pub(crate) fn forget_unwanted(&mut self) {
        while let Some(last) = self.waiting.last()
            && self.waiting.len() > self.below
            && last.wanted.strong_count() == 0
        {
            self.top = last.top;
            self.waiting.pop();
        }
    }
}

//! The calls of a store: nested calls in progress, and calls suspended for lack of fuel. All share one stack, so a call
//! can be resumed only when it is the topmost.
//!
//! ```text
//!  stack  │ suspended │ suspended │ in progress … host … │ suspended │ in progress … │ top
//!         └── below: cannot be resumed now ──────────────┘
//! ```

use std::sync::{Arc, Weak};

use crate::error::Error;

/// Maximum nesting depth of calls from the embedder. Each takes native stack.
const MAX_DEPTH: u32 = 200;

/// See the module.
#[derive(Default)]
pub(crate) struct Calls {
    /// Words of the stack that are in use.
    pub(crate) top: usize,
    /// Nesting depth of the calls in progress.
    depth: u32,
    /// Suspended calls, the last one on top.
    suspended: Vec<SuspendedCall>,
    /// Number of suspended calls when the innermost call in progress began; those cannot be resumed now.
    below: usize,
    next: u64,
}

struct SuspendedCall {
    number: u64,
    /// Words of the stack that were in use when it began.
    top: usize,
    /// Gone when the embedder has given the call up.
    wanted: Weak<()>,
}

/// Handle of a suspended call; dropping it abandons the call.
pub(crate) struct Ticket {
    number: u64,
    _wanted: Arc<()>,
}

/// A snapshot of the calls of a store.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) top: usize,
    depth: u32,
    suspended: usize,
    below: usize,
}

impl Calls {
    /// Takes a snapshot.
    pub(crate) fn mark(&self) -> Mark {
        Mark { top: self.top, depth: self.depth, suspended: self.suspended.len(), below: self.below }
    }

    /// Begins or resumes a call on top of the stack; `None` if they nest too deep.
    pub(crate) fn enter(&mut self) -> Option<Mark> {
        self.forget_unwanted();
        let mark = self.mark();
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        self.below = self.suspended.len();
        Some(mark)
    }

    /// Restores a snapshot: calls suspended since are abandoned.
    pub(crate) fn leave(&mut self, mark: Mark) {
        self.suspended.truncate(mark.suspended);
        (self.top, self.depth, self.below) = (mark.top, mark.depth, mark.below);
    }

    /// Suspends the call that has just left; `used` words of the stack stay in use.
    pub(crate) fn suspend(&mut self, used: usize) -> Ticket {
        let wanted = Arc::new(());
        self.next += 1;
        self.suspended.push(SuspendedCall { number: self.next, top: self.top, wanted: Arc::downgrade(&wanted) });
        self.top = used;
        Ticket { number: self.next, _wanted: wanted }
    }

    /// Resumes a call.
    ///
    /// # Errors
    /// If another suspended call is above it, or if it was abandoned with the call that it began in.
    pub(crate) fn wake(&mut self, ticket: &Ticket) -> Result<(), Error> {
        self.forget_unwanted();
        match self.suspended.last() {
            Some(last) if last.number == ticket.number && self.suspended.len() > self.below => {
                self.top = last.top;
                self.suspended.pop();
                Ok(())
            }
            _ => Err(Error::Type("only the topmost call can be resumed, in the function that it began in".into())),
        }
    }

    /// Takes what was given up from the top.
    pub(crate) fn forget_unwanted(&mut self) {
        while let Some(last) = self.suspended.last()
            && self.suspended.len() > self.below
            && last.wanted.strong_count() == 0
        {
            self.top = last.top;
            self.suspended.pop();
        }
    }
}

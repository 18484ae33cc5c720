//! Builders that give their module back for a while.

use super::{Builder, Policy, Scratch};
use crate::entity::{Block, Func};
use crate::module::Module;
use crate::source::Span;

/// A function that is being built, without its module.
#[derive(Debug)]
pub struct Paused {
    func: Func,
    block: Block,
    scratch: Scratch,
}

impl<'m, 'r> Builder<'m, 'r> {
    /// Interrupts the function, so that the module is free for other uses until [`Builder::go_on`].
    pub fn pause(self) -> Paused {
        let Builder { func, body, block, shared, shared_log, spare, .. } = self;
        Paused { func, block, scratch: Scratch { body: Some(body), shared, shared_log, spare } }
    }

    /// Continues a function in the same module and under the same policy. Its span and whether it is precise begin anew.
    pub fn go_on(module: &'m mut Module, paused: Paused, policy: Policy<'r>) -> Self {
        let Paused { func, block, scratch: Scratch { body, shared, shared_log, spare } } = paused;
        let body = body.expect("a function that was interrupted has a body");
        Builder { module, func, body, block, span: Span::NONE, precise: false, policy, shared, shared_log, spare }
    }
}

//! Aliasing promises of pointer parameters.

use super::{Verifier, VerifyError};
use crate::aliasing::conflicts;

impl Verifier<'_> {
    /// Reports calls that break the promise of a parameter. The functions are valid.
    pub(super) fn check_promises(&mut self) {
        for conflict in conflicts(self.module).into_iter().filter(|c| c.is_broken_promise) {
            let body = self.module.funcs[conflict.func].body.as_ref().expect("it has the call");
            self.errors.push(VerifyError {
                func: Some(conflict.func),
                block: None,
                node: Some(conflict.node),
                message: conflict.text(self.module),
                span: body.node(conflict.node).span,
                memory: None,
            });
        }
    }
}

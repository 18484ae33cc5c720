//! The check of the code, on request.

use std::sync::PoisonError;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_machine::check::{Failure, check};

use crate::encode::State;
use crate::module::Module;

impl Module {
    /// Checks with [`planish_machine::check`] that the code of each function, for this machine, has every value where
    /// it is read. Returns the number of functions checked; those compiled before are left out. The time grows with the
    /// number of live values at each jump: 0.7 s for sqlite, 23 s for the 5,307 functions of a compiler in Go.
    ///
    /// # Errors
    /// If a function cannot be compiled, or its code is wrong, which is an internal error.
    pub fn check(&self) -> Result<usize, Failure> {
        let mut workshop = self.0.workshop.lock().unwrap_or_else(PoisonError::into_inner);
        let source = &mut workshop.source;
        let (mut checked, mut problems) = (0, vec![]);
        for func in self.0.defined() {
            source.provide(func).map_err(|error| {
                let span = self.0.shell.funcs[func].span;
                Failure::Refused(Box::new(Diagnostic::error(Code::E0604, span, error.to_string())))
            })?;
            let module = source.module();
            checked += usize::from(module.funcs[func].body.is_some());
            match check(&self.0.encoder(State::default()), module, func) {
                Ok(()) => {}
                Err(Failure::Wrong(found)) => problems.extend(found),
                Err(refused) => return Err(refused),
            }
        }
        if problems.is_empty() { Ok(checked) } else { Err(Failure::Wrong(problems)) }
    }
}

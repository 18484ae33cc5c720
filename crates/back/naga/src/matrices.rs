//! Choices of composites, which naga does by statements.

use planish_ir::entity::Type;

use crate::function::{Ex, FunctionLowering};
use crate::types::Res;

impl FunctionLowering<'_, '_> {
    /// `select` for types that naga cannot select.
    pub(crate) fn select_aggregate(&mut self, ty: Type, condition: Ex, a: Ex, b: Ex) -> Res<Ex> {
        let pointer = self.spill(ty, b)?;
        let (accept, ()) = self.nested(|s| {
            s.push(naga::Statement::Store { pointer, value: a });
            Ok(())
        })?;
        self.push(naga::Statement::If { condition, accept, reject: naga::Block::new() });
        Ok(self.load_pointer(pointer))
    }
}

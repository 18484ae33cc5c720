//! Removal of splats: componentwise ops take the scalar instead.

use planish_ir::entity::{Local, Value};
use planish_ir::meaning;
use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::Builder;
use crate::graph::{Kind, NodeId};
use crate::literal::Literal;
use crate::shape::Shape;

impl Builder<'_> {
    /// Replaces splats by scalars in componentwise ops with another operand of full shape.
    pub(super) fn free_splats(&mut self, op: Op, args: &[Value], results: &[Local], operands: &mut [NodeId]) {
        let &[result] = results else { return };
        let types = &self.out.module.types;
        let size = types.vector_size(self.body.local_type(result)).unwrap_or(1);
        let first = args.first().and_then(|&a| types.scalar_of(self.out.module.type_of(self.body, a)));
        let componentwise = first.is_some_and(|scalar| meaning::kernel(op, scalar).is_some());
        if size < 2 || operands.len() < 2 || !componentwise {
            return;
        }
        let scalars: SmallVec<[Option<NodeId>; 4]> = operands.iter().map(|&id| self.scalar_behind(id)).collect();
        let full = |i: usize| {
            let ty = self.out.drafts[operands[i] as usize].node.ty;
            matches!(self.out.shapes.shape(ty), Shape::Vector(_, n) if *n == size)
        };
        let stays = (0..operands.len()).any(|i| full(i) && scalars[i].is_none());
        // If all operands are splats, one must stay: preferably a constant, which costs nothing.
        let keep = if stays {
            None
        } else {
            let constant = |&i: &usize| matches!(self.out.drafts[operands[i] as usize].node.kind, Kind::Constant(_));
            let candidates = || (0..operands.len()).filter(|&i| full(i));
            candidates().find(constant).or_else(|| candidates().next())
        };
        for (i, scalar) in scalars.into_iter().enumerate() {
            if let Some(scalar) = scalar.filter(|_| Some(i) != keep) {
                operands[i] = scalar;
            }
        }
    }

    /// The scalar of a splat node; `None` for other nodes.
    fn scalar_behind(&mut self, id: NodeId) -> Option<NodeId> {
        if let Some(&scalar) = self.splats.get(&id) {
            return Some(scalar);
        }
        let node = self.out.drafts[id as usize].node;
        let (Kind::Constant(i), &Shape::Vector(scalar, _)) = (node.kind, self.out.shapes.shape(node.ty)) else {
            return None;
        };
        let Literal::Parts(parts) = &self.out.constants[i as usize] else { return None };
        let first = parts.first()?;
        if parts.iter().any(|p| p != first) {
            return None;
        }
        let &Literal::Bits(_, bits) = first else { return None };
        Some(self.scalar_constant(scalar, bits))
    }

    /// Records a splat without conversion.
    pub(super) fn note_splat(&mut self, op: Op, args: &[Value], result: Local, made: NodeId, scalar: Option<NodeId>) {
        let module = self.out.module;
        let is_splat = op == Op::ConstructVectorFromScalar
            && module.types.scalar_of(module.type_of(self.body, args[0]))
                == module.types.scalar_of(self.body.local_type(result));
        if let (true, Some(scalar)) = (is_splat, scalar) {
            self.splats.insert(made, scalar);
        }
    }
}

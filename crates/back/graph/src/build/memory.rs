//! Memory: loads of inputs are nodes, stores of the function are forwarded to loads, and accesses to parts are
//! extractions and insertions.

use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::Code;
use planish_ir::entity::Value;
use planish_ir::function::Direction;
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use smallvec::SmallVec;

use super::{Builder, Failed};
use crate::graph::{Group, Kind, NodeId};
use crate::literal::Literal;
use crate::places::{LeafKind, Place, Root, Step, kind_of, place_of};
use crate::shape::{Shape, TypeId};

impl Builder<'_> {
    pub(super) fn place(&mut self, pointer: Value, span: Span) -> Result<Place, Failed> {
        match place_of(self.out.module, self.body, pointer) {
            Some(place) => Ok(place),
            None => self.fail(Code::E1107, span, "a place that is only known when the program runs"),
        }
    }

    pub(super) fn load(&mut self, place: &Place, span: Span) -> Result<NodeId, Failed> {
        let whole = self.load_leaf(place, span)?;
        self.extract_all(whole, &place.steps, span)
    }

    fn load_leaf(&mut self, place: &Place, span: Span) -> Result<NodeId, Failed> {
        let kind = kind_of(self.out.module, place);
        if kind == LeafKind::Shared {
            let message = "reading memory that others may write, in a dataflow graph";
            return self.fail(Code::E1107, span, message);
        }
        let ty = self.type_id(place.ty, span)?;
        if kind == LeafKind::Constant {
            let Root::Var(var) = place.leaf.root else { return Err(Failed) };
            let Some(value) = self.out.module.vars[var].initializer else { return Err(Failed) };
            return self.constant(value, span);
        }
        if kind != LeafKind::Own {
            return Ok(self.leaf(place.leaf.clone(), ty, kind));
        }
        if let Some(&stored) = self.memory.get(&place.leaf) {
            return Ok(stored);
        }
        self.check_whole(place, span)?;
        self.first_value(place, ty, span)
    }

    /// Initial value of memory of this invocation.
    fn first_value(&mut self, place: &Place, ty: TypeId, span: Span) -> Result<NodeId, Failed> {
        let module = self.out.module;
        match place.leaf.root {
            Root::Param(i) => match module.funcs[self.out.func].params[usize::from(i)].direction {
                Direction::Out => {}
                Direction::InOut | Direction::NoAlias => return Ok(self.leaf(place.leaf.clone(), ty, LeafKind::Input)),
                Direction::In => return self.fail(Code::E1107, span, "reading through a pointer that is a parameter"),
            },
            Root::Var(var) => {
                let data = &module.vars[var];
                let is_output = data.space == AddressSpace::Output;
                if is_output && data.decorations.has(Decoration::FramebufferFetch) {
                    return Ok(self.leaf(place.leaf.clone(), ty, LeafKind::Input));
                }
                let is_entry = module.entry_points.iter().any(|e| e.func == self.out.func);
                if data.space == AddressSpace::Private && !is_entry {
                    let message = format!("`{}` is read before this function writes it", data.name.text);
                    return self.fail(Code::E1107, span, message);
                }
                if let Some(initializer) = data.initializer {
                    return self.constant(initializer, span);
                }
            }
        }
        match Literal::zero(&mut self.out.shapes, ty) {
            Some(zero) => Ok(self.push_constant(ty, zero)),
            None => self.fail(Code::E1107, span, "a variable that holds a sampler"),
        }
    }

    /// Checks that an access is not to a whole interface block: memory is tracked by variable, and by member for
    /// interface blocks.
    fn check_whole(&mut self, place: &Place, span: Span) -> Result<(), Failed> {
        let Root::Var(var) = place.leaf.root else { return Ok(()) };
        let data = &self.out.module.vars[var];
        let is_block = self.out.module.types.as_struct(data.ty).is_some_and(|s| s.is_block);
        if is_block && place.leaf.path.is_empty() {
            return self.fail(Code::E1107, span, format!("interface block `{}` is used as a whole", data.name.text));
        }
        Ok(())
    }

    pub(super) fn store(&mut self, place: &Place, value: NodeId, span: Span) -> Result<(), Failed> {
        if kind_of(self.out.module, place) != LeafKind::Own {
            return self.fail(Code::E1103, span, "writing memory that others may read, in a dataflow graph");
        }
        self.check_whole(place, span)?;
        let value = if place.steps.is_empty() {
            value
        } else {
            let whole = self.load_leaf(place, span)?;
            self.insert_all(whole, &place.steps, value, span)?
        };
        self.memory.insert(place.leaf.clone(), value);
        Ok(())
    }

    /// A part of a value.
    pub(super) fn extract_all(&mut self, whole: NodeId, steps: &[Step], span: Span) -> Result<NodeId, Failed> {
        let mut at = whole;
        for step in steps {
            at = self.extract(at, step, span)?;
        }
        Ok(at)
    }

    fn extract(&mut self, whole: NodeId, step: &Step, span: Span) -> Result<NodeId, Failed> {
        let from = self.out.drafts[whole as usize].node.ty;
        let ty = match (step.extract, self.out.shapes.shape(from)) {
            (Op::ExtractVectorComponentMulti, &Shape::Vector(scalar, _)) => {
                Some(self.out.shapes.vector(scalar, step.imm.as_lanes().len() as u8))
            }
            (Op::ExtractStructField | Op::ExtractVectorComponent, _) => self.out.shapes.part(from, step.imm.as_index()),
            _ => self.out.shapes.part(from, 0),
        };
        let Some(ty) = ty else { return self.fail(Code::E1107, span, "a part that cannot be taken out of a value") };
        let mut operands: SmallVec<[NodeId; 3]> = SmallVec::from_slice(&[whole]);
        if let Some(index) = step.index {
            operands.push(self.operand(index, span)?);
        }
        Ok(self.share(step.extract, step.imm, ty, operands, span))
    }

    /// A value with one part replaced.
    fn insert_all(&mut self, whole: NodeId, steps: &[Step], value: NodeId, span: Span) -> Result<NodeId, Failed> {
        let mut wholes: SmallVec<[NodeId; 4]> = SmallVec::from_slice(&[whole]);
        for step in &steps[..steps.len() - 1] {
            let inner = self.extract(wholes[wholes.len() - 1], step, span)?;
            wholes.push(inner);
        }
        let mut value = value;
        for (step, whole) in steps.iter().zip(wholes).rev() {
            value = self.insert(whole, step, value, span)?;
        }
        Ok(value)
    }

    fn insert(&mut self, whole: NodeId, step: &Step, value: NodeId, span: Span) -> Result<NodeId, Failed> {
        let ty = self.out.drafts[whole as usize].node.ty;
        if step.extract == Op::ExtractVectorComponentMulti {
            let &Shape::Vector(scalar, _) = self.out.shapes.shape(ty) else { return Err(Failed) };
            let part = self.out.shapes.scalar(scalar);
            let mut at = whole;
            for (i, lane) in step.imm.as_lanes().iter().enumerate() {
                let (get, put) = (Imm::index(i as u32), Imm::index(lane.into()));
                let one = self.share(Op::ExtractVectorComponent, get, part, SmallVec::from_slice(&[value]), span);
                at = self.share(Op::InsertVectorComponent, put, ty, SmallVec::from_slice(&[at, one]), span);
            }
            return Ok(at);
        }
        let mut operands: SmallVec<[NodeId; 3]> = SmallVec::from_slice(&[whole, value]);
        if let Some(index) = step.index {
            operands.push(self.operand(index, span)?);
        }
        Ok(self.share(step.insert, step.imm, ty, operands, span))
    }

    /// A node without a counterpart in the function.
    pub(super) fn share(
        &mut self,
        op: Op,
        imm: Imm,
        ty: TypeId,
        operands: SmallVec<[NodeId; 3]>,
        span: Span,
    ) -> NodeId {
        let key = (op, imm.0, operands);
        if let Some(&id) = self.shared.get(&key) {
            return id;
        }
        let varies = key.2.iter().any(|&id| {
            let node = &self.out.drafts[id as usize].node;
            matches!(node.kind, Kind::Input(_)) || node.group == Some(Group::Pixel)
        });
        let group = if varies { Group::Pixel } else { Group::Preshader };
        let id = self.push(Kind::Op(op, imm), ty, Some(group), &key.2, span);
        self.out.drafts[id as usize].node.cost = (self.out.options.cost)(op);
        self.shared.insert(key, id);
        id
    }
}

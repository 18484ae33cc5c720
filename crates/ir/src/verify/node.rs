//! Checks of one node: operands, immediate, results.

use smallvec::SmallVec;

use super::function::{FunctionVerifier, Place};
use crate::arena::Id;
use crate::decoration::Precision;
use crate::entity::{Data, Elem, Memory, Node, Table, Type, Value, ValueKind};
use crate::function::LocalDef;
use crate::ops::{
    BARRIER_NAMES, CONVERSION_NAMES, Effect, GUARD_NAMES, GroupOperation, Imm, ImmKind, ORDER_NAMES, Op, PairPart,
    infer,
};
use crate::types::{Scalar, TypeKind};

impl FunctionVerifier<'_, '_> {
    /// Checks a node, except for the visibility of its operands. Operands that do not exist have been reported.
    pub(super) fn check_node(&mut self, place: Place, node: Node) {
        let body = self.body;
        let data = body.node(node);
        let op = data.op;
        if let Some(stages) = op.stages() {
            self.need_stages(place, op.text(), stages);
        }
        for (i, result) in body.results(node).enumerate() {
            if result.index() >= body.local_count() || body.local(result).def != LocalDef::Result(node, i as u16) {
                self.error(place, format!("result {i} of `{}` is not its own", op.text()));
                return;
            }
        }
        let mut operands = std::mem::take(&mut self.cx.operand_types);
        operands.clear();
        if self.collect_operand_types(place, node, &mut operands) {
            match self.imm_fault(node) {
                Some(message) => self.error(place, format!("`{}`: {message}", op.text())),
                None if self.check_types(place, node, &operands) => {
                    self.check_precision(place, node);
                    self.check_written_swizzle(place, node);
                    self.check_restrictions(place, node, &operands);
                }
                None => {}
            }
        }
        self.cx.operand_types = operands;
    }

    /// Collects the types of the operands; false unless all exist and are older than the node.
    fn collect_operand_types(&mut self, place: Place, node: Node, types: &mut Vec<Type>) -> bool {
        let (body, module) = (self.body, self.cx.module);
        for (i, arg) in body.args(node).iter().enumerate() {
            let ty = match arg.kind() {
                ValueKind::Local(l) if l.index() < body.local_count() => {
                    let local = body.local(l);
                    if let LocalDef::Result(by, _) = local.def
                        && by >= node
                    {
                        self.error(place, format!("operand {i} of `{}` is not older than it", self.text_of(node)));
                        return false;
                    }
                    Some(local.ty)
                }
                ValueKind::Local(_) => None,
                ValueKind::Const(c) => (c < module.consts.next_id()).then(|| module.consts[c].ty),
                ValueKind::Var(v) => module.vars.get(v).map(|v| v.pointer),
                ValueKind::Func(f) => module.funcs.get(f).map(|f| f.ty),
            };
            match ty {
                Some(ty) => types.push(ty),
                None => return false,
            }
        }
        true
    }

    fn imm_fault(&self, node: Node) -> Option<String> {
        let data = self.body.node(node);
        let imm = data.imm;
        let module = self.cx.module;
        let missing = |exists: bool, what: String| (!exists).then(|| format!("{what} does not exist"));
        match data.op.info().imm {
            ImmKind::None => (imm.0 != 0).then(|| "it takes no immediate".into()),
            ImmKind::Index | ImmKind::Lanes => None,
            ImmKind::Texture => (imm.0 & !0x3_01ff != 0).then(|| "the immediate has bits without a meaning".into()),
            ImmKind::Group => match imm.as_group() {
                GroupOperation::ClusteredReduce(size)
                    if data.op == Op::SubgroupBallotBitCount || !size.is_power_of_two() =>
                {
                    Some("there is no such cluster".into())
                }
                operation if imm == operation.into() => None,
                _ => Some("the immediate has bits without a meaning".into()),
            },
            ImmKind::Barrier => {
                (imm.0 >> BARRIER_NAMES.len() != 0).then(|| "the immediate has bits without a meaning".into())
            }
            ImmKind::Conversion => {
                (imm.0 >> CONVERSION_NAMES.len() != 0).then(|| "the immediate has bits without a meaning".into())
            }
            ImmKind::Guard => {
                let is_integer = |ty| module.types.scalar_of(ty).is_some_and(Scalar::is_integer);
                let may_be_marked = |x: Value| data.op == Op::Pow || is_integer(module.type_of(self.body, x));
                match imm.0 >> GUARD_NAMES.len() {
                    0 if imm == Imm::NONE || self.body.args(node).first().is_some_and(|&x| may_be_marked(x)) => None,
                    0 => Some("only integers and bases of powers are guarded".into()),
                    _ => Some("the immediate has bits without a meaning".into()),
                }
            }
            ImmKind::Order => {
                let is_float =
                    |x: Value| module.types.scalar_of(module.type_of(self.body, x)).is_some_and(Scalar::is_float);
                match imm.0 >> ORDER_NAMES.len() {
                    0 if imm == Imm::NONE || self.body.args(node).first().is_some_and(|&x| is_float(x)) => None,
                    0 => Some("only floats are marked as reassociable".into()),
                    _ => Some("the immediate has bits without a meaning".into()),
                }
            }
            ImmKind::Shape | ImmKind::Lane => {
                let shape = imm.as_shape();
                let lane = if data.op.info().imm == ImmKind::Lane { imm.as_lane() } else { 0 };
                let fits = imm == Imm::lane(shape, lane) && data.op.lane_shapes().contains(&shape);
                match fits && u32::from(lane) < shape.lanes() {
                    true => None,
                    false => Some("it has no such lanes".into()),
                }
            }
            ImmKind::MemArg => {
                let memory = imm.as_mem_arg().memory;
                missing(module.memories.get(memory).is_some(), memory.to_string())
            }
            ImmKind::TableType => {
                let (table, ty) = imm.as_table_type();
                missing(module.tables.get(table).is_some(), table.to_string())
                    .or_else(|| missing(self.cx.is_type(ty), ty.to_string()))
                    .or_else(|| self.table_fault(table, &TypeKind::FuncRef))
            }
            ImmKind::Custom => self.custom_fault(data.op, imm),
            ImmKind::Pair => {
                let (low, high) = imm.as_pair();
                let (low_part, high_part) = data.op.pair_parts();
                self.pair_fault(low_part, low).or_else(|| self.pair_fault(high_part, high))
            }
        }
    }

    fn custom_fault(&self, op: Op, imm: Imm) -> Option<String> {
        let (custom, ty) = imm.as_custom();
        let Some(row) = self.cx.module.custom_ops.get(custom) else { return Some(format!("{custom} does not exist")) };
        let name = &row.name;
        if !self.cx.is_type(ty) || !matches!(self.cx.types[ty], TypeKind::Function { .. }) {
            return Some(format!("{ty}, the type of `{name}`, is not that of a function"));
        }
        if row.effect.op() != op {
            return Some(format!("`{name}` is {}, and so a `{}`", row.effect.name(), row.effect.op().text()));
        }
        if let (Some(spirv), TypeKind::Function { params, results }) = (&row.spirv, &self.cx.types[ty])
            && (spirv.value_count() != params.len() || results.len() > 1)
        {
            return Some(format!("`{name}` takes {} operands and has at most one result", spirv.value_count()));
        }
        let differs = row.signature.is_some_and(|signature| signature != ty);
        differs.then(|| format!("`{name}` has another signature"))
    }

    /// Whether the results of an op of the user's own are what its type rule gives.
    fn check_custom(&mut self, place: Place, node: Node, operands: &[Type], have: &[Type]) -> bool {
        let data = self.body.node(node);
        let row = self.cx.module.custom_of(data.op, data.imm);
        let Some((name, rule)) = row.and_then(|row| Some((&row.name, row.rule.as_ref()?))) else { return true };
        match rule.results(&mut self.cx.types, operands) {
            Ok(want) if want == have => return true,
            Ok(want) => {
                let (want, have) = (self.list(&want), self.list(have));
                self.error(place, format!("`{name}` gives ({want}), but its results have types ({have})"));
            }
            Err(message) => self.error(place, format!("`{name}` of ({}): {message}", self.list(operands))),
        }
        false
    }

    fn pair_fault(&self, part: PairPart, index: u32) -> Option<String> {
        let module = self.cx.module;
        let (exists, text) = match part {
            PairPart::Nothing => return (index != 0).then(|| "the immediate has an index without a meaning".into()),
            PairPart::Memory => {
                let id = Memory::from_u32(index);
                (module.memories.get(id).is_some(), id.to_string())
            }
            PairPart::Table => {
                let id = Table::from_u32(index);
                (module.tables.get(id).is_some(), id.to_string())
            }
            PairPart::Data => {
                let id = Data::from_u32(index);
                (module.data.get(id).is_some(), id.to_string())
            }
            PairPart::Elem => {
                let id = Elem::from_u32(index);
                (module.elems.get(id).is_some(), id.to_string())
            }
        };
        (!exists).then(|| format!("{text} does not exist"))
    }

    fn table_fault(&self, table: Table, wanted: &TypeKind) -> Option<String> {
        let element = self.cx.module.tables[table].element;
        let fits = self.cx.is_type(element) && self.cx.module.types[element] == *wanted;
        (!fits).then(|| format!("{table} holds other references"))
    }

    /// Checks operand and result types against the op table.
    fn check_types(&mut self, place: Place, node: Node, operands: &[Type]) -> bool {
        let body = self.body;
        let data = body.node(node);
        let have: SmallVec<[Type; 2]> = body.results(node).map(|r| body.local_type(r)).collect();
        if !operands.iter().chain(&have).all(|t| self.cx.is_type(*t)) {
            self.error(place, format!("`{}`: a type does not exist", data.op.text()));
            return false;
        }
        let want = match infer(&mut self.cx.types, data.op, data.imm, operands, have.first().copied()) {
            Ok(want) => want,
            Err(error) => {
                let message = format!("`{}` of ({}): {}", data.op.text(), self.list(operands), error.0);
                self.error(place, message);
                return false;
            }
        };
        if want.as_slice() != have.as_slice() {
            let (want, have) = (self.list(&want), self.list(&have));
            self.error(place, format!("`{}` gives ({want}), but its results have types ({have})", data.op.text()));
            return false;
        }
        self.check_table_element(place, node, operands, &have) && self.check_custom(place, node, operands, &have)
    }

    fn list(&self, types: &[Type]) -> String {
        types.iter().map(|t| self.cx.type_text(*t)).collect::<Vec<_>>().join(", ")
    }

    /// Checks the element type of a table against the value stored to it or loaded from it.
    fn check_table_element(&mut self, place: Place, node: Node, operands: &[Type], results: &[Type]) -> bool {
        let data = self.body.node(node);
        let ty = match data.op {
            Op::TableGet => results[0],
            Op::TableSet | Op::TableFill => operands[1],
            Op::TableGrow => operands[0],
            _ => return true,
        };
        let table = Table::from_u32(data.imm.as_pair().0);
        let fits = self.cx.module.tables[table].element == ty;
        if !fits {
            self.error(place, format!("`{}`: {table} holds other references", data.op.text()));
        }
        fits
    }

    fn check_precision(&mut self, place: Place, node: Node) {
        let body = self.body;
        let computed = body.node(node).precision;
        for result in body.results(node) {
            let local = body.local(result);
            let none = matches!(
                self.cx.types[local.ty],
                TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _) | TypeKind::Struct(_)
            );
            let want = if none { Precision::None } else { computed };
            if local.precision != want {
                let why = if none { "must have no precision" } else { "does not have the node's precision" };
                self.error(place, format!("{result}, a result of `{}`, {why}", self.text_of(node)));
            }
        }
    }

    /// Checks that a swizzle that is written through does not repeat a component.
    fn check_written_swizzle(&mut self, place: Place, node: Node) {
        let body = self.body;
        if !matches!(body.node(node).op.info().effect, Effect::Store | Effect::Modify) {
            return;
        }
        let Some(pointer) = body.args(node).first().and_then(|a| body.node_of(*a)) else { return };
        let access = body.node(pointer);
        if access.op == Op::AccessVectorComponentMulti && !access.imm.as_lanes().is_distinct() {
            self.error(place, format!("`{}` writes through a swizzle with a component twice", self.text_of(node)));
        }
    }
}

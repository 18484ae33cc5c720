//! Constants. Specialization constants that code reads are variables with a number; where one determines a type or an
//! initial value, it keeps its default.

use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Decoration as Ours, Name, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type};
use planish_ir::module::Module;
use planish_ir::types::{AddressSpace, TypeKind, Types};
use rustc_hash::FxHashSet;
use spirv::{Decoration, Op};

use crate::function::Scope;
use crate::module::Cx;
use crate::report::Res;
use crate::words::{Binary, Inst};

/// The largest number of components of a constant of one value.
const LARGEST: u64 = 1 << 20;

impl Cx<'_> {
    /// The value of a constant, of a specialization constant the default.
    pub(crate) fn constant(&self, user: &Inst<'_>, id: u32) -> Res<Const> {
        match self.consts.get(&id) {
            Some(value) => value.clone(),
            None => user.invalid(&format!("%{id} is no constant")),
        }
    }

    /// Declares a constant.
    pub(crate) fn declare_constant(&mut self, module: &mut Module, inst: &Inst<'_>) {
        let value = self.constant_value(module, inst);
        if let Ok(value) = value
            && inst.op != Op::SpecConstantOp
            && let Some(number) = self.binary.decoration(inst.result, Decoration::SpecId)
            && !self.frozen.contains(&inst.result)
        {
            let name = Name::new(self.constant_name(inst.result), NameSource::Interface);
            let var = module.add_var(name, module.consts[value].ty, AddressSpace::Private);
            let data = &mut module.vars[var];
            (data.initializer, data.is_const, data.span) = (Some(value), true, inst.span());
            data.decorations.add(Ours::ConstantId(number));
            self.specialized.insert(inst.result, Some(var));
        } else if matches!(inst.op, Op::SpecConstantOp | Op::SpecConstantComposite)
            && inst.operands.iter().any(|id| self.specialized.contains_key(id))
            && !self.frozen.contains(&inst.result)
        {
            self.specialized.insert(inst.result, None);
        }
        self.consts.insert(inst.result, value);
    }

    /// The name of a specialization constant, or of the variable that stands for it.
    fn constant_name(&self, id: u32) -> &str {
        let binary = self.binary;
        let mut variables = binary.declarations.iter().map(|&i| &binary.insts[i]).filter(|i| i.op == Op::Variable);
        let name = match binary.name(id) {
            "" => variables.find(|v| v.operands.get(1) == Some(&id)).map(|v| binary.name(v.result)),
            name => Some(name),
        };
        name.unwrap_or("")
    }

    fn constant_value(&mut self, module: &mut Module, inst: &Inst<'_>) -> Res<Const> {
        let ty = match self.types.value(inst.ty) {
            Ok(ty) => ty,
            Err(what) => return inst.unsupported(what),
        };
        let scalar = match module.types[ty] {
            TypeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        };
        match inst.op {
            Op::ConstantTrue | Op::SpecConstantTrue if ty == Type::BOOL => Ok(Const::TRUE),
            Op::ConstantFalse | Op::SpecConstantFalse if ty == Type::BOOL => Ok(Const::FALSE),
            Op::Constant | Op::SpecConstant => match scalar {
                // Bits above those of the type mean nothing.
                Some(scalar) if (8..=32).contains(&scalar.bits()) => {
                    Ok(module.consts.bits(ty, u64::from(inst.word(0)? & u32::MAX >> (32 - scalar.bits()))))
                }
                Some(scalar) if scalar.bits() == 64 => {
                    let bits = u64::from(inst.word(0)?) | u64::from(inst.word(1)?) << 32;
                    Ok(module.consts.bits(ty, bits))
                }
                _ => inst.invalid("a number of this type"),
            },
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let parts: Res<Vec<Const>> = inst.operands.iter().map(|&id| self.constant(inst, id)).collect();
                let mut parts = parts?;
                if let Some(s) = module.types.as_struct(ty)
                    && s.members.len() == parts.len() + 1
                {
                    parts.push(Const::U32_ZERO);
                }
                let count = module.types.part_count(ty).map(|n| n as usize);
                let fits =
                    |(i, &part): (usize, &Const)| module.types.part(ty, i as u32) == Some(module.consts[part].ty);
                if count != Some(parts.len()) || !parts.iter().enumerate().all(fits) {
                    return inst.invalid("its parts do not fit its type");
                }
                Ok(module.consts.composite(ty, parts))
            }
            Op::ConstantNull | Op::Undef => zero(module, inst, ty),
            Op::SpecConstantOp => {
                let Some(op) = Op::from_u32(inst.word(0)?) else { return inst.invalid("the operation is unknown") };
                let builder = Builder::outside(module, Policy::PLAIN);
                let value = Scope::outside(self, builder).constant(&inst.inner(op))?;
                match value.as_const() {
                    Some(value) => Ok(value),
                    None => inst.unsupported(&format!("`Op{op:?}` of constants")),
                }
            }
            _ => inst.invalid("a constant of this type"),
        }
    }
}

/// Zero of a type.
pub(crate) fn zero(module: &mut Module, inst: &Inst<'_>, ty: Type) -> Res<Const> {
    if components(&module.types, ty) > LARGEST {
        let message = format!("`Op{:?}` (word {}): the value has more than {LARGEST} components", inst.op, inst.at);
        return Err(Box::new(Diagnostic::error(Code::E0707, inst.span(), message)));
    }
    match module.consts.zero(&mut module.types, ty) {
        Some(zero) => Ok(zero),
        None => inst.unsupported("a zero of this type"),
    }
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn components(types: &Types, ty: Type) -> u64 {
    match &types[ty] {
        TypeKind::Array { element, len } => components(types, *element).saturating_mul(u64::from(*len)),
        TypeKind::Struct(s) => s.members.iter().map(|m| components(types, m.ty)).fold(0, u64::saturating_add),
        TypeKind::Vector(_, n) => u64::from(*n),
        TypeKind::Matrix { columns, rows, .. } => u64::from(*columns) * u64::from(*rows),
        _ => 1,
    }
}

/// Specialization constants that determine lengths of arrays or initial values of variables, with their operands.
pub(crate) fn frozen(binary: &Binary<'_>) -> FxHashSet<u32> {
    let mut stack = vec![];
    for &index in &binary.declarations {
        let inst = &binary.insts[index];
        match inst.op {
            Op::TypeArray => stack.extend(inst.operands.get(1)),
            Op::Variable => {
                // A variable that is only loaded from is the constant itself.
                let is_plain = |i: &&Inst<'_>| {
                    let scalar = matches!(i.op, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse);
                    !scalar || !binary.is_only_loaded(inst.result)
                };
                let initial = inst.operands.get(1).and_then(|&id| binary.def(id));
                stack.extend(initial.filter(is_plain).map(|i| i.result));
            }
            _ => {}
        }
    }
    let mut found = FxHashSet::default();
    while let Some(id) = stack.pop() {
        let Some(inst) = binary.def(id).filter(|_| found.insert(id)) else { continue };
        if matches!(inst.op, Op::SpecConstantOp | Op::SpecConstantComposite) {
            stack.extend(inst.operands);
        }
    }
    found
}

//! Constructors: `vec3(…)`, `mat2(…)`, `S(…)`, `float[](…)`, and initializer lists.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;
use planish_ir::types::{ImageKind, TypeKind};
use smallvec::SmallVec;

use super::operand::Operand;
use super::{Checked, Checker, Reported};
use crate::ast::*;
use crate::device;

/// Arguments that have been evaluated.
pub(super) type Operands = SmallVec<[Operand; 4]>;

impl Checker<'_, '_> {
    /// Evaluates arguments from left to right. Loads of places are delayed past arguments without writes.
    pub(super) fn arguments(&mut self, args: List<ExprId>) -> Checked<Operands> {
        let ast = self.ast;
        let mut result = Ok(());
        let mut operands = Operands::new();
        let last_write = ast[args].iter().rposition(|&a| self.effects.writes(a));
        for (i, &arg) in ast[args].iter().enumerate() {
            let operand = self.expression(arg).and_then(|operand| match last_write {
                _ if operand.ty == Type::VOID => self.loaded_checked(operand, ast[arg].span),
                Some(last) if i < last => Ok(if self.is_opaque(operand.ty) { operand } else { self.loaded(operand) }),
                _ => Ok(operand),
            });
            match operand {
                Ok(operand) => operands.push(operand),
                Err(Reported) => result = Err(Reported),
            }
        }
        result.map(|()| operands)
    }

    /// Loads what is left to load, in order.
    pub(super) fn load_all(&mut self, operands: &Operands) -> SmallVec<[Value; 4]> {
        operands.iter().map(|&o| self.load(o)).collect()
    }

    /// `type(args)`.
    pub(super) fn construct(&mut self, ty: TypeId, args: List<ExprId>, span: Span) -> Checked<Operand> {
        let wanted = self.type_spec(ty);
        let operands = self.arguments(args);
        let wanted = wanted?;
        self.construct_type(wanted, operands?, args, span)
    }

    /// A value of a type from its arguments.
    pub(super) fn construct_type(
        &mut self,
        ty: Type,
        operands: Operands,
        args: List<ExprId>,
        span: Span,
    ) -> Checked<Operand> {
        self.b.at(span);
        if operands.is_empty() && ty != Type::VOID {
            return Err(self.wrong_count(ty, "needs at least one argument".into(), span));
        }
        if self.is_reference(ty) {
            return self.construct_reference(ty, operands, args, span);
        }
        if let [operand] = operands[..]
            && self.is_reference(operand.ty)
            && self.b.module.types.scalar_of(ty).is_some()
        {
            return self.address_of_reference(ty, operand, span);
        }
        match self.kind(ty) {
            TypeKind::Scalar(_) => self.construct_scalar(ty, operands, args, span),
            TypeKind::Vector(..) => self.construct_vector(ty, operands, args, span),
            TypeKind::Matrix { .. } => {
                let of_matrix = operands.iter().any(|o| matches!(self.kind(o.ty), TypeKind::Matrix { .. }));
                if of_matrix && !self.version.at_least(100, 120) {
                    let version = self.version;
                    return Err(self.fail(Code::E0305, span, format!("{version} makes no matrix of a matrix")));
                }
                self.construct_matrix(ty, operands, args, span)
            }
            TypeKind::Struct(_) => self.construct_struct(ty, operands, args, span),
            TypeKind::Array { .. } | TypeKind::RuntimeArray { .. } => self.construct_array(ty, operands, args, span),
            TypeKind::Spirv(_) if !device::is_ray_query(&self.b.module.types, ty) => {
                self.construct_acceleration_structure(ty, &operands, span)
            }
            TypeKind::Image(_) if operands.len() == 2 => self.construct_sampler(ty, &operands, span),
            _ => {
                let name = self.type_name(ty);
                Err(self.fail(Code::E0305, span, format!("values of type `{name}` cannot be constructed")))
            }
        }
    }

    fn construct_scalar(&mut self, ty: Type, operands: Operands, args: List<ExprId>, span: Span) -> Checked<Operand> {
        if operands.len() > 1 {
            return Err(self.wrong_count(ty, format!("takes one argument, not {}", operands.len()), span));
        }
        self.check_components(&operands, args, ty)?;
        let from = operands[0];
        let mut value = self.load(from);
        let scalar = self.b.module.types.scalar_of(from.ty);
        let Some(scalar) = scalar else { return Err(Reported) };
        match self.kind(from.ty) {
            TypeKind::Vector(..) => value = self.b.op_imm(Op::ExtractVectorComponent, Imm::index(0), &[value]),
            TypeKind::Matrix { .. } => {
                let zero = self.b.i32(0);
                let column = self.node(Op::ExtractMatrixColumn, &[value, zero]);
                value = self.b.op_imm(Op::ExtractVectorComponent, Imm::index(0), &[column]);
            }
            _ => {}
        }
        let from = self.b.module.types.scalar(scalar);
        let value = self.convert(value, from, ty);
        Ok(Operand::value(value, ty))
    }

    fn construct_vector(&mut self, ty: Type, operands: Operands, args: List<ExprId>, span: Span) -> Checked<Operand> {
        self.check_components(&operands, args, ty)?;
        if let [one] = operands[..] {
            match self.kind(one.ty) {
                TypeKind::Scalar(_) => {
                    let value = self.load(one);
                    let value = self.typed(Op::ConstructVectorFromScalar, &[value], ty);
                    return Ok(Operand::value(value, ty));
                }
                _ if one.ty == ty => return Ok(self.loaded(one)),
                _ => {}
            }
        }
        let size = self.b.module.types.vector_size(ty).unwrap_or(1).into();
        self.check_component_count(ty, size, &operands, args, span)?;
        let values = self.load_all(&operands);
        let value = self.typed(Op::ConstructVectorFromMultiple, &values, ty);
        Ok(Operand::value(value, ty))
    }

    fn construct_matrix(&mut self, ty: Type, operands: Operands, args: List<ExprId>, span: Span) -> Checked<Operand> {
        self.check_components(&operands, args, ty)?;
        if let [one] = operands[..] {
            let op = match self.kind(one.ty) {
                TypeKind::Scalar(_) => Some(Op::ConstructMatrixFromScalar),
                TypeKind::Matrix { .. } if one.ty == ty => return Ok(self.loaded(one)),
                TypeKind::Matrix { .. } => Some(Op::ConstructMatrixFromMatrix),
                _ => None,
            };
            if let Some(op) = op {
                if op == Op::ConstructMatrixFromMatrix && self.version.number == 110 {
                    return Err(self.fail(Code::E0305, span, "GLSL 1.10 has no matrices from matrices"));
                }
                let value = self.load(one);
                return Ok(Operand::value(self.typed(op, &[value], ty), ty));
            }
        }
        if let Some(i) = operands.iter().position(|o| matches!(self.kind(o.ty), TypeKind::Matrix { .. })) {
            let at = self.span_of(self.ast[args][i]);
            return Err(self.error(
                Diagnostic::error(Code::E0305, at, "a matrix among several arguments of a matrix constructor")
                    .note("a matrix is constructed from one matrix, or from scalars and vectors"),
            ));
        }
        let TypeKind::Matrix { columns, rows, .. } = *self.kind(ty) else { return Err(Reported) };
        self.check_component_count(ty, u32::from(columns) * u32::from(rows), &operands, args, span)?;
        let values = self.load_all(&operands);
        let value = self.typed(Op::ConstructMatrixFromMultiple, &values, ty);
        Ok(Operand::value(value, ty))
    }

    /// Reports arguments that have no components.
    fn check_components(&mut self, operands: &Operands, args: List<ExprId>, ty: Type) -> Checked<()> {
        let bad = operands.iter().position(|o| self.b.module.types.scalar_of(o.ty).is_none());
        let Some(i) = bad else { return self.check_stored_components(operands, args, ty) };
        let (name, wanted) = (self.type_name(operands[i].ty), self.type_name(ty));
        let at = self.ast[args].get(i).map_or(Span::NONE, |&a| self.span_of(a));
        Err(self.error(
            Diagnostic::error(Code::E0305, at, format!("`{wanted}` cannot be constructed from `{name}`"))
                .label(format!("this is `{name}`")),
        ))
    }

    /// Of integers of 8 and 16 bits that the program may only store: they are converted from and to those of 32 bits, one scalar or vector at a
    /// time.
    fn check_stored_components(&mut self, operands: &Operands, args: List<ExprId>, ty: Type) -> Checked<()> {
        for (i, operand) in operands.iter().enumerate() {
            let types = &self.b.module.types;
            let (Some(from), Some(to)) = (types.scalar_of(operand.ty), types.scalar_of(ty)) else { continue };
            let is_whole = operands.len() == 1 && types.vector_size(ty) == types.vector_size(operand.ty);
            for (scalar, other) in [(from, to), (to, from)] {
                let converts = is_whole && (other == scalar || other.is_integer() && other.bits() == 32);
                if scalar.is_small_integer() && !converts {
                    let at = self.ast[args].get(i).map_or(Span::NONE, |&a| self.span_of(a));
                    self.needs_numbers(scalar, "this conversion of #", at)?;
                }
            }
        }
        Ok(())
    }

    /// Reports missing components, and unused arguments.
    fn check_component_count(
        &mut self,
        ty: Type,
        needed: u32,
        operands: &Operands,
        args: List<ExprId>,
        span: Span,
    ) -> Checked<()> {
        let mut have = 0;
        for (i, operand) in operands.iter().enumerate() {
            if have >= needed {
                let name = self.type_name(ty);
                let at = self.ast[args].get(i).map_or(span, |&a| self.span_of(a));
                return Err(self.error(
                    Diagnostic::error(Code::E0305, at, format!("too many arguments for `{name}`"))
                        .label(format!("`{name}` has its {needed} components already")),
                ));
            }
            have += self.components(operand.ty);
        }
        if have < needed {
            let what = format!("needs {needed} components, but the arguments have {have}");
            return Err(self.wrong_count(ty, what, span));
        }
        if have > needed && operands.len() > 1 {
            self.warn_truncation(ty, have - needed, args, span);
        }
        Ok(())
    }

    /// Warns of components of a last argument that are dropped.
    #[cold]
    fn warn_truncation(&mut self, ty: Type, dropped: u32, args: List<ExprId>, span: Span) {
        let at = self.ast[args].last().map_or(span, |&a| self.span_of(a));
        let name = self.type_name(ty);
        let what =
            if dropped == 1 { "the last component".to_owned() } else { format!("the last {dropped} components") };
        self.warn(
            Diagnostic::warning(Code::W0104, at, format!("`{name}` drops {what} of this argument"))
                .help("write a swizzle of the components in use"),
        );
    }

    /// Components of a scalar, vector or matrix.
    pub(super) fn components(&self, ty: Type) -> u32 {
        match *self.kind(ty) {
            TypeKind::Vector(_, n) => n.into(),
            TypeKind::Matrix { columns, rows, .. } => u32::from(columns) * u32::from(rows),
            _ => 1,
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong_count(&mut self, ty: Type, what: String, span: Span) -> Reported {
        let name = self.type_name(ty);
        let mut d = Diagnostic::error(Code::E0305, span, format!("`{name}` {what}"));
        if let Some(s) = self.b.module.types.as_struct(ty) {
            let members: Vec<String> =
                s.members.iter().map(|m| format!("{} {}", self.type_name(m.ty), m.name)).collect();
            d = d.note(format!("its members are: {}", members.join(", ")));
        }
        self.error(d)
    }

    fn construct_struct(&mut self, ty: Type, operands: Operands, args: List<ExprId>, span: Span) -> Checked<Operand> {
        let Some(s) = self.b.module.types.as_struct(ty).cloned() else { return Err(Reported) };
        if s.members.len() != operands.len() {
            let what = format!("takes {} arguments, not {}", s.members.len(), operands.len());
            return Err(self.wrong_count(ty, what, span));
        }
        if self.is_opaque(ty) {
            let (name, what) = (self.type_name(ty), self.opaque_words(ty));
            return Err(self.fail(Code::E0405, span, format!("`{name}` holds {what}, so it cannot be constructed")));
        }
        let mut values: SmallVec<[Value; 4]> = SmallVec::new();
        let mut result = Ok(());
        for (i, (member, operand)) in s.members.iter().zip(operands).enumerate() {
            let at = self.ast[args].get(i).map_or(span, |&a| self.span_of(a));
            let what = format!("the member `{}`", member.name);
            match self.value_as(operand, member.ty, at, &what) {
                Ok(value) => values.push(value),
                Err(Reported) => result = Err(Reported),
            }
        }
        result?;
        let value = self.typed(Op::ConstructStruct, &values, ty);
        Ok(Operand::value(value, ty))
    }

    fn construct_array(&mut self, ty: Type, operands: Operands, args: List<ExprId>, span: Span) -> Checked<Operand> {
        if !self.version.at_least(300, 120) {
            let version = self.version;
            return Err(self.fail(Code::E0311, span, format!("{version} has no array constructors")));
        }
        let (element, len) = match *self.kind(ty) {
            TypeKind::Array { element, len } => (element, Some(len)),
            TypeKind::RuntimeArray { element } => (element, None),
            _ => return Err(Reported),
        };
        if let Some(len) = len
            && len as usize != operands.len()
        {
            return Err(self.wrong_count(ty, format!("takes {len} arguments, not {}", operands.len()), span));
        }
        // An element type without a size gets that of the first argument.
        let element = if self.is_unsized(element) { self.sized_like(element, operands[0].ty) } else { element };
        let ty = self.array_of(element, operands.len() as u32, span)?;
        let mut values: SmallVec<[Value; 4]> = SmallVec::new();
        let mut result = Ok(());
        for (i, operand) in operands.into_iter().enumerate() {
            let at = self.ast[args].get(i).map_or(span, |&a| self.span_of(a));
            match self.value_as(operand, element, at, "an element of the array") {
                Ok(value) => values.push(value),
                Err(Reported) => result = Err(Reported),
            }
        }
        result?;
        let value = self.typed(Op::ConstructArray, &values, ty);
        Ok(Operand::value(value, ty))
    }

    /// The type with its missing sizes taken from `model`, where that has the same shape.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub(super) fn sized_like(&mut self, ty: Type, model: Type) -> Type {
        match (self.kind(ty).clone(), self.kind(model).clone()) {
            (TypeKind::RuntimeArray { element }, TypeKind::Array { element: inner, len })
            | (TypeKind::Array { element, len }, TypeKind::Array { element: inner, .. }) => {
                let element = self.sized_like(element, inner);
                self.b.module.types.array(element, len)
            }
            _ => ty,
        }
    }

    /// `sampler2D(texture, sampler)` (Vulkan).
    fn construct_sampler(&mut self, ty: Type, operands: &Operands, span: Span) -> Checked<Operand> {
        let is_texture = |kind: &TypeKind| matches!(kind, TypeKind::Image(image) if image.kind == ImageKind::Texture);
        let fits =
            is_texture(self.kind(operands[0].ty)) && matches!(self.kind(operands[1].ty), TypeKind::Sampler { .. });
        if !fits {
            let (a, b) = (self.type_name(operands[0].ty), self.type_name(operands[1].ty));
            let name = self.type_name(ty);
            return Err(self.fail(
                Code::E0305,
                span,
                format!("`{name}` is constructed from a texture and a sampler, not `{a}` and `{b}`"),
            ));
        }
        let values = self.load_all(operands);
        let value = self.node(Op::CombineSampler, &values);
        if self.b.type_of(value) != ty {
            let (constructed, name) = (self.type_name(self.b.type_of(value)), self.type_name(ty));
            return Err(self.fail(Code::E0305, span, format!("these make a `{constructed}`, not a `{name}`")));
        }
        Ok(Operand::value(value, ty))
    }

    // ------------------------------------------------------------------------------------------ initializer lists

    /// An initializer of a type: an expression, or `{ … }` for its parts (desktop 4.20).
    /// Recursion: as deep as lists nest, which the parser bounds (`MAX_NESTING`).
    pub(super) fn initializer(&mut self, expr: ExprId, ty: Type) -> Checked<Operand> {
        let ast = self.ast;
        let span = ast[expr].span;
        let ExprKind::InitList(items) = ast[expr].kind else { return self.value(expr) };
        let items = &ast[items];
        let ty = match *self.kind(ty) {
            TypeKind::RuntimeArray { element } => self.array_of(element, items.len().max(1) as u32, span)?,
            _ => ty,
        };
        let count = if self.is_reference(ty) { None } else { self.b.module.types.part_count(ty) };
        let Some(count) = count else {
            let name = self.type_name(ty);
            return Err(self.fail(Code::E0305, span, format!("`{name}` cannot be initialized by a list")));
        };
        if count as usize != items.len() {
            let what = format!("has {count} parts, but the list has {}", items.len());
            return Err(self.wrong_count(ty, what, span));
        }
        let mut values: SmallVec<[Value; 4]> = SmallVec::new();
        let mut result = Ok(());
        for (i, &item) in items.iter().enumerate() {
            let Some(part) = self.b.module.types.part(ty, i as u32) else { return Err(Reported) };
            let value = self.initializer(item, part);
            match value.and_then(|v| self.value_as(v, part, ast[item].span, "this part of the list")) {
                Ok(value) => values.push(value),
                Err(Reported) => result = Err(Reported),
            }
        }
        result?;
        self.b.at(span);
        let op = match self.kind(ty) {
            TypeKind::Vector(..) => Op::ConstructVectorFromMultiple,
            TypeKind::Matrix { .. } => Op::ConstructMatrixFromMultiple,
            TypeKind::Struct(_) => Op::ConstructStruct,
            _ => Op::ConstructArray,
        };
        let value = self.typed(op, &values, ty);
        Ok(Operand::value(value, ty))
    }
}

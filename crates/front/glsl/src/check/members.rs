//! Parts of values: members, swizzles, elements, and `.length()`.

use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::entity::{Const, Type, Value};
use planish_ir::ops::{Imm, Lanes, Op};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};
use smallvec::SmallVec;

use super::operand::Operand;
use super::{Checked, Checker, Reported};
use crate::ast::*;
use crate::symbol::sym;

/// The names of components, by set.
const COMPONENT_SETS: [&[u8; 4]; 3] = [b"xyzw", b"rgba", b"stpq"];

impl Checker<'_, '_> {
    // ------------------------------------------------------------------------------------------ members

    /// `base.name` of a struct or vector.
    pub(super) fn field(&mut self, base: Operand, name: Name, span: Span) -> Checked<Operand> {
        self.b.at(span);
        if self.is_reference(base.ty) {
            return self.referenced_field(base, name, span);
        }
        match self.kind(base.ty) {
            TypeKind::Struct(s) => {
                let text = self.text(name.symbol);
                let found = s.members.iter().position(|m| &*m.name == text);
                match found {
                    Some(index) => {
                        let ty = s.members[index].ty;
                        let unreadable = s.is_block && s.members[index].decorations.has(Decoration::WriteOnly);
                        if base.place && unreadable && !self.frame.flow.suppressed {
                            return Err(self.unreadable(name.symbol, span));
                        }
                        Ok(self.part(base, Op::AccessStructField, Op::ExtractStructField, Imm::index(index as u32), ty))
                    }
                    None => Err(self.no_such_field(base.ty, name)),
                }
            }
            &TypeKind::Vector(scalar, size) => {
                let lanes = self.swizzle_lanes(base.ty, size, name)?;
                let ty = self.b.module.types.vector(scalar, lanes.len() as u8);
                Ok(match lanes[..] {
                    [lane] => {
                        let imm = Imm::index(lane.into());
                        self.part(base, Op::AccessVectorComponent, Op::ExtractVectorComponent, imm, ty)
                    }
                    _ => {
                        let imm = Imm::from(Lanes::new(&lanes));
                        // A place with a component twice cannot be written, and so is no place.
                        let base = if Lanes::new(&lanes).is_distinct() { base } else { self.loaded(base) };
                        self.part(base, Op::AccessVectorComponentMulti, Op::ExtractVectorComponentMulti, imm, ty)
                    }
                })
            }
            TypeKind::Scalar(_) if self.has_420pack() => self.scalar_swizzle(base, name),
            _ => Err(self.no_such_field(base.ty, name)),
        }
    }

    /// Whether scalars have swizzles, and vectors and matrices a length.
    fn has_420pack(&self) -> bool {
        self.version.at_least(0, 420) || self.has_extension("GL_ARB_shading_language_420pack")
    }

    fn part(&mut self, base: Operand, access: Op, extract: Op, imm: Imm, ty: Type) -> Operand {
        if let Some(spot) = self.spot(base) {
            match op_lanes(extract, imm) {
                Some(lanes) => self.lanes_at_address(base, spot, lanes, ty),
                None => self.field_at_address(base, spot, imm.as_index(), ty),
            }
        } else if base.place {
            Operand::place(self.b.op_imm(access, imm, &[base.value]), ty)
        } else {
            Operand::value(self.b.op_imm(extract, imm, &[base.value]), ty)
        }
    }

    /// `x.xxx` of a scalar (desktop 4.20).
    fn scalar_swizzle(&mut self, base: Operand, name: Name) -> Checked<Operand> {
        let lanes = self.swizzle_lanes(base.ty, 1, name)?;
        let base = self.loaded(base);
        if lanes.len() == 1 {
            return Ok(base);
        }
        let Some(scalar) = self.b.module.types.scalar_of(base.ty) else { return Err(Reported) };
        let ty = self.b.module.types.vector(scalar, lanes.len() as u8);
        let value = self.splat(base.value, ty);
        Ok(Operand::value(value, ty))
    }

    /// The components that a swizzle names.
    fn swizzle_lanes(&mut self, ty: Type, size: u8, name: Name) -> Checked<SmallVec<[u8; 4]>> {
        let text = self.text(name.symbol);
        let set = COMPONENT_SETS.iter().find(|set| text.bytes().next().is_some_and(|c| set.contains(&c)));
        let lanes: Option<SmallVec<[u8; 4]>> =
            set.and_then(|set| text.bytes().map(|c| set.iter().position(|&s| s == c).map(|i| i as u8)).collect());
        match lanes {
            Some(lanes) if lanes.len() <= 4 && lanes.iter().all(|&l| l < size) => Ok(lanes),
            _ => Err(self.bad_swizzle(ty, size, name)),
        }
    }

    #[cold]
    #[inline(never)]
    fn bad_swizzle(&mut self, ty: Type, size: u8, name: Name) -> Reported {
        let text = self.text(name.symbol);
        let ty_name = self.type_name(ty);
        let set_of = |c: u8| COMPONENT_SETS.iter().position(|set| set.contains(&c));
        let sets: Vec<Option<usize>> = text.bytes().map(set_of).collect();
        let mut d = Diagnostic::error(Code::E0307, name.span, format!("`{ty_name}` has no component `{text}`"));
        if sets.iter().any(Option::is_none) {
            d = d.label("not a swizzle").note("components are named `xyzw`, `rgba` or `stpq`");
        } else if sets.windows(2).any(|w| w[0] != w[1]) {
            d = d
                .label("mixes two sets of names")
                .note("the names of a swizzle are all of `xyzw`, all of `rgba`, or all of `stpq`");
        } else if text.len() > 4 {
            d = d.label("more than four components");
        } else {
            d = d.label(format!("the components of `{ty_name}` are `{}`", &"xyzw"[..size as usize]));
        }
        self.error(d)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn no_such_field(&mut self, ty: Type, name: Name) -> Reported {
        let (text, ty_name) = (self.text(name.symbol), self.type_name(ty));
        let mut d = Diagnostic::error(Code::E0307, name.span, format!("`{ty_name}` has no member `{text}`"));
        if let Some(s) = self.b.module.types.as_struct(ty) {
            if let Some(near) = did_you_mean(text, s.members.iter().map(|m| &*m.name)) {
                d = d.help(format!("did you mean `{near}`?")).fix(name.span, near.to_owned());
            } else if s.members.len() <= 8 {
                let members: Vec<String> = s.members.iter().map(|m| format!("`{}`", m.name)).collect();
                d = d.note(format!("its members are {}", members.join(", ")));
            }
        } else if self.is_array(ty) && text == "length" {
            d = d.help("it is a method: write `.length()`");
        } else {
            d = d.note("only structs have members, and only vectors components");
        }
        self.error(d)
    }

    // ------------------------------------------------------------------------------------------ elements

    /// `base[index]`.
    pub(super) fn index(
        &mut self,
        left: Checked<Operand>,
        base: ExprId,
        index: ExprId,
        span: Span,
    ) -> Checked<Operand> {
        let left = match left {
            // The index may change what is indexed only where that is a value.
            Ok(l) if !l.place && self.effects.writes(index) => Ok(self.loaded(l)),
            l => l,
        };
        let index_operand = self.value(index);
        let (base_operand, mut i) = (left?, index_operand?);
        let index_span = self.span_of(index);
        if matches!(self.kind(i.ty), TypeKind::Scalar(scalar) if scalar.is_small_integer() && self.computes_with(*scalar))
        {
            i = Operand::value(self.convert(i.value, i.ty, Type::I32), Type::I32);
        }
        if i.ty != Type::I32 && i.ty != Type::U32 {
            let name = self.type_name(i.ty);
            return Err(self.error(
                Diagnostic::error(
                    Code::E0302,
                    index_span,
                    format!("an index is `int` or `uint`, but this is `{name}`"),
                )
                .label(format!("this is `{name}`")),
            ));
        }
        if i.as_const().is_none() {
            self.check_length_is_known(base_operand, span)?;
        }
        self.check_bounds(base_operand.ty, i, index_span)?;
        self.b.at(span);
        self.webgl_index(base_operand, i, base, index);
        if self.is_reference(base_operand.ty) {
            return self.moved(base_operand, i, false, span);
        }
        let ty = match *self.kind(base_operand.ty) {
            TypeKind::Array { element, .. } => element,
            TypeKind::RuntimeArray { element } if self.is_counted_by_host(base_operand) => element,
            TypeKind::RuntimeArray { .. } => {
                return Err(self.error(
                    Diagnostic::error(Code::E0411, span, "an element of an array whose size is not known")
                        .help("give the array a size where it is declared"),
                ));
            }
            TypeKind::Vector(scalar, _) => self.b.module.types.scalar(scalar),
            TypeKind::Matrix { scalar, rows, .. } => self.b.module.types.vector(scalar, rows),
            _ => return Err(self.not_indexable(base_operand.ty, span)),
        };
        if let Some(spot) = self.spot(base_operand) {
            return Ok(self.element_at_address(base_operand, spot, i.value, ty));
        }
        let index = if self.is_array(base_operand.ty) { self.marked_index(i.value) } else { i.value };
        Ok(self.element(base_operand, index, ty, base))
    }

    /// An index as `non_uniform`, if the program says that it is so.
    fn marked_index(&mut self, index: Value) -> Value {
        let is_marked = self.b.definition(index).is_some_and(|(op, ..)| op == Op::NonUniform);
        if is_marked || index.as_const().is_some() || !(self.non_uniform > 0 || self.is_non_uniform(index, 8)) {
            return index;
        }
        self.node(Op::NonUniform, &[index])
    }

    /// Whether a value is computed from one that is `nonuniformEXT`.
    /// Recursion: over the definitions, at most `depth` levels.
    fn is_non_uniform(&self, value: Value, depth: u32) -> bool {
        let Some((op, _, args)) = self.b.definition(value) else { return false };
        match op {
            Op::NonUniform => true,
            Op::Load => {
                let var = args[0].as_var();
                var.is_some_and(|var| self.b.module.vars[var].decorations.has(Decoration::NonUniform))
            }
            _ if depth == 0 || !op.is_pure() => false,
            _ => args.iter().any(|&arg| self.is_non_uniform(arg, depth - 1)),
        }
    }

    #[cold]
    fn not_indexable(&mut self, ty: Type, span: Span) -> Reported {
        let name = self.type_name(ty);
        let d = Diagnostic::error(Code::E0306, span, format!("`{name}` has no elements"))
            .note("arrays, vectors and matrices can be indexed");
        self.error(d)
    }

    /// The element of an array, the column of a matrix, the component of a vector.
    fn element(&mut self, base: Operand, index: Value, ty: Type, expr: ExprId) -> Operand {
        let constant = index.as_const().and_then(|c| self.b.module.consts.as_bits(c));
        if let TypeKind::Vector(..) = self.kind(base.ty)
            && let Some(lane) = constant
        {
            let imm = Imm::index(lane as u32);
            return self.part(base, Op::AccessVectorComponent, Op::ExtractVectorComponent, imm, ty);
        }
        let mut base = base;
        if let (Some(value), None) = (base.as_const(), constant)
            && self.is_array(base.ty)
        {
            base = Operand::place(self.constant_array(value, base.ty, expr), base.ty);
        }
        let (access, extract) = match self.kind(base.ty) {
            TypeKind::Vector(..) => (Op::AccessVectorComponentDynamic, Op::ExtractVectorComponentDynamic),
            TypeKind::Matrix { .. } => (Op::AccessMatrixColumn, Op::ExtractMatrixColumn),
            _ => (Op::AccessArrayElement, Op::ExtractArrayElement),
        };
        let op = if base.place { access } else { extract };
        let value = self.node(op, &[base.value, index]);
        Operand { value, ty, place: base.place, spot: None }
    }

    /// The address of a variable with the value of a constant array, for dynamic indexing.
    fn constant_array(&mut self, value: Const, ty: Type, expr: ExprId) -> Value {
        if let Some(&var) = self.constant_arrays.get(&value) {
            return var.into();
        }
        let text = match self.ast[self.ast.unparenthesized(expr)].kind {
            ExprKind::Name(symbol) => self.text(symbol),
            _ => "table",
        };
        let name = planish_ir::decoration::Name::temporary(text);
        let precision = self.default_precision(ty);
        let ir_type = self.ir_type(ty);
        let var = self.b.module.add_var(name, ir_type, AddressSpace::Private);
        let data = &mut self.b.module.vars[var];
        data.initializer = Some(value);
        data.is_const = true;
        data.precision = precision;
        self.constant_arrays.insert(value, var);
        var.into()
    }

    /// Reports a constant index out of bounds.
    fn check_bounds(&mut self, ty: Type, index: Operand, span: Span) -> Checked<()> {
        let Some(c) = index.as_const() else { return Ok(()) };
        let module = &self.b.module;
        let Some(i) = module.consts.as_integer(&module.types, c) else { return Ok(()) };
        let len = match *self.kind(ty) {
            TypeKind::Array { len, .. } => i128::from(len),
            TypeKind::Vector(_, n) => n.into(),
            TypeKind::Matrix { columns, .. } => columns.into(),
            TypeKind::RuntimeArray { .. } => i128::MAX,
            _ => return Ok(()),
        };
        if (0..len).contains(&i) {
            return Ok(());
        }
        let name = self.type_name(ty);
        Err(self.error(
            Diagnostic::error(Code::E0306, span, format!("index {i} is out of bounds of `{name}`")).label(if i < 0 {
                "negative".to_owned()
            } else {
                format!("the last element is {}", len - 1)
            }),
        ))
    }

    // ------------------------------------------------------------------------------------------ methods

    /// `object.method()`: the only one is `.length()`.
    pub(super) fn method(
        &mut self,
        object: Checked<Operand>,
        callee: ExprId,
        args: List<ExprId>,
        span: Span,
    ) -> Checked<Operand> {
        let ExprKind::Field { name, .. } = self.ast[callee].kind else { return Err(Reported) };
        let object = object?;
        let text = self.text(name.symbol);
        if name.symbol != sym::LENGTH {
            return Err(self.error(
                Diagnostic::error(Code::E0307, name.span, format!("there is no method `{text}`"))
                    .note("the only method is `.length()`, of arrays"),
            ));
        }
        if !args.is_empty() {
            return Err(self.fail(Code::E0303, span, "`.length()` takes no arguments"));
        }
        if !self.version.at_least(300, 120) {
            let version = self.version;
            return Err(self.fail(Code::E0311, name.span, format!("{version} has no `.length()`")));
        }
        // (GLSL 4.30.8, section 4.1.9.)
        if !self.version.at_least(0, 430) && !self.has_extension("GL_ARB_shader_storage_buffer_object") {
            self.check_length_is_known(object, span)?;
        }
        self.b.at(span);
        let len = match *self.kind(object.ty) {
            TypeKind::Array { len, .. } => len,
            TypeKind::Vector(_, n) if self.has_420pack() => n.into(),
            TypeKind::Matrix { columns, .. } if self.has_420pack() => columns.into(),
            TypeKind::RuntimeArray { .. } if object.spot.is_some() => {
                return Err(self.error(
                    Diagnostic::error(Code::E0411, span, "`.length()` of an array that a reference leads to")
                        .note("a reference is an address, which does not know how long its buffer is")
                        .help("pass the length as a number"),
                ));
            }
            TypeKind::RuntimeArray { .. } if object.place && self.ends_buffer(object.value) => {
                let value = self.node(Op::ArrayLength, &[object.value]);
                return Ok(Operand::value(value, Type::I32));
            }
            TypeKind::RuntimeArray { .. } => {
                return Err(self.fail(Code::E0411, span, "`.length()` of an array whose size is not known yet"));
            }
            _ => {
                let ty = self.type_name(object.ty);
                return Err(self.fail(Code::E0307, name.span, format!("`{ty}` has no `.length()`")));
            }
        };
        let value = self.b.i32(len as i32);
        Ok(Operand::value(value, Type::I32))
    }
}

/// The components that an op takes from a vector, if it takes some.
fn op_lanes(extract: Op, imm: Imm) -> Option<Lanes> {
    match extract {
        Op::ExtractVectorComponent => Some(Lanes::new(&[imm.as_index() as u8])),
        Op::ExtractVectorComponentMulti => Some(imm.as_lanes()),
        _ => None,
    }
}

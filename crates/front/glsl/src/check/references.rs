//! References to buffers (`GL_EXT_buffer_reference` and its successors): their types, constructors and arithmetic.
//!
//! In the checker, a type of references is a struct of its own, which no other type converts to. In the IR its values are addresses, which
//! are `u64`: [`Checker::ir_type`] translates types. What is at an address is in [`super::addresses`].

use std::sync::Arc;

use planish_ir::decoration::{Decoration, Decorations, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Value};
use planish_ir::layout::{Layout, Rule, layout_of};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{Member, Scalar, StructType, TypeKind};
use rustc_hash::FxHashMap;

use super::constructors::Operands;
use super::layouts::Key;
use super::names::{Access, Entity};
use super::operand::Operand;
use super::qualifiers::{Qualifiers, Storage};
use super::{Checked, Checker, Reported};
use crate::ast::*;

/// The extensions that have references: each has all of those before it.
pub(super) const REFERENCES: &[&str] =
    &["GL_EXT_buffer_reference", "GL_EXT_buffer_reference2", "GL_EXT_buffer_reference_uvec2"];

/// Alignment of a buffer, in bytes, unless `buffer_reference_align` gives another.
const DEFAULT_ALIGN: u32 = 16;

/// A type of references.
#[derive(Clone, Copy)]
pub(super) struct Reference {
    /// The block with the members; `None` as long as it is only declared.
    pub(super) block: Option<Type>,
    pub(super) rule: Rule,
    /// Alignment of the buffer in bytes.
    pub(super) align: u32,
    pub(super) access: Access,
    /// Whether its definition has an error, which is reported.
    is_wrong: bool,
    /// The first declaration.
    span: Span,
}

/// The types of references of the program.
#[derive(Default)]
pub(super) struct References {
    types: FxHashMap<Type, Reference>,
    /// Types that hold references, and those that the IR has for them.
    lowered: FxHashMap<Type, Type>,
}

impl Checker<'_, '_> {
    /// A type of references, if it is one.
    pub(super) fn reference(&self, ty: Type) -> Option<Reference> {
        self.references.types.get(&ty).copied()
    }

    pub(super) fn is_reference(&self, ty: Type) -> bool {
        self.references.types.contains_key(&ty)
    }

    /// Whether values of a type are or hold references.
    pub(super) fn holds_references(&mut self, ty: Type) -> bool {
        self.ir_type(ty) != ty
    }

    /// The type that the IR has for a type: with addresses for references.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub(super) fn ir_type(&mut self, ty: Type) -> Type {
        if self.references.types.is_empty() {
            return ty;
        }
        if self.is_reference(ty) {
            return self.b.module.types.scalar(Scalar::U64);
        }
        if let Some(&known) = self.references.lowered.get(&ty) {
            return known;
        }
        let lowered = match self.kind(ty).clone() {
            TypeKind::Array { element, len } => {
                let element = self.ir_type(element);
                self.b.module.types.array(element, len)
            }
            TypeKind::RuntimeArray { element } => {
                let element = self.ir_type(element);
                self.b.module.types.intern(TypeKind::RuntimeArray { element })
            }
            TypeKind::Struct(data) => {
                let parts: Vec<Type> = data.members.iter().map(|member| self.ir_type(member.ty)).collect();
                if parts.iter().eq(data.members.iter().map(|member| &member.ty)) {
                    ty
                } else {
                    let mut data = StructType::clone(&data);
                    for (member, ty) in data.members.iter_mut().zip(parts) {
                        member.ty = ty;
                    }
                    self.b.module.types.intern(TypeKind::Struct(Arc::new(data)))
                }
            }
            _ => ty,
        };
        self.references.lowered.insert(ty, lowered);
        lowered
    }

    /// The layout of a type in a buffer that references lead to. The type has one, since that of its block has been computed.
    pub(super) fn layout_at_address(&mut self, ty: Type, rule: Rule, row_major: bool) -> Arc<Layout> {
        let ty = self.ir_type(ty);
        layout_of(&self.b.module.types, ty, rule, row_major).expect("the block of the reference has a layout")
    }

    // ------------------------------------------------------------------------------------------ declarations

    /// Reports a layout of references that no extension allows.
    pub(super) fn check_reference_extension(&mut self, span: Span) -> Checked<()> {
        self.need_one_of(REFERENCES, "`buffer_reference`", span)
    }

    fn need_one_of(&mut self, extensions: &[&str], what: &str, span: Span) -> Checked<()> {
        if extensions.iter().any(|extension| self.has_extension(extension)) {
            return Ok(());
        }
        let extension = extensions[0];
        Err(self.error(
            Diagnostic::error(Code::E0508, span, format!("{what} needs the extension `{extension}`"))
                .help(format!("begin with `#extension {extension} : require`, if the device has it")),
        ))
    }

    /// `layout(buffer_reference) buffer Name;`
    pub(super) fn declare_references(&mut self, name: Name, q: &Qualifiers) {
        let _ = self.reference_type(name, q);
    }

    /// The type of references that a declaration names, a new one if there is none; reports what is no declaration of one.
    fn reference_type(&mut self, name: Name, q: &Qualifiers) -> Checked<Type> {
        let span = q.layout.find(Key::BufferReference).map_or(name.span, |(_, span)| span);
        let declared = self.scopes.lookup_here(name.symbol).map(|binding| (binding.entity, binding.span));
        let checked = match q.storage {
            Some((Storage::Buffer, _)) => self.check_reference_extension(span),
            _ => Err(self.error(
                Diagnostic::error(Code::E0404, span, "`buffer_reference` is only for `buffer` blocks")
                    .help("write `layout(buffer_reference) buffer Name { … };`"),
            )),
        };
        if checked.is_err() {
            if declared.is_none() {
                self.scopes.insert(name.symbol, Entity::Error, name.span, false);
            }
            return Err(Reported);
        }
        match declared {
            Some((Entity::Struct(ty), _)) if self.reference(ty).is_some_and(|r| r.block.is_none()) => return Ok(ty),
            Some((Entity::Error, _)) => return Err(Reported),
            Some((_, earlier)) => return Err(self.defined_twice(name, earlier)),
            None => {}
        }
        let text = self.unique_struct_name(self.text(name.symbol));
        let address = Member {
            name: "address".into(),
            ty: self.b.module.types.scalar(Scalar::U64),
            precision: Precision::None,
            decorations: Decorations::new(),
        };
        let data = StructType { name: text, members: vec![address], is_block: false };
        let ty = self.b.module.types.intern(TypeKind::Struct(Arc::new(data)));
        let (rule, align, access) = (Rule::Std430, DEFAULT_ALIGN, Access::ReadWrite);
        self.references
            .types
            .insert(ty, Reference { block: None, rule, align, access, is_wrong: false, span: name.span });
        self.declare_name(name, Entity::Struct(ty), false);
        Ok(ty)
    }

    /// `layout(buffer_reference) buffer Name { … };`
    pub(super) fn reference_block(&mut self, block: &InterfaceBlock, q: &Qualifiers) -> Checked<()> {
        let result = self.define_references(block, q);
        if result.is_err() {
            match self.scopes.lookup_here(block.name.symbol).map(|binding| binding.entity) {
                Some(Entity::Struct(ty)) => {
                    if let Some(reference) = self.references.types.get_mut(&ty) {
                        reference.is_wrong = true;
                    }
                }
                Some(_) => {}
                None => self.scopes.insert(block.name.symbol, Entity::Error, block.name.span, false),
            }
        }
        result
    }

    fn define_references(&mut self, block: &InterfaceBlock, q: &Qualifiers) -> Checked<()> {
        let declared = self.scopes.lookup_here(block.name.symbol).is_some();
        // Without an earlier declaration, members do not see the name.
        let early = if declared { Some(self.reference_type(block.name, q)?) } else { None };
        let members = match q.storage {
            Some((Storage::Buffer, _)) => self.members_at_address(block, q),
            _ => Err(Reported),
        };
        let ty = early.map_or_else(|| self.reference_type(block.name, q), Ok)?;
        let members = members?;
        let (layout, _) = self.block_layout(&q.layout, Storage::Buffer);
        let rule = Rule::from(layout);
        let data = StructType { name: self.text(block.name.symbol).into(), members, is_block: true };
        let inner = self.b.module.types.intern(TypeKind::Struct(Arc::new(data)));
        let inner_ir = self.ir_type(inner);
        if let Err(error) = layout_of(&self.b.module.types, inner_ir, rule, false) {
            return Err(self.fail(Code::E0506, block.name.span, format!("this block has no layout: {error}")));
        }
        let align = match q.layout.find(Key::BufferReferenceAlign) {
            Some((align, span)) if !align.is_power_of_two() => {
                return Err(self.fail(Code::E0404, span, "`buffer_reference_align` is a power of two"));
            }
            Some((align, _)) => align,
            None => DEFAULT_ALIGN,
        };
        let has = |decoration| q.memory.iter().any(|(d, _)| *d == decoration);
        let access = match (has(Decoration::ReadOnly), has(Decoration::WriteOnly)) {
            (true, _) => Access::ReadOnly,
            (_, true) => Access::WriteOnly,
            _ => Access::ReadWrite,
        };
        if let Some(reference) = self.references.types.get_mut(&ty) {
            *reference = Reference { block: Some(inner), rule, align, access, ..*reference };
        }
        self.bound_block(block, q, inner)
    }

    /// Reports references that are declared, but never defined.
    pub(super) fn defined(&mut self, ty: Type, name: Name) -> Checked<Type> {
        let Some(reference) = self.reference(ty) else { return Err(Reported) };
        if let Some(block) = reference.block {
            return Ok(block);
        }
        if reference.is_wrong {
            return Err(Reported);
        }
        let (text, member) = (self.type_name(ty), self.text(name.symbol));
        Err(self.error(
            Diagnostic::error(Code::E0307, name.span, format!("`{text}` has no member `{member}` here"))
                .label("its members are not declared yet")
                .also(reference.span, "declared without members here")
                .help(format!("define the block before: `layout(buffer_reference) buffer {text} {{ … }};`")),
        ))
    }

    /// Reports constants that are references.
    pub(super) fn check_no_reference(&mut self, ty: Type, span: Span) -> Checked<()> {
        let (element, _) = self.element_type(ty);
        if !self.is_reference(element) {
            return Ok(());
        }
        let name = self.type_name(ty);
        Err(self.error(
            Diagnostic::error(Code::E0402, span, format!("a variable of type `{name}` cannot be `const`"))
                .note("the addresses of buffers are not known when the shader is compiled")
                .help("leave out `const`"),
        ))
    }

    // ------------------------------------------------------------------------------------------ constructors

    /// A reference from an address of one argument: `uint64_t`, `uvec2` or another reference.
    pub(super) fn construct_reference(
        &mut self,
        ty: Type,
        operands: Operands,
        args: List<ExprId>,
        span: Span,
    ) -> Checked<Operand> {
        let name = self.type_name(ty);
        let [operand] = operands[..] else {
            let message = format!("`{name}` takes one argument, not {}", operands.len());
            return Err(self.fail(Code::E0305, span, message));
        };
        let address = self.b.module.types.scalar(Scalar::U64);
        if operand.ty == Type::UVEC2 {
            self.need_one_of(&REFERENCES[2..], "a reference from a `uvec2`", span)?;
        } else if operand.ty != address && !self.is_reference(operand.ty) {
            let from = self.type_name(operand.ty);
            let at = self.ast[args].first().map_or(span, |&a| self.span_of(a));
            return Err(self.error(
                Diagnostic::error(Code::E0305, at, format!("`{name}` cannot be constructed from `{from}`"))
                    .label(format!("this is `{from}`"))
                    .note("a reference is constructed from a `uint64_t`, a `uvec2` or another reference"),
            ));
        }
        let value = self.load(operand);
        let value = if operand.ty == Type::UVEC2 { self.same_bits(value, address) } else { value };
        Ok(Operand::value(value, ty))
    }

    /// An address from a reference: as a `uint64_t` or `uvec2`; reports other types.
    pub(super) fn address_of_reference(&mut self, ty: Type, operand: Operand, span: Span) -> Checked<Operand> {
        let address = self.b.module.types.scalar(Scalar::U64);
        if ty == Type::UVEC2 {
            self.need_one_of(&REFERENCES[2..], "a `uvec2` from a reference", span)?;
        } else if ty != address {
            let (name, from) = (self.type_name(ty), self.type_name(operand.ty));
            return Err(self.error(
                Diagnostic::error(Code::E0305, span, format!("`{name}` cannot be constructed from `{from}`"))
                    .note("a reference becomes a `uint64_t`, a `uvec2` or another reference"),
            ));
        }
        let value = self.load(operand);
        let value = if ty == address { value } else { self.same_bits(value, ty) };
        Ok(Operand::value(value, ty))
    }

    fn same_bits(&mut self, value: Value, ty: Type) -> Value {
        self.b.reinterpret(value, ty).expect("both have 64 bits")
    }

    // ------------------------------------------------------------------------------------------ arithmetic

    /// A binary operator with a reference: `reference + integer`, `integer + reference`, `reference - integer`, and the difference of two.
    pub(super) fn reference_operator(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        span: Span,
    ) -> Checked<Operand> {
        let is_number = |checker: &Self, ty| checker.offset_scalar(ty).is_some();
        let (l, r) = (self.is_reference(left.ty), self.is_reference(right.ty));
        match op {
            BinaryOp::Add if l && is_number(self, right.ty) => self.moved(left, right, false, span),
            BinaryOp::Add if r && is_number(self, left.ty) => self.moved(right, left, false, span),
            BinaryOp::Sub if l && is_number(self, right.ty) => self.moved(left, right, true, span),
            BinaryOp::Sub if l && r && left.ty == right.ty => self.distance(left, right, span),
            _ => Err(self.wrong_reference_operator(op, left, right, span)),
        }
    }

    #[cold]
    pub(super) fn wrong_reference_operator(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        span: Span,
    ) -> Reported {
        let (sign, a, b) = (op.as_str(), self.type_name(left.ty), self.type_name(right.ty));
        let mut d = Diagnostic::error(Code::E0302, span, format!("`{sign}` does not take `{a}` and `{b}`"));
        if matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            d = d.note("an integer is added to a reference or subtracted from it; two of one type have a difference");
        } else {
            d = d.note("references have no such operator").help("convert them: `uint64_t(…)`");
        }
        self.error(d)
    }

    /// An integer that a reference can be moved by.
    fn offset_scalar(&self, ty: Type) -> Option<Scalar> {
        match *self.kind(ty) {
            TypeKind::Scalar(scalar) if scalar.is_integer() && self.computes_with(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The reference to the buffer so many buffers further on, or back.
    pub(super) fn moved(&mut self, reference: Operand, by: Operand, back: bool, span: Span) -> Checked<Operand> {
        let stride = self.stride_of(reference.ty, span)?;
        let (address, by_value) = (self.load(reference), self.load(by));
        self.b.at(span);
        let bytes = self.scaled(by_value, stride);
        let value = self.node(if back { Op::Subtract } else { Op::Add }, &[address, bytes]);
        Ok(Operand::value(value, reference.ty))
    }

    /// The number of buffers between two references, as an `int64_t`.
    fn distance(&mut self, left: Operand, right: Operand, span: Span) -> Checked<Operand> {
        let stride = self.stride_of(left.ty, span)?;
        let (a, b) = (self.load(left), self.load(right));
        self.b.at(span);
        let bytes = self.node(Op::Subtract, &[a, b]);
        let signed = self.b.module.types.scalar(Scalar::I64);
        let bytes = self.b.convert(bytes, signed);
        let stride = self.b.module.consts.bits(signed, stride.into());
        let value = self.node(Op::Divide, &[bytes, stride.into()]);
        Ok(Operand::value(value, signed))
    }

    /// An index times a stride in bytes, as a part of an address.
    pub(super) fn scaled(&mut self, index: Value, stride: u32) -> Value {
        let [signed, unsigned] = [Scalar::I64, Scalar::U64].map(|scalar| self.b.module.types.scalar(scalar));
        let ty = self.b.type_of(index);
        let is_signed = self.b.module.types.scalar_of(ty).is_some_and(Scalar::is_signed);
        let index = if is_signed { self.b.convert(index, signed) } else { index };
        let index = self.b.convert(index, unsigned);
        let stride = self.b.module.consts.bits(unsigned, stride.into());
        self.node(Op::Multiply, &[index, stride.into()])
    }

    /// Bytes from a buffer to the next one that references of a type lead to.
    fn stride_of(&mut self, ty: Type, span: Span) -> Checked<u32> {
        self.need_one_of(&REFERENCES[1..2], "arithmetic of references", span)?;
        let name = self.type_name(ty);
        let block = self.reference(ty).and_then(|reference| Some((reference, reference.block?)));
        let Some((reference, block)) = block else {
            if self.reference(ty).is_some_and(|reference| reference.is_wrong) {
                return Err(Reported);
            }
            let message = format!("the members of `{name}` are not declared yet, so its size is not known");
            return Err(self.fail(Code::E0302, span, message));
        };
        if self.is_unsized(block) {
            return Err(self.error(
                Diagnostic::error(Code::E0302, span, format!("there is no arithmetic of references to `{name}`"))
                    .label("its last member is an array without a size")
                    .note("the size of the buffer is not known"),
            ));
        }
        let size = self.size_of_block(block, reference.rule);
        size.checked_next_multiple_of(reference.align)
            .ok_or_else(|| self.fail(Code::E0506, span, format!("`{name}` is larger than 4 GiB")))
    }

    /// Bytes up to the end of the last member.
    fn size_of_block(&mut self, block: Type, rule: Rule) -> u32 {
        let layout = self.layout_at_address(block, rule, false);
        layout.members.iter().map(|member| member.offset.saturating_add(member.size)).max().unwrap_or(0)
    }
}

//! Specialization constants, which the host may replace: WGSL's overrides. naga's other writers have none, so there each
//! has its default value (warning W0151).

use naga::{Expression, Handle};
use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Var};
use planish_ir::module::EntryPoint;
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};

use crate::Target;
use crate::module::{Context, literal, naga_span};
use crate::types::{Res, fail};

/// An override by its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Override {
    pub(crate) handle: Handle<naga::Override>,
    pub(crate) scalar: Scalar,
    default: u64,
}

/// The sizes of a work group: each a number, or a number that an override may replace.
pub(crate) type Sizes = [(u32, Option<Override>); 3];

impl Context<'_> {
    /// The initializer of a variable for a specialization constant; `None` if it is no such variable, or the target has
    /// no such constants.
    pub(crate) fn override_initializer(&mut self, var: Var, c: Const) -> Res<Option<Handle<Expression>>> {
        let data = &self.module.vars[var];
        let id = data.decorations.find(|d| if let Decoration::ConstantId(n) = d { Some(n) } else { None });
        let Some(id) = id else { return Ok(None) };
        let (span, name) = (data.span, data.name.text.to_string());
        let TypeKind::Scalar(scalar) = self.module.types[data.ty] else {
            return fail(Code::E0602, span, "a specialization constant must be a number or a boolean");
        };
        let wanted = matches!(scalar, Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32);
        let (Target::Wgsl, true, Some(default)) = (self.options.target, wanted, literal(self.module, c)) else {
            self.warn_of_default(&format!("`{name}`"), span);
            return Ok(None);
        };
        let bits = self.module.consts.as_bits(c).unwrap_or(0);
        let made = self.override_of(id, name, (scalar, bits), default, span)?;
        let expressions = &mut self.types.naga.global_expressions;
        Ok(Some(expressions.append(Expression::Override(made.handle), naga_span(span))))
    }

    /// The sizes of an entry point's work group.
    pub(crate) fn work_group_sizes(&mut self, entry: &EntryPoint) -> Res<Sizes> {
        let size = entry.properties.local_size.unwrap_or([1; 3]);
        let mut sizes = size.map(|n| (n, None));
        let span = self.module.funcs[entry.func].span;
        for (axis, id) in entry.properties.local_size_ids.into_iter().enumerate() {
            let Some(id) = id else { continue };
            let name = format!("local_size_{}", ["x", "y", "z"][axis]);
            if self.options.target != Target::Wgsl {
                self.warn_of_default(&format!("`{name}`"), span);
                continue;
            }
            let default = (Scalar::U32, u64::from(size[axis]));
            sizes[axis].1 = Some(self.override_of(id, name, default, naga::Literal::U32(size[axis]), span)?);
        }
        Ok(sizes)
    }

    /// The override of a number, which several constants may share: WGSL has a number once.
    fn override_of(
        &mut self,
        id: u32,
        name: String,
        (scalar, bits): (Scalar, u64),
        default: naga::Literal,
        span: Span,
    ) -> Res<Override> {
        if let Some(&known) = self.overrides.get(&id) {
            let integers = [Scalar::I32, Scalar::U32];
            let alike = scalar == known.scalar || integers.contains(&scalar) && integers.contains(&known.scalar);
            if !alike || bits != known.default {
                let message =
                    format!("two constants have the number {id}; in WGSL they are one, with one type and one default");
                return fail(Code::E0606, span, message);
            }
            return Ok(known);
        }
        let Ok(number) = u16::try_from(id) else {
            return fail(Code::E0606, span, format!("WGSL numbers constants up to {}, not {id}", u16::MAX));
        };
        let ty = self.types.vector(crate::types::scalar(scalar), 1);
        let init = self.types.naga.global_expressions.append(Expression::Literal(default), naga_span(span));
        let made = naga::Override { name: Some(name), id: Some(number), ty, init: Some(init) };
        let handle = self.types.naga.overrides.append(made, naga_span(span));
        let made = Override { handle, scalar, default: bits };
        self.overrides.insert(id, made);
        Ok(made)
    }

    fn warn_of_default(&mut self, what: &str, span: Span) {
        let target = self.target();
        let message = format!("{target} has no specialization constants here: {what} has its default value");
        let warning = Diagnostic::warning(Code::W0151, span, message);
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// The text of a module with its work groups sized by overrides, which naga's writer leaves out.
#[cfg(feature = "wgsl")]
pub(crate) fn sized_by_overrides(module: &naga::Module, text: String) -> String {
    const ATTRIBUTE: &str = "@workgroup_size(";
    let compute = |e: &&naga::EntryPoint| e.stage == naga::ShaderStage::Compute;
    if module.entry_points.iter().all(|e| e.workgroup_size_overrides.is_none()) {
        return text;
    }
    // The writer gives names of its own, but writes each number once.
    let name = |handle: Handle<naga::Override>| -> &str {
        let declaration = format!("@id({}) override ", module.overrides[handle].id.unwrap_or_default());
        let start = text.find(&declaration).expect("the writer writes every override") + declaration.len();
        let rest = &text[start..];
        &rest[..rest.find(':').expect("an override has a type")]
    };
    let mut parts = text.split(ATTRIBUTE);
    let mut sized = parts.next().unwrap_or_default().to_owned();
    for (entry, part) in module.entry_points.iter().filter(compute).zip(parts) {
        sized.push_str(ATTRIBUTE);
        let (numbers, rest) = part.split_once(')').expect("an attribute ends");
        let Some(overrides) = entry.workgroup_size_overrides else {
            sized += part;
            continue;
        };
        let sizes: Vec<String> = (entry.workgroup_size.iter().zip(overrides))
            .map(|(number, size)| match size.map(|e| &module.global_expressions[e]) {
                // All three must have one type; the numbers fit any.
                Some(&Expression::Override(o)) => match module.types[module.overrides[o].ty].inner {
                    naga::TypeInner::Scalar(naga::Scalar::U32) => name(o).to_owned(),
                    _ => format!("u32({})", name(o)),
                },
                _ => number.to_string(),
            })
            .collect();
        debug_assert_eq!(numbers.split(',').count(), sizes.len());
        sized += &sizes.join(", ");
        sized.push(')');
        sized += rest;
    }
    sized
}

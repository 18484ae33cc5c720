//! The spelling of WGSL.

use std::fmt::Write;

use planish_back_shading::ops;
use planish_back_text::number::{float16, float32};
use planish_back_text::syntax::Place;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, Symbol};
use planish_back_text::{Syntax, Written};
use planish_ir::constant::ConstValue;
use planish_ir::decoration::{Interpolation, Sampling};
use planish_ir::entity::{Const, Func, Type};
use planish_ir::module::Stage;
use planish_ir::types::{AddressSpace, Scalar, TypeKind};

use planish_back_shading::entry::{Attribute, Entry, Location};
use planish_back_shading::globals::{Declared, DeclaredType, Kind, Leaf, Slot, SpecId, Tree};
use planish_back_shading::images::Access;

use crate::images;
use crate::language::{Writer, builtin_name};

/// Parameters of an entry point longer than this are written one a line.
const MOST_COLUMNS: usize = 100;

pub(crate) fn function_head(w: &Writer<'_>, function: &Written, out: &mut String) {
    let name = w.known_func(function.func).map(|s| w.name(s)).unwrap_or_default();
    if let Some(entry) = w.entries.iter().find(|e| e.func == function.func) {
        return entry_head(w, entry, &name, function, out);
    }
    let _ = write!(out, "fn {name}(");
    let params = params(w, function);
    out.push_str(&params.join(w.comma()));
    out.push(')');
    let results = &w.module.funcs[function.func].results;
    match results.len() {
        0 => {}
        1 => {
            out.push_str(arrow(w));
            out.push_str(&w.type_name(results[0].ty));
        }
        _ => {
            out.push_str(arrow(w));
            let symbol = w.results.iter().find(|r| r.0 == function.func).map(|r| r.1);
            out.push_str(&symbol.map(|s| w.name(s)).unwrap_or_default());
        }
    }
}

pub(crate) fn type_name(w: &Writer<'_>, ty: Type) -> String {
    if let Some(inner) = w.atomic_of(ty) {
        return format!("atomic<{}>", w.type_name(inner));
    }
    match &w.module.types[ty] {
        TypeKind::Scalar(s) => scalar_name(*s).into(),
        TypeKind::Vector(s, n) => match letter(*s) {
            Some(c) => format!("vec{n}{c}"),
            None => format!("vec{n}<{}>", scalar_name(*s)),
        },
        TypeKind::Matrix { scalar, columns, rows } => match letter(*scalar) {
            Some(c) => format!("mat{columns}x{rows}{c}"),
            None => format!("mat{columns}x{rows}<{}>", scalar_name(*scalar)),
        },
        TypeKind::Array { element, len } => {
            format!("array<{}{}{len}>", w.type_name(*element), w.comma())
        }
        TypeKind::RuntimeArray { element } => format!("array<{}>", w.type_name(*element)),
        TypeKind::Pointer { pointee, .. } => {
            format!("ptr<function{}{}>", w.comma(), w.type_name(*pointee))
        }
        TypeKind::Struct(s) => match w.known_struct(ty) {
            Some(symbol) => w.name(symbol).to_string(),
            None => s.name.to_string(),
        },
        // Reported when the type was checked.
        _ => "i32".into(),
    }
}

pub(crate) fn declaration_head(w: &Writer<'_>, decl: &Decl, out: &mut String) {
    let is_literal = decl.init.is_some_and(|e| w.tree.is_literal(e));
    out.push_str(match decl {
        Decl { is_const: true, is_assigned: false, .. } if is_literal => "const ",
        // naga computes with a `let` that is known: what divides by it would be an error.
        Decl { is_assigned: false, init: Some(e), .. } if !is_known(w, *e) => "let ",
        _ => "var ",
    });
}

pub(crate) fn declaration_name(w: &Writer<'_>, decl: &Decl, out: &mut String) {
    out.push_str(&w.name(decl.symbol));
    if decl.init.is_none() {
        out.push_str(if w.minify { ":" } else { ": " });
        out.push_str(&w.type_name(decl.ty));
    }
}

pub(crate) fn constant(w: &Writer<'_>, c: Const, constructor: Option<Type>, out: &mut String) {
    let is_vector = |ty: Type| matches!(w.module.types[ty], TypeKind::Vector(..) | TypeKind::Matrix { .. });
    push_constant(w, c, constructor.is_some_and(is_vector), out);
}

pub(crate) fn results(w: &Writer<'_>, func: Func, out: &mut String) -> &'static str {
    let symbol = w.results.iter().find(|r| r.0 == func).map(|r| r.1);
    out.push_str(&symbol.map(|s| w.name(s)).unwrap_or_default());
    out.push('(');
    ")"
}

/// The grammar mixes few operators without parentheses: `*` and `+`, comparisons of those, and `&&` or `||` of
/// comparisons. Shifts and bit operators take unary operands.
pub(crate) fn needs_parentheses(w: &Writer<'_>, place: Place, e: Expr) -> bool {
    let kind = w.tree.kind(e);
    match (place, kind) {
        (Place::Left(outer), ExprKind::Infix(inner, ..)) => !stands_left(outer, inner),
        (Place::Right(outer), ExprKind::Infix(inner, ..)) => !stands_right(outer, inner),
        (Place::Prefix | Place::Postfix, ExprKind::Infix(..)) => true,
        (Place::Postfix, ExprKind::Prefix(..) | ExprKind::AddressOf(_) | ExprKind::Deref(_)) => true,
        (Place::Postfix, _) => is_negative(w, kind),
        // `f(a < b, c > d)` would be a template.
        (Place::Argument, ExprKind::Infix(Infix::Lt, ..)) => true,
        _ => false,
    }
}

/// A group of operators that stand beside each other.
#[derive(PartialEq, PartialOrd)]
enum Level {
    Mul,
    Add,
    Shift,
    Compare,
    Bits,
    Logic,
}

fn level(op: Infix) -> Level {
    match op {
        Infix::Mul | Infix::Div | Infix::Rem => Level::Mul,
        Infix::Add | Infix::Sub => Level::Add,
        Infix::Shl | Infix::Shr => Level::Shift,
        Infix::Lt | Infix::Gt | Infix::Le | Infix::Ge | Infix::Eq | Infix::Ne => Level::Compare,
        Infix::And | Infix::Or | Infix::Xor => Level::Bits,
        Infix::LogicAnd | Infix::LogicOr | Infix::LogicXor => Level::Logic,
    }
}

/// Whether `a inner b outer c` is `(a inner b) outer c`.
fn stands_left(outer: Infix, inner: Infix) -> bool {
    match level(outer) {
        Level::Mul => level(inner) == Level::Mul,
        Level::Add => level(inner) <= Level::Add,
        Level::Shift => false,
        Level::Compare => level(inner) <= Level::Add,
        Level::Bits => inner == outer,
        Level::Logic => inner == outer || matches!(level(inner), Level::Mul | Level::Add | Level::Compare),
    }
}

/// Whether `a outer b inner c` is `a outer (b inner c)`.
fn stands_right(outer: Infix, inner: Infix) -> bool {
    match level(outer) {
        Level::Mul | Level::Shift | Level::Bits => false,
        Level::Add => level(inner) == Level::Mul,
        Level::Compare => level(inner) <= Level::Add,
        Level::Logic => matches!(level(inner), Level::Mul | Level::Add | Level::Compare),
    }
}

fn scalar_name(s: Scalar) -> &'static str {
    s.name()
}

fn letter(s: Scalar) -> Option<char> {
    match s {
        Scalar::F16 => Some('h'),
        Scalar::F32 => Some('f'),
        Scalar::I32 => Some('i'),
        Scalar::U32 => Some('u'),
        _ => None,
    }
}

fn arrow(w: &Writer<'_>) -> &'static str {
    if w.minify { "->" } else { " -> " }
}

fn colon(w: &Writer<'_>) -> &'static str {
    if w.minify { ":" } else { ": " }
}

/// Whether an expression depends on nothing but numbers.
fn is_known(w: &Writer<'_>, e: Expr) -> bool {
    w.tree.mentioned(e).is_empty() && !matches!(w.tree.kind(e), ExprKind::Call(Callee::User(_), _))
}

fn is_negative(w: &Writer<'_>, kind: ExprKind) -> bool {
    match kind {
        ExprKind::Int(i) => i < 0,
        ExprKind::Float(f) => f.is_sign_negative(),
        ExprKind::Literal(c) => {
            let mut text = String::new();
            push_constant(w, c, false, &mut text);
            text.starts_with('-')
        }
        _ => false,
    }
}

/// Parameters of a function that is no entry point.
fn params(w: &Writer<'_>, function: &Written) -> Vec<String> {
    let data = &w.module.funcs[function.func];
    let mut texts = vec![];
    for (param, &symbol) in data.params.iter().zip(&function.params) {
        let pointee = w.module.types.pointee(param.ty);
        let inner = pointee.map_or(param.ty, |p| p.0);
        if w.module.types.is_opaque(inner) {
            if let Some(tree) = w.param_trees.get(&symbol) {
                opaque_params(w, tree, inner, &mut texts);
            }
            continue;
        }
        let ty = match pointee {
            Some((ty, space)) if space != AddressSpace::Handle => {
                format!("ptr<function{}{}>", w.comma(), w.type_name(ty))
            }
            _ => w.type_name(param.ty),
        };
        texts.push(format!("{}{}{ty}", w.name(symbol), colon(w)));
    }
    texts
}

/// Textures and samplers of a parameter. Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn opaque_params(w: &Writer<'_>, tree: &Tree, ty: Type, out: &mut Vec<String>) {
    match (tree, &w.module.types[ty]) {
        (Tree::Leaf(Leaf { texture, sampler, depth }), kind) => {
            let comparison = match kind {
                TypeKind::Image(image) => {
                    if let Some(texture) = texture {
                        let text = images::text(*image, *depth, Access::Read, Default::default());
                        let text = text.unwrap_or_default();
                        out.push(format!("{}{}{text}", w.name(*texture), colon(w)));
                    }
                    image.shadow
                }
                TypeKind::Sampler { comparison } => *comparison,
                _ => false,
            };
            if let Some(sampler) = sampler {
                out.push(format!("{}{}{}", w.name(*sampler), colon(w), images::sampler(comparison)));
            }
        }
        (Tree::Array(parts), TypeKind::Array { element, .. }) => {
            parts.iter().for_each(|p| opaque_params(w, p, *element, out));
        }
        _ => {}
    }
}

fn entry_head(w: &Writer<'_>, entry: &Entry, name: &str, function: &Written, out: &mut String) {
    let end = if w.minify { "" } else { "\n" };
    match entry.stage {
        Stage::Vertex => out.push_str("@vertex"),
        Stage::Fragment => out.push_str("@fragment"),
        _ => {
            out.push_str("@compute");
            out.push_str(if w.minify { "" } else { " " });
            let sizes: Vec<String> = entry
                .sizes
                .iter()
                .map(|(n, by)| match by {
                    // All three have one type; the numbers fit any.
                    Some(by) if by.scalar == Scalar::U32 => w.name(by.symbol).to_string(),
                    Some(by) => format!("u32({})", w.name(by.symbol)),
                    None => n.to_string(),
                })
                .collect();
            let written = sizes.iter().rposition(|s| s != "1").unwrap_or(0) + 1;
            let _ = write!(out, "@workgroup_size({})", sizes[..written].join(w.comma()));
        }
    }
    out.push_str(if w.minify { " " } else { end });
    let params: Vec<String> = function
        .own_params
        .iter()
        .map(|symbol| {
            let (attribute, ty) = w.attributes.get(symbol).copied().unwrap_or((Attribute::Inputs, Type::F32));
            let attribute = attribute_text(&attribute);
            let space = if w.minify { squeezed_attribute(&attribute) } else { format!("{attribute} ") };
            format!("{space}{}{}{}", w.name(*symbol), colon(w), w.type_name(ty))
        })
        .collect();
    let _ = write!(out, "fn {name}(");
    let line = params.join(w.comma());
    if w.minify || line.len() + name.len() < MOST_COLUMNS {
        out.push_str(&line);
    } else {
        for param in params {
            let _ = write!(out, "\n    {param},");
        }
        out.push('\n');
    }
    out.push(')');
    match (entry.result, entry.outputs.first()) {
        (Some(ty), _) => {
            out.push_str(arrow(w));
            out.push_str(&w.type_name(ty));
        }
        (None, Some(output)) => {
            out.push_str(arrow(w));
            let attribute = attribute_text(&output.part.attribute);
            let text = if w.minify { squeezed_attribute(&attribute) } else { format!("{attribute} ") };
            out.push_str(&text);
            out.push_str(&w.type_name(output.part.ty));
        }
        _ => {}
    }
}

/// The declaration of a struct, as lines.
pub(crate) fn struct_lines(w: &Writer<'_>, ty: Type) -> Vec<String> {
    let (Some(symbol), Some(s)) = (w.known_struct(ty), w.module.types.as_struct(ty)) else { return vec![] };
    let mut lines = w.struct_comment(ty);
    lines.push(format!("struct {} {{", w.name(symbol)));
    let entry = w.entries.iter().find(|e| e.result == Some(ty));
    for (i, member) in s.members.iter().enumerate() {
        let mut attribute = String::new();
        if let Some(output) = entry.and_then(|e| e.outputs.get(i)) {
            let _ = write!(attribute, "{} ", attribute_text(&output.part.attribute));
        }
        if let Some(size) = w.prepared.memory.member_sizes.get(&(ty, i as u32)) {
            let _ = write!(attribute, "@size({size}) ");
        }
        let name = w.member_name(ty, i as u32);
        let comma = if w.minify && i + 1 == s.members.len() { "" } else { "," };
        lines.extend(w.member_comment(ty, i as u32));
        lines.push(format!("    {attribute}{name}: {}{comma}", w.type_name(member.ty)));
    }
    lines.push("}".into());
    lines
}

/// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn push_constant(w: &Writer<'_>, c: Const, in_vector: bool, out: &mut String) {
    let data = &w.module.consts[c];
    match &data.value {
        ConstValue::Bits(bits) => push_scalar(w, c, *bits, in_vector, out),
        ConstValue::Null | ConstValue::Wide(_) => out.push('0'),
        ConstValue::Composite(parts) => {
            out.push_str(&w.type_name(data.ty));
            out.push('(');
            let is_vector = matches!(w.module.types[data.ty], TypeKind::Vector(..));
            let same = parts.iter().all(|p| *p == parts[0]);
            let is_zero = ops::is_zero(w.module, c);
            match (is_vector, is_zero) {
                (true, true) if w.minify => {}
                (false, true) => {}
                _ => {
                    let is_typed = is_vector || matches!(w.module.types[data.ty], TypeKind::Matrix { .. });
                    let parts = if is_vector && same { &parts[..1] } else { &parts[..] };
                    for (i, &part) in parts.iter().enumerate() {
                        out.push_str(if i > 0 { w.comma() } else { "" });
                        push_constant(w, part, is_typed, out);
                    }
                }
            }
            out.push(')');
        }
    }
}

fn push_scalar(w: &Writer<'_>, c: Const, bits: u64, in_vector: bool, out: &mut String) {
    let _ = match w.module.types[w.module.consts[c].ty] {
        TypeKind::Scalar(Scalar::Bool) => write!(out, "{}", bits != 0),
        TypeKind::Scalar(Scalar::I32) => write!(out, "{}", bits as u32 as i32),
        // The constructor of a vector converts the literal.
        TypeKind::Scalar(Scalar::U32) if in_vector && w.minify => write!(out, "{bits}"),
        TypeKind::Scalar(Scalar::U32) => write!(out, "{bits}u"),
        TypeKind::Scalar(Scalar::F16) => write!(out, "{}h", float16(bits, w.minify)),
        TypeKind::Scalar(Scalar::F32) => {
            let value = f32::from_bits(bits as u32);
            let is_short = in_vector && w.minify && value.fract() == 0.0 && value.abs() < 10_000.0;
            match is_short && (value != 0.0 || bits == 0) {
                true => write!(out, "{value}"),
                false => write!(out, "{}", float32(value, w.minify)),
            }
        }
        _ => write!(out, "0"),
    };
}

/// `@location(0) @interpolate(flat)`.
fn attribute_text(attribute: &Attribute) -> String {
    let location = match attribute {
        Attribute::Location(location) => location,
        Attribute::BuiltIn { builtin, invariant } => {
            let invariant = if *invariant { "@invariant " } else { "" };
            return format!("{invariant}@builtin({})", builtin_name(*builtin).unwrap_or_default());
        }
        Attribute::Inputs => return String::new(),
    };
    let Location { number, blend_source, interpolation } = location;
    let mut text = format!("@location({number})");
    if let Some(index) = blend_source {
        text.push_str(&format!(" @blend_src({index})"));
    }
    let Some(interpolation) = interpolation else { return text };
    let sampling = match interpolation.sampling {
        Some(Sampling::Centroid) => Some("centroid"),
        Some(Sampling::Sample) => Some("sample"),
        None => None,
    };
    let kind = match interpolation.kind {
        Interpolation::Flat => "flat",
        Interpolation::NoPerspective => "linear",
        // (Inputs with a value for each vertex have been refused.)
        Interpolation::Smooth | Interpolation::PerVertex => "perspective",
    };
    match (kind, sampling) {
        ("perspective", None) => {}
        ("flat", _) | (_, None) => text.push_str(&format!(" @interpolate({kind})")),
        (_, Some(sampling)) => text.push_str(&format!(" @interpolate({kind}, {sampling})")),
    }
    text
}

/// A declaration of module scope.
pub(crate) fn declaration(w: &Writer<'_>, symbol: Symbol, declared: &Declared) -> String {
    let bound = |Slot { group, binding }: Slot, var: &str| format!("@group({group}) @binding({binding}) {var}");
    let head = match declared.kind {
        Kind::Uniform(slot) => bound(slot, "var<uniform>"),
        Kind::Storage { slot, read_only: true } => bound(slot, "var<storage, read>"),
        Kind::Storage { slot, read_only: false } => bound(slot, "var<storage, read_write>"),
        Kind::Handle(slot) => bound(slot, "var"),
        Kind::PushConstant => "var<immediate>".into(),
        Kind::Workgroup => "var<workgroup>".into(),
        Kind::Private => "var<private>".into(),
        Kind::Const => "const".into(),
        Kind::Override(SpecId { unnumbered: true, .. }) => "override".into(),
        Kind::Override(SpecId { id, .. }) => format!("@id({id}) override"),
        // Only of languages that need it.
        Kind::Sizes => String::new(),
    };
    let mut line = format!("{head} {}", w.name(symbol));
    match declared.ty {
        DeclaredType::Texture { image, depth, access } => {
            let text = images::text(image, depth, access, Default::default()).unwrap_or_default();
            line.push_str(&format!(": {text}"));
        }
        DeclaredType::Sampler { comparison } => line.push_str(&format!(": {}", images::sampler(comparison))),
        DeclaredType::Type(ty) if declared.init.is_none() || matches!(declared.kind, Kind::Override(_)) => {
            line.push_str(&format!(": {}", w.type_name(ty)));
        }
        DeclaredType::Type(_) => {}
    }
    if let Some(init) = declared.init {
        line.push_str(" = ");
        push_constant(w, init, false, &mut line);
    }
    line + ";"
}

/// Attributes without spaces that separate nothing.
fn squeezed_attribute(attribute: &str) -> String {
    let mut text = attribute.replace(" @", "@").replace(", ", ",");
    if !text.ends_with(')') {
        text.push(' ');
    }
    text
}

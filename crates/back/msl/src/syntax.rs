//! The spelling of Metal.

use std::fmt::Write;

use planish_back_shading::entry::{Attribute, Entry, Location};
use planish_back_shading::globals::{Declared, DeclaredType, Kind, Leaf, SpecId, Tree};
use planish_back_shading::images::Access;
use planish_back_shading::memory::packed_of;
use planish_back_shading::{Language, ops};
use planish_back_text::number::{float16, float32};
use planish_back_text::tree::{Decl, Symbol};
use planish_back_text::{Syntax, Written};
use planish_ir::arena::Id;
use planish_ir::constant::ConstValue;
use planish_ir::decoration::{Interpolation, Sampling};
use planish_ir::entity::{Const, Func, Type};
use planish_ir::module::Stage;
use planish_ir::types::{AddressSpace, ImageType, Scalar, TypeKind};

use crate::language::{Writer, builtin_name};
use crate::{groups, images};

/// Parameters of an entry point longer than this are written one a line.
const MOST_COLUMNS: usize = 100;

pub(crate) fn function_head(w: &Writer<'_>, function: &Written, out: &mut String) {
    let name = w.known_func(function.func).map(|s| w.name(s)).unwrap_or_default();
    if let Some(entry) = w.entries.iter().find(|e| e.func == function.func) {
        return entry_head(w, entry, &name, function, out);
    }
    let results = &w.module.funcs[function.func].results;
    let result = match results.len() {
        0 => "void".into(),
        1 => w.type_name(results[0].ty),
        _ => results_name(w, function.func),
    };
    let _ = write!(out, "{result} {name}(");
    let passed = w.passed[function.func.index()].iter();
    let mut params: Vec<String> = passed.map(|&s| passed_parameter(w, s)).collect();
    params.extend(parameters(w, function));
    out.push_str(&params.join(w.comma()));
    out.push(')');
}

/// The struct of a function's results.
pub(crate) fn results_name(w: &Writer<'_>, func: Func) -> String {
    let symbol = w.results.iter().find(|r| r.0 == func).map(|r| r.1);
    symbol.map(|s| w.name(s).to_string()).unwrap_or_default()
}

pub(crate) fn type_name(w: &Writer<'_>, ty: Type) -> String {
    if let Some(inner) = w.atomic_of(ty) {
        return format!("atomic_{}", w.type_name(inner));
    }
    if let Some(inner) = packed_of(&w.module.types, ty) {
        return format!("packed_{}", w.type_name(inner));
    }
    match &w.module.types[ty] {
        TypeKind::Void => "void".into(),
        TypeKind::Scalar(s) => scalar_name(*s).into(),
        TypeKind::Vector(s, n) => format!("{}{n}", scalar_name(*s)),
        TypeKind::Matrix { scalar, columns, rows } => format!("{}{columns}x{rows}", scalar_name(*scalar)),
        TypeKind::Array { element, len } => format!("array<{}{}{len}>", w.type_name(*element), w.comma()),
        TypeKind::RuntimeArray { element } => w.type_name(*element),
        TypeKind::Pointer { pointee, .. } => w.type_name(*pointee),
        TypeKind::Struct(s) => match w.known_struct(ty) {
            Some(symbol) => w.name(symbol).to_string(),
            None => s.name.to_string(),
        },
        // Reported when the type was checked.
        _ => "int".into(),
    }
}

/// The name of a scalar type in Metal; that of `double`, which it lacks, is `float`.
pub fn scalar_name(s: Scalar) -> &'static str {
    match s {
        Scalar::Bool => "bool",
        Scalar::I8 => "char",
        Scalar::U8 => "uchar",
        Scalar::I16 => "short",
        Scalar::U16 => "ushort",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::I64 => "long",
        Scalar::U64 => "ulong",
        Scalar::F16 => "half",
        _ => "float",
    }
}

pub(crate) fn declaration_head(w: &Writer<'_>, decl: &Decl, out: &mut String) {
    let declared = w.prepared.declared.get(decl.symbol.0 as usize);
    if w.language.indices.group(decl.symbol).is_some() {
        out.push_str(&passed_type(w, decl.symbol).0);
        out.push(' ');
        return;
    }
    if declared.is_some_and(|d| d.kind == Kind::Workgroup) {
        out.push_str("threadgroup ");
    } else if decl.is_const {
        out.push_str("const ");
    }
    out.push_str(&w.type_name(decl.ty));
    out.push(' ');
}

pub(crate) fn constant(w: &Writer<'_>, c: Const, constructor: Option<Type>, out: &mut String) {
    let is_vector = |ty: Type| matches!(w.module.types[ty], TypeKind::Vector(..) | TypeKind::Matrix { .. });
    push_constant(w, c, constructor.is_some_and(is_vector), out);
}

/// Between a name and its attribute.
pub(crate) fn space(w: &Writer<'_>) -> &'static str {
    if w.minify { "" } else { " " }
}

/// A declaration that functions take as a parameter.
fn passed_parameter(w: &Writer<'_>, symbol: Symbol) -> String {
    let (ty, sign) = passed_type(w, symbol);
    format!("{ty}{sign} {}", w.name(symbol))
}

/// The type of a declaration that functions take as a parameter, and `&` or `*` if it is memory.
pub(crate) fn passed_type(w: &Writer<'_>, symbol: Symbol) -> (String, &'static str) {
    let declared = &w.prepared.declared[symbol.0 as usize];
    let ty = match declared.ty {
        DeclaredType::Texture { image, depth, access } => return (texture_name(w, image, depth, access), ""),
        DeclaredType::Sampler { .. } => return (images::SAMPLER.into(), ""),
        DeclaredType::Type(ty) => ty,
    };
    let space = match declared.kind {
        Kind::Uniform(_) | Kind::PushConstant | Kind::Sizes => "constant",
        Kind::Storage { read_only: true, .. } => "const device",
        Kind::Storage { .. } => "device",
        Kind::Workgroup => "threadgroup",
        _ => "thread",
    };
    // An array that its buffer sizes is what a pointer leads to.
    let sign = if matches!(w.module.types[ty], TypeKind::RuntimeArray { .. }) { "*" } else { "&" };
    (format!("{space} {}", w.type_name(ty)), sign)
}

fn texture_name(w: &Writer<'_>, image: ImageType, depth: bool, access: Access) -> String {
    images::text(w.language.version, image, depth, access, Default::default()).unwrap_or_default()
}

/// Parameters of the program.
fn parameters(w: &Writer<'_>, function: &Written) -> Vec<String> {
    let data = &w.module.funcs[function.func];
    let mut texts = vec![];
    for (param, &symbol) in data.params.iter().zip(&function.params) {
        let pointee = w.module.types.pointee(param.ty);
        let inner = pointee.map_or(param.ty, |p| p.0);
        if w.module.types.is_opaque(inner) {
            if let Some(tree) = w.param_trees.get(&symbol) {
                opaque_parameters(w, tree, inner, &mut texts);
            }
            continue;
        }
        let ty = match pointee {
            Some((ty, space)) if space != AddressSpace::Handle => format!("thread {}&", w.type_name(ty)),
            _ => w.type_name(param.ty),
        };
        texts.push(format!("{ty} {}", w.name(symbol)));
    }
    texts
}

/// Textures and samplers of a parameter. Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn opaque_parameters(w: &Writer<'_>, tree: &Tree, ty: Type, out: &mut Vec<String>) {
    match (tree, &w.module.types[ty]) {
        (Tree::Leaf(Leaf { texture, sampler, depth }), kind) => {
            if let (Some(texture), TypeKind::Image(image)) = (texture, kind) {
                out.push(format!("{} {}", texture_name(w, *image, *depth, Access::ReadWrite), w.name(*texture)));
            }
            if let Some(sampler) = sampler {
                out.push(format!("{} {}", images::SAMPLER, w.name(*sampler)));
            }
        }
        (Tree::Array(parts), TypeKind::Array { element, .. }) => {
            parts.iter().for_each(|p| opaque_parameters(w, p, *element, out));
        }
        _ => {}
    }
}

/// A parameter of an entry point for a declaration that the host binds.
fn bound_parameter(w: &Writer<'_>, symbol: Symbol) -> Option<String> {
    let declared = &w.prepared.declared[symbol.0 as usize];
    if matches!(declared.kind, Kind::Private | Kind::Workgroup) || w.language.indices.group(symbol).is_some() {
        return None;
    }
    Some(format!("{}{}{}", passed_parameter(w, symbol), space(w), w.language.indices.attribute(symbol)))
}

fn entry_head(w: &Writer<'_>, entry: &Entry, name: &str, function: &Written, out: &mut String) {
    out.push_str(match entry.stage {
        Stage::Vertex => "vertex ",
        Stage::Fragment => "fragment ",
        _ => "kernel ",
    });
    let result = match (entry.result, entry.outputs.first()) {
        (Some(ty), _) => w.type_name(ty),
        (None, Some(output)) => w.type_name(output.part.ty),
        _ => "void".into(),
    };
    let mut params: Vec<String> = function
        .own_params
        .iter()
        .filter_map(|symbol| {
            let (attribute, ty) = w.attributes.get(symbol)?;
            let text = attribute_text(attribute, entry.stage, true);
            Some(format!("{} {}{}{text}", w.type_name(*ty), w.name(*symbol), space(w)))
        })
        .collect();
    params.extend(groups::parameters(w, function.func));
    params.extend(w.passed[function.func.index()].iter().filter_map(|&s| bound_parameter(w, s)));
    let _ = write!(out, "{result} {name}(");
    let line = params.join(w.comma());
    let head = out.len() - out.rfind('\n').map_or(0, |end| end + 1);
    if w.minify || head + line.len() < MOST_COLUMNS {
        out.push_str(&line);
    } else {
        let _ = write!(out, "\n    {}", params.join(",\n    "));
    }
    out.push(')');
}

/// `[[user(locn0)]]`, `[[flat]]`, `[[position]]`.
fn attribute_text(attribute: &Attribute, stage: Stage, is_input: bool) -> String {
    let Location { number, blend_source, interpolation } = match attribute {
        Attribute::Location(location) => location,
        Attribute::BuiltIn { builtin, invariant } => {
            let invariant = if *invariant { ", invariant" } else { "" };
            return format!("[[{}{invariant}]]", builtin_name(*builtin).unwrap_or_default());
        }
        Attribute::Inputs => return "[[stage_in]]".into(),
    };
    match (stage, is_input) {
        (Stage::Vertex, true) => return format!("[[attribute({number})]]"),
        (Stage::Fragment, false) => {
            let index = blend_source.map(|n| format!(", index({n})")).unwrap_or_default();
            return format!("[[color({number}){index}]]");
        }
        _ => {}
    }
    let mut text = format!("[[user(locn{number})");
    if let Some(interpolation) = interpolation.filter(|_| is_input) {
        let place = match interpolation.sampling {
            Some(Sampling::Centroid) => "centroid",
            Some(Sampling::Sample) => "sample",
            None => "center",
        };
        match (interpolation.kind, place) {
            (Interpolation::Flat, _) => text.push_str(", flat"),
            (Interpolation::NoPerspective, place) => text.push_str(&format!(", {place}_no_perspective")),
            // (Inputs with a value for each vertex have been refused.)
            (Interpolation::Smooth, "center") | (Interpolation::PerVertex, _) => {}
            (Interpolation::Smooth, place) => text.push_str(&format!(", {place}_perspective")),
        }
    }
    text + "]]"
}

/// The declaration of a struct, as lines.
pub(crate) fn struct_lines(w: &Writer<'_>, ty: Type) -> Vec<String> {
    let (Some(symbol), Some(s)) = (w.known_struct(ty), w.module.types.as_struct(ty)) else { return vec![] };
    let mut lines = w.struct_comment(ty);
    lines.push(format!("struct {} {{", w.name(symbol)));
    let output = w.entries.iter().find(|e| e.result == Some(ty));
    let input = w.entries.iter().find(|e| e.input == Some(ty));
    let mut pads = 0;
    for (i, member) in s.members.iter().enumerate() {
        let (mut attribute, mut length) = (String::new(), String::new());
        let mut of = member.ty;
        if let Some((entry, part)) = output.and_then(|e| Some((e, &e.outputs.get(i)?.part))) {
            attribute = format!(" {}", attribute_text(&part.attribute, entry.stage, false));
            if let TypeKind::Array { element, len } = w.module.types[member.ty]
                && w.language.lists_elements(&part.attribute)
            {
                (of, length) = (element, format!(" [{len}]"));
            }
        }
        if let Some((entry, part)) = input.and_then(|e| Some((e, e.inputs.iter().flat_map(|i| i.located()).nth(i)?))) {
            attribute = format!(" {}", attribute_text(&part.attribute, entry.stage, true));
        }
        let name = w.member_name(ty, i as u32);
        // There is no array without length: this one goes on to the end of the buffer.
        let open = if matches!(w.module.types[member.ty], TypeKind::RuntimeArray { .. }) { "[1]" } else { "" };
        lines.extend(w.member_comment(ty, i as u32));
        lines.push(format!("    {} {name}{open}{attribute}{length};", w.type_name(of)));
        if let Some(&size) = w.prepared.memory.member_sizes.get(&(ty, i as u32)) {
            let natural = w.language.sizes.get(&member.ty).copied().unwrap_or(size);
            if size > natural {
                let pad = loop {
                    pads += 1;
                    let pad = format!("pad_{pads}");
                    if (0..s.members.len() as u32).all(|n| *w.member_name(ty, n) != *pad) {
                        break pad;
                    }
                };
                lines.push(format!("    char {pad}[{}];", size - natural));
            }
        }
    }
    lines.push("};".into());
    lines
}

/// A declaration of module scope: constants, and those that the host may replace.
pub(crate) fn declaration(w: &Writer<'_>, symbol: Symbol, declared: &Declared) -> Vec<String> {
    let DeclaredType::Type(ty) = declared.ty else { return vec![] };
    let (name, ty) = (w.name(symbol), w.type_name(ty));
    let mut value = String::new();
    if let Some(init) = declared.init {
        push_constant(w, init, false, &mut value);
    }
    match declared.kind {
        Kind::Const => vec![format!("constant {ty} {name} = {value};")],
        Kind::Override(SpecId { id, .. }) if declared.init.is_none() => {
            vec![format!("constant {ty} {name} [[function_constant({id})]];")]
        }
        Kind::Override(SpecId { id, .. }) => {
            let given = w.language.given.iter().find(|g| g.0 == symbol).map(|g| w.name(g.1)).unwrap_or_default();
            vec![
                format!("constant {ty} {given} [[function_constant({id})]];"),
                format!("constant {ty} {name} = is_function_constant_defined({given}) ? {given} : {value};"),
            ]
        }
        _ => vec![],
    }
}

/// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn push_constant(w: &Writer<'_>, c: Const, in_vector: bool, out: &mut String) {
    let data = &w.module.consts[c];
    match &data.value {
        ConstValue::Bits(bits) => push_scalar(w, c, *bits, in_vector, out),
        ConstValue::Null | ConstValue::Wide(_) => out.push('0'),
        ConstValue::Composite(parts) => {
            let kind = &w.module.types[data.ty];
            let is_vector = matches!(kind, TypeKind::Vector(..));
            let is_typed = is_vector || matches!(kind, TypeKind::Matrix { .. });
            out.push_str(&w.type_name(data.ty));
            out.push(if is_typed { '(' } else { '{' });
            let same = parts.iter().all(|p| *p == parts[0]);
            if is_typed || !ops::is_zero(w.module, c) {
                let parts = if is_vector && same { &parts[..1] } else { &parts[..] };
                for (i, &part) in parts.iter().enumerate() {
                    out.push_str(if i > 0 { w.comma() } else { "" });
                    match small_integer(w, part) {
                        Some(n) => out.push_str(&n.to_string()),
                        None => push_constant(w, part, is_typed, out),
                    }
                }
            }
            out.push(if is_typed { ')' } else { '}' });
        }
    }
}

/// The number that an integer constant of 8 or 16 bits is, which needs no type in a list.
fn small_integer(w: &Writer<'_>, c: Const) -> Option<i64> {
    let TypeKind::Scalar(s) = w.module.types[w.module.consts[c].ty] else { return None };
    let bits = w.module.consts.as_bits(c).filter(|_| s.is_small_integer())?;
    let above = 64 - s.bits();
    Some(if s.is_signed() { (bits << above) as i64 >> above } else { (bits << above >> above) as i64 })
}

fn push_scalar(w: &Writer<'_>, c: Const, bits: u64, in_vector: bool, out: &mut String) {
    let _ = match w.module.types[w.module.consts[c].ty] {
        TypeKind::Scalar(Scalar::Bool) => write!(out, "{}", bits != 0),
        TypeKind::Scalar(Scalar::I32) if bits as u32 == 1 << 31 => write!(out, "int(0x80000000u)"),
        TypeKind::Scalar(Scalar::I32) => write!(out, "{}", bits as u32 as i32),
        TypeKind::Scalar(Scalar::U32) => write!(out, "{}u", bits as u32),
        TypeKind::Scalar(s) if s.is_small_integer() => {
            write!(out, "{}({})", scalar_name(s), small_integer(w, c).unwrap_or(0))
        }
        TypeKind::Scalar(Scalar::I64) if bits == 1 << 63 => write!(out, "long(0x8000000000000000ul)"),
        TypeKind::Scalar(Scalar::I64) => write!(out, "{}l", bits as i64),
        TypeKind::Scalar(Scalar::U64) => write!(out, "{bits}ul"),
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

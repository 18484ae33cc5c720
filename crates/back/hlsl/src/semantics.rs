//! Entry points: parameters and results with semantics.
//!
//! | in the program | semantic |
//! | --- | --- |
//! | input of a vertex shader, varying, at location n | `TEXCOORDn` |
//! | output of a fragment shader at location n | `SV_Targetn`; the second source of blending is `SV_Target1` |
//! | `gl_Position`, `gl_FragCoord` | `SV_Position` |
//! | `gl_VertexID`, `gl_InstanceID` | `SV_VertexID`, `SV_InstanceID`, which begin with 0 in every draw |
//! | `gl_FragDepth` | `SV_Depth`, `SV_DepthGreaterEqual`, `SV_DepthLessEqual` |
//! | `gl_FrontFacing`, `gl_SampleID`, `gl_SampleMask` | `SV_IsFrontFace`, `SV_SampleIndex`, `SV_Coverage` |
//! | `gl_GlobalInvocationID`, `gl_LocalInvocationID` | `SV_DispatchThreadID`, `SV_GroupThreadID` |
//! | `gl_WorkGroupID`, `gl_LocalInvocationIndex` | `SV_GroupID`, `SV_GroupIndex` |

use std::fmt::Write;

use planish_back_shading::entry::{Attribute, Entry, Location};
use planish_back_text::{Syntax, Written};
use planish_ir::decoration::{BuiltIn, Interpolation, Sampling};
use planish_ir::entity::Type;
use planish_ir::module::{DepthLayout, Stage};

use crate::language::Writer;
use crate::syntax::type_parts;

/// Parameters of an entry point longer than this are written one a line.
const MOST_COLUMNS: usize = 100;

/// The semantic of a built-in.
fn builtin(builtin: BuiltIn, depth: Option<DepthLayout>) -> Option<&'static str> {
    use BuiltIn as B;
    Some(match builtin {
        B::Position | B::FragCoord => "SV_Position",
        B::VertexId | B::VertexIndex => "SV_VertexID",
        B::InstanceId | B::InstanceIndex => "SV_InstanceID",
        B::ViewId => "SV_ViewID",
        B::FrontFacing => "SV_IsFrontFace",
        B::SampleId => "SV_SampleIndex",
        B::SampleMaskIn | B::SampleMask => "SV_Coverage",
        B::FragStencilRef => "SV_StencilRef",
        B::BaryCoord | B::BaryCoordNoPerspective => "SV_Barycentrics",
        B::PrimitiveId => "SV_PrimitiveID",
        B::Layer => "SV_RenderTargetArrayIndex",
        B::ViewportIndex => "SV_ViewportArrayIndex",
        B::ClipDistance => "SV_ClipDistance",
        B::FragDepth => match depth {
            Some(DepthLayout::Greater) => "SV_DepthGreaterEqual",
            Some(DepthLayout::Less) => "SV_DepthLessEqual",
            _ => "SV_Depth",
        },
        B::WorkGroupId => "SV_GroupID",
        B::LocalInvocationId => "SV_GroupThreadID",
        B::GlobalInvocationId => "SV_DispatchThreadID",
        B::LocalInvocationIndex => "SV_GroupIndex",
        _ => return None,
    })
}

/// The words before the type, and the semantic.
fn texts(w: &Writer<'_>, entry: &Entry, attribute: &Attribute, is_input: bool) -> (String, String) {
    match attribute {
        Attribute::Location(location) => {
            let is_target = entry.stage == Stage::Fragment && !is_input;
            let semantic = match (is_target, location.blend_source) {
                (true, source) => format!("SV_Target{}", location.number + source.unwrap_or(0)),
                (false, _) => format!("TEXCOORD{}", location.number),
            };
            (interpolation(location), semantic)
        }
        Attribute::BuiltIn { builtin: which, .. } => {
            let depth = w.module.entry_points.iter().find(|e| e.func == entry.func).and_then(|e| e.properties.depth);
            let words = if *which == BuiltIn::BaryCoordNoPerspective { "noperspective " } else { "" };
            (words.to_owned(), builtin(*which, depth).unwrap_or("SV_Position").to_owned())
        }
        Attribute::Inputs => (String::new(), String::new()),
    }
}

fn interpolation(location: &Location) -> String {
    let Some(interpolated) = &location.interpolation else { return String::new() };
    let mut words = String::new();
    words.push_str(match interpolated.kind {
        Interpolation::Flat => return "nointerpolation ".to_owned(),
        Interpolation::NoPerspective => "noperspective ",
        // (Inputs with a value for each vertex have been refused.)
        Interpolation::Smooth | Interpolation::PerVertex => "",
    });
    words.push_str(match interpolated.sampling {
        Some(Sampling::Centroid) => "centroid ",
        Some(Sampling::Sample) => "sample ",
        None => "",
    });
    words
}

/// Everything before the `{` of an entry point.
pub(crate) fn entry_head(w: &Writer<'_>, entry: &Entry, function: &Written, out: &mut String) {
    let end = if w.minify { "" } else { "\n" };
    let comma = if w.minify { "," } else { ", " };
    let source = w.module.entry_points.iter().find(|e| e.func == entry.func);
    if source.is_some_and(|e| e.properties.early_fragment_tests) {
        let _ = write!(out, "[earlydepthstencil]{end}");
    }
    if entry.stage == Stage::Compute {
        let sizes: Vec<String> = entry
            .sizes
            .iter()
            .map(|(n, by)| by.map_or_else(|| n.to_string(), |by| format!("{}{}", crate::MACRO, w.name(by.symbol))))
            .collect();
        let _ = write!(out, "[numthreads({})]{end}", sizes.join(comma));
    }
    let (result, semantic) = match (entry.result, entry.outputs.first()) {
        (Some(ty), _) => (w.type_name(ty), String::new()),
        (None, Some(output)) => {
            let (_, semantic) = texts(w, entry, &output.part.attribute, false);
            (w.type_name(output.part.ty), semantic)
        }
        _ => ("void".to_owned(), String::new()),
    };
    let name = w.known_func(function.func).map(|s| w.name(s)).unwrap_or_default();
    let params: Vec<String> = function.own_params.iter().filter_map(|symbol| param(w, entry, *symbol)).collect();
    let line = params.join(comma);
    let _ = write!(out, "{result} {name}(");
    if w.minify || line.len() + name.len() + result.len() < MOST_COLUMNS {
        out.push_str(&line);
    } else {
        let _ = write!(out, "\n    {}\n", params.join(",\n    "));
    }
    out.push(')');
    if !semantic.is_empty() {
        let _ = write!(out, "{}{semantic}", colon(w));
    }
}

fn colon(w: &Writer<'_>) -> &'static str {
    if w.minify { ":" } else { " : " }
}

fn param(w: &Writer<'_>, entry: &Entry, symbol: planish_back_text::tree::Symbol) -> Option<String> {
    let (attribute, ty) = w.attributes.get(&symbol)?;
    Some(declared(w, entry, (attribute, *ty), &w.name(symbol), true))
}

fn declared(w: &Writer<'_>, entry: &Entry, (attribute, ty): (&Attribute, Type), name: &str, is_input: bool) -> String {
    let (words, semantic) = texts(w, entry, attribute, is_input);
    let (base, sizes) = type_parts(w, ty);
    format!("{words}{base} {name}{sizes}{}{semantic}", colon(w))
}

/// The declaration of a struct, as lines.
pub(crate) fn struct_lines(w: &Writer<'_>, ty: Type) -> Vec<String> {
    let (Some(symbol), Some(s)) = (w.known_struct(ty), w.module.types.as_struct(ty)) else { return vec![] };
    let mut lines = w.struct_comment(ty);
    lines.push(format!("struct {} {{", w.name(symbol)));
    let entry = w.entries.iter().find(|e| e.result == Some(ty));
    for (i, member) in s.members.iter().enumerate() {
        let name = w.member_name(ty, i as u32);
        let part = entry.and_then(|e| Some((e, e.outputs.get(i)?)));
        let line = match part {
            Some((entry, output)) => declared(w, entry, (&output.part.attribute, member.ty), &name, false),
            None => {
                let order = match w.prepared.memory.matrix_orders.get(&(ty, i as u32)) {
                    Some(false) => "row_major ",
                    Some(true) => "column_major ",
                    None => "",
                };
                let (base, sizes) = type_parts(w, member.ty);
                format!("{order}{base} {name}{sizes}")
            }
        };
        lines.extend(w.member_comment(ty, i as u32));
        lines.push(format!("    {line};"));
    }
    lines.push("};".into());
    lines
}

//! Reflection: everything a host needs to run a module, as JSON. The schema is in `docs/targets/reflection.md`.

use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Type;
use planish_ir::layout::{Layouts, Rule, is_row_major};
use planish_ir::module::{EntryPoint, Module};
use planish_ir::types::{Dim, ImageKind, ImageType, TypeKind, Types};
use serde_json::{Map, Value, json};

use crate::Numbering;
use crate::plan::{Plan, Resource, ResourceKind, Varying, block_row_major, block_rule};
use crate::reach::Reach;

/// Everything a host needs to run the module as the back ends emit it.
///
/// # Errors
/// If there is no plan: recursion, or uniforms without a layout.
pub fn reflect(module: &Module, numbering: &Numbering) -> Result<Value, Vec<Diagnostic>> {
    let reach = Reach::new(module).map_err(|e| vec![*e])?;
    let mut types = module.types.clone();
    let plan = Plan::new(module, &mut types, &reach, numbering)?;
    let resources = |kind| plan.resources.iter().filter(move |r| r.kind == kind);
    let all = |kind| -> Vec<Value> { resources(kind).map(|r| resource(module, &types, r)).collect() };
    let uniforms = plan.uniforms.as_ref().map(|block| {
        let members: Vec<Value> = block
            .members
            .iter()
            .map(|m| {
                let data = &module.vars[m.var];
                let mut object = json!({
                    "name": &*data.name.text,
                    "type": type_name(&types, m.ty),
                    "offset": m.offset,
                    "size": m.size,
                });
                if m.stride > 0 {
                    object["stride"] = m.stride.into();
                }
                let row_major = is_row_major(&data.decorations, false);
                add_members(&types, m.ty, Rule::Std140, row_major, &mut object);
                object
            })
            .collect();
        json!({
            "type": "PlanishUniforms", "variable": "planish_uniforms",
            "group": block.group, "binding": block.binding, "size": block.size, "members": members,
        })
    });
    let push = plan.push_constants.map(|v| {
        let data = &module.vars[v];
        let mut object = json!({ "name": &*data.name.text, "type": type_name(&types, data.ty) });
        add_members(&types, data.ty, block_rule(data), block_row_major(data), &mut object);
        object
    });
    let varyings = |all: &[Varying]| -> Vec<Value> { all.iter().map(|v| varying(&types, v)).collect() };
    Ok(json!({
        "schema": 1,
        "entry_points": module.entry_points.iter().map(entry_point).collect::<Vec<_>>(),
        "inputs": varyings(&plan.inputs),
        "outputs": varyings(&plan.outputs),
        "uniforms": uniforms,
        "push_constants": push,
        "uniform_blocks": all(ResourceKind::UniformBlock),
        "storage_blocks": all(ResourceKind::StorageBlock),
        "textures": all(ResourceKind::Texture),
        "samplers": all(ResourceKind::Sampler),
        "images": all(ResourceKind::Image),
    }))
}

fn entry_point(entry: &EntryPoint) -> Value {
    let p = &entry.properties;
    let mut object = json!({
        "name": entry.names.first().map_or("main", |n| n),
        "stage": entry.stage.map(|s| s.name()),
    });
    if let Some(size) = p.local_size {
        object["local_size"] = json!(size);
    }
    if p.local_size_ids.iter().any(Option::is_some) {
        object["local_size_ids"] = json!(p.local_size_ids);
    }
    if p.early_fragment_tests {
        object["early_fragment_tests"] = true.into();
    }
    if let Some(depth) = p.depth {
        object["depth"] = format!("{depth:?}").to_lowercase().into();
    }
    object
}

fn varying(types: &Types, v: &Varying) -> Value {
    let mut object = json!({ "name": &*v.name, "type": type_name(types, v.ty), "used": v.used });
    if let Some(builtin) = v.builtin {
        object["builtin"] = builtin.glsl_name().into();
    }
    if let Some(location) = v.location {
        object["location"] = location.into();
        object["locations"] = v.locations.into();
    }
    if let Some(interpolation) = v.decorations.interpolation() {
        object["interpolation"] = format!("{interpolation:?}").to_lowercase().into();
    }
    object
}

fn resource(module: &Module, types: &Types, r: &Resource) -> Value {
    let data = &module.vars[r.var];
    let mut object = json!({
        "name": r.path, "variable": r.name, "type": type_name(types, r.ty), "group": r.group, "binding": r.binding,
    });
    if r.whole.1 > 0 {
        object["array"] = json!({ "binding": r.whole.0, "element": r.whole.1 });
    }
    match &types[r.ty] {
        TypeKind::Image(image) => add_image(*image, &mut object),
        TypeKind::Sampler { comparison } => object["comparison"] = (*comparison).into(),
        _ => {
            if let Some(block) = types.as_struct(r.ty) {
                object["block"] = (*block.name).into();
            }
            if r.kind == ResourceKind::StorageBlock {
                let read_only = data.decorations.has(planish_ir::decoration::Decoration::ReadOnly);
                object["access"] = if read_only { "read" } else { "read_write" }.into();
            }
            add_members(types, r.ty, block_rule(data), block_row_major(data), &mut object);
        }
    }
    object
}

fn add_image(image: ImageType, object: &mut Value) {
    object["dimension"] = match image.dim {
        Dim::D1 => "1d",
        Dim::D2 | Dim::External | Dim::ExternalYuv => "2d",
        Dim::D3 => "3d",
        Dim::Cube => "cube",
        Dim::Rect => "rect",
        Dim::Buffer => "buffer",
        Dim::Subpass => "subpass",
    }
    .into();
    object["arrayed"] = image.arrayed.into();
    object["multisampled"] = image.multisampled.into();
    object["comparison"] = image.shadow.into();
    object["sampled"] = image.sampled.name().into();
    object["combined"] = (image.kind == ImageKind::Combined).into();
    if let ImageKind::Storage(format) = image.kind {
        object["format"] = format.name().into();
    }
}

/// Size, and for structs (or arrays of them) the members with their offsets.
fn add_members(types: &Types, ty: Type, rule: Rule, row_major: bool, object: &mut Value) {
    let mut layouts = Layouts::new(rule);
    members_of(types, &mut layouts, ty, row_major, object);
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn members_of(types: &Types, layouts: &mut Layouts, ty: Type, row_major: bool, object: &mut Value) {
    let mut inner = ty;
    while let TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } = types[inner] {
        inner = element;
    }
    let Some(s) = types.as_struct(inner) else { return };
    let Ok(layout) = layouts.get(types, inner, row_major) else { return };
    let mut members = vec![];
    for (member, at) in s.members.iter().zip(&layout.members) {
        let mut m = Map::new();
        m.insert("name".into(), (*member.name).into());
        m.insert("type".into(), type_name(types, member.ty).into());
        m.insert("offset".into(), at.offset.into());
        m.insert("size".into(), at.size.into());
        if at.stride > 0 {
            m.insert("stride".into(), at.stride.into());
        }
        if at.row_major && holds_matrix(types, member.ty) {
            m.insert("row_major".into(), true.into());
        }
        let mut value = Value::Object(m);
        members_of(types, layouts, member.ty, at.row_major, &mut value);
        members.push(value);
    }
    if object.get("size").is_none() {
        object["size"] = layout.size.into();
    }
    object["members"] = members.into();
}

fn holds_matrix(types: &Types, ty: Type) -> bool {
    types.contains(ty, &mut |k| matches!(k, TypeKind::Matrix { .. }))
}

/// The GLSL name of a type; arrays as `vec4[3]`, sized by their buffer as `vec4[]`.
/// Recursion: once, for the element of an array.
fn type_name(types: &Types, ty: Type) -> String {
    use planish_ir::types::Scalar;
    let prefix = |s: Scalar| match s {
        Scalar::Bool => "b",
        Scalar::I32 | Scalar::I64 => "i",
        Scalar::U32 | Scalar::U64 => "u",
        Scalar::F32 => "",
        Scalar::F64 => "d",
    };
    match &types[ty] {
        TypeKind::Scalar(s) => match s {
            Scalar::I32 => "int",
            Scalar::U32 => "uint",
            Scalar::F32 => "float",
            Scalar::F64 => "double",
            Scalar::I64 => "int64_t",
            Scalar::U64 => "uint64_t",
            Scalar::Bool => "bool",
        }
        .into(),
        TypeKind::Vector(s, n) => format!("{}vec{n}", prefix(*s)),
        TypeKind::Matrix { scalar, columns, rows } if columns == rows => format!("{}mat{columns}", prefix(*scalar)),
        TypeKind::Matrix { scalar, columns, rows } => format!("{}mat{columns}x{rows}", prefix(*scalar)),
        TypeKind::Array { .. } | TypeKind::RuntimeArray { .. } => {
            // The outermost length is written first.
            let (mut suffix, mut inner) = (String::new(), ty);
            loop {
                match types[inner] {
                    TypeKind::Array { element, len } => {
                        suffix.push_str(&format!("[{len}]"));
                        inner = element;
                    }
                    TypeKind::RuntimeArray { element } => {
                        suffix.push_str("[]");
                        inner = element;
                    }
                    _ => break,
                }
            }
            type_name(types, inner) + &suffix
        }
        TypeKind::Struct(s) => s.name.to_string(),
        TypeKind::Image(image) => image.glsl_name(),
        TypeKind::Sampler { comparison: true } => "samplerShadow".into(),
        TypeKind::Sampler { comparison: false } => "sampler".into(),
        kind => crate::describe(kind),
    }
}

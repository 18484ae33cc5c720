//! Reflection: everything a host needs to run a module. The schema is in `docs/targets/reflection.md`.

use planish_ir::decoration::{Decoration, Interpolation};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Type, Var};
use planish_ir::layout::{Layouts, Rule, is_row_major};
use planish_ir::meaning::shortest_half;
use planish_ir::module::{DepthLayout, EntryPoint, Module};
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar, TypeKind, Types};
use serde_json::Value;

use crate::plan::{GATHERED, Plan, Resource, ResourceKind, UniformBlock, Varying, block_row_major, block_rule};
use crate::reach::Reach;
use crate::reflection::{
    Access, ArrayElement, Binding, BindingKind, Block, ConstantInfo, EntryPointInfo, ImageInfo, Member, PushConstants,
    Reflection, Uniforms, VaryingInfo,
};
use crate::{Numbering, Uses};

/// Everything a host needs to run the module as the back ends emit it.
///
/// # Errors
/// If there is no plan: recursion, or uniforms without a layout.
pub fn reflect(module: &Module, numbering: &Numbering) -> Result<Reflection, Vec<Diagnostic>> {
    let reach = Reach::new(module).map_err(|e| vec![*e])?;
    let mut types = module.types.clone();
    let plan = Plan::new(module, &mut types, &reach, numbering)?;
    let uses = Uses::new(module, &reach);
    let all =
        |kind| plan.resources.iter().filter(|r| r.kind == kind).map(|r| resource(module, &types, &uses, r)).collect();
    let push_constants = plan.push_constants.map(|var| {
        let data = &module.vars[var];
        let block = contents(&types, data.ty, block_rule(data), block_row_major(data));
        PushConstants { name: data.name.text.to_string(), ty: type_name(&types, data.ty), block }
    });
    Ok(Reflection {
        schema: 1,
        entry_points: module.entry_points.iter().map(entry_point).collect(),
        inputs: plan.inputs.iter().map(|v| varying(&types, v)).collect(),
        outputs: plan.outputs.iter().map(|v| varying(&types, v)).collect(),
        uniforms: plan.uniforms.as_ref().map(|block| uniforms(module, &types, block)),
        push_constants,
        uniform_blocks: all(ResourceKind::UniformBlock),
        storage_blocks: all(ResourceKind::StorageBlock),
        textures: all(ResourceKind::Texture),
        samplers: all(ResourceKind::Sampler),
        images: all(ResourceKind::Image),
        combined: vec![],
        constants: module.globals.iter().filter_map(|&var| constant(module, var)).collect(),
        metal: None,
        direct3d: None,
        names: None,
    })
}

fn uniforms(module: &Module, types: &Types, block: &UniformBlock) -> Uniforms {
    let member = |m: &crate::UniformMember| {
        let data = &module.vars[m.var];
        let row_major = is_row_major(&data.decorations, false);
        Member {
            name: data.name.text.to_string(),
            ty: type_name(types, m.ty),
            offset: m.offset,
            size: m.size,
            stride: m.stride,
            row_major: row_major && holds_matrix(types, m.ty),
            members: contents(types, m.ty, Rule::Std140, row_major).members,
        }
    };
    Uniforms {
        ty: GATHERED,
        variable: "planish_uniforms",
        group: block.group,
        binding: block.binding,
        size: block.size,
        members: block.members.iter().map(member).collect(),
    }
}

fn entry_point(entry: &EntryPoint) -> EntryPointInfo {
    let p = &entry.properties;
    EntryPointInfo {
        name: entry.names.first().map_or("main", |n| n).to_owned(),
        stage: entry.stage.map(|s| s.name()),
        local_size: p.local_size,
        local_size_ids: p.local_size_ids,
        early_fragment_tests: p.early_fragment_tests,
        depth: p.depth.map(|depth| match depth {
            DepthLayout::Any => "any",
            DepthLayout::Greater => "greater",
            DepthLayout::Less => "less",
            DepthLayout::Unchanged => "unchanged",
        }),
    }
}

fn varying(types: &Types, v: &Varying) -> VaryingInfo {
    VaryingInfo {
        name: v.name.to_string(),
        ty: type_name(types, v.ty),
        used: v.used,
        builtin: v.builtin.map(|b| b.glsl_name()),
        location: v.location,
        locations: v.location.map(|_| v.locations),
        interpolation: v.decorations.interpolation().map(Interpolation::name),
    }
}

fn resource(module: &Module, types: &Types, uses: &Uses, r: &Resource) -> Binding {
    let data = &module.vars[r.var];
    let kind = match &types[r.ty] {
        TypeKind::Image(image) => BindingKind::Image(image_info(*image, uses, r.var)),
        TypeKind::Sampler { comparison } => BindingKind::Sampler { comparison: *comparison },
        _ => {
            let read_only = data.decorations.has(Decoration::ReadOnly);
            let access = if read_only { Access::Read } else { Access::ReadWrite };
            BindingKind::Block {
                block: types.as_struct(r.ty).map(|block| block.name.to_string()),
                access: (r.kind == ResourceKind::StorageBlock).then_some(access),
                contents: contents(types, r.ty, block_rule(data), block_row_major(data)),
            }
        }
    };
    Binding {
        name: r.path.clone(),
        variable: r.name.clone(),
        ty: type_name(types, r.ty),
        group: r.group,
        binding: r.binding,
        unbounded: types.is_open_array(data.ty),
        array: (r.whole.1 > 0).then_some(ArrayElement { binding: r.whole.0, element: r.whole.1 }),
        kind,
    }
}

fn image_info(image: ImageType, uses: &Uses, var: Var) -> ImageInfo {
    let dimension = match image.dim {
        Dim::D1 => "1d",
        Dim::D2 | Dim::External | Dim::ExternalYuv => "2d",
        Dim::D3 => "3d",
        Dim::Cube => "cube",
        Dim::Rect => "rect",
        Dim::Buffer => "buffer",
        Dim::Subpass => "subpass",
    };
    ImageInfo {
        dimension,
        arrayed: image.arrayed,
        multisampled: image.multisampled,
        comparison: image.shadow || uses.compared.contains(&var),
        sampled: image.sampled.name(),
        combined: image.kind == ImageKind::Combined,
        format: if let ImageKind::Storage(format) = image.kind { Some(format.name()) } else { None },
        access: matches!(image.kind, ImageKind::Storage(_)).then(|| match uses.reads_and_writes(var) {
            (true, true) => Access::ReadWrite,
            (false, true) => Access::Write,
            _ => Access::Read,
        }),
    }
}

fn constant(module: &Module, var: Var) -> Option<ConstantInfo> {
    let data = &module.vars[var];
    let id = data.decorations.find(|d| if let Decoration::ConstantId(id) = d { Some(id) } else { None })?;
    let bits = data.initializer.and_then(|c| module.consts.as_bits(c));
    let default = bits.zip(module.types.scalar_of(data.ty)).map(|(bits, scalar)| match scalar {
        Scalar::Bool => Value::from(bits != 0),
        Scalar::I8 => Value::from(bits as i8),
        Scalar::I16 => Value::from(bits as i16),
        Scalar::U8 | Scalar::U16 => Value::from(bits),
        Scalar::I32 => Value::from(bits as i32),
        Scalar::U32 => Value::from(bits as u32),
        Scalar::I64 => Value::from(bits as i64),
        Scalar::U64 => Value::from(bits),
        // Infinities and NaN are `null`. A float has the digits that tell it from other floats, not those of the next double.
        Scalar::F16 => Value::from(shortest_half(bits as u16)),
        Scalar::F32 => Value::from(f32::from_bits(bits as u32).to_string().parse::<f64>().unwrap_or(f64::NAN)),
        Scalar::F64 => Value::from(f64::from_bits(bits)),
    });
    let unnumbered = data.decorations.has(Decoration::Unnumbered);
    Some(ConstantInfo {
        name: data.name.text.to_string(),
        id,
        unnumbered,
        ty: type_name(&module.types, data.ty),
        default,
    })
}

/// Size, and of structs (or arrays of them) the members with their offsets.
fn contents(types: &Types, ty: Type, rule: Rule, row_major: bool) -> Block {
    members_of(types, &mut Layouts::new(rule), ty, row_major)
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn members_of(types: &Types, layouts: &mut Layouts, ty: Type, row_major: bool) -> Block {
    let mut inner = ty;
    while let TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } = types[inner] {
        inner = element;
    }
    let Some(s) = types.as_struct(inner) else { return Block::default() };
    let Ok(layout) = layouts.get(types, inner, row_major) else { return Block::default() };
    let members = s.members.iter().zip(&layout.members).map(|(member, at)| Member {
        name: member.name.to_string(),
        ty: type_name(types, member.ty),
        offset: at.offset,
        size: at.size,
        stride: at.stride,
        row_major: at.row_major && holds_matrix(types, member.ty),
        members: members_of(types, layouts, member.ty, at.row_major).members,
    });
    Block { members: Some(members.collect()), size: Some(layout.size) }
}

fn holds_matrix(types: &Types, ty: Type) -> bool {
    types.contains(ty, &mut |k| matches!(k, TypeKind::Matrix { .. }))
}

/// The GLSL name of a type; arrays as `vec4[3]`, sized by their buffer as `vec4[]`.
/// Recursion: once, for the element of an array.
fn type_name(types: &Types, ty: Type) -> String {
    let prefix = |s: Scalar| match s {
        Scalar::Bool => "b",
        Scalar::I8 => "i8",
        Scalar::U8 => "u8",
        Scalar::I16 => "i16",
        Scalar::U16 => "u16",
        Scalar::I32 => "i",
        Scalar::U32 => "u",
        Scalar::I64 => "i64",
        Scalar::U64 => "u64",
        Scalar::F16 => "f16",
        Scalar::F32 => "",
        Scalar::F64 => "d",
    };
    match &types[ty] {
        TypeKind::Scalar(s) => match s {
            Scalar::I8 => "int8_t",
            Scalar::U8 => "uint8_t",
            Scalar::I16 => "int16_t",
            Scalar::U16 => "uint16_t",
            Scalar::I32 => "int",
            Scalar::U32 => "uint",
            Scalar::F16 => "float16_t",
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

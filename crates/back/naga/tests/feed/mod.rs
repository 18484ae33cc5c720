//! Values for all inputs of a shader, under the names of the source and under those of naga's GLSL.

use planish_back_naga::{Lowered, ResourceKind};
use planish_gl::{Filter, Texture, Uniform, UniformBlock, Values, Wrap};
use planish_ir::decoration::BlockLayout;
use planish_ir::entity::Type;
use planish_ir::layout::{Layouts, Rule, is_row_major};
use planish_ir::module::Module;
use planish_ir::types::{Scalar, TypeKind, Types};

/// Inputs of both programs.
#[derive(Default)]
pub(crate) struct Feed {
    pub(crate) uniforms: Vec<Uniform>,
    pub(crate) blocks: Vec<UniformBlock>,
    pub(crate) textures: Vec<Texture>,
    pub(crate) our_blocks: Vec<UniformBlock>,
    pub(crate) our_textures: Vec<Texture>,
}

/// A scalar, vector or matrix (or an array of such) in memory.
struct Leaf {
    path: String,
    scalar: Scalar,
    columns: u8,
    rows: u8,
    row_major: bool,
    /// Offset of each element.
    offsets: Vec<u32>,
    stride: u32,
}

/// A value that hangs on its number only.
fn word(scalar: Scalar, number: usize) -> u32 {
    match scalar {
        Scalar::F32 => (0.37 + 0.25 * (number % 23) as f32).to_bits(),
        Scalar::Bool => u32::from(number % 3 != 1),
        _ => (number % 7) as u32,
    }
}

fn leaves(types: &Types, layouts: &mut Layouts, ty: Type, row_major: bool, at: u32, path: String, out: &mut Vec<Leaf>) {
    match types[ty].clone() {
        TypeKind::Struct(s) => {
            let layout = layouts.get(types, ty, row_major).expect("a layout");
            for (m, l) in s.members.iter().zip(&layout.members) {
                let path = if path.is_empty() { m.name.to_string() } else { format!("{path}.{}", m.name) };
                leaves(types, layouts, m.ty, l.row_major, at + l.offset, path, out);
            }
        }
        TypeKind::Array { element, len } => {
            let stride = layouts.get(types, ty, row_major).expect("a layout").stride;
            if matches!(types[element], TypeKind::Struct(_) | TypeKind::Array { .. }) {
                for i in 0..len {
                    leaves(types, layouts, element, row_major, at + i * stride, format!("{path}[{i}]"), out);
                }
                return;
            }
            let first = out.len();
            leaves(types, layouts, element, row_major, at, path, out);
            out[first].offsets = (0..len).map(|i| at + i * stride).collect();
        }
        TypeKind::Matrix { scalar, columns, rows } => {
            let stride = layouts.get(types, ty, row_major).expect("a layout").stride;
            out.push(Leaf { path, scalar, columns, rows, row_major, offsets: vec![at], stride });
        }
        _ => {
            let (scalar, rows) = (types.scalar_of(ty).expect("a number"), types.vector_size(ty).expect("a vector"));
            out.push(Leaf { path, scalar, columns: 1, rows, row_major: false, offsets: vec![at], stride: 0 });
        }
    }
}

/// Writes the values of the leaves into a buffer; gives them as uniforms, too.
fn fill(leaves: &[Leaf], bytes: &mut Vec<u8>, number: &mut usize) -> Vec<Uniform> {
    let mut uniforms = vec![];
    for leaf in leaves {
        let mut words = vec![];
        for &offset in &leaf.offsets {
            for c in 0..u32::from(leaf.columns) {
                for r in 0..u32::from(leaf.rows) {
                    *number += 1;
                    let value = word(leaf.scalar, *number);
                    words.push(value);
                    let (outer, inner) = if leaf.row_major { (r, c) } else { (c, r) };
                    let at = (offset + outer * leaf.stride + inner * 4) as usize;
                    bytes.resize(bytes.len().max(at + 4), 0);
                    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
                }
            }
        }
        let values = match leaf.scalar {
            Scalar::F32 => Values::Float(words.into_iter().map(f32::from_bits).collect()),
            Scalar::U32 => Values::Uint(words),
            _ => Values::Int(words.into_iter().map(|w| w as i32).collect()),
        };
        let (columns, rows) = (leaf.columns.into(), leaf.rows.into());
        uniforms.push(Uniform { name: leaf.path.clone(), columns, rows, values });
    }
    uniforms
}

fn texture(name: String, number: usize, faces: usize) -> Texture {
    let texel = |i: usize| {
        let f = |k: usize| ((i * (k + 3) + number * 5 + k) % 11) as f32 / 10.0;
        [f(0), f(1), f(2), f(3)]
    };
    let size = [4 + number as u32 % 2 * 4, 4 + number as u32 % 2 * 4];
    let texels = (0..(size[0] * size[1]) as usize * faces).map(texel).collect();
    Texture { name, size, texels, wrap: Wrap::Repeat, filter: Filter::Linear, mipmaps: false }
}

impl Feed {
    pub(crate) fn new(module: &Module, lowered: &Lowered, info: &naga::back::glsl::ReflectionInfo) -> Feed {
        let mut feed = Feed::default();
        let mut number = 0;
        let name_of = |group: u32, binding: u32| {
            let global = lowered.module.global_variables.iter().find(|(_, g)| {
                g.binding == Some(naga::ResourceBinding { group, binding }) && g.space == naga::AddressSpace::Uniform
            });
            info.uniforms.get(&global?.0).cloned()
        };
        let mut types = module.types.clone();
        if let Some(block) = &lowered.plan.uniforms {
            let mut bytes = vec![0; block.size as usize];
            for member in &block.members {
                let data = &module.vars[member.var];
                let mut found = vec![];
                let row_major = is_row_major(&data.decorations, false);
                let mut layouts = Layouts::new(Rule::Std140);
                // The gathered block's types may be newer than the module's: types without samplers.
                let ty = strip(&mut types, data.ty);
                leaves(&types, &mut layouts, ty, row_major, member.offset, data.name.text.to_string(), &mut found);
                feed.uniforms.extend(fill(&found, &mut bytes, &mut number));
            }
            let name = name_of(block.group, block.binding);
            feed.our_blocks.extend(name.map(|name| UniformBlock { name, bytes }));
        }
        let mut textures = 0;
        for r in &lowered.plan.resources {
            let data = &module.vars[r.var];
            match r.kind {
                ResourceKind::UniformBlock => {
                    let layout = data.decorations.block_layout().unwrap_or(BlockLayout::Std140);
                    let mut layouts = Layouts::new(layout.into());
                    let (mut found, mut bytes) = (vec![], vec![]);
                    let row_major = is_row_major(&data.decorations, false);
                    leaves(&module.types, &mut layouts, r.ty, row_major, 0, String::new(), &mut found);
                    fill(&found, &mut bytes, &mut number);
                    bytes.resize(bytes.len().next_multiple_of(16), 0);
                    let name = module.types.as_struct(r.ty).expect("a block").name.to_string();
                    feed.blocks.push(UniformBlock { name, bytes: bytes.clone() });
                    let name = name_of(r.group, r.binding);
                    feed.our_blocks.extend(name.map(|name| UniformBlock { name, bytes }));
                }
                ResourceKind::Texture => {
                    let image = module.types.as_image(r.ty).expect("an image");
                    let faces = if image.dim == planish_ir::types::Dim::Cube { 6 } else { 1 };
                    feed.textures.push(texture(r.path.clone(), textures, faces));
                    for (name, mapping) in &info.texture_mapping {
                        let global = &lowered.module.global_variables[mapping.texture];
                        if global.binding == Some(naga::ResourceBinding { group: r.group, binding: r.binding }) {
                            feed.our_textures.push(texture(name.clone(), textures, faces));
                        }
                    }
                    textures += 1;
                }
                _ => {}
            }
        }
        feed
    }
}

fn strip(types: &mut Types, ty: Type) -> Type {
    if !types.is_opaque(ty) {
        return ty;
    }
    match types[ty].clone() {
        TypeKind::Array { element, len } => {
            let element = strip(types, element);
            types.array(element, len)
        }
        TypeKind::Struct(s) => {
            let mut s = (*s).clone();
            s.members.retain(|m| !types.is_opaque(m.ty));
            types.intern(TypeKind::Struct(s.into()))
        }
        _ => ty,
    }
}

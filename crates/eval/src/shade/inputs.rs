//! Inputs of a drawing, for comparison with other implementations that draw the same shader.

use planish_ir::decoration::Interpolation;
use planish_ir::layout::{Layouts, is_row_major};
use planish_ir::meaning::convert;
use planish_ir::module::Module;
use planish_ir::types::{AddressSpace, ImageKind, Scalar, TypeKind};

use super::bytes::{block_to_bytes, rule};
use super::defaults::{self, Position};
use super::names::{self, Leaf};
use super::{DrawOptions, ShadeError, TextureBinding, default_texture, opaque, set_uniforms};
use crate::evaluator::Evaluator;

/// All inputs of a module's fragment shader in a drawing with certain options.
pub struct ShaderInputs {
    /// Uniforms outside of blocks, structs by member.
    pub uniforms: Vec<UniformInput>,
    /// Uniform blocks.
    pub blocks: Vec<BlockInput>,
    /// Combined samplers.
    pub textures: Vec<TextureBinding>,
    /// Varyings.
    pub varyings: Vec<VaryingInput>,
}

/// A uniform of a scalar, vector or matrix type, or an array of such.
pub struct UniformInput {
    /// Its name in OpenGL: `lights[1].color`.
    pub name: String,
    /// Component type.
    pub scalar: Scalar,
    /// Number of components of an element.
    pub components: usize,
    /// Number of components of a column, if it is a matrix.
    pub rows: Option<usize>,
    /// All components, element by element, column by column.
    pub values: Vec<f64>,
}

/// A uniform block.
pub struct BlockInput {
    /// The block's name, not the instance's.
    pub name: String,
    /// Contents of its buffer, by its layout rule (std140 by default).
    pub bytes: Vec<u8>,
}

/// An input of a fragment shader.
pub struct VaryingInput {
    /// Its name; for a block or struct `block.member`.
    pub name: String,
    /// Its location, if it has one.
    pub location: Option<u32>,
    /// Whether it is not interpolated.
    pub flat: bool,
    /// Component type.
    pub scalar: Scalar,
    /// Number of components of an element.
    pub components: usize,
    /// Number of components of a column, if it is a matrix.
    pub rows: Option<usize>,
    /// Number of elements, if it is an array.
    pub length: Option<usize>,
    own_name: String,
}

impl VaryingInput {
    /// All components, element by element, at a point of the picture: (0, 0) is its lower left corner, (1, 1) its upper
    /// right one.
    pub fn at(&self, u: f64, v: f64) -> Vec<f64> {
        let recipe = defaults::input(&self.own_name, self.components, self.scalar, self.rows);
        let element = recipe.value(Position { u, v });
        let all = self.components * self.length.unwrap_or(1);
        element.into_iter().take(self.components).cycle().take(all).collect()
    }
}

/// The inputs that [`draw`](super::draw) passes to the fragment shader of a module.
///
/// # Errors
/// If an option has an unknown name, or a variable exceeds the evaluator's size limit.
pub fn inputs(module: &Module, options: &DrawOptions<'_>) -> Result<ShaderInputs, ShadeError> {
    let mut evaluator = Evaluator::with_lanes(module, options.limits, 1)?;
    set_uniforms(&mut evaluator, options)?;
    let mut all =
        ShaderInputs { uniforms: vec![], blocks: vec![], textures: textures(module, options), varyings: vec![] };
    for (var, data) in module.vars.iter().filter(|(_, v)| v.space == AddressSpace::Uniform) {
        if data.decorations.builtin().is_some() {
            continue;
        }
        let words = evaluator.get(var, 0);
        let block = module.types.as_struct(data.ty).filter(|s| s.is_block);
        if let Some(block) = block {
            let row_major = is_row_major(&data.decorations, false);
            let layout = Layouts::new(rule(module, var)).get(&module.types, data.ty, row_major).ok();
            let bytes = layout.and_then(|layout| block_to_bytes(module, var, &words, layout.size as usize));
            all.blocks.extend(bytes.map(|bytes| BlockInput { name: block.name.to_string(), bytes }));
        } else {
            all.uniforms.extend(names::leaves_of(module, var).into_iter().map(|leaf| uniform(leaf, &words)));
        }
    }
    for (var, data) in module.vars.iter().filter(|(_, v)| v.space == AddressSpace::Input) {
        if data.decorations.builtin().is_none() && !matches!(data.name.text.as_ref(), "gl_PerVertex") {
            all.varyings.extend(names::leaves_of(module, var).into_iter().map(|leaf| input(module, leaf)));
        }
    }
    Ok(all)
}

/// All uniforms that are numbers, members of blocks too, with their values in a drawing with certain options, by the names that
/// [`DrawOptions::uniforms`] takes.
///
/// # Errors
/// See [`super::draw`].
pub fn uniform_values(module: &Module, options: &DrawOptions<'_>) -> Result<Vec<UniformInput>, ShadeError> {
    let mut evaluator = Evaluator::with_lanes(module, options.limits, 1)?;
    set_uniforms(&mut evaluator, options)?;
    let values = |leaf: Leaf| {
        let words = evaluator.get(leaf.var, 0);
        uniform(leaf, &words)
    };
    Ok(names::uniform_leaves(module).into_iter().map(values).collect())
}

fn uniform(leaf: Leaf, words: &[u64]) -> UniformInput {
    let own = words.iter().skip(leaf.start).take(leaf.element * leaf.count);
    let values = own.map(|&word| f64::from_bits(convert(word, leaf.scalar, Scalar::F64))).collect();
    UniformInput { name: leaf.path, scalar: leaf.scalar, components: leaf.element, rows: leaf.rows, values }
}

fn input(module: &Module, leaf: Leaf) -> VaryingInput {
    let data = &module.vars[leaf.var];
    VaryingInput {
        name: leaf.path,
        location: data.decorations.location(),
        flat: data.decorations.interpolation() == Some(Interpolation::Flat),
        scalar: leaf.scalar,
        components: leaf.element,
        rows: leaf.rows,
        length: matches!(module.types[data.ty], TypeKind::Array { .. }).then_some(leaf.count),
        own_name: leaf.name,
    }
}

/// The textures of all combined samplers.
fn textures(module: &Module, options: &DrawOptions<'_>) -> Vec<TextureBinding> {
    let mut textures = vec![];
    for data in module.vars.values().filter(|v| v.space == AddressSpace::Handle) {
        let (kind, count) = opaque(module, data.ty);
        let TypeKind::Image(image) = kind else { continue };
        if image.kind != ImageKind::Combined {
            continue;
        }
        let array = matches!(module.types[data.ty], TypeKind::Array { .. });
        for index in 0..count {
            let name = data.name.text.to_string();
            let name = if array { format!("{name}[{index}]") } else { name };
            let given = options.textures.iter().find(|t| t.name == name || (index == 0 && *t.name == *data.name.text));
            textures.push(given.cloned().unwrap_or_else(|| {
                let (texture, sampler) = default_texture(image, &data.name.text);
                TextureBinding { name, texture, sampler }
            }));
        }
    }
    textures
}

//! Samples of textures become functions of the IR that read texels from a uniform array, for machines without textures.
//!
//! ```text
//! before: %t = load @image                          after: %c = call @sample, %uv
//!         %c = texture_sample %t, %uv
//! ```
//!
//! The rules are those of [`planish_ir::texture`], and so are the bits; where a coordinate is not finite the level of
//! detail may be another one. With [`Options::single`] the logarithm of the level is one of `f32`. The array has the levels one after the
//! other, each layer by layer and row by row, after one element for each level: width, height, depth or layers, and the number of its first
//! texel.
//!
//! Sizes of known levels are constants. A cube has six layers; beyond the edge of one is another.
//!
//! Left alone: textures that are not given, rectangles, textures with several samples, queries of a level of detail, and ops whose
//! texture is not a variable itself, or an element of one by a known index. Holds before: a valid module.

mod place;
mod texels;
mod write;

use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::entity::{Func, Node, Type, Value, Var};
use planish_ir::function::{Body, Direction, Param, ResultType};
use planish_ir::meaning::clamp_index;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op, TextureFlags};
use planish_ir::source::Span;
use planish_ir::texture::SamplerState;
use planish_ir::types::{Dim, ImageType, Scalar};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::restage::{Stage, copy_node, restage};

/// A texture.
#[derive(Clone, Debug)]
pub struct Texels {
    /// The variable of the texture, or of the texture and its sampler.
    pub var: Var,
    /// Its place in the variable, if that is an array of textures.
    pub element: u32,
    /// Its type.
    pub image: ImageType,
    /// A uniform array of vectors of four components of the sampled type, as described above.
    pub texels: Var,
    /// Width, height, and depth or layers of each level, at least one of them.
    pub sizes: Vec<[u32; 3]>,
    /// Its sampler, if it has one of its own.
    pub sampler: SamplerState,
}

/// Options of [`run`].
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The textures.
    pub textures: Vec<Texels>,
    /// Samplers that textures are combined with.
    pub samplers: Vec<(Var, SamplerState)>,
    /// Whether logarithms are those of `f32`.
    pub single: bool,
    /// Whether samples have implicit levels of detail, as in fragment shaders.
    pub has_implicit_levels: bool,
}

/// Runs on every function.
pub fn run(module: &mut Module, options: &Options) {
    if options.textures.is_empty() {
        return;
    }
    let funcs: Vec<Func> = module.funcs.iter().filter(|(_, f)| f.body.is_some()).map(|(func, _)| func).collect();
    let mut stage = SampleTextures { options, functions: FxHashMap::default() };
    for func in funcs {
        restage(module, func, Policy::PLAIN, &mut stage);
    }
    let mut functions: Vec<(Sample, Func)> = stage.functions.into_iter().collect();
    functions.sort_by_key(|&(_, func)| func);
    for (sample, func) in functions {
        write::function(module, func, options, &sample);
    }
}

/// A function to write.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Sample {
    op: Op,
    flags: TextureFlags,
    /// Number of the texture.
    texture: usize,
    /// Number of its sampler, if that is another variable.
    sampler: Option<usize>,
    /// Types of the operands after the texture.
    types: Vec<Type>,
}

struct SampleTextures<'o> {
    options: &'o Options,
    functions: FxHashMap<Sample, Func>,
}

impl Stage for SampleTextures<'_> {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        match self.replacement(old, node, args, builder) {
            Some(value) => smallvec![value],
            None => copy_node(old, node, args, builder),
        }
    }
}

impl SampleTextures<'_> {
    fn replacement(&mut self, old: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Option<Value> {
        use TextureFlags as F;
        let data = old.node(node);
        if data.op == Op::TextureQueryLevels {
            let count = self.options.textures[self.texture(args[0], b)?.0].sizes.len();
            let count = b.i32(count as i32);
            return (old.local_type(old.result(node)?) == Type::I32).then_some(count);
        }
        let is_sample = matches!(data.op, Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad);
        if !is_sample && !matches!(data.op, Op::TextureFetch | Op::TextureGather | Op::TextureSize) {
            return None;
        }
        let image = b.module.types.as_image(b.type_of(args[0]))?;
        let (texture, sampler) = self.texture(args[0], b)?;
        let flags = data.imm.as_texture();
        let is_compared = image.shadow && flags.has(F::COMPARE);
        if flags.has(F::SAMPLE) || image.shadow && is_sample && !is_compared {
            return None;
        }
        let types = args[1..].iter().map(|&arg| b.type_of(arg)).collect();
        let sample = Sample { op: data.op, flags, texture, sampler, types };
        if old.local_type(old.result(node)?) != result_type(&self.options.textures[texture], &sample) {
            return None;
        }
        let options = self.options;
        let func = *self.functions.entry(sample).or_insert_with_key(|sample| declare(b.module, sample, options));
        Some(b.call(func.into(), &args[1..])[0])
    }

    /// The numbers of the texture and of its sampler, if that is another variable.
    fn texture(&self, value: Value, b: &Builder<'_, '_>) -> Option<(usize, Option<usize>)> {
        let element = |value: Value| {
            let (Op::Load, _, &[pointer]) = b.definition(value)? else { return None };
            if let Some(var) = pointer.as_var() {
                return Some((var, 0));
            }
            let (Op::AccessArrayElement, _, &[array, index]) = b.definition(pointer)? else { return None };
            let bits = b.module.consts.as_bits(index.as_const()?)?;
            let count = b.module.types.part_count(b.module.vars[array.as_var()?].ty)?;
            Some((array.as_var()?, clamp_index(bits, count)))
        };
        let var = |value: Value| element(value).filter(|found| found.1 == 0).map(|found| found.0);
        let texture = |found: (Var, u32)| {
            self.options.textures.iter().position(|texture| (texture.var, texture.element) == found)
        };
        if let Some((Op::CombineSampler, _, &[image, sampler])) = b.definition(value) {
            let sampler = var(sampler)?;
            let sampler = self.options.samplers.iter().position(|(var, _)| *var == sampler)?;
            return Some((texture(element(image)?)?, Some(sampler)));
        }
        Some((texture(element(value)?)?, None))
    }
}

/// The type of the result of a sample.
fn result_type(texture: &Texels, sample: &Sample) -> Type {
    let image = texture.image;
    match (sample.op, image.sampled) {
        (Op::TextureSize, _) => {
            match image.dim.coordinates() - u8::from(image.dim == Dim::Cube) + u8::from(image.arrayed) {
                1 => Type::I32,
                2 => Type::IVEC2,
                _ => Type::IVEC3,
            }
        }
        (Op::TextureGather, Scalar::F32) => Type::VEC4,
        _ if sample.flags.has(TextureFlags::COMPARE) => Type::F32,
        (_, Scalar::I32) => Type::IVEC4,
        (_, Scalar::U32) => Type::UVEC4,
        _ => Type::VEC4,
    }
}

fn declare(module: &mut Module, sample: &Sample, options: &Options) -> Func {
    let param = |&ty: &Type| Param {
        name: Name::new("p", NameSource::Internal),
        ty,
        precision: Precision::None,
        direction: Direction::In,
        span: Span::NONE,
    };
    let name = Name::new(sample.op.text(), NameSource::Internal);
    let ty = result_type(&options.textures[sample.texture], sample);
    let result = ResultType { ty, precision: Precision::None };
    module.add_func(name, sample.types.iter().map(param).collect(), vec![result], Span::NONE)
}

/// Component `c` of a vector, or the scalar itself.
fn component(b: &mut Builder<'_, '_>, value: Value, c: u32) -> Value {
    match b.module.types.vector_size(b.type_of(value)) {
        None | Some(1) => value,
        _ => b.op_imm(Op::ExtractVectorComponent, Imm::index(c), &[value]),
    }
}

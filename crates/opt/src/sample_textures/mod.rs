//! Samples of 2D textures become functions of the IR that read texels from a uniform array, for machines without textures.
//!
//! ```text
//! before: %t = load @image                          after: %c = call @sample, %uv
//!         %c = texture_sample %t, %uv
//! ```
//!
//! The rules are those of [`planish_ir::texture`], and so are the bits; where a coordinate is not finite the level of
//! detail may be another one. With [`Options::single`] the logarithm of the level is one of `f32`. The array has the levels one after the
//! other, each row by row, after one element for each level: width, height, and the number of its first texel.
//!
//! Sizes of known levels are constants.
//!
//! Left alone: textures that are not given, integer textures, arrays, cubes, comparisons, gathers, queries of a level of detail, and
//! ops whose texture is not a variable itself. Holds before: a valid module; vertex and compute shaders have no implicit level of
//! detail, and no business here.

mod write;

use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::entity::{Func, Node, Type, Value, Var};
use planish_ir::function::{Body, Direction, Param, ResultType};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op, TextureFlags};
use planish_ir::source::Span;
use planish_ir::texture::SamplerState;
use planish_ir::types::{Dim, ImageKind, Scalar};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::restage::{Stage, copy_node, restage};

/// A 2D texture of floats.
#[derive(Clone, Debug)]
pub struct Texels {
    /// The variable of the texture, or of the texture and its sampler.
    pub var: Var,
    /// A uniform array of `vec4`, as described above.
    pub texels: Var,
    /// Width and height of each level, at least one of them.
    pub sizes: Vec<[u32; 2]>,
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
        if data.op == Op::TextureQueryLevels || data.op == Op::TextureSize {
            return self.size(old, node, args, b);
        }
        let is_sample = matches!(data.op, Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad);
        if !is_sample && data.op != Op::TextureFetch {
            return None;
        }
        let flags = data.imm.as_texture();
        let unknown = [F::COMPARE, F::SAMPLE, F::OFFSETS].into_iter().any(|flag| flags.has(flag));
        let image = b.module.types.as_image(b.type_of(args[0]))?;
        let is_plain = image.dim == Dim::D2 && !image.arrayed && !image.multisampled && !image.shadow;
        if unknown || !is_plain || image.sampled != Scalar::F32 || matches!(image.kind, ImageKind::Storage(_)) {
            return None;
        }
        let (texture, sampler) = self.texture(args[0], b)?;
        let types = args[1..].iter().map(|&arg| b.type_of(arg)).collect();
        let ty = old.local_type(old.result(node)?);
        if ty != Type::VEC4 {
            return None;
        }
        let sample = Sample { op: data.op, flags, texture, sampler, types };
        let func = *self.functions.entry(sample).or_insert_with_key(|sample| declare(b.module, sample));
        Some(b.call(func.into(), &args[1..])[0])
    }

    /// The number of levels, or the size of a known level.
    fn size(&self, old: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Option<Value> {
        let ty = old.local_type(old.result(node)?);
        let texture = &self.options.textures[self.texture(args[0], b)?.0];
        if old.node(node).op == Op::TextureQueryLevels {
            let count = b.i32(texture.sizes.len() as i32);
            return (ty == Type::I32).then_some(count);
        }
        let level = match args.get(1) {
            Some(level) => b.module.consts.as_bits(level.as_const()?)?,
            None => 0,
        };
        let size = texture.sizes.get(usize::try_from(level).ok()?)?.map(|size| b.i32(size as i32));
        (ty == Type::IVEC2).then(|| b.op_typed(Op::ConstructVectorFromMultiple, &size, ty))
    }

    /// The numbers of the texture and of its sampler, if that is another variable.
    fn texture(&self, value: Value, b: &Builder<'_, '_>) -> Option<(usize, Option<usize>)> {
        let var = |value: Value| match b.definition(value)? {
            (Op::Load, _, &[pointer]) => pointer.as_var(),
            _ => None,
        };
        let texture = |var: Var| self.options.textures.iter().position(|texture| texture.var == var);
        if let Some((Op::CombineSampler, _, &[image, sampler])) = b.definition(value) {
            let sampler = var(sampler)?;
            let sampler = self.options.samplers.iter().position(|(var, _)| *var == sampler)?;
            return Some((texture(var(image)?)?, Some(sampler)));
        }
        Some((texture(var(value)?)?, None))
    }
}

fn declare(module: &mut Module, sample: &Sample) -> Func {
    let param = |&ty: &Type| Param {
        name: Name::new("p", NameSource::Internal),
        ty,
        precision: Precision::None,
        direction: Direction::In,
        span: Span::NONE,
    };
    let name = Name::new(sample.op.text(), NameSource::Internal);
    let result = ResultType { ty: Type::VEC4, precision: Precision::None };
    module.add_func(name, sample.types.iter().map(param).collect(), vec![result], Span::NONE)
}

/// Component `c` of a vector, or the scalar itself.
fn component(b: &mut Builder<'_, '_>, value: Value, c: u32) -> Value {
    match b.module.types.vector_size(b.type_of(value)) {
        None | Some(1) => value,
        _ => b.op_imm(Op::ExtractVectorComponent, Imm::index(c), &[value]),
    }
}

//! Type rules of textures and images.

use super::TextureFlags;
use super::rules::{Rule, TypeError, error, expect, take};
use crate::entity::Type;
use crate::types::{Dim, ImageKind, ImageType, Scalar, TypeKind, Types};

/// The type of `size` components, or of the sampled scalar for one.
fn texel(types: &mut Types, image: ImageType, size: u8) -> Type {
    types.vector(image.sampled, size)
}

fn image(types: &Types, operands: &[Type]) -> Result<ImageType, TypeError> {
    let Some(&ty) = operands.first() else { return error("needs an image") };
    types.as_image(ty).ok_or_else(|| TypeError("operand 0 must be an image".into()))
}

pub(super) fn infer_texture(
    types: &mut Types,
    rule: Rule,
    flags: TextureFlags,
    operands: &[Type],
) -> Result<Type, TypeError> {
    if matches!(rule, Rule::CombineSampler) {
        let [texture, sampler] = take(operands)?;
        let (TypeKind::Image(image), TypeKind::Sampler { comparison }) = (&types[texture], &types[sampler]) else {
            return error("needs a texture and a sampler");
        };
        let combined = ImageType { kind: ImageKind::Combined, shadow: *comparison, ..*image };
        expect(image.kind == ImageKind::Texture, "needs a texture")?;
        return Ok(types.intern(TypeKind::Image(combined)));
    }
    let image = image(types, operands)?;
    let storage = matches!(image.kind, ImageKind::Storage(_));
    let combined = image.kind == ImageKind::Combined;
    match rule {
        Rule::TextureSample | Rule::TextureGather => {
            expect(combined, "needs an image with a sampler")?;
            expect(operands.len() == flags.operand_count(), "wrong number of operands")?;
            let size = image.coordinates() + flags.has(TextureFlags::PROJ) as u8;
            let coordinate = operands[1];
            let size_ok =
                types.vector_size(coordinate).is_some_and(|n| n == size || (flags.has(TextureFlags::PROJ) && n == 4));
            expect(size_ok && types.scalar_of(coordinate).is_some_and(Scalar::is_float), "wrong coordinate")?;
            expect(image.shadow == flags.has(TextureFlags::COMPARE), "a depth to compare belongs to a shadow sampler")?;
            check_texture_operands(types, image, flags, operands)?;
            let one = image.shadow && matches!(rule, Rule::TextureSample);
            Ok(texel(types, image, if one { 1 } else { 4 }))
        }
        Rule::TextureFetch => {
            expect(!storage, "needs a texture")?;
            expect(operands.len() == flags.operand_count(), "wrong number of operands")?;
            integer_coordinate(types, image, operands[1])?;
            check_texture_operands(types, image, flags, operands)?;
            Ok(texel(types, image, 4))
        }
        Rule::TextureSize => {
            let rest = &operands[1..];
            let expected: &[Type] = if flags.has(TextureFlags::LOD) { &[Type::I32] } else { &[] };
            expect(!storage && rest == expected, "takes a texture, and a level as i32")?;
            Ok(size_type(types, image))
        }
        Rule::TextureQueryLod => {
            let [_, coordinate] = take(operands)?;
            let ok = types.vector_size(coordinate) == Some(image.dim.coordinates());
            expect(combined && ok, "takes an image with a sampler, and a coordinate without layer")?;
            Ok(Type::VEC2)
        }
        Rule::TextureCount => {
            let [_] = take(operands)?;
            Ok(Type::I32)
        }
        Rule::ImageSize => {
            let [_] = take(operands)?;
            expect(storage, "needs a storage image")?;
            Ok(size_type(types, image))
        }
        Rule::SubpassLoad => {
            let expected: &[Type] = if flags.has(TextureFlags::SAMPLE) { &[Type::I32] } else { &[] };
            expect(image.dim == Dim::Subpass && &operands[1..] == expected, "takes an input attachment")?;
            Ok(texel(types, image, 4))
        }
        Rule::ImageLoad | Rule::ImageStore | Rule::ImageAtomic(_) => {
            expect(storage, "needs a storage image")?;
            let Some(&coordinate) = operands.get(1) else { return error("needs a coordinate") };
            integer_coordinate(types, image, coordinate)?;
            let mut rest = &operands[2..];
            if flags.has(TextureFlags::SAMPLE) {
                expect(rest.first() == Some(&Type::I32), "the sample must be i32")?;
                rest = &rest[1..];
            }
            let (values, size, result) = match rule {
                Rule::ImageLoad => (0, 4, 4),
                Rule::ImageStore => (1, 4, 0),
                Rule::ImageAtomic(n) => (n as usize, 1, 1),
                _ => (0, 0, 0),
            };
            let value = texel(types, image, size);
            expect(rest.len() == values && rest.iter().all(|t| *t == value), "the values have the wrong type")?;
            Ok(if result == 0 { Type::VOID } else { texel(types, image, result) })
        }
        _ => error(format!("{rule:?} has no inference")),
    }
}

fn size_type(types: &mut Types, image: ImageType) -> Type {
    let size = match image.dim {
        Dim::D1 | Dim::Buffer => 1,
        Dim::D3 => 3,
        _ => 2,
    };
    types.vector(Scalar::I32, size + image.arrayed as u8)
}

fn integer_coordinate(types: &Types, image: ImageType, coordinate: Type) -> Result<(), TypeError> {
    // A storage cube is addressed as an array of faces.
    let layer = matches!(image.dim, Dim::Cube) && image.arrayed;
    let size = image.coordinates() - layer as u8;
    let ok = types.vector_size(coordinate) == Some(size) && types.scalar_of(coordinate) == Some(Scalar::I32);
    expect(ok, "the coordinate must be i32 in the image's dimensions")
}

fn check_texture_operands(
    types: &mut Types,
    image: ImageType,
    flags: TextureFlags,
    operands: &[Type],
) -> Result<(), TypeError> {
    let at = |flag| flags.operand(flag).map(|i| operands[i]);
    let fetch_level = types.scalar_of(operands[1]) == Some(Scalar::I32);
    let level = if fetch_level { Type::I32 } else { Type::F32 };
    let space = image.dim.coordinates();
    let vector = types.vector(Scalar::F32, space);
    let texels = types.vector(Scalar::I32, space);
    expect(at(TextureFlags::COMPARE).is_none_or(|t| t == Type::F32), "the depth must be f32")?;
    expect(at(TextureFlags::LOD).is_none_or(|t| t == level), "wrong level of detail")?;
    expect(at(TextureFlags::SAMPLE).is_none_or(|t| t == Type::I32), "the sample must be i32")?;
    expect(at(TextureFlags::BIAS).is_none_or(|t| t == Type::F32), "the bias must be f32")?;
    expect(at(TextureFlags::MIN_LOD).is_none_or(|t| t == Type::F32), "the bound must be f32")?;
    expect(at(TextureFlags::OFFSET).is_none_or(|t| t == texels), "wrong offset")?;
    if let Some(i) = flags.operand(TextureFlags::GRAD) {
        expect(operands[i] == vector && operands[i + 1] == vector, "wrong derivatives")?;
    }
    if let Some(t) = at(TextureFlags::OFFSETS) {
        let offsets = types.array(texels, 4);
        expect(t == offsets, "needs four offsets")?;
    }
    Ok(())
}

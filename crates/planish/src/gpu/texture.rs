//! Textures and samplers of the evaluator on the device.

use planish_eval::texture::{Comparison, Filter, SamplerState, Texture, Wrap};
use planish_ir::meaning::to_half;
use planish_ir::source::Span;

use super::{Gpu, GpuError, unsupported};

/// The kind of texture that a shader reads, and its name for messages.
pub(super) struct Wanted<'a> {
    pub(super) dimension: wgpu::TextureViewDimension,
    pub(super) sample_type: wgpu::TextureSampleType,
    pub(super) name: &'a str,
    pub(super) span: Span,
}

/// A texture with all its levels.
pub(super) fn texture(gpu: &Gpu, wanted: &Wanted<'_>, source: &dyn Texture) -> Result<wgpu::TextureView, GpuError> {
    let [width, height, layers] = source.size(0);
    check(wanted, source)?;
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: layers };
    let dimension = match wanted.dimension {
        wgpu::TextureViewDimension::D1 => wgpu::TextureDimension::D1,
        wgpu::TextureViewDimension::D3 => wgpu::TextureDimension::D3,
        _ => wgpu::TextureDimension::D2,
    };
    let (format, texel) = match wanted.sample_type {
        wgpu::TextureSampleType::Float { .. } if filters_floats(gpu) => (wgpu::TextureFormat::Rgba32Float, 16),
        wgpu::TextureSampleType::Float { .. } => (wgpu::TextureFormat::Rgba16Float, 8),
        wgpu::TextureSampleType::Sint => (wgpu::TextureFormat::Rgba32Sint, 16),
        wgpu::TextureSampleType::Uint => (wgpu::TextureFormat::Rgba32Uint, 16),
        wgpu::TextureSampleType::Depth => (wgpu::TextureFormat::Depth16Unorm, 2),
    };
    let made = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count: source.levels(),
        sample_count: 1,
        dimension,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for level in 0..source.levels() {
        let [width, height, layers] = source.size(level);
        let bytes = match texel {
            2 => depths(wanted, source, level)?,
            8 => texels(source, level, |bits, bytes| bytes.extend(to_half(f32::from_bits(bits)).to_le_bytes())),
            _ => texels(source, level, |bits, bytes| bytes.extend(bits.to_le_bytes())),
        };
        let to = wgpu::TexelCopyTextureInfo { mip_level: level, ..made.as_image_copy() };
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * texel), rows_per_image: Some(height) };
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: layers };
        gpu.queue.write_texture(to, &bytes, layout, size);
    }
    let view = wgpu::TextureViewDescriptor { dimension: Some(wanted.dimension), ..Default::default() };
    Ok(made.create_view(&view))
}

/// Refuses what the device has no texture for.
fn check(wanted: &Wanted<'_>, source: &dyn Texture) -> Result<(), GpuError> {
    use wgpu::TextureViewDimension as View;
    let refuse = |why: &str| Err(unsupported(wanted.span, format!("the texture `{}` {why}", wanted.name)));
    let [_, height, layers] = source.size(0);
    let fits = match wanted.dimension {
        View::D1 => height == 1 && layers == 1,
        View::D2 => layers == 1,
        View::Cube => layers == 6,
        View::CubeArray => layers.is_multiple_of(6),
        View::D2Array | View::D3 => true,
    };
    if !fits {
        return refuse(&format!("has {layers} layers of {height} rows, which are too few or too many on a device"));
    }
    if wanted.dimension == View::D1 && source.levels() > 1 {
        return refuse("has one dimension and several levels of detail, which devices do not have");
    }
    Ok(())
}

/// Whether textures of 32-bit floats can be filtered. Others have 11 bits, enough for pictures of 8.
fn filters_floats(gpu: &Gpu) -> bool {
    gpu.device.features().contains(wgpu::Features::FLOAT32_FILTERABLE)
}

fn texels(source: &dyn Texture, level: u32, write: impl Fn(u32, &mut Vec<u8>)) -> Vec<u8> {
    let [width, height, layers] = source.size(level);
    let mut bytes = Vec::with_capacity((width * height * layers) as usize * 16);
    for z in 0..layers {
        for y in 0..height {
            for x in 0..width {
                source.texel([x, y, z], level).iter().for_each(|&bits| write(bits, &mut bytes));
            }
        }
    }
    bytes
}

/// Depths of 16 bits, the only ones that a device takes; others are refused.
fn depths(wanted: &Wanted<'_>, source: &dyn Texture, level: u32) -> Result<Vec<u8>, GpuError> {
    let [width, height, layers] = source.size(level);
    let mut bytes = vec![];
    for z in 0..layers {
        for y in 0..height {
            for x in 0..width {
                let depth = f32::from_bits(source.texel([x, y, z], level)[0]);
                let unit = (depth.clamp(0.0, 1.0) * 65535.0).round();
                if (unit / 65535.0 - depth).abs() > f32::EPSILON {
                    let text =
                        format!("the texture `{}` has depths that 16 bits do not hold, such as {depth}", wanted.name);
                    return Err(unsupported(wanted.span, text));
                }
                bytes.extend((unit as u16).to_le_bytes());
            }
        }
    }
    Ok(bytes)
}

/// A sampler; `compares` if it is that of a shadow.
pub(super) fn sampler(gpu: &Gpu, state: &SamplerState, compares: bool) -> Result<wgpu::Sampler, GpuError> {
    let border = state.wrap.contains(&Wrap::Border);
    if border && !gpu.device.features().contains(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER) {
        return Err(GpuError::Device(format!("{} has no borders of textures", gpu.name())));
    }
    let filter = |filter: Filter| match filter {
        Filter::Nearest => wgpu::FilterMode::Nearest,
        Filter::Linear => wgpu::FilterMode::Linear,
    };
    let [u, v, w] = state.wrap.map(|wrap| match wrap {
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Border => wgpu::AddressMode::ClampToBorder,
    });
    Ok(gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: u,
        address_mode_v: v,
        address_mode_w: w,
        mag_filter: filter(state.magnify),
        min_filter: filter(state.minify),
        mipmap_filter: match state.mipmap {
            Some(Filter::Linear) => wgpu::MipmapFilterMode::Linear,
            _ => wgpu::MipmapFilterMode::Nearest,
        },
        // The first level alone, and still minified or magnified by the level that would be right.
        lod_max_clamp: if state.mipmap.is_some() { 32.0 } else { 0.25 },
        compare: compares.then(|| comparison(state.compare)),
        border_color: border.then_some(wgpu::SamplerBorderColor::TransparentBlack),
        ..wgpu::SamplerDescriptor::default()
    }))
}

fn comparison(compare: Comparison) -> wgpu::CompareFunction {
    match compare {
        Comparison::Never => wgpu::CompareFunction::Never,
        Comparison::Less => wgpu::CompareFunction::Less,
        Comparison::LessEqual => wgpu::CompareFunction::LessEqual,
        Comparison::Greater => wgpu::CompareFunction::Greater,
        Comparison::GreaterEqual => wgpu::CompareFunction::GreaterEqual,
        Comparison::Equal => wgpu::CompareFunction::Equal,
        Comparison::NotEqual => wgpu::CompareFunction::NotEqual,
        Comparison::Always => wgpu::CompareFunction::Always,
    }
}

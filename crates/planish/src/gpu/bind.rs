//! Bindings: their layout, by the variables of the lowered module, and the resources that are bound, by the plan.

use std::sync::Arc;

use naga::{AddressSpace, Handle, ImageClass, ImageDimension, ScalarKind, TypeInner};
use planish_back_naga::{Resource, ResourceKind};
use planish_eval::shade::{self, DrawOptions};
use planish_eval::texture::Texture;
use planish_interface::{block_row_major, block_rule};
use planish_ir::entity::Var;
use planish_ir::layout::Layouts;
use planish_ir::module::Module;
use planish_ir::source::Span;
use wgpu::util::DeviceExt;

use super::blocks::{self, Words};
use super::shader::Shader;
use super::texture::{self, Wanted};
use super::{Gpu, GpuError, feed, unsupported};

/// Values of variables.
pub(super) struct Values<'a> {
    pub(super) module: &'a Module,
    pub(super) options: &'a DrawOptions<'a>,
    /// Uniforms and push constants.
    pub(super) uniforms: &'a Words,
    /// Storage blocks, as bytes.
    pub(super) buffers: &'a [(Var, Vec<u8>)],
}

/// The layout of a pipeline, and textures that are kept from one picture to the next.
pub(super) struct Bindings {
    pub(super) layout: wgpu::PipelineLayout,
    groups: Vec<Group>,
    textures: Vec<Kept>,
}

struct Group {
    layout: wgpu::BindGroupLayout,
    variables: Vec<(u32, Handle<naga::GlobalVariable>)>,
}

/// A texture on the device.
struct Kept {
    var: Var,
    index: usize,
    /// The texture of the options that it shows; `None`: the default.
    given: Option<Arc<dyn Texture>>,
    view: wgpu::TextureView,
}

/// Bound resources.
pub(super) struct Bound {
    pub(super) groups: Vec<wgpu::BindGroup>,
    /// Push constants.
    pub(super) immediates: Vec<u8>,
    /// Buffers of storage blocks.
    pub(super) storage: Vec<(Var, wgpu::Buffer)>,
}

/// A resource of a binding.
enum Item {
    Buffer(wgpu::Buffer),
    View(wgpu::TextureView),
    Sampler(wgpu::Sampler),
}

impl Bindings {
    /// The layout of all variables of a shader.
    pub(super) fn new(gpu: &Gpu, shader: &Shader, stages: wgpu::ShaderStages) -> Result<Bindings, GpuError> {
        let module = &shader.lowered.module;
        let mut groups: Vec<(Vec<wgpu::BindGroupLayoutEntry>, Vec<_>)> = vec![];
        for (handle, global) in module.global_variables.iter() {
            let Some(binding) = global.binding else { continue };
            let most = gpu.device.limits().max_bind_groups;
            if binding.group >= most {
                let text = format!(
                    "{} has {most} groups of bindings, and the shader names group {}",
                    gpu.name(),
                    binding.group
                );
                return Err(unsupported(Span::NONE, text));
            }
            let group = binding.group as usize;
            groups.resize_with(groups.len().max(group + 1), Default::default);
            groups[group].0.push(wgpu::BindGroupLayoutEntry {
                binding: binding.binding,
                visibility: stages,
                ty: binding_type(module, global)?,
                count: None,
            });
            groups[group].1.push((binding.binding, handle));
        }
        let groups: Vec<Group> = groups
            .into_iter()
            .map(|(entries, variables)| {
                let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
                Group { layout: gpu.device.create_bind_group_layout(&descriptor), variables }
            })
            .collect();
        let immediates = module.global_variables.iter().find(|(_, global)| global.space == AddressSpace::Immediate);
        let layouts: Vec<Option<&wgpu::BindGroupLayout>> = groups.iter().map(|group| Some(&group.layout)).collect();
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &layouts,
            immediate_size: immediates.map_or(0, |(_, global)| size_of_type(module, global.ty)),
        });
        Ok(Bindings { layout, groups, textures: vec![] })
    }

    /// The one group of bindings, and their numbers.
    #[cfg(feature = "stage")]
    pub(super) fn only_group(&self) -> (&wgpu::BindGroupLayout, impl Iterator<Item = u32>) {
        let [group] = &self.groups[..] else { panic!("all bindings are in group 0") };
        (&group.layout, group.variables.iter().map(|(binding, _)| *binding))
    }

    /// Binds all resources.
    pub(super) fn bind(
        &mut self,
        gpu: &Gpu,
        shader: &Shader,
        values: &Values<'_>,
        tables: &feed::Filled,
    ) -> Result<Bound, GpuError> {
        let mut storage = vec![];
        let mut groups = vec![];
        for group in &self.groups {
            let mut items = vec![];
            for &(binding, handle) in &group.variables {
                let table = shader.tables.as_ref().and_then(|tables| feed::table_of(tables, handle));
                let item = match table {
                    Some(table) => Item::View(tables[table].clone().expect("it has components")),
                    None => item(gpu, shader, values, handle, (&mut self.textures, &mut storage))?,
                };
                items.push((binding, item));
            }
            let entries: Vec<wgpu::BindGroupEntry<'_>> = items.iter().map(entry_of).collect();
            let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &group.layout, entries: &entries };
            groups.push(gpu.device.create_bind_group(&descriptor));
        }
        Ok(Bound { groups, immediates: immediates(shader, values)?, storage })
    }
}

fn entry_of((binding, item): &(u32, Item)) -> wgpu::BindGroupEntry<'_> {
    let resource = match item {
        Item::Buffer(buffer) => buffer.as_entire_binding(),
        Item::View(view) => wgpu::BindingResource::TextureView(view),
        Item::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
    };
    wgpu::BindGroupEntry { binding: *binding, resource }
}

fn size_of_type(module: &naga::Module, ty: Handle<naga::Type>) -> u32 {
    module.types[ty].inner.size(module.to_ctx())
}

/// The push constants, if there are any.
fn immediates(shader: &Shader, values: &Values<'_>) -> Result<Vec<u8>, GpuError> {
    let Some(var) = shader.lowered.plan.push_constants else { return Ok(vec![]) };
    let module = &shader.lowered.module;
    let global = module.global_variables.iter().find(|(_, global)| global.space == AddressSpace::Immediate);
    let Some((_, global)) = global else { return Ok(vec![]) };
    let (data, len) = (&values.module.vars[var], size_of_type(module, global.ty));
    let bytes = blocks::block(values.module, var, data.ty, 0, values.uniforms, len as usize);
    bytes.ok_or_else(|| unsupported(data.span, "push constants hold more than numbers"))
}

/// The resource of a variable.
fn item(
    gpu: &Gpu,
    shader: &Shader,
    values: &Values<'_>,
    handle: Handle<naga::GlobalVariable>,
    (textures, storage): (&mut Vec<Kept>, &mut Vec<(Var, wgpu::Buffer)>),
) -> Result<Item, GpuError> {
    let (lowered, module) = (&shader.lowered, values.module);
    let global = &lowered.module.global_variables[handle];
    let binding = global.binding.expect("the layout has it");
    let at = (binding.group, binding.binding);
    if let Some(block) = lowered.plan.uniforms.as_ref().filter(|block| (block.group, block.binding) == at) {
        let bytes = blocks::loose(module, block, values.uniforms);
        let bytes = bytes.ok_or_else(|| unsupported(Span::NONE, "a uniform holds more than numbers"))?;
        return Ok(Item::Buffer(buffer(gpu, bytes, &lowered.module, global, wgpu::BufferUsages::UNIFORM)));
    }
    let resources = &lowered.plan.resources;
    let Some(number) = resources.iter().position(|r| (r.group, r.binding) == at) else {
        let name = global.name.as_deref().unwrap_or("a resource");
        return Err(unsupported(Span::NONE, format!("`{name}` has no values on a device")));
    };
    let resource = &resources[number];
    let same = |r: &&Resource| r.var == resource.var && r.kind == resource.kind;
    let index = resources[..number].iter().filter(same).count();
    let span = module.vars[resource.var].span;
    let is_other = || unsupported(span, format!("`{}` is of another kind on a device", resource.path));
    let ty = binding_type(&lowered.module, global)?;
    Ok(match (resource.kind, ty) {
        (ResourceKind::UniformBlock, _) => {
            let bytes = uniform_block(module, resource, index, values.uniforms);
            let bytes =
                bytes.ok_or_else(|| unsupported(span, format!("`{}` holds more than numbers", resource.path)))?;
            Item::Buffer(buffer(gpu, bytes, &lowered.module, global, wgpu::BufferUsages::UNIFORM))
        }
        (ResourceKind::StorageBlock, _) => {
            let given = values.buffers.iter().find(|(var, _)| *var == resource.var).filter(|_| index == 0);
            let bytes = given.map_or_else(Vec::new, |(_, bytes)| bytes.clone());
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
            let buffer = buffer(gpu, bytes, &lowered.module, global, usage);
            storage.push((resource.var, buffer.clone()));
            Item::Buffer(buffer)
        }
        (ResourceKind::Texture, wgpu::BindingType::Texture { sample_type, view_dimension, .. }) => {
            let wanted = Wanted { dimension: view_dimension, sample_type, name: &resource.path, span };
            Item::View(kept(gpu, values, textures, (resource.var, index), &wanted)?)
        }
        (ResourceKind::Sampler, wgpu::BindingType::Sampler(kind)) => {
            let (_, state) = shade::texture(module, values.options, resource.var, index);
            Item::Sampler(texture::sampler(gpu, &state, kind == wgpu::SamplerBindingType::Comparison)?)
        }
        (ResourceKind::Image, wgpu::BindingType::StorageTexture { format, view_dimension, .. }) => {
            if view_dimension != wgpu::TextureViewDimension::D2 {
                let text =
                    format!("the image `{}` is not of two dimensions: it has no size on a device", resource.path);
                return Err(unsupported(span, text));
            }
            Item::View(image(gpu, format, values.options.size))
        }
        _ => return Err(is_other()),
    })
}

/// A texture, of this picture or of the one before.
fn kept(
    gpu: &Gpu,
    values: &Values<'_>,
    textures: &mut Vec<Kept>,
    (var, index): (Var, usize),
    wanted: &Wanted<'_>,
) -> Result<wgpu::TextureView, GpuError> {
    let given = &values.options.textures;
    let found = textures.iter().position(|kept| (kept.var, kept.index) == (var, index));
    if let Some(found) = found
        && given.is_empty()
        && textures[found].given.is_none()
    {
        return Ok(textures[found].view.clone());
    }
    let (source, _) = shade::texture(values.module, values.options, var, index);
    if let Some(found) = found
        && textures[found].given.as_ref().is_some_and(|given| Arc::ptr_eq(given, &source))
    {
        return Ok(textures[found].view.clone());
    }
    let view = texture::texture(gpu, wanted, &*source)?;
    let given = given.iter().any(|t| Arc::ptr_eq(&t.texture, &source)).then_some(source);
    textures.retain(|kept| (kept.var, kept.index) != (var, index));
    textures.push(Kept { var, index, given, view: view.clone() });
    Ok(view)
}

fn uniform_block(module: &Module, resource: &Resource, index: usize, words: &Words) -> Option<Vec<u8>> {
    let data = &module.vars[resource.var];
    let layout = Layouts::new(block_rule(data)).get(&module.types, resource.ty, block_row_major(data)).ok()?;
    blocks::block(module, resource.var, resource.ty, index, words, layout.size as usize)
}

/// A buffer of these bytes, at least as large as the variable's type.
fn buffer(
    gpu: &Gpu,
    mut bytes: Vec<u8>,
    module: &naga::Module,
    global: &naga::GlobalVariable,
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    let least = size_of_type(module, global.ty) as usize;
    let size = bytes.len().max(least).next_multiple_of(4);
    bytes.resize(size, 0);
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents: &bytes, usage })
}

/// A storage image of zeros, as large as the picture.
fn image(gpu: &Gpu, format: wgpu::TextureFormat, [width, height]: [u32; 2]) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::STORAGE_BINDING,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// The type of a binding, by that of its variable.
fn binding_type(module: &naga::Module, global: &naga::GlobalVariable) -> Result<wgpu::BindingType, GpuError> {
    let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let refuse = |why: &str| {
        let name = global.name.as_deref().unwrap_or("a resource");
        Err(unsupported(Span::NONE, format!("`{name}` {why}")))
    };
    Ok(match (global.space, &module.types[global.ty].inner) {
        (AddressSpace::Uniform, _) => buffer(wgpu::BufferBindingType::Uniform),
        (AddressSpace::Storage { access }, _) => {
            let read_only = !access.contains(naga::StorageAccess::STORE);
            buffer(wgpu::BufferBindingType::Storage { read_only })
        }
        (_, TypeInner::Sampler { comparison: true }) => {
            wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)
        }
        (_, TypeInner::Sampler { .. }) => wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
        (_, &TypeInner::Image { dim, arrayed, class }) => match class {
            ImageClass::Sampled { kind, multi: false } => wgpu::BindingType::Texture {
                sample_type: match kind {
                    ScalarKind::Sint => wgpu::TextureSampleType::Sint,
                    ScalarKind::Uint => wgpu::TextureSampleType::Uint,
                    _ => wgpu::TextureSampleType::Float { filterable: true },
                },
                view_dimension: view_dimension(dim, arrayed),
                multisampled: false,
            },
            ImageClass::Depth { multi: false } => wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Depth,
                view_dimension: view_dimension(dim, arrayed),
                multisampled: false,
            },
            ImageClass::Storage { format, access } => {
                let Some(format) = storage_format(format) else {
                    return refuse("has a format that devices do not store");
                };
                let access =
                    match (access.contains(naga::StorageAccess::LOAD), access.contains(naga::StorageAccess::STORE)) {
                        (true, true) => wgpu::StorageTextureAccess::ReadWrite,
                        (true, false) => wgpu::StorageTextureAccess::ReadOnly,
                        _ => wgpu::StorageTextureAccess::WriteOnly,
                    };
                wgpu::BindingType::StorageTexture { access, format, view_dimension: view_dimension(dim, arrayed) }
            }
            _ => return refuse("has several samples a texel, and there are no values for them"),
        },
        _ => return refuse("has no values on a device"),
    })
}

fn view_dimension(dim: ImageDimension, arrayed: bool) -> wgpu::TextureViewDimension {
    match (dim, arrayed) {
        (ImageDimension::D1, _) => wgpu::TextureViewDimension::D1,
        (ImageDimension::D2, false) => wgpu::TextureViewDimension::D2,
        (ImageDimension::D2, true) => wgpu::TextureViewDimension::D2Array,
        (ImageDimension::D3, _) => wgpu::TextureViewDimension::D3,
        (ImageDimension::Cube, false) => wgpu::TextureViewDimension::Cube,
        (ImageDimension::Cube, true) => wgpu::TextureViewDimension::CubeArray,
    }
}

/// The formats that WebGPU stores, and those of devices that have more.
fn storage_format(format: naga::StorageFormat) -> Option<wgpu::TextureFormat> {
    use naga::StorageFormat as S;
    use wgpu::TextureFormat as T;
    Some(match format {
        S::R32Uint => T::R32Uint,
        S::R32Sint => T::R32Sint,
        S::R32Float => T::R32Float,
        S::Rg32Uint => T::Rg32Uint,
        S::Rg32Sint => T::Rg32Sint,
        S::Rg32Float => T::Rg32Float,
        S::Rgba8Unorm => T::Rgba8Unorm,
        S::Rgba8Snorm => T::Rgba8Snorm,
        S::Rgba8Uint => T::Rgba8Uint,
        S::Rgba8Sint => T::Rgba8Sint,
        S::Rgba16Uint => T::Rgba16Uint,
        S::Rgba16Sint => T::Rgba16Sint,
        S::Rgba16Float => T::Rgba16Float,
        S::Rgba32Uint => T::Rgba32Uint,
        S::Rgba32Sint => T::Rgba32Sint,
        S::Rgba32Float => T::Rgba32Float,
        S::R8Unorm => T::R8Unorm,
        S::R8Uint => T::R8Uint,
        S::R8Sint => T::R8Sint,
        S::R16Float => T::R16Float,
        S::R16Uint => T::R16Uint,
        S::R16Sint => T::R16Sint,
        S::Rg8Unorm => T::Rg8Unorm,
        S::Rg16Float => T::Rg16Float,
        _ => return None,
    })
}

//! Resources of a program: their bindings, and for `wgpu` the layouts of bind groups.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use planish::module::Stage;
use planish::reflection::{Access, Binding, BindingKind, ImageInfo, Reflection};
use planish::rust_identifier;

use super::variable_of_wrapper;
use crate::program::Interface;

/// A resource of a program.
#[derive(Debug)]
pub(super) struct Resource {
    /// The name of its constant.
    constant: String,
    /// Its name in the source, and its type.
    about: String,
    group: u32,
    binding: u32,
    stages: Vec<Stage>,
    kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// A uniform block and its size, if that is known.
    Uniform(Option<u32>),
    /// A storage block, whether it is only read, and its size, if that is known.
    Storage {
        read_only: bool,
        size: Option<u32>,
    },
    Texture(ImageInfo),
    Image(ImageInfo),
    Sampler {
        comparison: bool,
    },
}

/// The name of a constant.
pub(super) fn constant(name: &str) -> String {
    rust_identifier(name).trim_end_matches('_').to_uppercase()
}

/// The resources of all files of a program.
pub(super) fn resources(interfaces: &[&Interface]) -> Vec<Resource> {
    let mut all: Vec<Resource> = vec![];
    for interface in interfaces {
        for mut resource in of_file(interface) {
            let is_same = |other: &&mut Resource| {
                let place = |r: &Resource| (r.group, r.binding);
                place(other) == place(&resource) && other.kind == resource.kind && other.constant == resource.constant
            };
            if let Some(known) = all.iter_mut().find(is_same) {
                known.stages.extend(resource.stages);
                continue;
            }
            if all.iter().any(|other| other.constant == resource.constant) {
                let stage = resource.stages.first().map_or("other", |stage| stage.name());
                resource.constant = format!("{}_{}", resource.constant, constant(stage));
            }
            all.push(resource);
        }
    }
    all.sort_by_key(|r| (r.group, r.binding));
    all
}

fn of_file(interface: &Interface) -> Vec<Resource> {
    let reflection = &interface.whole;
    let mut all = vec![];
    if let Some(uniforms) = &reflection.uniforms {
        let stages = interface.stages.iter().filter(|(_, part)| part.uniforms.is_some()).map(|(stage, _)| *stage);
        all.push(Resource {
            constant: "UNIFORMS".into(),
            about: "The uniforms outside of blocks".into(),
            group: uniforms.group,
            binding: uniforms.binding,
            stages: stages.collect(),
            kind: Kind::Uniform(Some(uniforms.size)),
        });
    }
    for list in lists(reflection) {
        for binding in list.0 {
            let has = |part: &Reflection| {
                lists(part).iter().any(|other| other.0.iter().any(|b| b.variable == binding.variable))
            };
            let stages = interface.stages.iter().filter(|(_, part)| has(part)).map(|(stage, _)| *stage);
            all.push(Resource {
                constant: constant(variable_of_wrapper(binding).unwrap_or(&binding.variable)),
                about: format!("`{}`, {} `{}`", binding.name, list.1, binding.ty),
                group: binding.group,
                binding: binding.binding,
                stages: stages.collect(),
                kind: kind(binding, list.1),
            });
        }
    }
    all
}

/// The resources with words for them.
fn lists(reflection: &Reflection) -> [(&[Binding], &'static str); 5] {
    [
        (&reflection.uniform_blocks, "uniform"),
        (&reflection.storage_blocks, "storage"),
        (&reflection.textures, "texture"),
        (&reflection.samplers, "sampler"),
        (&reflection.images, "image"),
    ]
}

fn kind(binding: &Binding, list: &str) -> Kind {
    match &binding.kind {
        BindingKind::Sampler { comparison } => Kind::Sampler { comparison: *comparison },
        BindingKind::Image(image) if list == "sampler" => Kind::Sampler { comparison: image.comparison },
        BindingKind::Image(image) if list == "texture" => Kind::Texture(image.clone()),
        BindingKind::Image(image) => Kind::Image(image.clone()),
        BindingKind::Block { access, contents, .. } => {
            // An array that is sized by its buffer has at least one element, which the size leaves out.
            let size = contents.size.filter(|_| !binding.ty.contains('['));
            let ends_open = contents.members.iter().flatten().any(|member| member.ty.contains("[]"));
            let size = size.filter(|&size| size > 0 && !ends_open);
            match access {
                None => Kind::Uniform(size),
                Some(access) => Kind::Storage { read_only: *access == Access::Read, size },
            }
        }
        _ => Kind::Uniform(None),
    }
}

/// A constant for each resource.
pub(super) fn bindings(resources: &[Resource]) -> String {
    if resources.is_empty() {
        return String::new();
    }
    let mut text = String::from("/// Places of the resources.\npub mod bindings {\n    use super::super::Binding;\n\n");
    for Resource { constant, about, group, binding, .. } in resources {
        let _ = writeln!(
            text,
            "    /// {about}.\n    pub const {constant}: Binding = Binding {{ group: {group}, binding: {binding} }};"
        );
    }
    text + "}\n\n"
}

/// The layouts of bind groups for `wgpu`.
///
/// # Errors
/// Two resources at one place, in words for the user.
pub(super) fn layouts(resources: &[Resource], program: &str) -> Result<String, String> {
    let mut entries: BTreeMap<(u32, u32), &Resource> = BTreeMap::new();
    for resource in resources {
        if let Some(other) = entries.insert((resource.group, resource.binding), resource) {
            let Resource { constant, group, binding, .. } = resource;
            return Err(format!("{} and {constant} are both at binding {binding} of group {group}", other.constant));
        }
    }
    let count = entries.keys().map(|(group, _)| group + 1).max().unwrap_or(0);
    let mut text = format!(
        "/// The layouts of the bind groups, by group.\npub const BIND_GROUP_LAYOUTS: [::wgpu::BindGroupLayoutDescriptor<'static>; {count}] = [\n"
    );
    for group in 0..count {
        let _ = writeln!(
            text,
            "    ::wgpu::BindGroupLayoutDescriptor {{\n        label: Some(\"{program}, group {group}\"),\n        entries: &["
        );
        for ((_, binding), resource) in entries.range((group, 0)..(group + 1, 0)) {
            let visibility = visibility(&resource.stages);
            let ty = binding_type(&resource.kind)?;
            let _ = writeln!(
                text,
                "            ::wgpu::BindGroupLayoutEntry {{ binding: {binding}, visibility: {visibility}, ty: {ty}, count: None }},"
            );
        }
        text += "        ],\n    },\n";
    }
    text += "];\n\n";
    text += "/// The layouts of the bind groups, by group.\n#[must_use]\npub fn create_bind_group_layouts(device: &::wgpu::Device) -> Vec<::wgpu::BindGroupLayout> {\n    \
             BIND_GROUP_LAYOUTS.iter().map(|layout| device.create_bind_group_layout(layout)).collect()\n}\n\n";
    Ok(text)
}

fn visibility(stages: &[Stage]) -> String {
    let mut names: Vec<&str> = vec![];
    for stage in stages {
        let name = match stage {
            Stage::Vertex => "VERTEX",
            Stage::Fragment => "FRAGMENT",
            Stage::Compute => "COMPUTE",
            _ => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let Some((first, rest)) = names.split_first() else { return "::wgpu::ShaderStages::NONE".into() };
    rest.iter().fold(format!("::wgpu::ShaderStages::{first}"), |all, name| {
        format!("{all}.union(::wgpu::ShaderStages::{name})")
    })
}

fn binding_type(kind: &Kind) -> Result<String, String> {
    let buffer = |ty: &str, size: Option<u32>| {
        let size = size.map_or("None".to_owned(), |size| format!("::core::num::NonZeroU64::new({size})"));
        format!(
            "::wgpu::BindingType::Buffer {{ ty: ::wgpu::BufferBindingType::{ty}, has_dynamic_offset: false, min_binding_size: {size} }}"
        )
    };
    Ok(match kind {
        Kind::Uniform(size) => buffer("Uniform", *size),
        Kind::Storage { read_only, size } => buffer(&format!("Storage {{ read_only: {read_only} }}"), *size),
        Kind::Sampler { comparison: true } => {
            "::wgpu::BindingType::Sampler(::wgpu::SamplerBindingType::Comparison)".into()
        }
        Kind::Sampler { comparison: false } => {
            "::wgpu::BindingType::Sampler(::wgpu::SamplerBindingType::Filtering)".into()
        }
        Kind::Texture(image) => {
            let sample_type = match (image.comparison, image.sampled) {
                (true, _) => "Depth".to_owned(),
                (_, "i32") => "Sint".to_owned(),
                (_, "u32") => "Uint".to_owned(),
                _ => format!("Float {{ filterable: {} }}", !image.multisampled),
            };
            format!(
                "::wgpu::BindingType::Texture {{ sample_type: ::wgpu::TextureSampleType::{sample_type}, view_dimension: ::wgpu::TextureViewDimension::{}, \
                 multisampled: {} }}",
                dimension(image, false)?,
                image.multisampled
            )
        }
        Kind::Image(image) => {
            let access = match image.access {
                Some(Access::Read) => "ReadOnly",
                Some(Access::Write) => "WriteOnly",
                _ => "ReadWrite",
            };
            format!(
                "::wgpu::BindingType::StorageTexture {{ access: ::wgpu::StorageTextureAccess::{access}, format: ::wgpu::TextureFormat::{}, view_dimension: \
                 ::wgpu::TextureViewDimension::{} }}",
                texture_format(image.format.unwrap_or_default())?,
                dimension(image, true)?
            )
        }
    })
}

/// The dimension of a view. A storage cube is an array of faces in WGSL.
fn dimension(image: &ImageInfo, is_storage: bool) -> Result<&'static str, String> {
    Ok(match (image.dimension, image.arrayed) {
        ("1d", false) => "D1",
        ("2d" | "rect", false) => "D2",
        ("2d" | "rect", true) => "D2Array",
        ("cube", _) if is_storage => "D2Array",
        ("cube", false) => "Cube",
        ("cube", true) => "CubeArray",
        ("3d", false) => "D3",
        (other, _) => return Err(format!("wgpu has no textures of the dimension `{other}`")),
    })
}

/// The name of a format in `wgpu`: `Rgba16Float` of `rgba16f`.
fn texture_format(name: &str) -> Result<String, String> {
    match name {
        "r11f_g11f_b10f" => return Ok("Rg11b10Ufloat".into()),
        "rgb10_a2" => return Ok("Rgb10a2Unorm".into()),
        "rgb10_a2ui" => return Ok("Rgb10a2Uint".into()),
        _ => {}
    }
    let letters = name.find(|c: char| c.is_ascii_digit());
    let (letters, rest) = name.split_at(letters.ok_or_else(|| format!("wgpu has no format `{name}`"))?);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (bits, kind) = rest.split_at(digits);
    let kind = match kind {
        "" => "Unorm",
        "_snorm" => "Snorm",
        "f" => "Float",
        "i" => "Sint",
        "ui" => "Uint",
        _ => return Err(format!("wgpu has no format `{name}`")),
    };
    let (first, others) = letters.split_at(1);
    Ok(format!("{}{others}{bits}{kind}", first.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_the_names_of_wgpu() {
        let of = |name| texture_format(name).unwrap();
        assert_eq!(
            ["rgba8", "rgba16f", "r32ui", "rg8_snorm", "rgb10_a2"].map(of),
            ["Rgba8Unorm", "Rgba16Float", "R32Uint", "Rg8Snorm", "Rgb10a2Unorm"]
        );
        assert!(texture_format("unknown").is_err());
    }
}

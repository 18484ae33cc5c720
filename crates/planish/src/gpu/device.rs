//! Devices: found, chosen by a part of their name, opened; errors that they report.

use std::sync::{Arc, Mutex};

use super::GpuError;

/// An open device; a clone is the same device.
#[derive(Clone)]
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    name: String,
    /// Errors outside of [`Gpu::checked`], such as the loss of the device.
    lost: Arc<Mutex<Option<String>>>,
}

/// Features that shaders use where the device has them.
const FEATURES: wgpu::Features = wgpu::Features::FLOAT32_FILTERABLE
    .union(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER)
    .union(wgpu::Features::IMMEDIATES)
    .union(wgpu::Features::SHADER_F16)
    .union(wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES);

impl Gpu {
    /// Opens the device whose name contains `part`, whatever the case; `None`: the fastest by its kind, a software device last.
    ///
    /// # Errors
    /// If there is no such device, or it cannot be opened.
    pub fn open(part: Option<&str>) -> Result<Gpu, GpuError> {
        let mut names = vec![];
        // OpenGL is not looked for if it is not needed: some drivers write messages of their own.
        let found = [wgpu::Backends::PRIMARY, wgpu::Backends::SECONDARY].into_iter().find_map(|backends| {
            let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
            // Layers of a developer's machine are not asked for.
            (descriptor.backends, descriptor.flags) = (backends, wgpu::InstanceFlags::empty());
            let instance = wgpu::Instance::new(descriptor);
            let mut adapters = pollster::block_on(instance.enumerate_adapters(backends));
            adapters.sort_by_key(|adapter| rank(&adapter.get_info()));
            let first = names.len();
            names.extend(adapters.iter().map(|adapter| name(&adapter.get_info())));
            let at = names[first..].iter().position(|name| is_named(name, part))?;
            Some(adapters.swap_remove(at))
        });
        let Some(adapter) = found else { return Err(none(part, &names)) };
        let name = name(&adapter.get_info());
        let request = wgpu::DeviceDescriptor {
            required_features: adapter.features() & FEATURES,
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let opened = pollster::block_on(adapter.request_device(&request));
        let (device, queue) = opened.map_err(|error| GpuError::NoDevice(format!("cannot open {name}: {error}")))?;
        let lost: Arc<Mutex<Option<String>>> = Arc::default();
        let (errors, reasons) = (Arc::clone(&lost), Arc::clone(&lost));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&errors, &message(&error))));
        device.set_device_lost_callback(move |_, reason| note(&reasons, &reason));
        Ok(Gpu { device, queue, name, lost })
    }

    /// Its name, with the interface that it is reached by: `llvmpipe (LLVM 15.0.6, 256 bits) (Vulkan)`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Work groups along an axis that a dispatch has at most.
    pub(crate) fn most_groups(&self) -> u32 {
        self.device.limits().max_compute_workgroups_per_dimension
    }

    /// Does some work on the device, whose errors are the result's.
    pub(super) fn checked<T>(&self, work: impl FnOnce() -> T) -> Result<T, GpuError> {
        let scopes = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation]
            .map(|filter| self.device.push_error_scope(filter));
        let done = work();
        let errors = scopes.map(Some).into_iter().rev().filter_map(|scope| pollster::block_on(scope?.pop()));
        let first = errors.fold(None, |first, error| first.or(Some(message(&error))));
        let lost = || self.lost.lock().ok().and_then(|mut lost| lost.take());
        match first.or_else(lost) {
            Some(text) => Err(GpuError::Device(format!("{}: {text}", self.name))),
            None => Ok(done),
        }
    }
}

fn note(lost: &Mutex<Option<String>>, text: &str) {
    if let Ok(mut lost) = lost.lock() {
        lost.get_or_insert_with(|| text.to_owned());
    }
}

/// Compiles WGSL; errors are those of the device.
pub(super) fn module(device: &wgpu::Device, wgsl: &str) -> wgpu::ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(wgsl.into());
    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
}

fn name(info: &wgpu::AdapterInfo) -> String {
    format!("{} ({:?})", info.name, info.backend)
}

fn is_named(name: &str, part: Option<&str>) -> bool {
    part.is_none_or(|part| name.to_lowercase().contains(&part.to_lowercase()))
}

/// Order of preference.
fn rank(info: &wgpu::AdapterInfo) -> u8 {
    match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

fn none(part: Option<&str>, names: &[String]) -> GpuError {
    GpuError::NoDevice(match part {
        Some(part) if !names.is_empty() => format!("no device is named like `{part}`; there are: {}", names.join(", ")),
        _ => "there is no device that wgpu can use (Vulkan, Metal, Direct3D 12 or OpenGL): install the driver of the graphics card, or \
              one in software (Mesa's lavapipe; Debian has it in mesa-vulkan-drivers)"
            .into(),
    })
}

/// An error with its causes, in one line each.
fn message(error: &wgpu::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        source = inner.source();
    }
    text
}

//! `--gpu`: the device of the command line, and shaders on it.

use planish::eval::shade::{DrawOptions, Image};
use planish::ir::entity::Var;
use planish::module::Module;
use planish::source::SourceMap;

use crate::Stop;
use crate::args::Run;
use crate::report::Reporter;

#[cfg(feature = "gpu")]
use planish::gpu as library;

/// An open device.
#[cfg(feature = "gpu")]
pub(crate) struct Device(library::Gpu);

/// There is none.
#[cfg(not(feature = "gpu"))]
pub(crate) enum Device {}

/// The device of the command line, if it asks for one. Its name is reported.
///
/// # Errors
/// If this build has no devices, or there is none of the name.
pub(crate) fn open(args: &Run) -> Result<Option<Device>, Stop> {
    let Some(name) = &args.gpu else { return Ok(None) };
    let part = Some(&**name).filter(|name| !name.is_empty());
    device(part).map(Some)
}

#[cfg(feature = "gpu")]
fn device(part: Option<&str>) -> Result<Device, Stop> {
    let device = library::Gpu::open(part).map_err(|error| Stop::usage(error.to_string()))?;
    crate::output::write_message(&format!("device: {}\n", device.name()));
    Ok(Device(device))
}

#[cfg(not(feature = "gpu"))]
fn device(_: Option<&str>) -> Result<Device, Stop> {
    Err(crate::without("--gpu", "gpu"))
}

/// A fragment shader that is drawn on a device.
pub(crate) struct Drawing<'a> {
    #[cfg(feature = "gpu")]
    drawing: library::Drawing<'a>,
    #[cfg(not(feature = "gpu"))]
    device: &'a Device,
    reporter: &'a Reporter,
    map: &'a SourceMap,
}

impl<'a> Drawing<'a> {
    #[cfg(feature = "gpu")]
    pub(crate) fn new(device: &'a Device, module: &'a Module, map: &'a SourceMap, reporter: &'a Reporter) -> Self {
        Drawing { drawing: library::Drawing::new(&device.0, module), reporter, map }
    }

    #[cfg(not(feature = "gpu"))]
    pub(crate) fn new(device: &'a Device, _: &'a Module, map: &'a SourceMap, reporter: &'a Reporter) -> Self {
        Drawing { device, reporter, map }
    }

    /// Draws one picture.
    #[cfg(feature = "gpu")]
    pub(crate) fn draw(&mut self, options: &DrawOptions<'_>) -> Result<Image, Stop> {
        self.drawing.draw(options).map_err(|error| stop(error, self.map, self.reporter))
    }

    #[cfg(not(feature = "gpu"))]
    pub(crate) fn draw(&mut self, _: &DrawOptions<'_>) -> Result<Image, Stop> {
        let _ = (&self.map, &self.reporter);
        match *self.device {}
    }
}

/// Runs a compute shader on a device, as [`planish::lanes::dispatch_on`] does on the CPU.
#[cfg(feature = "gpu")]
pub(crate) fn dispatch(
    device: &Device,
    (module, map, reporter): (&Module, &SourceMap, &Reporter),
    options: &DrawOptions<'_>,
    buffers: &mut [(Var, Vec<u64>)],
    groups: [u32; 3],
) -> Result<(), Stop> {
    library::dispatch(&device.0, module, options, buffers, groups).map_err(|error| stop(error, map, reporter))
}

#[cfg(not(feature = "gpu"))]
pub(crate) fn dispatch(
    device: &Device,
    _: (&Module, &SourceMap, &Reporter),
    _: &DrawOptions<'_>,
    _: &mut [(Var, Vec<u64>)],
    _: [u32; 3],
) -> Result<(), Stop> {
    match *device {}
}

/// The error of a device; what the shader cannot do there is shown with its place.
#[cfg(feature = "gpu")]
fn stop(error: library::GpuError, map: &SourceMap, reporter: &Reporter) -> Stop {
    match error {
        library::GpuError::Unsupported(mut diagnostics) => {
            if let Some(last) = diagnostics.last_mut() {
                last.help.push("without `--gpu`, it runs on the CPU".into());
            }
            reporter.show(&diagnostics, map);
            Stop::Errors
        }
        error => Stop::usage(error.to_string()),
    }
}

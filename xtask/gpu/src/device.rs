//! The software device of wgpu, and pictures by `planish::gpu`; a build without the feature `device` has none.

use std::time::Duration;

use planish::module::Module;
#[cfg(feature = "device")]
use planish_gl::cpu_time;

use crate::draw::Failure;

#[cfg(feature = "device")]
pub(crate) struct Device(planish::gpu::Gpu);

#[cfg(not(feature = "device"))]
pub(crate) enum Device {}

/// Mesa's device.
pub(crate) const LLVMPIPE: &str = "llvmpipe";
/// The one of Chromium.
pub(crate) const SWIFTSHADER: &str = "SwiftShader";

impl Device {
    /// Opens the device with this in its name, by Vulkan.
    #[cfg(feature = "device")]
    pub(crate) fn open(name: &str) -> Result<Device, String> {
        planish::gpu::Gpu::open(Some(name)).map(Device).map_err(|error| error.to_string())
    }

    #[cfg(not(feature = "device"))]
    pub(crate) fn open(_: &str) -> Result<Device, String> {
        Err("this build of the check has no devices".into())
    }

    #[cfg(feature = "device")]
    pub(crate) fn name(&self) -> &str {
        self.0.name()
    }

    #[cfg(not(feature = "device"))]
    pub(crate) fn name(&self) -> &str {
        match *self {}
    }

    /// Draws a fragment shader; rows from the lowest up.
    #[cfg(feature = "device")]
    pub(crate) fn draw(&self, module: &Module, size: [u32; 2]) -> Result<Vec<[f32; 4]>, Failure> {
        use planish::gpu::{GpuError, draw};
        let image = draw(&self.0, module, &crate::draw::options(size)).map_err(|error| match error {
            GpuError::Shade(error) => Failure::Ours(error.to_string()),
            error => Failure::Theirs(error.to_string()),
        })?;
        Ok(image.float.chunks(size[0] as usize).rev().flatten().copied().collect())
    }

    #[cfg(not(feature = "device"))]
    pub(crate) fn draw(&self, _: &Module, _: [u32; 2]) -> Result<Vec<[f32; 4]>, Failure> {
        match *self {}
    }

    /// The least time of a frame, of so many after one that does not count: processor time of all threads, with the copy to memory.
    #[cfg(feature = "device")]
    pub(crate) fn time(&self, module: &Module, size: [u32; 2], frames: u32) -> Result<Duration, Failure> {
        let mut drawing = planish::gpu::Drawing::new(&self.0, module);
        let mut frame = || {
            let start = cpu_time();
            let drawn = drawing.draw(&crate::draw::options(size));
            drawn.map(|_| cpu_time() - start).map_err(|error| Failure::Theirs(error.to_string()))
        };
        frame()?;
        (0..frames).map(|_| frame()).try_fold(Duration::MAX, |least, time| Ok(least.min(time?)))
    }

    #[cfg(not(feature = "device"))]
    pub(crate) fn time(&self, _: &Module, _: [u32; 2], _: u32) -> Result<Duration, Failure> {
        match *self {}
    }

    /// Checks all kinds of inputs and outputs; returns their number, or the first that is not right.
    #[cfg(feature = "device")]
    pub(crate) fn check_interface(&self) -> Result<usize, String> {
        crate::interface::check(&self.0)
    }

    #[cfg(not(feature = "device"))]
    pub(crate) fn check_interface(&self) -> Result<usize, String> {
        match *self {}
    }
}

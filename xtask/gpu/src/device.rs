//! The software device of wgpu, and pictures by `planish::gpu`; a build without the feature `device` has none.

use planish::module::Module;

use crate::draw::Failure;

#[cfg(feature = "device")]
pub(crate) struct Device(planish::gpu::Gpu);

#[cfg(not(feature = "device"))]
pub(crate) enum Device {}

impl Device {
    /// Opens Mesa's, by Vulkan.
    #[cfg(feature = "device")]
    pub(crate) fn open() -> Result<Device, String> {
        planish::gpu::Gpu::open(Some("llvmpipe")).map(Device).map_err(|error| error.to_string())
    }

    #[cfg(not(feature = "device"))]
    pub(crate) fn open() -> Result<Device, String> {
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

//! A software GPU as a reference: fragment shaders drawn by Mesa's llvmpipe, without a window, a screen or a graphics
//! card.
//!
//! ```
//! use planish_gl::{Api, Draw, Gpu};
//!
//! let gpu = match Gpu::open(Api::Es) {
//!     Ok(gpu) => gpu,
//!     Err(why) => return println!("no software GPU: {why}"),
//! };
//! let source = "#version 300 es\nprecision highp float;\nout vec4 color;\nvoid main() { color = vec4(gl_FragCoord.xy, 0.0, 1.0); }";
//! let picture = gpu.draw(&Draw::new(source, [4, 2])).unwrap();
//! // The first row is the lowest, as in OpenGL.
//! assert_eq!(picture.pixels[5], [1.5, 1.5, 0.0, 1.0]);
//! ```
//!
//! Values of uniforms, varyings and textures are the caller's: the library reports those that are missing.

mod compile;
mod draw;
mod feed;
mod open;
mod precision;
mod varying;

pub use compile::Stage;
pub use draw::{Draw, DrawError, Picture};
pub use feed::{Filter, Texture, Uniform, UniformBlock, Values, Wrap};
pub use open::{Api, Gpu, OpenError};
pub use precision::in_full_precision;
pub use varying::{Scalar, Varying};

/// The processor time of this process so far, over all its threads.
pub fn cpu_time() -> std::time::Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    std::time::Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

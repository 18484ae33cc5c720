//! Staged functions on a device.

use std::fmt;
use std::marker::PhantomData;

use planish_eval::shade::{block_from_bytes, block_len, block_to_bytes};
use planish_front_stage::{Errors, Params, Slice, Staged};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::module::Module;
use planish_ir::source::{SourceMap, Span};
use planish_opt::bind_slices::{FIRST_STOP, Interface};
use planish_vm::{Error, Trap};

use super::{Function, Machine, Stopped};
use crate::emit::as_compute_shader;
use crate::gpu::{self, Gpu, GpuError};

/// A function on a device: a compute shader, whose slices are storage buffers. It may be called from several threads at once.
///
/// A call copies the slices to the device, and those that the function writes back. It computes what [`super::Compiled`] does, but for the
/// [rounding](https://www.w3.org/TR/WGSL/#floating-point-evaluation) of divisions, square roots and elementary functions, and subnormal numbers.
pub struct Kernel<A, R> {
    kernel: gpu::Kernel,
    name: String,
    map: SourceMap,
    /// The module of the interface.
    module: Module,
    interface: Interface,
    signature: PhantomData<fn(A) -> R>,
}

impl Machine for Gpu {
    type Compiled<A: Params, R: Staged> = Kernel<A, R>;

    fn compile<A: Params, R: Staged>(&self, function: &Function<A, R>) -> Result<Kernel<A, R>, Errors> {
        let (optimized, func, slices) = function.with_slices(&function.optimizer());
        let failed = |diagnostics| function.errors(diagnostics);
        let (module, interface) = as_compute_shader(&optimized, func, &slices).map_err(failed)?;
        let kernel = gpu::Kernel::new(self, &module).map_err(|error| {
            failed(match error {
                GpuError::Unsupported(diagnostics) => diagnostics,
                other => vec![Diagnostic::error(Code::E0604, Span::NONE, other.to_string())],
            })
        })?;
        let (name, map) = (function.built.name.clone(), function.built.map.clone());
        Ok(Kernel { kernel, name, map, module, interface, signature: PhantomData })
    }
}

impl<A: Params, R: Staged> Kernel<A, R> {
    /// Calls the function with its parameters as a tuple.
    ///
    /// # Errors
    /// A trap, and an error of the device ([`GpuError`], as [`Error::Host`]).
    pub fn call_with(&self, args: A::Host<'_>) -> Result<R::Host, Stopped> {
        let (mut bits, mut slices) = (Vec::new(), Vec::new());
        A::pass(args, &mut bits, &mut |slice| slices.push(slice));
        let failed = |error| Stopped { error: Error::host(error), place: None };
        let mut most = 0;
        for slice in &slices {
            let (size, is_out) = match slice {
                Slice::In(bytes) => (bytes.len(), false),
                Slice::Out(bytes) => (bytes.len(), true),
            };
            if u32::try_from(size).is_err() {
                return Err(failed(GpuError::Device("a slice has less than 4 GiB".into())));
            }
            most = most.max(if is_out { size as u32 } else { 0 });
        }
        let Interface { arguments, results, is_shared, .. } = self.interface;
        let arguments = arguments.map(|var| {
            let len = block_len(&self.module, var, bits.len()).expect("it has a size");
            block_to_bytes(&self.module, var, &bits, len).expect("it has numbers")
        });
        let mut bytes = vec![0xff; block_len(&self.module, results, 0).expect("it has a size")];
        slices.extend(arguments.iter().map(|bytes| Slice::In(bytes)));
        slices.push(Slice::Out(&mut bytes));
        // (Each iteration writes a number of its own.)
        let groups = if is_shared { (most / 4).div_ceil(64).clamp(1, self.kernel.gpu().most_groups()) } else { 1 };
        self.kernel.run(&mut slices, groups).map_err(failed)?;
        let words = block_from_bytes(&self.module, results, &bytes).expect("it has numbers");
        match words[0] as u32 {
            0 => Ok(R::from_host_bits(&mut words[1..].iter().copied())),
            number => Err(self.stopped(number)),
        }
    }

    /// The error of a call with this number in `stopped`.
    fn stopped(&self, number: u32) -> Stopped {
        let stop = number.checked_sub(FIRST_STOP).and_then(|index| self.interface.stops.get(index as usize));
        let Some(&(kind, span)) = stop else {
            let text = format!("{} did not run `{}` to its end", self.kernel.gpu().name(), self.name);
            return Stopped { error: Error::host(GpuError::Device(text)), place: None };
        };
        Stopped {
            error: Error::Trap(Trap { kind, span, function: Some(self.name.clone()) }),
            place: self.map.place(span),
        }
    }
}

impl<A, R> fmt::Debug for Kernel<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel")
            .field("name", &self.name)
            .field("device", &self.kernel.gpu().name())
            .finish_non_exhaustive()
    }
}

//! Reading back from the device.

use std::sync::mpsc;
use std::time::Duration;

use super::{Gpu, GpuError};

/// Time in which a device that has finished says so.
const ANSWER: Duration = Duration::from_secs(10);

/// Bytes of a texel of the target.
const TEXEL: u32 = 16;

/// The texels of a target, its first row first.
pub(super) fn texture(gpu: &Gpu, target: &wgpu::Texture, [width, height]: [u32; 2]) -> Result<Vec<[u32; 4]>, GpuError> {
    let row = (width * TEXEL).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let size = u64::from(row) * u64::from(height);
    let most = gpu.device.limits().max_buffer_size;
    if size > most {
        let text = format!("{} reads back {most} bytes at most, and the picture has {size}", gpu.name());
        return Err(GpuError::Device(text));
    }
    let buffer = staging(gpu, size);
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let extent = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
    encoder.copy_texture_to_buffer(
        target.as_image_copy(),
        wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
        extent,
    );
    gpu.queue.submit([encoder.finish()]);
    let bytes = map(gpu, &buffer)?;
    let rows = bytes.chunks_exact(row as usize).map(|bytes| &bytes[..(width * TEXEL) as usize]);
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let texel = |bytes: &[u8]| std::array::from_fn(|c| word(&bytes[4 * c..]));
    Ok(rows.flat_map(|row| row.chunks_exact(TEXEL as usize).map(texel)).collect())
}

/// The bytes of buffers, each of a size that is a multiple of four.
pub(super) fn buffers(gpu: &Gpu, buffers: &[wgpu::Buffer]) -> Result<Vec<Vec<u8>>, GpuError> {
    let staged: Vec<wgpu::Buffer> = buffers.iter().map(|buffer| staging(gpu, buffer.size())).collect();
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for (from, to) in buffers.iter().zip(&staged) {
        encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
    }
    gpu.queue.submit([encoder.finish()]);
    staged.iter().map(|buffer| map(gpu, buffer)).collect()
}

/// A buffer that is copied to, and read from here.
pub(super) fn staging(gpu: &Gpu, size: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    })
}

/// Waits for the device, and copies a buffer.
fn map(gpu: &Gpu, buffer: &wgpu::Buffer) -> Result<Vec<u8>, GpuError> {
    mapped(gpu, buffer, buffer.size(), <[u8]>::to_vec)
}

/// Waits for the device, and reads the first bytes of a buffer.
pub(super) fn mapped<T>(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    size: u64,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T, GpuError> {
    let (sender, receiver) = mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, ..size, move |result| drop(sender.send(result)));
    let failed = |why: String| GpuError::Device(format!("{} does not finish: {why}", gpu.name()));
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| failed(error.to_string()))?;
    // (Another thread that waits for the device may be the one that is told.)
    match receiver.recv_timeout(ANSWER) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(failed(error.to_string())),
        Err(_) => return Err(failed("it does not answer".into())),
    }
    let done = read(&buffer.get_mapped_range(..size).map_err(|error| failed(error.to_string()))?);
    buffer.unmap();
    Ok(done)
}

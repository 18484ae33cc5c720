//! Pictures of fragment shaders.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Arc;

use planish::eval::shade::{DrawOptions, TextureBinding};
use planish::eval::texture::{SamplerState, TextureData};

use crate::message::{planish_messages, run};
use crate::program::planish_program;
use crate::text::{bytes, text};

/// A fragment shader with values for its uniforms and textures. Opaque.
#[allow(non_camel_case_types, reason = "as in C")]
pub struct planish_drawing {
    program: planish::Program,
    options: DrawOptions<'static>,
}

/// A drawing of a program, of which it keeps a copy; NULL of NULL.
///
/// # Safety
/// `program` is NULL, or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_drawing_new(program: *const planish_program) -> *mut planish_drawing {
    // SAFETY: NULL, or one of ours.
    let Some(program) = (unsafe { program.as_ref() }) else { return ptr::null_mut() };
    Box::into_raw(Box::new(planish_drawing { program: program.0.clone(), options: DrawOptions::default() }))
}

/// Sets the value of a uniform: its components, of a matrix by columns. Names of parts are `light.position`, `weights[3]`. Unknown names
/// and wrong sizes are errors of `planish_drawing_draw`. Returns false if the name is NULL.
///
/// # Safety
/// `drawing` is NULL, or comes from this library and has not been freed; no other thread uses it. The name ends in a NUL byte; there are
/// `count` components.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_drawing_set_uniform(
    drawing: *mut planish_drawing,
    name: *const c_char,
    components: *const f64,
    count: usize,
) -> bool {
    // SAFETY: NULL, or one of ours that no other thread uses; and the contract of this function.
    let (Some(drawing), Some(name)) = (unsafe { (drawing.as_mut(), text(name)) }) else { return false };
    let value = match components.is_null() || count == 0 {
        true => vec![],
        // SAFETY: not NULL, and by the contract of this function there are as many.
        false => unsafe { std::slice::from_raw_parts(components, count) }.to_vec(),
    };
    drawing.options.uniforms.retain(|(known, _)| known != name);
    drawing.options.uniforms.push((name.to_owned(), value));
    true
}

/// Sets a texture: rows from the top, four bytes a texel (red, green, blue, alpha), a copy. Returns false if the bytes are fewer than
/// `width * height * 4`, or the name is NULL.
///
/// # Safety
/// As of `planish_drawing_set_uniform`; `data` points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_drawing_set_texture(
    drawing: *mut planish_drawing,
    name: *const c_char,
    width: u32,
    height: u32,
    data: *const c_void,
    size: usize,
) -> bool {
    // SAFETY: NULL, or one of ours that no other thread uses; and the contract of this function.
    let (drawing, name, data) = unsafe { (drawing.as_mut(), text(name), bytes(data, size)) };
    let (Some(drawing), Some(name)) = (drawing, name) else { return false };
    let Some(texture) = usize::try_from(u64::from(width) * u64::from(height) * 4)
        .ok()
        .and_then(|wanted| TextureData::from_rgba8(width, height, data.get(..wanted)?))
    else {
        return false;
    };
    let texture = Arc::new(texture);
    drawing.options.textures.retain(|known| known.name != name);
    drawing.options.textures.push(TextureBinding { name: name.to_owned(), texture, sampler: SamplerState::default() });
    true
}

/// Sets the time in seconds, for uniforms that are named like a time, and the number of the frame.
///
/// # Safety
/// `drawing` is NULL, or comes from this library and has not been freed; no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_drawing_set_time(drawing: *mut planish_drawing, seconds: f32, frame: u32) {
    // SAFETY: NULL, or one of ours that no other thread uses.
    if let Some(drawing) = unsafe { drawing.as_mut() } {
        (drawing.options.time, drawing.options.frame) = (seconds, frame);
    }
}

/// Sets the mouse, for uniforms that are named like one: x and y in pixels from the lower left, and of the last click.
///
/// # Safety
/// As of `planish_drawing_set_time`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_drawing_set_mouse(
    drawing: *mut planish_drawing,
    x: f32,
    y: f32,
    click_x: f32,
    click_y: f32,
) {
    // SAFETY: NULL, or one of ours that no other thread uses.
    if let Some(drawing) = unsafe { drawing.as_mut() } {
        drawing.options.mouse = [x, y, click_x, click_y];
    }
}

/// Selects the output to draw by its name; NULL is the first colour.
///
/// # Safety
/// As of `planish_drawing_set_uniform`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_drawing_set_output(drawing: *mut planish_drawing, name: *const c_char) {
    // SAFETY: NULL, or one of ours that no other thread uses; and the contract of this function.
    if let (Some(drawing), name) = unsafe { (drawing.as_mut(), text(name)) } {
        drawing.options.output = name.map(str::to_owned);
    }
}

/// Draws: writes `width * height` pixels of four floats (red, green, blue, alpha), rows from the top, to `pixels`. Returns false, and
/// writes nothing, if it cannot.
///
/// # Safety
/// As of `planish_drawing_set_time`; `pixels` has room for `width * height * 4` floats, `messages` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_drawing_draw(
    drawing: *mut planish_drawing,
    width: u32,
    height: u32,
    pixels: *mut f32,
    messages: *mut *mut planish_messages,
) -> bool {
    let draw = || {
        // SAFETY: NULL, or one of ours that no other thread uses.
        let Some(drawing) = (unsafe { drawing.as_mut() }) else {
            return Err(planish_messages::of_text("the drawing is NULL"));
        };
        if pixels.is_null() {
            return Err(planish_messages::of_text("the pixels are NULL"));
        }
        if !(1..=16384).contains(&width) || !(1..=16384).contains(&height) {
            let text = format!("{width}x{height} is no size of a picture: each of the two is from 1 to 16384");
            return Err(planish_messages::of_text(&text));
        }
        drawing.options.size = [width, height];
        Ok((drawing.program.draw(&drawing.options)?, None))
    };
    // SAFETY: the contract of this function.
    let Some(image) = (unsafe { run(messages, draw) }) else { return false };
    let floats = image.float.as_flattened();
    // SAFETY: not NULL, and by the contract of this function there is room for as many.
    unsafe { ptr::copy_nonoverlapping(floats.as_ptr(), pixels, floats.len()) };
    true
}

/// Frees a drawing.
///
/// # Safety
/// `drawing` is NULL, or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_drawing_free(drawing: *mut planish_drawing) {
    if !drawing.is_null() {
        // SAFETY: made by `planish_drawing_new`, and not freed before.
        drop(unsafe { Box::from_raw(drawing) });
    }
}

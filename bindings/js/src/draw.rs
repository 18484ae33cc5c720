//! Pictures of fragment shaders.

use std::sync::Arc;

use planish::Program;
use planish::eval::shade::{DrawOptions, TextureBinding};
use planish::eval::texture::{SamplerState, TextureData};
use serde_json::{Value, json};

use crate::message::Message;
use crate::session::{Answer, number, text};

/// Draws a program: bytes of red, green, blue and alpha, rows from the top. The first block has the components of all uniforms as floats of
/// 64 bits, each other one the components of a texture.
pub(crate) fn draw(program: &Program, request: &Message) -> Answer {
    let Message { head, blocks } = request;
    let (components, textures) = blocks.split_first().expect("the components of uniforms");
    let mut components = components.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
    let float = |value: &Value| value.as_f64().unwrap_or(f64::NAN) as f32;
    let mut options = DrawOptions {
        size: [number(&head["width"]) as u32, number(&head["height"]) as u32],
        time: float(&head["time"]),
        frame: number(&head["frame"]) as u32,
        output: head["output"].as_str().map(str::to_owned),
        ..DrawOptions::default()
    };
    for (at, value) in options.mouse.iter_mut().enumerate() {
        *value = float(&head["mouse"][at]);
    }
    for uniform in head["uniforms"].as_array().into_iter().flatten() {
        let values = components.by_ref().take(number(&uniform[1]) as usize).collect();
        options.uniforms.push((text(&uniform[0]).to_owned(), values));
    }
    for (about, bytes) in head["textures"].as_array().into_iter().flatten().zip(textures) {
        let texture = Arc::new(texture(about, bytes).with_mipmaps(false));
        let (name, sampler) = (text(&about["name"]).to_owned(), SamplerState::default());
        options.textures.push(TextureBinding { name, texture, sampler });
    }
    let image = program.draw(&options)?;
    Ok(Message::with_block(json!({ "width": image.width, "height": image.height }), image.rgba8))
}

fn texture(about: &Value, bytes: &[u8]) -> TextureData {
    let [width, height] = ["width", "height"].map(|side| number(&about[side]) as u32);
    let components = number(&about["components"]) as usize;
    let at = |row, column, number| (row * width as usize + column) * components + number;
    if about["isFloat"] == true {
        let floats = bytes.as_chunks::<4>().0;
        let component = |row, column, number| f32::from_le_bytes(floats[at(row, column, number)]);
        return TextureData::from_rows([width, height], components, component);
    }
    let component = |row, column, number| f32::from(bytes[at(row, column, number)]) / 255.0;
    TextureData::from_rows([width, height], components, component)
}

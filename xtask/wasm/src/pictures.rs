//! A picture is written as PNG by one of jSquash's codecs and read again by the other.

use planish_vm::{Caller, Engine, Error, Module, Store, Val};

use crate::host::{bytes, call, linker, memory, word, write};

const SIDE: usize = 61;

/// The picture received by the host: width, height, and four bytes a pixel.
type Picture = (usize, usize, Vec<u8>);

/// The functions of `wasm-bindgen`'s glue.
fn known(caller: &mut Caller<'_, Option<Picture>>, name: &str, args: &[Val]) -> Option<Result<Option<Val>, Error>> {
    let number = |index: usize| args.get(index).and_then(Val::i32).unwrap_or(0);
    if name.starts_with("__wbg_newwithownedu8clampedarrayandsh") {
        let pixels = memory(caller, "memory").and_then(|m| bytes(&*caller, m, number(0), number(1) as usize));
        return Some(pixels.map(|pixels| {
            *caller.data_mut() = Some((number(2) as usize, number(3) as usize, pixels));
            Some(Val::I32(1))
        }));
    }
    match name {
        "__wbindgen_throw" => {
            let said = memory(caller, "memory").and_then(|m| bytes(&*caller, m, number(0), number(1) as usize));
            Some(said.and_then(|said| Err(Error::host(String::from_utf8_lossy(&said).into_owned()))))
        }
        "__wbindgen_object_drop_ref" => Some(Ok(None)),
        _ => None,
    }
}

/// Writes and reads the picture.
pub(crate) fn run(engine: &Engine, module: &Module) -> Result<String, String> {
    let mut store = Store::new(engine, None);
    let linker = linker(&mut store, module, known);
    let instance = linker.instantiate(&mut store, module).map_err(|e| e.to_string())?;
    let memory = instance.get_memory(&store, "memory").ok_or("no memory")?;
    let pixel = |i: usize| {
        let (x, y) = (i % SIDE, i / SIDE);
        [(x * 4) as u8, (y * 4) as u8, (x * y) as u8, 255 - (x ^ y) as u8]
    };
    let pixels: Vec<u8> = (0..SIDE * SIDE).flat_map(pixel).collect();
    let text = |e: Error| e.to_string();

    let place = call(&mut store, &instance, "__wbindgen_malloc", &[pixels.len() as i32, 1])?;
    write(&mut store, memory, place, &pixels).map_err(text)?;
    let result = call(&mut store, &instance, "__wbindgen_add_to_stack_pointer", &[-16])?;
    let side = SIDE as i32;
    call(&mut store, &instance, "encode", &[result, place, pixels.len() as i32, side, side, 8])?;
    let (at, length) = (word(&store, memory, result).map_err(text)?, word(&store, memory, result + 4).map_err(text)?);
    let png = bytes(&store, memory, at, length as usize).map_err(text)?;
    if !png.starts_with(b"\x89PNG\r\n\x1a\n") || png.len() >= pixels.len() {
        return Err(format!("{} bytes that are no PNG", png.len()));
    }

    let place = call(&mut store, &instance, "__wbindgen_malloc", &[length, 1])?;
    write(&mut store, memory, place, &png).map_err(text)?;
    call(&mut store, &instance, "decode", &[place, length])?;
    match store.data() {
        Some((SIDE, SIDE, decoded)) if *decoded == pixels => {
            Ok(format!("{SIDE}×{SIDE} pixels are {length} bytes of PNG and the same pixels again"))
        }
        Some((width, height, _)) => Err(format!("another picture: {width}×{height}")),
        None => Err("no picture".into()),
    }
}

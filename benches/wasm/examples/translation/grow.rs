//! Modules of any size.

use planish_bench_wasm::engines::Error;

/// An unsigned number as WebAssembly writes it.
fn number(out: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn read(bytes: &mut &[u8]) -> Result<usize, Error> {
    let (mut n, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first().ok_or("the module ends too early")?;
        *bytes = rest;
        n |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return Ok(n);
        }
    }
}

fn section(out: &mut Vec<u8>, id: u8, content: &[u8]) {
    out.push(id);
    number(out, content.len());
    out.extend_from_slice(content);
}

/// The module with all its functions `times` times; the copies are exported, so that they are kept, and call the
/// originals.
pub fn repeat(wasm: &[u8], times: usize) -> Result<Vec<u8>, Error> {
    let (mut out, mut rest) = (wasm[..8].to_vec(), &wasm[8..]);
    let mut imported = 0;
    let mut defined = 0;
    while let Some((&id, after)) = rest.split_first() {
        rest = after;
        let len = read(&mut rest)?;
        let (mut content, after) = rest.split_at(len);
        rest = after;
        let mut new = vec![];
        match id {
            2 => {
                imported = imported_functions(content)?;
                new.extend_from_slice(content);
            }
            3 | 10 => {
                let count = read(&mut content)?;
                defined = count;
                number(&mut new, count * times);
                (0..times).for_each(|_| new.extend_from_slice(content));
            }
            7 => {
                let count = read(&mut content)?;
                number(&mut new, count + defined * (times - 1));
                new.extend_from_slice(content);
                for func in imported + defined..imported + defined * times {
                    let name = format!("copy {func}");
                    number(&mut new, name.len());
                    new.extend_from_slice(name.as_bytes());
                    new.push(0);
                    number(&mut new, func);
                }
            }
            // Names, by the numbers of functions.
            0 => continue,
            _ => new.extend_from_slice(content),
        }
        section(&mut out, id, &new);
    }
    Ok(out)
}

/// Number of functions in an import section.
fn imported_functions(mut content: &[u8]) -> Result<usize, Error> {
    let mut functions = 0;
    for _ in 0..read(&mut content)? {
        for _ in 0..2 {
            let name = read(&mut content)?;
            content = &content[name..];
        }
        let (&kind, after) = content.split_first().ok_or("the module ends too early")?;
        content = after;
        match kind {
            0 => {
                functions += 1;
                read(&mut content)?;
            }
            1 | 2 => {
                content = &content[usize::from(kind == 1)..];
                let flags = read(&mut content)?;
                (0..1 + flags % 2).try_for_each(|_| read(&mut content).map(|_| ()))?;
            }
            _ => content = &content[2..],
        }
    }
    Ok(functions)
}

/// A module with a memory and one exported function of type `(i32, i32) -> i32`, with these instructions.
fn module(locals: u8, code: &[u8]) -> Vec<u8> {
    let mut out = b"\0asm\x01\0\0\0".to_vec();
    section(&mut out, 1, &[1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f]);
    section(&mut out, 3, &[1, 0]);
    section(&mut out, 5, &[1, 0, 1]);
    section(&mut out, 7, &[1, 3, b'r', b'u', b'n', 0, 0]);
    let mut body = vec![1, locals, 0x7f];
    body.extend_from_slice(code);
    body.push(0x0b);
    let mut bodies = vec![1];
    number(&mut bodies, body.len());
    bodies.extend(body);
    section(&mut out, 10, &bodies);
    out
}

/// One function of loops, conditions and memory accesses, in 16 local variables.
pub fn one_function(instructions: usize) -> Vec<u8> {
    let mut code = vec![];
    let mut made = 0;
    let mut k = 0u8;
    while made < instructions {
        let [a, b, c] = [k % 16, k.wrapping_mul(7) % 16, k.wrapping_mul(5).wrapping_add(3) % 16];
        // block; a = b + c * 8; loop; if (load a) == c break; c -= 1; if c continue; end; store b; end
        code.extend([0x02, 0x40, 0x20, b, 0x20, c, 0x41, 8, 0x6c, 0x6a, 0x21, a, 0x03, 0x40]);
        code.extend([0x20, a, 0x28, 2, 4, 0x20, c, 0x46, 0x0d, 1]);
        code.extend([0x20, c, 0x41, 1, 0x6b, 0x22, c, 0x0d, 0, 0x0b, 0x20, a, 0x20, b, 0x36, 2, 0, 0x0b]);
        made += 21;
        k = k.wrapping_add(1);
    }
    code.extend([0x20, 3]);
    module(14, &code)
}

/// One function without a jump: a long chain of computations.
pub fn straight_line(instructions: usize) -> Vec<u8> {
    let mut code = vec![];
    let mut k = 0u8;
    for _ in 0..instructions / 10 {
        let [a, b, c] = [k % 64, k.wrapping_mul(7) % 64, k.wrapping_mul(5).wrapping_add(3) % 64];
        code.extend([0x20, a, 0x20, b, 0x6a, 0x20, c, 0x73, 0x22, b, 0x20, c, 0x28, 2, 8, 0x71, 0x21, a]);
        k = k.wrapping_add(1);
    }
    code.extend([0x20, 3]);
    module(62, &code)
}

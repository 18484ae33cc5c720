//! An interpreter of a known script is a compiler: the script's loops are those of the program.

use planish::stage::{Out, Rep, Var, function, var, while_};

use crate::{Error, Shown, shown};

/// Prints the squares up to 10,000.
const SCRIPT: &[u8] = b"++++[>+++++<-]>[<+++++>-]+<+[>[>+>+<<-]++>>[<<+>>-]>>>[-]++>[-]+>>>+[[-]++++++>>>]<<<[[<++++++++<++>>-]+<.<[>----<-]<]<<[>>>>>[>>>[-]+++++++++<[>-<-]+++++++++>[-[<->-]+[<<<]]<[>+<-]>]<<-]<<-]";

type Place<'p> = &'p Var<Rep<u32>>;

/// Writes the commands up to the end of a loop; returns what follows it.
fn compile<'s>(mut script: &'s [u8], cells: Out<[u8]>, output: Out<[u8]>, at: Place, written: Place) -> &'s [u8] {
    while let [command, rest @ ..] = script {
        script = rest;
        match command {
            b']' => break,
            b'[' => while_((), |()| cells.at(at.get()).ne(0), |()| script = compile(rest, cells, output, at, written)),
            b'+' => cells.update(at.get(), |cell| cell + 1),
            b'-' => cells.update(at.get(), |cell| cell - 1),
            b'>' => at.update(|at| at + 1),
            b'<' => at.update(|at| at - 1),
            _ => {
                output.set(written.get(), cells.at(at.get()));
                written.update(|at| at + 1);
            }
        }
    }
    script
}

/// The same as an interpreter; a loop that does not run is skipped.
fn interpret<'s>(mut script: &'s [u8], cells: &mut [u8], at: &mut usize, output: &mut Vec<u8>, runs: bool) -> &'s [u8] {
    while let [command, rest @ ..] = script {
        script = rest;
        match command {
            b']' => break,
            b'[' => loop {
                let again = runs && cells[*at] != 0;
                script = interpret(rest, cells, at, output, again);
                if !again {
                    break;
                }
            },
            _ if !runs => {}
            b'+' => cells[*at] = cells[*at].wrapping_add(1),
            b'-' => cells[*at] = cells[*at].wrapping_sub(1),
            b'>' => *at += 1,
            b'<' => *at -= 1,
            _ => output.push(cells[*at]),
        }
    }
    script
}

/// A script that prints squares.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let squares = function("squares", |cells: Out<[u8]>, output: Out<[u8]>| {
        let (at, written) = (var(0u32), var(0u32));
        compile(SCRIPT, cells, output, &at, &written);
        written.get()
    })?;
    let (compiled, mut output) = (squares.compile()?, [0; 1000]);
    let mut printed = Vec::new();
    interpret(SCRIPT, &mut [0; 100], &mut 0, &mut printed, true);
    let length = compiled.call(&mut [0; 100], &mut output)? as usize;
    if output[..length] != printed || !output[..length].ends_with(b"10000\n") {
        return Err(format!("another output: {}", String::from_utf8_lossy(&output[..length])).into());
    }
    let plain = || interpret(SCRIPT, &mut [0; 100], &mut 0, &mut Vec::new(), true).len();
    Ok(shown(&squares.optimized(), || compiled.call(&mut [0; 100], &mut output).ok(), plain))
}

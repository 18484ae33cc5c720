//! Expressions as long as a program: straight-line code in which each value is used once. The text must not nest with its
//! length, for the writers recurse, and so do readers.

use std::fmt::Write;

use planish_back_naga::{Lowered, Options, Target, write_wgsl};

use crate::legal::lower;

const HEAD: &str = "module glsl 300 es\nvar input builtin @at: vec4 highp builtin(gl_FragCoord)\n\
    var output interface @color: vec4 highp\nfn @main() {\nb0:\n  %0 = load @at highp\n";
const TAIL: &str = "  return\n}\nentry fragment @main \"main\"\n";

/// `fract(fract(… * 1.7) * 1.7)`.
fn chain(steps: usize) -> String {
    let mut text = HEAD.to_string();
    for i in 0..steps {
        writeln!(text, "  %{} = multiply %{}, vec4{{1.7, 1.7, 1.7, 1.7}} highp", 2 * i + 1, 2 * i).unwrap();
        writeln!(text, "  %{} = fract %{} highp", 2 * i + 2, 2 * i + 1).unwrap();
    }
    writeln!(text, "  store @color, %{} highp", 2 * steps).unwrap();
    text + TAIL
}

/// The sum of 2ⁿ sines, in pairs of pairs.
fn tree(n: u32) -> String {
    let mut text = HEAD.to_string();
    let mut row: Vec<usize> = Vec::new();
    let mut next = 1;
    for i in 0..1usize << n {
        writeln!(text, "  %{next} = multiply %0, vec4{{{i}.0, 1.0, 2.0, 3.0}} highp").unwrap();
        writeln!(text, "  %{} = sin %{next} highp", next + 1).unwrap();
        row.push(next + 1);
        next += 2;
    }
    while row.len() > 1 {
        for pair in std::mem::take(&mut row).chunks(2) {
            writeln!(text, "  %{next} = add %{}, %{} highp", pair[0], pair[1]).unwrap();
            row.push(next);
            next += 1;
        }
    }
    writeln!(text, "  store @color, %{} highp", row[0]).unwrap();
    text + TAIL
}

fn lowered(text: &str, target: Target) -> Lowered {
    let module = planish_ir::text::parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    lower(&module, &Options::new(target)).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// Nesting depth of brackets, and number of characters of the longest statement.
fn measure(text: &str) -> (usize, usize) {
    let (mut depth, mut deepest) = (0usize, 0);
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    (deepest, text.split(';').map(str::len).max().unwrap_or(0))
}

#[test]
fn no_statement_grows_with_the_program() {
    for program in [chain(3_000), tree(11)] {
        let wgsl = write_wgsl(&lowered(&program, Target::Wgsl)).unwrap();
        naga::front::wgsl::parse_str(&wgsl).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&wgsl)));
        let (depth, length) = measure(&wgsl);
        assert!(depth < 127 && length < 6_000, "brackets {depth} deep, a statement of {length} characters");
    }
}

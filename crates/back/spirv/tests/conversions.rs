//! Floats that become integers: the bare instruction for languages that leave conversions out of range undefined, and a
//! clamp before it for those that define them.

use planish_back_spirv::Options;
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;
use spirv::Op;

use crate::legal::write;

/// Number of times each of some instructions is in the output.
fn counts(module: &Module, ops: [Op; 4]) -> [usize; 4] {
    let words = write(module, &Options::default()).unwrap_or_else(|e| panic!("{e:#?}")).words;
    let mut found = [0; 4];
    let mut at = 5;
    while at < words.len() {
        let (op, length) = (words[at] & 0xffff, words[at] >> 16);
        for (count, wanted) in found.iter_mut().zip(ops) {
            *count += usize::from(op == wanted as u32);
        }
        at += length as usize;
    }
    found
}

const COUNTED: [Op; 4] = [Op::ConvertFToS, Op::ConvertFToU, Op::ExtInst, Op::Select];

#[test]
fn conversions_of_glsl_are_one_instruction() {
    let text = "#version 450\nlayout(location = 0) in vec4 v; layout(location = 0) out vec4 c;\n\
                void main() { int i = int(v.x); uvec2 u = uvec2(v.yz); ivec2 j = ivec2(v.w, 3); ivec3 k = ivec3(v.x);\n\
                c = vec4(i, u, j.x + k.y); }";
    let mut map = SourceMap::new();
    let file = map.add("open.frag", text).expect("small");
    let output = planish_front_glsl::compile(&mut map, &file, &mut planish_front_glsl::Options::new(Stage::Fragment));
    let module = output.module.unwrap_or_else(|| panic!("{:#?}", output.diagnostics));
    assert_eq!(counts(&module, COUNTED), [3, 1, 0, 0]);
}

/// WGSL clamps. The output for that is read back from SPIR-V unchanged: clamped numbers and bare conversions.
#[test]
fn conversions_of_wgsl_clamp() {
    let text = "@fragment fn main(@location(0) v: vec4f) -> @location(0) vec4f { return vec4f(f32(i32(v.x)), f32(u32(v.y)), 0, 1); }";
    let mut map = SourceMap::new();
    let file = map.add("clamped.wgsl", text).expect("small");
    let (module, _) = planish_front_naga::read_wgsl(&file, &mut map, &mut planish_front_naga::Options::default())
        .unwrap_or_else(|e| panic!("{e:#?}"));
    assert_eq!(counts(&module, COUNTED), [1, 1, 3, 3]);
    let words = write(&module, &Options::default()).expect("written").words;
    let (again, _) = planish_front_spirv::read("again.spv", &words).unwrap_or_else(|e| panic!("{e:#?}"));
    assert_eq!(counts(&again, COUNTED), [1, 1, 3, 3]);
}

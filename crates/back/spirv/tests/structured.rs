//! Programs with block inputs, breaks over several levels, cases that fall through and several results: written as SPIR-V,
//! judged by `spirv-val` where it is installed, read back, and run on the same arguments.

use planish_back_spirv::{Options, Version};
use planish_front_spirv::read;
use planish_ir::text::parse_str;
use planish_testkit::structured::{run, runs};

use crate::judge;
use crate::legal::write;

/// Those of the GLSL back end, and those that only this one needs.
const PROGRAMS: [&str; 2] = [include_str!("../../text/tests/data/structured.ir"), include_str!("data/control.ir")];

fn check(version: Version) {
    let mut count = 0;
    for text in PROGRAMS {
        let before = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
        let errors = planish_ir::verify::verify(&before);
        assert!(errors.is_empty(), "{errors:?}");
        let options = Options { version, ..Options::default() };
        let output = write(&before, &options).unwrap_or_else(|e| panic!("{e:#?}"));
        judge::accepts(&output.words, &format!("spv1.{}", version.number().1));
        let (after, _) = read("again.spv", &output.words).unwrap_or_else(|e| panic!("{e:#?}"));
        for (name, args) in runs(text) {
            assert_eq!(run(&before, &name, &args), run(&after, &name, &args), "{name}{args:?}, {version:?}");
            count += 1;
        }
    }
    assert!(count > 60, "{count} runs");
}

#[test]
fn version_1_0() {
    check(Version::V1_0);
}

#[test]
fn version_1_3() {
    check(Version::V1_3);
}

#[test]
fn version_1_6_selects_aggregates() {
    check(Version::V1_6);
}

/// The output has only the variables of the IR.
#[test]
fn block_inputs_need_no_variables() {
    const VARIABLE: u32 = 59;
    let text = "module ir\nfn @f(%0 n: i32) -> (i32) {\nb0:\n  loop 0, 1 {\n  cond b1(%1: i32, %2: i32):\n    %3 = less_than %1, %0\n    \
                loop_if %3 merge(%2)\n  body b2:\n    %4 = add %1, 1\n    %5 = multiply %2, 3\n    continue b0, %4, %5\n  }\n\
                b3(%6: i32):\n  return %6\n}\n";
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let words = write(&module, &Options::default()).unwrap().words;
    judge::accepts(&words, "spv1.3");
    assert!(judge::instructions(&words).all(|i| i[0] & 0xffff != VARIABLE));
    let (after, _) = read("again.spv", &words).unwrap_or_else(|e| panic!("{e:#?}"));
    assert_eq!(run(&after, "f", &[4]), 81);
}

//! Guards of operations that SPIR-V leaves undefined are nodes, so that they are shared and leave loops.

use crate::judge;

use std::process::Command;

use planish_back_spirv::{INFO, Options, write};
use planish_ir::text::parse_str;
use planish_opt::{Context, legalize, schedule};
use spirv::Op;

/// Two divisions by a divisor that stays the same in the loop.
const PROGRAM: &str = "module ir
fn @f(%0 n: i32, %1 d: i32) -> (i32) {
b0:
  loop 0, 0 {
  cond b1(%2: i32, %3: i32):
    %4 = less_than %2, %0
    loop_if %4 merge(%3)
  body b2:
    %5 = divide %2, %1
    %6 = bitwise_xor %5, %3
    %7 = divide %6, %1
    %8 = add %2, 1
    continue b0, %8, %7
  }
b3(%9: i32):
  return %9
}
";

/// The instructions that a program has in its loop only for guards: comparisons for equality, and selects.
fn guards_in_loop(words: &[u32]) -> usize {
    let ops: Vec<u32> = judge::instructions(words).map(|i| i[0] & 0xffff).collect();
    let start = ops.iter().position(|&op| op == Op::LoopMerge as u32).expect("a loop");
    let guards = [Op::IEqual, Op::Select, Op::LogicalAnd, Op::LogicalOr, Op::LogicalNot].map(|op| op as u32);
    ops[start..].iter().filter(|op| guards.contains(op)).count()
}

fn written(share: bool) -> Vec<u32> {
    let mut module = parse_str(PROGRAM).expect("it is a module");
    let mut context = Context::default();
    let changed = legalize::run(&mut module, &INFO, &mut context).expect("divisions have guards");
    if share {
        schedule::run_on(&mut module, &changed, &mut context);
    }
    write(&module, &Options::default()).unwrap_or_else(|errors| panic!("{errors:#?}")).words
}

/// The words after `spirv-opt -O`; `None` if there is no such tool.
fn optimized_by_peer(words: &[u32]) -> Option<Vec<u32>> {
    let dir = std::env::temp_dir().join(format!("planish-guards-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let (from, to) = (dir.join("in.spv"), dir.join("out.spv"));
    std::fs::write(&from, words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()).expect("written");
    let run = Command::new("spirv-opt").arg("-O").arg(&from).arg("-o").arg(&to).status();
    let bytes = match run {
        Ok(status) => {
            assert!(status.success(), "spirv-opt refuses the module");
            Some(std::fs::read(&to).expect("its output"))
        }
        Err(_) => None,
    };
    std::fs::remove_dir_all(&dir).expect("removed");
    let word = |b: &[u8]| u32::from_le_bytes(b.try_into().expect("four bytes"));
    bytes.map(|bytes| bytes.chunks_exact(4).map(word).collect())
}

#[test]
fn guards_leave_the_loop() {
    let (apart, shared) = (written(false), written(true));
    judge::accepts(&apart, "spv1.3");
    judge::accepts(&shared, "spv1.3");
    assert_eq!(guards_in_loop(&apart), 12);
    // Tests of the dividend stay in the loop: whether it is the least integer, and the select.
    assert_eq!(guards_in_loop(&shared), 4);
    match optimized_by_peer(&apart) {
        Some(words) => assert!(guards_in_loop(&words) > 4, "spirv-opt leaves {}", guards_in_loop(&words)),
        None => eprintln!("SKIPPED: there is no spirv-opt to compare with"),
    }
}

//! Slices in one memory: the function does what it did with a memory each, wherever the slices lie.

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_ir::entity::{Func, Memory};
use planish_ir::function::TrapKind;
use planish_ir::host::{HostNumber, SliceParam};
use planish_ir::module::Module;
use planish_ir::text::{parse_str, print};
use planish_ir::verify::verify;
use planish_opt::join_slices;

/// Adds to each element of the second slice that of the first, times a number between them, and gives the number of sums.
const AXPY: &str = "module ir

memory memory0 min 0 max 0 export \"slice0\"
memory memory1 min 0 max 0 export \"slice1\"

fn @axpy(%0 x: u32, %1 a: u32, %2 y: u32) -> (u32) {
b0:
  %3 = min %0, %2
  loop 0u {
  cond b1(%4: u32):
    %5 = less_than %4, %3
    loop_if %5
  body b2:
    %6 = multiply %4, 2u
    %7: i32 = bitcast %6
    %8 = multiply %4, 4u
    %9: i32 = bitcast %8
    %10: u32 = memory_load[memory0 u16 in_bounds] %7
    %11: u32 = memory_load[memory1 u32 in_bounds] %9
    %12 = multiply %10, %1
    %13 = add %11, %12
    memory_store[memory1 u32 in_bounds] %9, %13
    %14 = add %4, 1u
    continue b0, %14
  }
b3:
  return %4
}
export @axpy \"axpy\"
";

fn axpy() -> Module {
    let module = parse_str(AXPY).expect("it is valid");
    assert_eq!(verify(&module), []);
    module
}

fn slices() -> Vec<SliceParam> {
    let of = |param: usize, memory: u32, number, is_written| SliceParam {
        func: Func::from_u32(0),
        param,
        memory: Memory::from_u32(memory),
        number,
        count: 1,
        is_written,
    };
    // The order does not matter.
    vec![of(2, 1, HostNumber::U32, true), of(0, 0, HostNumber::U16, false)]
}

fn joined() -> Module {
    let mut module = axpy();
    join_slices::run(&mut module, &slices());
    assert_eq!(verify(&module), [], "{}", print(&module));
    module
}

/// The result of a call with the contents of memories, and what they are then.
fn call(module: &Module, memories: &[Vec<u8>], args: &[u32]) -> (Result<u32, TrapKind>, Vec<Vec<u8>>) {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("it starts");
    for (number, bytes) in memories.iter().enumerate() {
        *evaluator.memory_mut(Memory::from_u32(number as u32)).expect("there is one") = bytes.clone();
    }
    let args: Vec<EvalValue> = args.iter().map(|&word| EvalValue::u32(word)).collect();
    let result = match evaluator.call(Func::from_u32(0), &args) {
        Ok(results) => Ok(results[0].bits[0] as u32),
        Err(Stop::Trap { kind, .. }) => Err(kind),
        Err(other) => panic!("{other}"),
    };
    let mut bytes = |number| evaluator.memory_mut(Memory::from_u32(number)).expect("there is one").clone();
    (result, (0..memories.len() as u32).map(&mut bytes).collect())
}

#[test]
fn the_result_is_that_of_a_memory_each() {
    let (separate, joined) = (axpy(), joined());
    let x: Vec<u8> = (0..10u16).flat_map(|i| (i * 321).to_le_bytes()).collect();
    let y: Vec<u8> = (0..10u32).flat_map(|i| (i * 1_234_567).to_le_bytes()).collect();
    let (result, after) = call(&separate, &[x.clone(), y.clone()], &[10, 7, 9]);
    assert_eq!(result, Ok(9));
    assert_ne!(after[1], y);
    for (at_x, at_y) in [(0, 20), (41, 1), (65_536 - 20, 3), (100, 65_536 - 36)] {
        let mut memory = vec![0xa5; 65_536];
        memory[at_x..at_x + x.len()].copy_from_slice(&x);
        memory[at_y..at_y + 36].copy_from_slice(&y[..36]);
        let mut expected = memory.clone();
        expected[at_y..at_y + 36].copy_from_slice(&after[1][..36]);
        let (result, memories) = call(&joined, &[memory], &[at_x as u32, 10, 7, at_y as u32, 9]);
        assert_eq!(result, Ok(9));
        assert!(memories[0] == expected, "{at_x} {at_y}");
    }
}

#[test]
fn ranges_beyond_the_memory_trap_at_once() {
    let (joined, memory) = (joined(), vec![1; 65_536]);
    let cases: [[u32; 5]; 6] = [
        [65_536 - 19, 10, 7, 0, 9],
        [0, 10, 7, 65_536 - 35, 9],
        [65_537, 0, 7, 0, 9],
        // Without a carry the end would be 0, and 4.
        [u32::MAX - 1, 1, 7, 0, 9],
        [0, 1, 7, 4, 1 << 30],
        [u32::MAX, u32::MAX, 7, u32::MAX, u32::MAX],
    ];
    for args in cases {
        let (result, memories) = call(&joined, std::slice::from_ref(&memory), &args);
        assert_eq!(result, Err(TrapKind::OutOfBoundsMemory), "{args:?}");
        assert!(memories[0] == memory, "{args:?}");
    }
    let (result, _) = call(&joined, &[memory], &[65_536, 0, 7, 65_536, 0]);
    assert_eq!(result, Ok(0), "an empty slice may be at the end");
}

//! Random modules: every one that is valid becomes a module that the verifier accepts, the same one on any number of threads
//! and function by function. Damaged ones are refused, never with a panic.

use crate::common::{read_binary, verified};
use arbitrary::Unstructured;
use planish_front_wasm::{Options, Parsed};
use planish_generate::for_each_seed;
use planish_ir::source::SourceMap;
use planish_ir::text::print;
use wasm_smith::{Config, Module};

fn config() -> Config {
    Config {
        bulk_memory_enabled: true,
        reference_types_enabled: true,
        simd_enabled: true,
        multi_value_enabled: true,
        sign_extension_ops_enabled: true,
        saturating_float_to_int_enabled: true,
        tail_call_enabled: true,
        extended_const_enabled: true,
        max_memories: 3,
        max_tables: 3,
        max_instructions: 400,
        gc_enabled: false,
        compact_imports_enabled: false,
        exceptions_enabled: false,
        threads_enabled: false,
        relaxed_simd_enabled: false,
        memory64_enabled: false,
        custom_page_sizes_enabled: false,
        wide_arithmetic_enabled: false,
        ..Config::default()
    }
}

/// All functions one by one, from the last to the first, each in the memory of another one that nobody needs any more.
fn one_by_one(bytes: &[u8]) -> planish_ir::module::Module {
    let file = SourceMap::new().add_binary("a.wasm", bytes.len()).expect("small");
    let mut parsed = Parsed::new(&file, bytes, &Options::default()).expect("valid");
    let funcs: Vec<_> = parsed.defined().collect();
    for (&func, &other) in funcs.iter().rev().zip(&funcs) {
        if parsed.module().funcs[other].body.is_none() {
            parsed.translate_function(other).expect("valid");
            let unneeded = parsed.module_mut().funcs[other].body.take();
            parsed.reuse(unneeded.expect("it was translated"));
        }
        parsed.translate_function(func).expect("valid");
    }
    parsed.into_module().expect("translated")
}

/// A random module for each seed.
fn modules(count: u64, mut check: impl FnMut(Vec<u8>, &mut Unstructured<'_>)) {
    let mut found = 0;
    for_each_seed(0..count, 8_000, |bytes| {
        let mut unstructured = Unstructured::new(bytes);
        if let Ok(module) = Module::new(config(), &mut unstructured) {
            found += 1;
            check(module.to_bytes(), &mut unstructured);
        }
    });
    assert!(found > count / 2, "{found} of {count} seeds make a module");
}

#[test]
fn valid_modules_become_valid_modules() {
    modules(1_200, |bytes, _| {
        let module = match read_binary(&bytes, &Options { threads: 1, ..Options::default() }) {
            Ok(module) => verified(module),
            Err(errors) => panic!("{errors:#?}"),
        };
        let text = print(&module);
        assert_eq!(text, print(&one_by_one(&bytes)));
        assert_eq!(text, print(&read_binary(&bytes, &Options { threads: 3, ..Options::default() }).expect("valid")));
    });
}

/// Changes some bytes; nothing where there are no more decisions.
fn damage(bytes: &mut Vec<u8>, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    for _ in 0..u.int_in_range(1..=4)? {
        let at = u.choose_index(bytes.len())?;
        match u.int_in_range(0..=3)? {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] ^= 1 << u.int_in_range(0..=7)?,
            2 => bytes[at] = u.arbitrary()?,
            _ => bytes.insert(at, u.arbitrary()?),
        }
    }
    Ok(())
}

#[test]
fn damaged_modules_are_refused() {
    let (mut refused, mut read) = (0, 0);
    modules(3_000, |mut bytes, u| {
        if damage(&mut bytes, u).is_err() {
            return;
        }
        match read_binary(&bytes, &Options::default()) {
            Ok(module) => {
                verified(module);
                read += 1;
            }
            Err(_) => refused += 1,
        }
    });
    assert!(refused > 100 && read > 20, "{refused} refused, {read} read");
}

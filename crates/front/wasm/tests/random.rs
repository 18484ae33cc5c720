//! Random modules: every one that is valid becomes a module that the verifier accepts, the same one on any number of threads
//! and function by function. Damaged ones are refused, never with a panic.

mod common;

use arbtest::arbtest;
use common::{read_binary, verified};
use planish_front_wasm::{Options, Parsed};
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

#[test]
fn valid_modules_become_valid_modules() {
    arbtest(|u| {
        let bytes = Module::new(config(), u)?.to_bytes();
        let module = match read_binary(&bytes, &Options { threads: 1, ..Options::default() }) {
            Ok(module) => verified(module),
            Err(errors) => panic!("{errors:#?}"),
        };
        let text = print(&module);
        assert_eq!(text, print(&one_by_one(&bytes)));
        assert_eq!(text, print(&read_binary(&bytes, &Options { threads: 3, ..Options::default() }).expect("valid")));
        Ok(())
    })
    .budget_ms(6_000);
}

#[test]
fn damaged_modules_are_refused() {
    arbtest(|u| {
        let mut bytes = Module::new(config(), u)?.to_bytes();
        for _ in 0..u.int_in_range(1..=4)? {
            let at = u.choose_index(bytes.len())?;
            match u.int_in_range(0..=3)? {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] ^= 1 << u.int_in_range(0..=7)?,
                2 => bytes[at] = u.arbitrary()?,
                _ => bytes.insert(at, u.arbitrary()?),
            }
        }
        if let Ok(module) = read_binary(&bytes, &Options::default()) {
            verified(module);
        }
        Ok(())
    })
    .budget_ms(4_000);
}

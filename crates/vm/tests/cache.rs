//! Machine code on disk: found again, never taken for that of another program, harmless when it is damaged.

use std::fs;
use std::path::{Path, PathBuf};

use planish_vm::{Config, Engine, Error, Linker, Store, Strategy};

use crate::common;

/// An empty directory, gone when the test ends.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Directory(path)
    }

    fn files(&self) -> Vec<PathBuf> {
        fs::read_dir(&self.0).expect("it was made").map(|entry| entry.expect("it can be read").path()).collect()
    }

    /// Runs a program on a new engine: its result, and whether the code was there.
    fn run(&self, wat: &str, argument: i32) -> (Result<i32, Error>, bool) {
        run(Config::default().cache(&self.0), wat, argument)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(config: &mut Config, wat: &str, argument: i32) -> (Result<i32, Error>, bool) {
    let engine = Engine::new(config.strategy(Strategy::Native));
    assert_eq!(engine.strategy(), Strategy::Native, "tests run on hosts with machine code");
    let module = common::module(&engine, wat);
    let mut store = Store::new(&engine, ());
    store.set_fuel(1_000);
    let instance = Linker::new().instantiate(&mut store, &module).expect("it imports nothing");
    let run = instance.get_typed_func::<i32, i32>(&store, "run").expect("it has this type");
    (run.call(&mut store, argument), engine.cache_hits() == 1)
}

/// Calls between functions, a memory, an operation of the runtime, and a division that may trap.
const PROGRAM: &str = r#"(module (memory 1)
    (func $half (param i32) (result i32) (i32.div_u (i32.load (local.get 0)) (i32.const 2)))
    (func (export "run") (param i32) (result i32)
        (i32.store (i32.const 8) (i32.const 84))
        (i32.add (call $half (local.get 0)) (i32.trunc_sat_f32_s (f32.nearest (f32.convert_i32_s (local.get 0)))))))"#;

#[test]
fn code_is_found_again() {
    let directory = Directory::new("again");
    for found in [false, true, true] {
        let (result, hit) = directory.run(PROGRAM, 8);
        assert_eq!((result.expect("no trap"), hit), (50, found));
        let (trap, hit) = directory.run(PROGRAM, -1);
        assert_eq!((trap.expect_err("beyond the memory").to_string(), hit), (trap_of(PROGRAM), true));
        assert_eq!(directory.files().len(), 1);
    }
}

fn trap_of(wat: &str) -> String {
    run(&mut Config::default(), wat, -1).0.expect_err("beyond the memory").to_string()
}

/// Tiers have the code that machine code alone has.
#[test]
fn tiers_find_code_and_keep_it() {
    let directory = Directory::new("tiers");
    for found in [false, true] {
        let engine = Engine::new(Config::default().strategy(Strategy::Tiered).cache(&directory.0));
        let module = common::module(&engine, PROGRAM);
        module.compile_all().expect("it has machine code");
        assert_eq!((engine.cache_hits() == 1, directory.files().len()), (found, 1));
    }
    assert!(directory.run(PROGRAM, 8).1);
}

/// The name of a file is all that the code depends on.
#[test]
fn other_programs_and_options_have_other_code() {
    let directory = Directory::new("other");
    assert!(!directory.run(PROGRAM, 8).1);
    let other = PROGRAM.replace("(i32.const 2)", "(i32.const 4)");
    let (result, hit) = directory.run(&other, 8);
    assert_eq!((result.expect("no trap"), hit), (29, false));
    for config in [
        Config::default().consume_fuel(true),
        Config::default().interruptible(true),
        Config::default().signals_based_traps(false),
    ] {
        let (result, hit) = run(config.cache(&directory.0), PROGRAM, 8);
        assert_eq!((result.expect("no trap"), hit), (50, false), "{config:?}");
        assert!(run(config, PROGRAM, 8).1, "{config:?}");
    }
}

/// Places in the source are no part of the code: the same code serves, and a trap has the place in the new source.
#[test]
fn a_trap_has_the_place_in_the_source_of_this_run() {
    let directory = Directory::new("places");
    assert!(!directory.run(PROGRAM, 8).1);
    let moved = PROGRAM.replace("(func $half", "\n\n   (func $half");
    let (trap, hit) = directory.run(&moved, -1);
    let trap = trap.expect_err("beyond the memory");
    let plain = run(&mut Config::default(), &moved, -1).0.expect_err("beyond the memory");
    assert!(hit);
    assert_eq!(trap.as_trap(), plain.as_trap());
    assert!(trap.as_trap().is_some_and(|trap| trap.span.start > PROGRAM.find("i32.load").expect("is there") as u32));
}

/// Every byte of a file counts, and its length.
#[test]
fn damaged_code_is_made_again() {
    let directory = Directory::new("damaged");
    assert!(!directory.run(PROGRAM, 8).1);
    let file = directory.files().remove(0);
    let good = fs::read(&file).expect("it can be read");
    let step = (good.len() / 40).max(1);
    let flipped = (0..good.len()).step_by(step).map(|at| {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        bytes
    });
    let cut = [0, 7, 8, 39, 40, 44, good.len() - 1].map(|len| good[..len].to_vec());
    let longer = [good.as_slice(), &[0; 4]].concat();
    for bytes in flipped.chain(cut).chain([longer]) {
        fs::write(&file, &bytes).expect("it can be written");
        let (result, hit) = directory.run(PROGRAM, 8);
        assert_eq!((result.expect("no trap"), hit), (50, false));
        assert_eq!(fs::read(&file).expect("it was written again"), good);
    }
    assert!(directory.run(PROGRAM, 8).1);
}

/// Readers see a whole file or none.
#[test]
fn engines_on_several_threads_share_a_directory() {
    let directory = Directory::new("shared");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let directory = &directory;
            scope.spawn(move || {
                for i in 0..30 {
                    let number = (i * 7 + thread) % 10 + 1;
                    let program = PROGRAM.replace("(i32.const 84)", &format!("(i32.const {})", 2 * number));
                    assert_eq!(directory.run(&program, 8).0.expect("no trap"), number + 8);
                }
            });
        }
    });
    assert_eq!(directory.files().len(), 10, "a file for each program, and none that is not complete");
    assert!(directory.run(&PROGRAM.replace("(i32.const 84)", "(i32.const 2)"), 8).1);
}

/// Code is made, and the engine tells why it is not kept.
#[test]
fn a_directory_that_cannot_be_used_is_told() {
    let directory = Directory::new("refused");
    fs::write(&directory.0, "a file").expect("it can be written");
    let told = |config: &mut Config| {
        let engine = Engine::new(config.strategy(Strategy::Native));
        engine.cache_error().expect("it cannot be used").to_owned()
    };
    let error = told(Config::default().cache(&directory.0));
    assert!(error.contains("cannot keep code"), "{error}");
    assert_eq!(directory.run(PROGRAM, 8).0.expect("no trap"), 50);
    fs::remove_file(&directory.0).expect("it is there");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::create_dir(&directory.0).expect("it can be made");
        fs::set_permissions(&directory.0, fs::Permissions::from_mode(0o777)).expect("it is ours");
        let error = told(Config::default().cache(&directory.0));
        assert!(error.contains("others than its owner may write to it"), "{error}");
        assert_eq!(directory.run(PROGRAM, 8).0.expect("no trap"), 50);
        assert_eq!(directory.files(), Vec::<PathBuf>::new());
    }
}

//! Programs of `tests/programs`, run on the virtual machine. Each checks what it is answered, and ends with the number of the
//! first check that fails.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use planish_ir::source::SourceMap;
use planish_vm::{Engine, Error, Linker, Module, Store};
use planish_wasi::{Access, Exit, WasiCtx, WasiCtxBuilder, add_to_linker};

/// Output of a program.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nobody panics").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Written {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("nobody panics").clone()).expect("the programs write text")
    }
}

/// A folder of this test's own, gone when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("planish-wasi-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("can be made");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a program; its status, which is zero if it comes back.
fn run(body: &str, ctx: WasiCtx) -> i32 {
    let text = format!("(module {} {body})", include_str!("programs/prelude.wat"));
    let file = SourceMap::new().add("program.wat", &*text).expect("small");
    let read = planish_front_wasm::translate(&file, text.as_bytes(), &planish_front_wasm::Options::default());
    let (ir, _) = read.unwrap_or_else(|errors| panic!("{errors:#?}"));
    let engine = Engine::default();
    let module = Module::new(&engine, ir).expect("can become code");
    let mut store = Store::new(&engine, ctx);
    let mut linker = Linker::new();
    add_to_linker(&mut linker, |ctx: &mut WasiCtx| ctx);
    let instance = linker.instantiate(&mut store, &module).expect("all imports are there");
    let start = instance.get_typed_func::<(), ()>(&store, "_start").expect("is exported");
    match start.call(&mut store, ()) {
        Ok(()) => 0,
        Err(error) => Exit::of(&error).unwrap_or_else(|| panic!("{error}")).0,
    }
}

#[test]
fn output_and_error_go_where_they_shall() {
    let (out, err) = (Written::default(), Written::default());
    let ctx = WasiCtxBuilder::new().stdout(out.clone()).stderr(err.clone()).build();
    assert_eq!(run(include_str!("programs/hello.wat"), ctx), 0);
    assert_eq!((&*out.text(), &*err.text()), ("hello, world\n", "hello"));
}

#[test]
fn input_is_read_to_its_end() {
    let out = Written::default();
    let text = "a text that is longer than one read\n";
    let ctx = WasiCtxBuilder::new().stdin(text.as_bytes()).stdout(out.clone()).build();
    assert_eq!(run(include_str!("programs/cat.wat"), ctx), 0);
    assert_eq!(out.text(), text);
}

#[test]
fn a_program_gives_its_own_status() {
    assert_eq!(run(include_str!("programs/exit.wat"), WasiCtxBuilder::new().build()), 42);
}

#[test]
fn arguments_and_environment_arrive() {
    let out = Written::default();
    let ctx = WasiCtxBuilder::new().args(["program", "", "größe"]).unwrap();
    let ctx = ctx.env("HOME", "/home").unwrap().env("LANG", "").unwrap().stdout(out.clone()).build();
    assert_eq!(run(include_str!("programs/arguments.wat"), ctx), 0);
    assert_eq!(out.text(), "program\n\ngröße\nHOME=/home\nLANG=\n");
}

#[test]
fn what_has_zero_bytes_cannot_be_passed() {
    assert!(WasiCtxBuilder::new().args(["a\0b"]).is_err());
    assert!(WasiCtxBuilder::new().env("A=B", "c").is_err());
    assert!(WasiCtxBuilder::new().env("A", "\0").is_err());
    assert!(WasiCtxBuilder::new().preopen("/nonexistent/folder", "/", Access::ReadWrite).is_err());
}

#[test]
fn files_are_made_and_changed() {
    let folder = Folder::new();
    let ctx = WasiCtxBuilder::new().preopen(&folder.0, "/", Access::ReadWrite).unwrap().build();
    assert_eq!(run(include_str!("programs/files.wat"), ctx), 0);
    let left: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["kept.txt"]);
    assert_eq!(std::fs::read_to_string(folder.0.join("kept.txt")).unwrap(), "some text");
}

#[test]
fn directories_are_listed() {
    let folder = Folder::new();
    for name in ["one", "two", "a name with spaces"] {
        std::fs::write(folder.0.join(name), "").unwrap();
    }
    let out = Written::default();
    let ctx = WasiCtxBuilder::new().preopen(&folder.0, "/data", Access::ReadOnly).unwrap().stdout(out.clone()).build();
    assert_eq!(run(include_str!("programs/list.wat"), ctx), 0);
    let text = out.text();
    let rest = text.strip_prefix("/data . .. ").unwrap_or_else(|| panic!("{text}"));
    assert_eq!(rest.len(), "one two a name with spaces ".len(), "{text}");
    assert!(["one ", "two ", "a name with spaces "].iter().all(|name| rest.contains(name)), "{text}");
}

/// Links are made in a way that only these systems have.
#[cfg(unix)]
#[test]
fn no_way_leads_out() {
    let folder = Folder::new();
    let inside = folder.0.join("inside");
    std::fs::create_dir_all(inside.join("inner")).unwrap();
    std::fs::write(inside.join("inner/fine"), "").unwrap();
    std::fs::write(folder.0.join("secret"), "secret").unwrap();
    std::os::unix::fs::symlink("..", inside.join("out")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", inside.join("leak")).unwrap();
    let ctx = WasiCtxBuilder::new().preopen(&inside, "/", Access::ReadWrite).unwrap().build();
    assert_eq!(run(include_str!("programs/escape.wat"), ctx), 0);
    assert_eq!(std::fs::read_to_string(folder.0.join("secret")).unwrap(), "secret");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 2);
    assert!(!inside.join("mine").exists());
}

#[test]
fn rights_are_what_was_given() {
    let (read, write) = (Folder::new(), Folder::new());
    for folder in [&read, &write] {
        std::fs::write(folder.0.join("file"), "text").unwrap();
    }
    let ctx = WasiCtxBuilder::new().preopen(&read.0, "/read", Access::ReadOnly).unwrap();
    let ctx = ctx.preopen(&write.0, "/write", Access::ReadWrite).unwrap().build();
    assert_eq!(run(include_str!("programs/rights.wat"), ctx), 0);
    assert_eq!(std::fs::read_to_string(read.0.join("file")).unwrap(), "text");
}

#[test]
fn mistakes_are_answered() {
    let folder = Folder::new();
    let ctx = WasiCtxBuilder::new().args(["program"]).unwrap();
    let ctx = ctx.preopen(&folder.0, "/", Access::ReadWrite).unwrap().build();
    assert_eq!(run(include_str!("programs/faults.wat"), ctx), 0);
}

#[test]
fn time_passes() {
    assert_eq!(run(include_str!("programs/time.wat"), WasiCtxBuilder::new().build()), 0);
}

#[test]
fn a_program_without_memory_is_refused() {
    let text = r#"(module (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
        (func (export "_start") (drop (call $close (i32.const 1)))))"#;
    let file = SourceMap::new().add("program.wat", text).expect("small");
    let (ir, _) = planish_front_wasm::translate(&file, text.as_bytes(), &Default::default()).expect("valid");
    let engine = Engine::default();
    let mut store = Store::new(&engine, WasiCtxBuilder::new().build());
    let mut linker = Linker::new();
    add_to_linker(&mut linker, |ctx: &mut WasiCtx| ctx);
    let instance = linker.instantiate(&mut store, &Module::new(&engine, ir).unwrap()).unwrap();
    let start = instance.get_typed_func::<(), ()>(&store, "_start").unwrap();
    assert!(matches!(start.call(&mut store, ()), Err(Error::Host(_))));
}

//! `cargo xtask dist`: the command for those who have no Rust, as an archive and as a package of Debian.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{Failure, root, skip, target_folder};

/// The target of a program that needs nothing of its system.
const STATIC: &str = "x86_64-unknown-linux-musl";

/// Bytes of the program: a gate, so that growth is noticed.
const MAX_PROGRAM: u64 = 40 << 20;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Builds both to `target/dist`, unpacks each in an empty folder, and uses what is there.
///
/// # Errors
/// If one cannot be built, or the program in it does other than it should.
pub fn run() -> Result<(), Failure> {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        return skip("there is no `dpkg-deb`; on Debian it is in the package dpkg");
    }
    let folder = target_folder().join("dist");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let is_static = has_target()?;
    let name = if is_static { format!("planish-{VERSION}-{STATIC}") } else { format!("planish-{VERSION}-linux") };
    let tree = folder.join(&name);
    let program = program(is_static)?;
    let size = fs::metadata(&program)?.len();
    if size > MAX_PROGRAM {
        return Err(Failure::Broken(format!("the program has {size} bytes, and {MAX_PROGRAM} are enough")));
    }
    fill(&tree, &program)?;
    let archive = folder.join(format!("{name}.tar.gz"));
    call(Command::new("tar").arg("-czf").arg(&archive).args(["--owner=0", "--group=0", "-C"]).arg(&folder).arg(&name))?;
    let package = folder.join(format!("planish_{VERSION}_amd64.deb"));
    debian(&folder.join("debian"), &tree, &package, is_static)?;

    let unpacked = folder.join("unpacked");
    fs::create_dir_all(&unpacked)?;
    call(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&unpacked))?;
    check(&unpacked.join(&name).join("bin/planish"), &unpacked, is_static)?;
    let installed = folder.join("installed");
    call(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&installed))?;
    check(&installed.join("usr/bin/planish"), &installed, is_static)?;
    for (what, file) in [("program", &program), ("archive", &archive), ("package", &package)] {
        println!("{what}: {} KiB, {}", fs::metadata(file)?.len() >> 10, file.display());
    }
    Ok(())
}

/// Whether the toolchain can build a static program. If it cannot, the program needs the C library of the system.
fn has_target() -> Result<bool, Failure> {
    let folder = Command::new("rustc").args(["--print", "target-libdir", "--target", STATIC]).output()?;
    let is_there = Path::new(String::from_utf8_lossy(&folder.stdout).trim()).exists() && folder.status.success();
    if !is_there {
        eprintln!("SKIPPED: a static program; rustup target add {STATIC}");
    }
    Ok(is_there)
}

/// Builds the program.
fn program(is_static: bool) -> Result<PathBuf, Failure> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--release", "--package", "planish-cli"]).current_dir(root());
    let folder = match is_static {
        true => {
            // What is not Rust is assembly of functions that call nothing: the system's compiler will do.
            cargo.args(["--target", STATIC]).env("CC_x86_64_unknown_linux_musl", "cc");
            target_folder().join(STATIC)
        }
        false => target_folder(),
    };
    call(&mut cargo)?;
    Ok(folder.join("release/planish"))
}

/// Puts the program, its manual, completions of shells, and the licences into a folder, as they lie below `/usr`.
fn fill(tree: &Path, program: &Path) -> Result<(), Failure> {
    let (bin, doc, man) = (tree.join("bin"), tree.join("share/doc/planish"), tree.join("share/man/man1"));
    for folder in [&bin, &doc, &man] {
        fs::create_dir_all(folder)?;
    }
    fs::copy(program, bin.join("planish"))?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"] {
        fs::copy(root().join(file), doc.join(file))?;
    }
    call(Command::new(program).args(["man", "--out-dir"]).arg(&man))?;
    for page in fs::read_dir(&man)? {
        // Without the time, so that the same program makes the same package.
        call(Command::new("gzip").arg("-9n").arg(page?.path()))?;
    }
    let completions = [
        ("bash", "share/bash-completion/completions/planish"),
        ("zsh", "share/zsh/vendor-completions/_planish"),
        ("fish", "share/fish/vendor_completions.d/planish.fish"),
    ];
    for (shell, file) in completions {
        let file = tree.join(file);
        fs::create_dir_all(file.parent().expect("it lies in a folder"))?;
        fs::write(&file, call(Command::new(program).args(["completions", shell]))?.stdout)?;
    }
    Ok(())
}

/// Makes the package.
fn debian(folder: &Path, tree: &Path, package: &Path, is_static: bool) -> Result<(), Failure> {
    fs::create_dir_all(folder.join("DEBIAN"))?;
    call(Command::new("cp").arg("-r").arg(tree).arg(folder.join("usr")))?;
    let doc = folder.join("usr/share/doc/planish");
    let licence = fs::read_to_string(root().join("LICENSE-MIT"))?;
    let about = "Planish is under the licence of MIT, or that of Apache 2.0 (/usr/share/common-licenses/Apache-2.0), as you like.";
    fs::write(doc.join("copyright"), format!("{about}\n\n{licence}"))?;
    let size: u64 = fs::metadata(folder.join("usr/bin/planish"))?.len() >> 10;
    let depends = if is_static { "" } else { "Depends: libc6, libgcc-s1\n" };
    let control = format!(
        "Package: planish\nVersion: {VERSION}\nSection: devel\nPriority: optional\nArchitecture: amd64\nInstalled-Size: {size}\n{depends}\
         Maintainer: The Planish authors <planish@invalid>\nDescription: compiler that hammers programs flat\n \
         Compiles GLSL, WGSL, SPIR-V, WebAssembly and VL to what their next tool\n \
         accepts: shading languages, WebAssembly, JavaScript, C, Rust, object files,\n \
         dataflow graphs. It also runs and draws them on the CPU.\n"
    );
    fs::write(folder.join("DEBIAN/control"), control)?;
    call(Command::new("dpkg-deb").args(["--build", "--root-owner-group"]).arg(folder).arg(package))?;
    Ok(())
}

/// Uses an installed program in a folder without anything else.
fn check(program: &Path, folder: &Path, is_static: bool) -> Result<(), Failure> {
    let shader = "precision mediump float;\nuniform float time;\nvoid main() { gl_FragColor = vec4(fract(gl_FragCoord.xy / 8.0), 0.0, 1.0); }\n";
    fs::write(folder.join("a.frag"), shader)?;
    let run = |args: &[&str]| {
        // Nothing of this machine's: not even a path.
        call(Command::new(program).env_clear().args(args).current_dir(folder))
    };
    let says = |args: &[&str], wanted: &str| {
        let text = String::from_utf8_lossy(&run(args)?.stdout).into_owned();
        let message = || Failure::Broken(format!("{} {args:?} does not say `{wanted}`: {text}", program.display()));
        if text.contains(wanted) { Ok(()) } else { Err(message()) }
    };
    says(&["--version"], VERSION)?;
    says(&["explain", "E0301"], "E0301")?;
    says(&["compile", "a.frag", "--emit=wgsl"], "@fragment")?;
    run(&["run", "a.frag", "-o", "a.png", "--size", "64x64"])?;
    if !fs::read(folder.join("a.png"))?.starts_with(b"\x89PNG") {
        return Err(Failure::Broken("it draws no picture".into()));
    }
    let loads = Command::new("ldd").arg(program).output()?;
    let text = String::from_utf8_lossy(&loads.stdout).into_owned();
    match is_static && text.contains("=>") {
        true => Err(Failure::Broken(format!("the program is not static: {text}"))),
        false => Ok(()),
    }
}

/// Runs a program that must succeed.
fn call(command: &mut Command) -> Result<Output, Failure> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Failure::Broken(format!("{command:?} fails: {text}")))
}

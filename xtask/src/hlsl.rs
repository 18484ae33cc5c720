//! `cargo xtask hlsl`: glslang and Slang's compiler read our HLSL, and `spirv-val` what they make of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::validators::Verdict;
use crate::{Failure, build, built, root, skip, target_folder, tint, validators};

/// The package with Slang's compiler.
const PACKAGE: &str = "slangpy==0.43.1";

/// Writes the shaders of the repository, and of the corpus if it is there, as HLSL, and gives them to both compilers; compares
/// their sizes with what `spirv-cross` writes of our SPIR-V, if it is there.
///
/// # Errors
/// If one refuses a file; in continuous integration also if a tool is missing.
pub fn run() -> Result<(), Failure> {
    let folder = target_folder().join("hlsl");
    let python = folder.join("python/bin/python3");
    if !python.exists() || !has_package(&python) {
        let made = Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder.join("python")).status();
        if !made.is_ok_and(|status| status.success()) {
            return skip("there is no `python3` with `venv`; on Debian: apt-get install python3-venv");
        }
        let installed = Command::new(&python).args(["-m", "pip", "install", "--quiet", PACKAGE]).status()?;
        if !installed.success() {
            return skip("pip could not install the package `slangpy`; is there a network?");
        }
    }
    if Command::new("glslangValidator").arg("--version").output().is_err() {
        return skip("there is no `glslangValidator`; on Debian: apt-get install glslang-tools");
    }
    build(&["planish-cli"])?;
    let [written, spirv] = ["written", "spirv"].map(|name| folder.join(name));
    for folder in [&written, &spirv] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
    }
    let mut files = vec![];
    for shader in tint::shaders()? {
        files.extend(tint::write(&shader, &written, "hlsl", &tint::WAYS)?);
    }
    println!("{} files are written", files.len());
    if files.len() < 500 {
        return Err(Failure::Broken("too few of the shaders are HLSL".into()));
    }
    slang(&python, &[], &spirv, &files)?;
    let read = glslang(&spirv, &files)?;
    for (i, verdict) in validators::spirv_val(&read, "vulkan1.1", 2)?.into_iter().enumerate() {
        if let Some(message) = verdict.filter(|message| !is_fault_of_glslang(message)) {
            return Err(Failure::Broken(format!("{}: {message}", read[i].display())));
        }
    }
    println!("GLSLANG {} files, all of them valid SPIR-V", read.len());
    compare_pictures(&folder)?;
    from_hlsl(&python, &folder)?;
    compare_sizes(&folder, &files)
}

/// Values of the constant buffer of `examples/hlsl/contours.frag.hlsl`.
const CONTOURS: [(&str, &str); 4] =
    [("texel", "0.01,0.01"), ("octaves", "3"), ("spacing", "0.1"), ("line_color", "1,0.2,0,1")];

/// HLSL by way of SPIR-V (`docs/languages/wgsl-spirv.md`): what glslang and Slang's compiler make of the example has the picture of the
/// same shader in GLSL, pixel by pixel, and is GLSL by glslang again.
fn from_hlsl(python: &Path, folder: &Path) -> Result<(), Failure> {
    let examples = root().join("examples/hlsl");
    let (hlsl, spirv) = (examples.join("contours.frag.hlsl"), folder.join("spirv"));
    slang(python, &["--via-glsl"], &spirv, std::slice::from_ref(&hlsl))?;
    glslang(&spirv, std::slice::from_ref(&hlsl))?;
    let planish = built("planish");
    // Slang's compiler numbers names.
    let draw = |shader: &Path, [before, after]: [&str; 2], picture: &Path| {
        let mut run = Command::new(&planish);
        run.args(["run", "--size", "64x64", "--engine", "eval"]);
        run.args(CONTOURS.map(|(name, value)| format!("--uniform={before}{name}{after}={value}")));
        run.arg(shader).arg("-o").arg(picture).output()
    };
    let wanted = folder.join("contours.png");
    let drawn = draw(&examples.join("contours.frag"), ["", ""], &wanted)?;
    if !drawn.status.success() {
        return Err(Failure::Broken(format!("contours.frag: {}", String::from_utf8_lossy(&drawn.stderr))));
    }
    let wanted = fs::read(wanted)?;
    for (compiler, names) in [("glslang", ["", ""]), ("slang", ["Contours_0.", "_0"])] {
        let read = spirv.join(format!("contours.frag.hlsl.{compiler}.spv"));
        let [picture, glsl] = ["png", "frag"].map(|e| folder.join(format!("contours.{compiler}.{e}")));
        let output = draw(&read, names, &picture)?;
        if !output.status.success() || fs::read(&picture)? != wanted {
            let messages = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Failure::Broken(format!("{} has another picture than the GLSL; {messages}", read.display())));
        }
        let written =
            Command::new(&planish).args(["compile", "-O2", "--emit=glsl", "-o"]).args([&glsl, &read]).status()?;
        let is_glsl = Command::new("glslangValidator").arg(&glsl).stdout(std::process::Stdio::null()).status()?;
        if !written.success() || !is_glsl.success() {
            return Err(Failure::Broken(format!("{} is not GLSL", read.display())));
        }
    }
    println!("HLSL by way of SPIR-V has the picture of its GLSL");
    Ok(())
}

/// glslang writes minima and maxima of bytes in a buffer as those of unsigned numbers, and gives them the signed number as it is. Slang's
/// compiler and DXC choose by the type of the number; `spirv-val` is content with what Slang's makes of the same file.
fn is_fault_of_glslang(message: &str) -> bool {
    let is_unsigned = message.contains("AtomicUMin:") || message.contains("AtomicUMax:");
    is_unsigned && message.contains("expected Value to be of type Result Type")
}

/// Draws the gallery as it is, and what glslang makes of its HLSL, by the evaluator: at most this many of 1,024 pixels may differ by more
/// than 1 %, as chaotic pictures do where a compiler rounds elsewhere.
const MOST_PIXELS: usize = 16;

fn compare_pictures(folder: &Path) -> Result<(), Failure> {
    if Command::new("compare").arg("-version").output().is_err() {
        return skip("there is no `compare`; on Debian: apt-get install imagemagick");
    }
    let planish = built("planish");
    let draw = |shader: &Path, picture: &Path| {
        Command::new(&planish)
            .args(["run", "--size", "32x32", "--engine", "eval"])
            .arg(shader)
            .arg("-o")
            .arg(picture)
            .output()
    };
    let gallery = root().join("examples/shaders");
    let [source, ours] = ["source.png", "hlsl.png"].map(|name| folder.join(name));
    let (mut same, mut unread) = (0, vec![]);
    for shader in tint::shaders()?.into_iter().filter(|shader| shader.starts_with(&gallery)) {
        let name = shader.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let spirv = folder.join("spirv").join(format!("shaders-{name}-O2.hlsl.glslang.spv"));
        if !name.ends_with(".frag") || !spirv.exists() {
            continue;
        }
        if !draw(&shader, &source)?.status.success() || !draw(&spirv, &ours)?.status.success() {
            // naga's reader of SPIR-V takes no layout but that of WGSL.
            unread.push(name);
            continue;
        }
        let output = Command::new("compare")
            .args(["-metric", "AE", "-fuzz", "1%"])
            .args([&source, &ours])
            .arg("null:")
            .output()?;
        let pixels = String::from_utf8_lossy(&output.stderr).trim().parse().unwrap_or(usize::MAX);
        if pixels > MOST_PIXELS {
            return Err(Failure::Broken(format!("{name}: {pixels} pixels of its HLSL differ")));
        }
        same += 1;
    }
    println!("PICTURES of {same} shaders are those of their HLSL; not drawn: {}", unread.join(", "));
    if same < 70 {
        return Err(Failure::Broken("too few shaders were compared".into()));
    }
    Ok(())
}

fn has_package(python: &Path) -> bool {
    let found = "import importlib.util as u; exit(u.find_spec('slangpy') is None)";
    Command::new(python).args(["-c", found]).status().is_ok_and(|status| status.success())
}

/// Gives files to Slang's compiler.
fn slang(python: &Path, options: &[&str], spirv: &Path, files: &[PathBuf]) -> Result<(), Failure> {
    // Command lines have an end.
    for files in files.chunks(200) {
        let output = Command::new(python)
            .arg(root().join("xtask/hlsl/check.py"))
            .args(options)
            .arg(spirv)
            .args(files)
            .output()?;
        let messages = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() || !messages.contains("SLANG ") {
            return Err(Failure::Broken(format!("{messages}{}", String::from_utf8_lossy(&output.stderr))));
        }
        print!("{messages}");
    }
    Ok(())
}

/// The stage in the name of a file: `frag` of `a.frag-O2.hlsl`.
fn stage(file: &Path) -> &'static str {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    ["vert", "comp"].into_iter().find(|stage| name.contains(&format!(".{stage}"))).unwrap_or("frag")
}

/// Gives files to glslang; the SPIR-V that it makes of them.
fn glslang(spirv: &Path, files: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let staged: Vec<(PathBuf, &str)> = files.iter().map(|file| (file.clone(), stage(file))).collect();
    for (file, verdict) in files.iter().zip(verdicts(spirv, &staged, 1)?) {
        if let Some(message) = verdict {
            return Err(Failure::Broken(format!("{}: {message}", file.display())));
        }
    }
    Ok(files.iter().filter(|file| is_known(file)).map(|file| spirv_of(spirv, file)).collect())
}

/// Whether glslang knows the types of a file: it has no integers of 64 bits in HLSL. Slang's compiler reads the others.
fn is_known(file: &Path) -> bool {
    !fs::read_to_string(file).is_ok_and(|text| text.contains("int64_t"))
}

/// The SPIR-V that glslang makes of a file.
fn spirv_of(spirv: &Path, file: &Path) -> PathBuf {
    spirv.join(format!("{}.glslang.spv", file.file_name().unwrap_or_default().to_string_lossy()))
}

/// glslang about HLSL files with their stages, in their order, but for those whose [types](is_known) it lacks; it writes SPIR-V.
pub(crate) fn verdicts(spirv: &Path, files: &[(PathBuf, &str)], jobs: usize) -> Result<Vec<Verdict>, Failure> {
    let verdicts = Mutex::new(vec![None; files.len()]);
    let known = files.iter().enumerate().filter(|(_, (file, _))| is_known(file)).collect();
    validators::in_parallel(known, jobs, |(i, (file, stage))| -> Result<(), Failure> {
        let output = Command::new("glslangValidator")
            // Waves are of Vulkan 1.1.
            .args(["-D", "-V", "--target-env", "vulkan1.1", "--auto-map-bindings", "--hlsl-offsets"])
            .args(["-e", "main", "-S", stage])
            .arg(file)
            .arg("-o")
            .arg(spirv_of(spirv, file))
            .output()?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stdout);
            let message = messages.lines().find(|line| line.starts_with("ERROR: ")).unwrap_or("no message").to_owned();
            verdicts.lock().expect("no verdict panics")[i] = Some(message);
        }
        Ok(())
    })?;
    Ok(verdicts.into_inner().expect("no verdict panics"))
}

/// Prints the bytes of the files that are optimized, and those that `spirv-cross` writes of our SPIR-V of the same shaders.
fn compare_sizes(folder: &Path, files: &[PathBuf]) -> Result<(), Failure> {
    if Command::new("spirv-cross").arg("--help").output().is_err() {
        return skip("there is no `spirv-cross`; on Debian: apt-get install spirv-cross");
    }
    let (mut ours, mut theirs, mut count) = (0, 0, 0);
    for shader in tint::shaders()? {
        for spirv in tint::write(&shader, &folder.join("written"), "spv", &tint::WAYS)? {
            let name = spirv.to_string_lossy().into_owned();
            let hlsl = PathBuf::from(name.replace(".spv", ".hlsl"));
            if !name.contains("-O2.") || !files.contains(&hlsl) {
                continue;
            }
            let output = Command::new("spirv-cross").args(["--hlsl", "--shader-model", "60"]).arg(&spirv).output()?;
            if output.status.success() {
                (ours, theirs, count) =
                    (ours + fs::metadata(&hlsl)?.len() as usize, theirs + output.stdout.len(), count + 1);
            }
        }
    }
    println!("SIZES of {count} shaders at -O2: {ours} bytes, spirv-cross {theirs}");
    Ok(())
}

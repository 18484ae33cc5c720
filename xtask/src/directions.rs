//! `cargo xtask directions`: each of GLSL, WGSL and SPIR-V to each of GLSL, WGSL, SPIR-V, MSL and HLSL, for the shaders of the repository.
//! The target's own tools read the results. `docs/directions.md` is the table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::validators::{self, Verdict, in_parallel};
use crate::{Failure, build, built, hlsl, root, skip, target_folder, tint, types};

/// Inputs: name, and about the way in which a shader of the repository becomes one.
const INPUTS: [(&str, &str); 4] = [
    ("GLSL", "the shader as it is"),
    ("WGSL", "what we write of it"),
    ("SPIR-V", "what we write of it, changed by `spirv-opt -O`: combined samplers"),
    ("SPIR-V, separate", "what naga writes of it: textures and samplers apart"),
];

/// Outputs: name, extension, and the tool that reads them.
const OUTPUTS: [(&str, &str, &str); 6] = [
    ("GLSL ES 3.00", "es.glsl", "glslangValidator"),
    ("GLSL 4.50", "glsl", "glslangValidator"),
    ("WGSL", "wgsl", "Tint, in Dawn"),
    ("SPIR-V", "spv", "spirv-val"),
    ("MSL", "metal", "clang, with a header of ours for the library"),
    ("HLSL", "hlsl", "glslangValidator"),
];

const PAGE: &str = "docs/directions.md";

/// A cell of the table: numbers of input and output.
type Cell = (usize, usize);

/// By cell, the shaders that are not written, or that the tool refuses, each with the reason.
type Faults = BTreeMap<Cell, BTreeMap<String, String>>;

/// Options of the chore.
#[derive(Debug, Default)]
struct Options {
    /// At most this many shaders, spread evenly.
    sample: Option<usize>,
    bless: bool,
    /// Only shaders with this in their names.
    only: Option<String>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, Failure> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| Failure::Usage(format!("`{arg}` needs a value")));
            match arg.as_str() {
                "--bless" => options.bless = true,
                "--only" => options.only = Some(value()?.clone()),
                "--sample" => {
                    let count = value()?.parse().ok().filter(|&n| n > 0);
                    options.sample = Some(count.ok_or_else(|| Failure::Usage("`--sample` needs a number".into()))?);
                }
                _ => return Err(Failure::Usage(format!("`{arg}` is no option of `directions`"))),
            }
        }
        match options.bless && (options.sample.is_some() || options.only.is_some()) {
            true => Err(Failure::Usage("the page is about all shaders: no `--sample`, no `--only`".into())),
            false => Ok(options),
        }
    }
}

/// Writes the shaders in all directions, and checks them against the page, or writes it.
///
/// # Errors
/// If a shader is refused that the page does not list; in continuous integration also if a tool is missing.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let options = Options::parse(args)?;
    for (tool, package) in [
        ("glslangValidator", "glslang-tools"),
        ("spirv-val", "spirv-tools"),
        ("spirv-opt", "spirv-tools"),
        ("clang++", "clang"),
        ("node", "nodejs"),
    ] {
        if Command::new(tool).arg("--version").output().is_err() {
            return skip(&format!("there is no `{tool}`; on Debian: apt-get install {package}"));
        }
    }
    let dawn = target_folder().join("tint");
    if let Err(why) = types::install(&dawn, &root().join("xtask/tint"), "Dawn")? {
        return skip(&why);
    }
    build(&["planish-cli", "msl-check"])?;
    let folder = target_folder().join("directions");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let inputs = make_inputs(&folder, &chosen(&options)?, jobs)?;
    let (written, mut faults) = write_all(&folder, &inputs, jobs)?;
    judge(&folder, &dawn, &written, jobs, &mut faults)?;
    let counts = INPUTS.iter().enumerate().map(|(i, _)| inputs.iter().filter(|input| input.kind == i).count());
    let counts: Vec<usize> = counts.collect();
    let text = page(&counts, &faults);
    print!("{}", table(&counts, &faults));
    let path = root().join(PAGE);
    if options.bless {
        return Ok(fs::write(path, text)?);
    }
    check(&fs::read_to_string(path).unwrap_or_default(), &text, &faults, &options)
}

/// The shaders of the repository, or a part of them.
fn chosen(options: &Options) -> Result<Vec<PathBuf>, Failure> {
    let mut all = tint::repository()?;
    // Those are many, and like the others.
    all.retain(|path| !path.starts_with(root().join("examples/flatten")));
    all.retain(|path| options.only.as_ref().is_none_or(|only| path.to_string_lossy().contains(&**only)));
    let step = all.len().div_ceil(options.sample.unwrap_or(usize::MAX)).max(1);
    Ok(all.into_iter().step_by(step).collect())
}

/// A program in one of the languages.
struct Input {
    kind: usize,
    /// Folder and file of the shader in the repository.
    name: String,
    path: PathBuf,
    stage: &'static str,
}

impl Input {
    /// The file for an output.
    fn output(&self, folder: &Path, output: usize) -> PathBuf {
        let name = format!("{}-{}.{}", self.name.replace('/', "-"), self.kind, OUTPUTS[output].1);
        folder.join("written").join(name)
    }
}

/// Writes a program as GLSL of this version and other outputs, by their extensions; the first message, if one cannot be written.
fn planish(version: &str, input: &Path, outputs: &[(usize, PathBuf)]) -> Result<Verdict, Failure> {
    let mut command = command();
    command.args(["--glsl-version", version]).arg(input);
    for (_, output) in outputs {
        command.arg("-o").arg(output);
    }
    verdict(&mut command, input)
}

fn command() -> Command {
    let program = built("planish");
    let mut command = Command::new(program);
    command.arg("compile");
    command
}

/// The first message of the command, if it refuses the program.
fn verdict(command: &mut Command, input: &Path) -> Result<Verdict, Failure> {
    let made = command.output()?;
    let messages = String::from_utf8_lossy(&made.stderr);
    match made.status.code() {
        Some(0) => Ok(None),
        Some(1) if !messages.contains("E0699") => {
            let first = messages.lines().find(|line| line.starts_with("error")).unwrap_or("error: no message");
            Ok(Some(first.trim_start_matches("error").to_owned()))
        }
        _ => Err(Failure::Broken(format!("{} {command:?}: {messages}", input.display()))),
    }
}

/// Each shader in each language that can hold it.
fn make_inputs(folder: &Path, shaders: &[PathBuf], jobs: usize) -> Result<Vec<Input>, Failure> {
    let made = Mutex::new(vec![]);
    let inputs = folder.join("inputs");
    fs::create_dir_all(&inputs)?;
    in_parallel(shaders.iter().collect(), jobs, |shader| -> Result<(), Failure> {
        let extension = shader.extension().unwrap_or_default();
        let stage = ["vert", "comp"].into_iter().find(|stage| extension == *stage).unwrap_or("frag");
        let name = tint::name(shader);
        let file = |extension: &str| inputs.join(format!("{}.{extension}", name.replace('/', "-")));
        let mut all = vec![shader.clone()];
        for extension in ["wgsl", "spv", "naga.spv"] {
            let path = file(extension);
            verdict(command().arg("-O0").arg(shader).arg("-o").arg(&path), shader)?;
            all.push(path);
        }
        if all[2].exists() {
            let changed = file("opt.spv");
            let mut command = Command::new("spirv-opt");
            command.args(["-O", "--target-env=vulkan1.1"]).arg(&all[2]).arg("-o").arg(&changed);
            all[2] = if command.output()?.status.success() { changed } else { file("none") };
        }
        let present = all.into_iter().enumerate().filter(|(_, path)| path.exists());
        let present = present.map(|(kind, path)| Input { kind, name: name.clone(), path, stage });
        made.lock().expect("no thread panics").extend(present);
        Ok(())
    })?;
    let mut made = made.into_inner().expect("no thread panics");
    made.sort_by(|a, b| (&a.name, a.kind).cmp(&(&b.name, b.kind)));
    Ok(made)
}

/// A file that is written.
struct Written {
    cell: Cell,
    name: String,
    path: PathBuf,
    stage: &'static str,
}

/// Writes all inputs as all outputs: one that is refused by itself, the others in one command.
fn write_all(folder: &Path, inputs: &[Input], jobs: usize) -> Result<(Vec<Written>, Faults), Failure> {
    let done = Mutex::new((vec![], Faults::new()));
    fs::create_dir_all(folder.join("written"))?;
    in_parallel(inputs.iter().collect(), jobs, |input| -> Result<(), Failure> {
        let (mut written, mut faults) = (vec![], vec![]);
        // Compute shaders are newer.
        let version = if input.stage == "comp" { "310es" } else { "300es" };
        // There is one version in a command.
        for (version, outputs) in [(version, 0..1), ("450", 1..OUTPUTS.len())] {
            let outputs: Vec<(usize, PathBuf)> = outputs.map(|output| (output, input.output(folder, output))).collect();
            if planish(version, &input.path, &outputs)?.is_none() {
                written.extend(outputs);
                continue;
            }
            for output in outputs {
                let alone = std::slice::from_ref(&output);
                match planish(version, &input.path, alone)? {
                    None => written.push(output),
                    Some(why) => faults.push((output.0, why)),
                }
            }
        }
        let mut done = done.lock().expect("no thread panics");
        done.0.extend(written.into_iter().map(|(output, path)| Written {
            cell: (input.kind, output),
            name: input.name.clone(),
            path,
            stage: input.stage,
        }));
        for (output, why) in faults {
            done.1.entry((input.kind, output)).or_default().insert(input.name.clone(), why);
        }
        Ok(())
    })?;
    Ok(done.into_inner().expect("no thread panics"))
}

/// Gives what is written to the tools.
fn judge(folder: &Path, dawn: &Path, written: &[Written], jobs: usize, faults: &mut Faults) -> Result<(), Failure> {
    for (output, (_, _, tool)) in OUTPUTS.iter().enumerate() {
        let files: Vec<&Written> = written.iter().filter(|file| file.cell.1 == output).collect();
        let paths: Vec<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
        let verdicts = match output {
            0 | 1 => {
                let staged: Vec<_> = files.iter().map(|file| (file.path.clone(), file.stage)).collect();
                validators::glslang(&staged, &folder.join("copies"), jobs)?
            }
            2 => tint::verdicts(dawn, &paths)?,
            3 => validators::spirv_val(&paths, "vulkan1.1", jobs)?,
            4 => clang(folder, &paths)?,
            _ => {
                let staged: Vec<_> = files.iter().map(|file| (file.path.clone(), file.stage)).collect();
                hlsl::verdicts(folder, &staged, jobs)?
            }
        };
        for (file, verdict) in files.iter().zip(verdicts) {
            if let Some(why) = verdict {
                let why = format!("{tool}: {}", why.replace(&*folder.to_string_lossy(), ""));
                faults.entry(file.cell).or_default().insert(file.name.clone(), why);
            }
        }
    }
    Ok(())
}

/// Clang about Metal, by `xtask/msl`.
fn clang(folder: &Path, files: &[PathBuf]) -> Result<Vec<Verdict>, Failure> {
    let list = folder.join("list");
    fs::write(&list, files.iter().map(|file| format!("{}\n", file.display())).collect::<String>())?;
    let program = built("msl-check");
    let output = Command::new(program).arg(folder).arg(&list).arg("--shaders").output()?;
    let messages = String::from_utf8_lossy(&output.stdout);
    if !messages.contains(" shaders are ") {
        return Err(Failure::Broken(format!("{messages}{}", String::from_utf8_lossy(&output.stderr))));
    }
    let about = |file: &PathBuf| {
        let start = format!("{}:", file.display());
        let line = messages.lines().find(|line| line.starts_with(&start))?;
        Some(line.split_once(" error: ").map_or(line, |(_, message)| message).to_owned())
    };
    Ok(files.iter().map(about).collect())
}

/// Shaders that become the output, of all that are the input.
fn table(counts: &[usize], faults: &Faults) -> String {
    let mut text = String::from("| from | shaders |");
    for (name, ..) in OUTPUTS {
        write!(text, " {name} |").expect("strings take all");
    }
    text.push_str("\n| --- | ---: |");
    text.push_str(&" ---: |".repeat(OUTPUTS.len()));
    text.push('\n');
    for (i, (name, _)) in INPUTS.iter().enumerate() {
        write!(text, "| {name} | {} |", counts[i]).expect("strings take all");
        for o in 0..OUTPUTS.len() {
            let faulty = faults.get(&(i, o)).map_or(0, BTreeMap::len);
            write!(text, " {} |", counts[i] - faulty).expect("strings take all");
        }
        text.push('\n');
    }
    text
}

/// The lines that list faults.
fn lines(faults: &Faults) -> BTreeSet<String> {
    let of = |(&(i, o), shaders): (&Cell, &BTreeMap<String, String>)| {
        let cell = format!("| {} → {} |", INPUTS[i].0, OUTPUTS[o].0);
        let line =
            |(name, why): (&String, &String)| format!("{cell} {name} | {} |", why.trim_start().replace('|', "\\|"));
        shaders.iter().map(line).collect::<Vec<_>>()
    };
    faults.iter().flat_map(of).collect()
}

fn page(counts: &[usize], faults: &Faults) -> String {
    let mut text = String::from(
        "# All directions\n\n`cargo xtask directions --bless` writes this page. Each shader of `examples/shaders`, and of the tests of GLSL in and out and of WGSL out, is given as GLSL, WGSL and \
         SPIR-V, and written as each language of shaders, with the default options. The table counts the shaders that are written and that the \
         target's tool accepts.\n\n",
    );
    text.push_str(&table(counts, faults));
    text.push_str("\nThe inputs:\n\n");
    for (name, about) in INPUTS {
        writeln!(text, "- {name}: {about}").expect("strings take all");
    }
    text.push_str("\nThe outputs, and what reads them:\n\n");
    for (name, _, tool) in OUTPUTS {
        writeln!(text, "- {name}: {tool}").expect("strings take all");
    }
    text.push_str("\nCompute shaders are written as GLSL ES 3.10.\n\n## Not written, or refused\n\n| direction | shader | reason |\n| --- | --- | --- |\n");
    for line in lines(faults) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// No cell may get worse; of all shaders, the page must be as it is.
fn check(old: &str, new: &str, faults: &Faults, options: &Options) -> Result<(), Failure> {
    let key = |line: &str| line.split(" | ").take(2).collect::<Vec<_>>().join(" | ");
    let known: BTreeSet<String> = old.lines().filter(|line| line.contains(" → ")).map(key).collect();
    let worse: Vec<String> = lines(faults).into_iter().filter(|line| !known.contains(&key(line))).collect();
    if !worse.is_empty() {
        return Err(Failure::Broken(format!("{PAGE} does not have these:\n{}", worse.join("\n"))));
    }
    if options.sample.is_none() && options.only.is_none() && old != new {
        return Err(Failure::Broken(format!("{PAGE} is not as it is: `cargo xtask directions --bless`")));
    }
    Ok(())
}

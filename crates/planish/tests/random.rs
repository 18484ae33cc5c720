//! Random programs: source → IR → GLSL → IR draws the same bits, at every level, and every pass keeps the meaning, in
//! other orders of work too.
//!
//! A failing program is shrunk before it is shown. `PLANISH_SEEDS=FROM..TO` runs other programs than the usual ones
//! (`PLANISH_SEEDS=0..20000` ten times as many).

use std::collections::HashSet;
use std::ops::Range;

use planish::eval::shade::{DrawOptions, draw};
use planish::module::Module;
use planish::{Compiler, EmitOptions, LEVELS, Optimizer, Target, emit};
use planish_generate::{Choices, Program, glsl, reduce};

/// What a program draws: the bits of every component of every pixel.
type Picture = Vec<[u32; 4]>;

/// Seeds of the optimizer besides the usual order.
const CHAOS: u64 = 3;

fn compile(source: &str) -> Result<Module, String> {
    let mut compiler = Compiler::default();
    let compilation = compiler.compile("random.frag", source);
    let errors: Vec<String> = compilation
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .map(|d| planish::render::short(d, &compiler.map))
        .collect();
    compilation.module.ok_or_else(|| errors.join(""))
}

fn picture(module: &Module) -> Result<Picture, String> {
    // The uniforms of every program, at values that take different branches.
    let options = DrawOptions { size: [4, 4], threads: 1, time: 0.7, ..DrawOptions::default() };
    let image = draw(module, &options).map_err(|e| e.to_string())?;
    // A NaN is a NaN: which one it is, the language does not say.
    let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    Ok(image.float.iter().map(|p| p.map(bits)).collect())
}

/// Why the program does not survive; `None` if it does. A panic is a fault like others, so that it is shrunk as well.
fn fault(program: &Program) -> Option<String> {
    std::panic::catch_unwind(|| survives(program)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Some(format!("panics: {}", text.or_else(|| panic.downcast_ref().copied()).unwrap_or("for no reason given")))
    })
}

fn survives(program: &Program) -> Option<String> {
    let source = program.to_string();
    let module = match compile(&source) {
        Ok(module) => module,
        Err(errors) => return Some(format!("not accepted:\n{errors}")),
    };
    let errors = planish::ir::verify::verify(&module);
    if !errors.is_empty() {
        return Some(format!("not valid: {errors:#?}"));
    }
    let expected = match picture(&module) {
        Ok(picture) => picture,
        Err(error) => return Some(format!("cannot be drawn: {error}")),
    };
    if let Some(why) = printed("0", &module, &expected) {
        return Some(why);
    }
    let mut right = HashSet::from([planish::ir::text::print(&module)]);
    LEVELS.iter().skip(1).find_map(|level| {
        let mut optimizer = Optimizer::level(level).expect("has passes");
        let mut optimized = module.clone();
        for seed in (0..=CHAOS).rev() {
            optimizer.options.seed = seed;
            optimized = module.clone();
            let mut changed = None;
            optimizer.run(&mut optimized, &mut |pass, module| {
                if changed.is_none() && !draws(module, &expected, &mut right) {
                    changed = Some(format!("{pass} changes the picture: at -O{level} --chaos-seed {seed}"));
                }
            });
            if changed.is_some() {
                return changed;
            }
        }
        printed(level, &optimized, &expected)
    })
}

/// Whether a module draws the picture; `right` are the texts of those that are known to.
fn draws(module: &Module, expected: &Picture, right: &mut HashSet<String>) -> bool {
    let text = planish::ir::text::print(module);
    right.contains(&text) || picture(module).as_ref() == Ok(expected) && right.insert(text)
}

/// Why the module's GLSL, for people or short, is not the same program; `None` if it is.
fn printed(level: &str, module: &Module, expected: &Picture) -> Option<String> {
    [false, true].into_iter().find_map(|minify| {
        let options = EmitOptions { minify, ..EmitOptions::default() };
        let text = match emit(module, Target::Glsl, &options) {
            Ok(artifact) => String::from_utf8_lossy(&artifact.bytes).into_owned(),
            Err(diagnostics) => return Some(format!("-O{level}: not printed: {diagnostics:#?}")),
        };
        match compile(&text) {
            Ok(again) if picture(&again).as_ref() == Ok(expected) => None,
            Ok(_) => Some(format!("-O{level}: the output draws something else:\n{text}")),
            Err(errors) => Some(format!("-O{level}: the output is not accepted:\n{errors}\n{text}")),
        }
    })
}

fn seeds() -> Range<u64> {
    let given = std::env::var("PLANISH_SEEDS").ok();
    let given =
        given.as_deref().and_then(|s| s.split_once("..")).and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    given.unwrap_or(0..2000)
}

/// Seeds that once found something; kept for ever.
const ONCE: [u64; 12] = [74, 96, 99, 2063, 2182, 2480, 2571, 4080, 6382, 7011, 7895, 12624];

#[test]
fn random_programs_survive_a_round_trip() {
    let seeds = seeds();
    let threads = 2;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let mine = seeds.clone().chain(ONCE).filter(move |s| s % threads == thread);
            scope.spawn(move || {
                for seed in mine {
                    let program = glsl(&mut Choices::from_seed(seed));
                    let Some(why) = fault(&program) else { continue };
                    // Shrink to a program with a fault of the same kind.
                    let kind = |why: &str| why.split(':').next().unwrap_or_default().to_owned();
                    let small = reduce(&program, 2000, &mut |p| fault(p).is_some_and(|w| kind(&w) == kind(&why)));
                    let why = fault(&small).unwrap_or(why);
                    panic!("seed {seed}: {why}\n--- program\n{small}");
                }
            });
        }
    });
}

/// What WGSL can hold before, it can hold after: naga accepts the optimized program, too.
#[test]
fn optimized_random_programs_are_wgsl() {
    let options = EmitOptions::default();
    let mut emitted = 0;
    for seed in 0..300 {
        let source = glsl(&mut Choices::from_seed(seed)).to_string();
        let module = compile(&source).expect("random programs are valid");
        if emit(&module, Target::Wgsl, &options).is_err() {
            continue;
        }
        emitted += 1;
        for level in LEVELS.iter().skip(1) {
            let mut optimized = module.clone();
            Optimizer::level(level).expect("has passes").run(&mut optimized, &mut |_, _| {});
            if let Err(diagnostics) = emit(&optimized, Target::Wgsl, &options) {
                panic!("seed {seed} at -O{level}: {diagnostics:#?}\n{source}");
            }
        }
    }
    assert!(emitted > 200, "only {emitted} of 300 are WGSL");
}

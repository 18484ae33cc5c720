//! Random programs: source → IR → GLSL → IR draws the same bits, at every level, and every pass keeps the meaning, in
//! other orders of work too.
//!
//! A failing program is shrunk before it is shown. `PLANISH_SEEDS=FROM..TO` runs other programs than the usual ones
//! (`PLANISH_SEEDS=0..20000` fifty times as many).

use std::collections::HashSet;

use planish::module::Module;
use planish::{EmitOptions, LEVELS, Optimizer, Target, emit};
use planish_generate::{Choices, Program, glsl};

use crate::common::Picture;
use crate::common::seeds::{compile, for_each_seed, picture};

/// Seeds of the optimizer besides the usual order.
const CHAOS: u64 = 3;

pub(crate) fn survives(program: &Program) -> Option<String> {
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

/// Seeds that once found something; kept for ever.
const ONCE: [u64; 14] = [74, 96, 99, 2063, 2182, 2480, 2571, 4080, 6382, 7011, 7895, 12624, 1073, 14895];

#[test]
fn random_programs_survive_a_round_trip() {
    for_each_seed(0..400, &ONCE, glsl, survives);
}

/// A program that WGSL can hold stays so when it is optimized: naga accepts it, too.
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

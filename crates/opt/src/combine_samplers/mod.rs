//! Makes combined samplers of separate textures and samplers, for targets that have only combined ones: GLSL without Vulkan.
//!
//! ```text
//! before: var handle @albedo: texture<2d f32>     after: var handle @albedo: combined<2d f32>
//!         var handle @linear: sampler                    %2 = load @albedo
//!         %0 = load @albedo                              %3 = texture_sample %2, %uv
//!         %1 = load @linear
//!         %2 = combine_sampler %0, %1
//!         %3 = texture_sample %2, %uv
//! ```
//!
//! Each pair of a texture and a sampler that are used together is a variable, named after the texture, or after both if the texture is used
//! in several ways. An array of textures that is sampled with one sampler is an array of pairs with the same indices, and so is one texture
//! with an array of samplers. Texels and sizes are read through any pair of the texture. A function that takes textures or samplers takes the
//! pairs that it uses: the calls make them of their arguments ([`needs`]).
//!
//! Holds before: a valid, placed module. Refused: a texture and a sampler that are both chosen at run time, pairs of functions that are
//! called indirectly. Left alone: combined samplers, storage images, input attachments, structs with something else in them.

mod needs;
mod places;
mod rewrite;

use std::sync::Arc;

use planish_ir::decoration::Name;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Type, Var};
use planish_ir::module::Module;
use planish_ir::types::{AddressSpace, ImageKind, ImageType, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::Context;
use needs::Needs;
use places::{Key, Part, Path, Root, is_separate};

/// A combined sampler that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Its variable.
    pub var: Var,
    /// One for each element of an array of pairs, or the only one.
    pub elements: Vec<Element>,
}

/// An element of a combined sampler, by the names that reflection has for its halves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// The name of the element: `maps[2]`.
    pub name: String,
    /// The texture: `lights[2].map`.
    pub texture: String,
    /// The sampler; `None` if only texels and sizes are read.
    pub sampler: Option<String>,
}

/// Whether a module has separate textures or samplers.
pub fn is_needed(module: &Module) -> bool {
    let params = module.funcs.values().flat_map(|function| function.params.iter().map(|param| param.ty));
    let pointees = params.filter_map(|ty| module.types.pointee(ty)).map(|(ty, _)| ty);
    let vars = module.globals.iter().map(|&var| module.vars[var].ty);
    vars.chain(pointees).any(|ty| is_separate(&module.types, ty))
}

/// Runs on the module. Returns the combined samplers in the order of their declarations.
///
/// # Errors
/// Pairs that no combined sampler can be, each with its place; the module is as it was then.
pub fn run(module: &mut Module, context: &mut Context) -> Result<Vec<Pair>, Vec<Diagnostic>> {
    if !is_needed(module) {
        return Ok(Vec::new());
    }
    let needs = Needs::find(module)?;
    let pairs = declare(module, &needs);
    let vars: FxHashMap<Key, Var> = pairs.iter().map(|(key, pair)| (key.clone(), pair.var)).collect();
    rewrite::run(module, &needs, &vars);
    let Module { globals, vars, types, .. } = module;
    globals.retain(|&var| !is_separate(types, vars[var].ty));
    context.changed();
    context.count("SamplersCombined", pairs.len() as u64);
    Ok(pairs.into_iter().map(|(_, pair)| pair).collect())
}

/// Declares the variables of pairs, each before its texture.
fn declare(module: &mut Module, needs: &Needs) -> Vec<(Key, Pair)> {
    let mut keys: Vec<&Key> = needs.globals().collect();
    let order = |path: &Path| match path.root {
        Root::Var(var) => (module.globals.iter().position(|&global| global == var), path.parts.clone()),
        Root::Param(_) => unreachable!("it is no parameter's"),
    };
    keys.sort_by_cached_key(|key| (order(&key.texture), key.sampler.as_ref().map(order)));
    let mut names = Names::new(module);
    let mut pairs = Vec::new();
    for key in keys.iter().copied() {
        let is_only = keys.iter().filter(|other| other.texture == key.texture).count() == 1;
        let name = names.free(key_name(module, None, key, is_only));
        let at = elements(module, key, &name);
        pairs.push((key.clone(), name, at));
    }
    let declared = pairs.into_iter().map(|(key, name, elements)| {
        let Root::Var(texture) = key.texture.root else { unreachable!("it is no parameter's") };
        let ty = pair_type(module, None, &key);
        let data = &module.vars[texture];
        let (source, precision, span) = (data.name.source, data.precision, data.span);
        let at = module.globals.iter().position(|&global| global == texture).expect("it is a global");
        let var = module.add_var(Name::new(name, source), ty, AddressSpace::Handle);
        module.globals.pop();
        module.globals.insert(at, var);
        let data = &mut module.vars[var];
        (data.precision, data.span) = (precision, span);
        (key, Pair { var, elements })
    });
    declared.collect()
}

/// Names that are not taken.
struct Names(FxHashSet<Arc<str>>);

impl Names {
    fn new(module: &Module) -> Names {
        let kept = module.globals.iter().map(|&var| &module.vars[var]);
        let kept = kept.filter(|data| !is_separate(&module.types, data.ty)).map(|data| data.name.text.clone());
        let funcs = module.funcs.values().map(|function| function.name.text.clone());
        let structs = module.types.iter().filter_map(|(_, kind)| match kind {
            TypeKind::Struct(s) => Some(s.name.clone()),
            _ => None,
        });
        Names(kept.chain(funcs).chain(structs).collect())
    }

    /// The name, or with a number.
    fn free(&mut self, name: String) -> String {
        let numbered = (1..).map(|n| format!("{name}_{n}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !self.0.contains(&**name));
        let free = free.expect("some number is free");
        self.0.insert(Arc::from(&*free));
        free
    }
}

/// The name of a pair; `is_only`: the only one of its texture.
fn key_name(module: &Module, func: Option<Func>, key: &Key, is_only: bool) -> String {
    let texture = identifier(module, func, &key.texture);
    match key.sampler.as_ref().filter(|_| !is_only) {
        Some(sampler) => format!("{texture}_{}", identifier(module, func, sampler)),
        None => texture,
    }
}

/// A path as the name of a variable: `lights_map`, `samplers_2`.
fn identifier(module: &Module, func: Option<Func>, path: &Path) -> String {
    let mut name = path.root_name(module, func);
    path.walk(module, func, |part, member, _| match part {
        Part::Field(_) => name = format!("{name}_{member}"),
        Part::At(index) => name = format!("{name}_{index}"),
        Part::Each => {}
    });
    name
}

/// The elements of a pair: all values of the open indices.
fn elements(module: &Module, key: &Key, name: &str) -> Vec<Element> {
    let mut all: Vec<Vec<u32>> = vec![vec![]];
    for length in key.lengths(module, None) {
        all = all.iter().flat_map(|at| (0..length).map(move |i| [&at[..], &[i]].concat())).collect();
    }
    let element = |at: Vec<u32>| {
        let mut open = at.iter().copied();
        let texture = source_name(module, &key.texture, &mut open);
        let sampler = key.sampler.as_ref().map(|path| source_name(module, path, &mut open));
        let indices: String = at.iter().map(|i| format!("[{i}]")).collect();
        Element { name: format!("{name}{indices}"), texture, sampler }
    };
    all.into_iter().map(element).collect()
}

/// A path as the source has it, with these indices where it is open.
fn source_name(module: &Module, path: &Path, open: &mut impl Iterator<Item = u32>) -> String {
    let mut name = path.root_name(module, None);
    path.walk(module, None, |part, member, _| match part {
        Part::Field(_) => name = format!("{name}.{member}"),
        Part::At(index) => name = format!("{name}[{index}]"),
        Part::Each => name = format!("{name}[{}]", open.next().expect("one for each")),
    });
    name
}

/// The type of a pair: an image with its sampler, or an array of such.
fn pair_type(module: &mut Module, func: Option<Func>, key: &Key) -> Type {
    let lengths = key.lengths(module, func);
    let shadow = key.sampler.as_ref().is_some_and(|sampler| sampler.compares(module, func));
    let texture = key.texture.walk(module, func, |_, _, _| {});
    let image = module.types.as_image(texture).expect("it is a texture");
    let types = &mut module.types;
    let ty = types.intern(TypeKind::Image(ImageType { kind: ImageKind::Combined, shadow, ..image }));
    lengths.iter().rev().fold(ty, |ty, &length| types.array(ty, length))
}

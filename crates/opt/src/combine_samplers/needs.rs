//! The pairs that each function uses, itself or through the functions that it calls, and the pair of each node.
//!
//! A pair of a function may be of its parameters: the calls substitute their arguments, so that it becomes a pair of the caller, up to the
//! variables of the module. Texels and sizes are read through a pair with a sampler where there is one; that is decided when all of those
//! are known.

use planish_ir::arena::{Id, SideTable};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;
use planish_ir::walk;
use rustc_hash::FxHashMap;

use super::places::{Key, Path, Place, Places, Root, separate_pointee};

/// A pair and the indices of its element.
pub(super) type Use = (Key, Vec<Value>);

/// The pairs of a module.
pub(super) struct Needs {
    /// By function: the pairs that it uses.
    keys: Vec<Keys>,
    /// By function: the pairs of its nodes; of a call one for each that the callee takes.
    nodes: SideTable<Func, FxHashMap<Node, Vec<Use>>>,
}

/// Pairs in the order in which they were found.
#[derive(Clone, Default)]
struct Keys(Vec<Key>);

impl Keys {
    fn add(&mut self, key: Key) -> bool {
        let is_new = !self.0.contains(&key);
        if is_new {
            self.0.push(key);
        }
        is_new
    }
}

/// A node that uses textures or samplers.
enum Site {
    /// A texture with a sampler.
    Pair(Place, Place),
    /// A texture alone; `fetches`: whether texels are read, and not only the size.
    Texture { place: Place, fetches: bool },
    /// A call, with the places of its arguments.
    Call(Func, Vec<Option<Place>>),
}

impl Needs {
    /// The pairs of a module.
    pub(super) fn find(module: &Module) -> Result<Needs, Vec<Diagnostic>> {
        let sites = sites(module)?;
        let mut needs = Needs { keys: vec![Keys::default(); module.funcs.len()], nodes: SideTable::new() };
        let mut errors = Vec::new();
        // Pairs with a sampler, then textures alone.
        for alone in [false, true] {
            let mut changes = true;
            while changes {
                changes = false;
                for (func, of_func) in &sites {
                    for (_, site) in of_func {
                        for (key, _) in needs.uses(module, *func, site, alone).unwrap_or_default() {
                            changes |= needs.keys[func.index()].add(key);
                        }
                    }
                }
            }
        }
        for (func, of_func) in &sites {
            let body = module.funcs[*func].body.as_ref().expect("it has sites");
            for (node, site) in of_func {
                match needs.uses(module, *func, site, true) {
                    Ok(uses) => _ = needs.nodes[*func].insert(*node, uses),
                    Err(Conflict) => errors.push(conflict(body, *node)),
                }
            }
        }
        if errors.is_empty() { Ok(needs) } else { Err(errors) }
    }

    /// The pairs of variables of the module.
    pub(super) fn globals(&self) -> impl Iterator<Item = &Key> {
        let mut all = Vec::new();
        for key in self.keys.iter().flat_map(|keys| &keys.0).filter(|key| key.params().next().is_none()) {
            if !all.contains(&key) {
                all.push(key);
            }
        }
        all.into_iter()
    }

    /// The pairs that a function takes.
    pub(super) fn of(&self, func: Func) -> impl Iterator<Item = &Key> {
        self.keys[func.index()].0.iter().filter(|key| key.params().next().is_some())
    }

    /// The pairs of the nodes of a function.
    pub(super) fn nodes(&self, func: Func) -> &FxHashMap<Node, Vec<Use>> {
        &self.nodes[func]
    }

    /// The pairs of a node; those of textures alone if they are to be found.
    fn uses(&self, module: &Module, func: Func, site: &Site, alone: bool) -> Result<Vec<Use>, Conflict> {
        let mut indices = Vec::new();
        Ok(match site {
            Site::Pair(texture, sampler) => {
                let texture = texture.path(module, true, &mut indices);
                let sampler = Some(sampler.path(module, false, &mut indices));
                vec![(checked(Key { texture, sampler })?, indices)]
            }
            Site::Texture { .. } if !alone => vec![],
            Site::Texture { place, fetches } => {
                let texture = place.path(module, true, &mut indices);
                vec![(self.pair_of(module, func, texture, *fetches), indices)]
            }
            Site::Call(callee, args) => {
                let keys = self.of(*callee).filter(|key| alone || key.sampler.is_some());
                keys.map(|key| self.in_call(module, func, key, args)).collect::<Result<_, _>>()?
            }
        })
    }

    /// A pair of a callee as one of the caller.
    fn in_call(&self, module: &Module, func: Func, key: &Key, args: &[Option<Place>]) -> Result<Use, Conflict> {
        let mut indices = Vec::new();
        let mut substitute = |path: &Path, is_texture| match path.root {
            Root::Var(_) => path.clone(),
            Root::Param(index) => {
                let place = args[index].as_ref().expect("arguments were looked at");
                let mut outer = place.path(module, is_texture, &mut indices);
                outer.parts.extend(&path.parts);
                outer
            }
        };
        let texture = substitute(&key.texture, true);
        match &key.sampler {
            None => Ok((self.pair_of(module, func, texture, true), indices)),
            Some(sampler) => {
                let sampler = Some(substitute(sampler, false));
                Ok((checked(Key { texture, sampler })?, indices))
            }
        }
    }

    /// The pair through which a texture is read: one of the function (or for a variable of the module one of any function) without an index
    /// for the sampler, and without comparison if texels are read.
    fn pair_of(&self, module: &Module, func: Func, texture: Path, fetches: bool) -> Key {
        let fits = |scope: Func, key: &&Key| {
            let compares = |sampler: &Path| sampler.compares(module, Some(scope));
            let sampler = key.sampler.as_ref().filter(|s| !(s.has_each() || fetches && compares(s)));
            key.texture == texture && sampler.is_some()
        };
        let found = match texture.root {
            Root::Param(_) => self.keys[func.index()].0.iter().find(|key| fits(func, key)),
            Root::Var(_) => self.globals().find(|key| fits(func, key)),
        };
        found.cloned().unwrap_or(Key { texture, sampler: None })
    }
}

/// Texture and sampler are both chosen at run time.
struct Conflict;

fn checked(key: Key) -> Result<Key, Conflict> {
    let is_open = key.texture.has_each() && key.sampler.as_ref().is_some_and(Path::has_each);
    if is_open { Err(Conflict) } else { Ok(key) }
}

fn conflict(body: &Body, node: Node) -> Diagnostic {
    let text = "a texture of an array meets a sampler that an index chooses at run time: the pair is not known";
    Diagnostic::error(Code::E0605, body.node(node).span, text).help(
        "sample the array with one sampler, or choose the sampler by a constant, or in a `switch` with a case for each",
    )
}

/// The sites of each function.
type Sites = Vec<(Func, Vec<(Node, Site)>)>;

/// The nodes that use textures and samplers, in order.
fn sites(module: &Module) -> Result<Sites, Vec<Diagnostic>> {
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    let takes = |func: Func| {
        let mut params = module.funcs[func].params.iter();
        params.any(|param| separate_pointee(&module.types, param.ty).is_some())
    };
    for (func, function) in module.funcs.iter() {
        let refused = match &function.body {
            None => Some("is not defined here"),
            Some(_) => function.signature.as_ref().map(|_| "has a signature that the host knows"),
        };
        if let Some(why) = refused.filter(|_| takes(func)) {
            let text = format!("`{}` takes textures or samplers, and {why}", function.name.text);
            errors.push(Diagnostic::error(Code::E0605, function.span, text).help("pass combined samplers"));
        }
        let Some(body) = &function.body else { continue };
        let places = Places::find(module, body);
        let mut sites = Vec::new();
        for node in walk::blocks(body).flat_map(|block| body.blocks[block].nodes.iter().copied()) {
            match site(module, body, &places, node) {
                Ok(site) => sites.extend(site.map(|site| (node, site))),
                Err(error) => errors.push(*error),
            }
            let called = matches!(body.node(node).op, Op::Call | Op::TailCall);
            let value = body.args(node)[usize::from(called)..].iter().filter_map(|arg| arg.as_func());
            if value.into_iter().any(takes) {
                let text = "a function that takes textures or samplers is called indirectly: its pairs are not known";
                errors.push(Diagnostic::error(Code::E0605, body.node(node).span, text).help("call it by its name"));
            }
        }
        all.push((func, sites));
    }
    if errors.is_empty() { Ok(all) } else { Err(errors) }
}

/// The use of textures and samplers by a node.
fn site(module: &Module, body: &Body, places: &Places, node: Node) -> Result<Option<Site>, Box<Diagnostic>> {
    let (data, args) = (body.node(node), body.args(node));
    let of = |arg: Value| places.of(module, arg);
    let unknown = || {
        let text = "it is not known which texture or sampler this is";
        Box::new(Diagnostic::error(Code::E0605, data.span, text).help("use a variable of the module, or a parameter"))
    };
    match data.op {
        Op::Load | Op::AccessStructField | Op::AccessArrayElement => Ok(None),
        Op::CombineSampler => match (of(args[0]), of(args[1])) {
            (Some(texture), Some(sampler)) => Ok(Some(Site::Pair(texture, sampler))),
            _ => Err(unknown()),
        },
        Op::Call | Op::TailCall => {
            let Some(callee) = args[0].as_func() else { return Ok(None) };
            let places: Vec<Option<Place>> = args[1..].iter().map(|&arg| of(arg)).collect();
            let params = module.funcs[callee].params.iter().zip(&places);
            let mut missing =
                params.filter(|(param, place)| separate_pointee(&module.types, param.ty).is_some() && place.is_none());
            if missing.next().is_some() {
                return Err(unknown());
            }
            Ok(places.iter().any(Option::is_some).then_some(Site::Call(callee, places)))
        }
        op => {
            let Some(place) = args.first().and_then(|&arg| of(arg)) else {
                return if args.iter().any(|&arg| of(arg).is_some()) { Err(unknown()) } else { Ok(None) };
            };
            let is_image = matches!(module.types[module.type_of(body, args[0])], TypeKind::Image(_));
            if is_image { Ok(Some(Site::Texture { place, fetches: op == Op::TextureFetch })) } else { Err(unknown()) }
        }
    }
}

//! Functions with pairs in place of textures and samplers.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::Name;
use planish_ir::entity::{Const, Func, Node, Value, Var};
use planish_ir::function::{Body, Param};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::AddressSpace;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::needs::{Needs, Use};
use super::places::{Key, Path, Places, separate_pointee};
use super::{key_name, pair_type};
use crate::restage::{Stage, copy_node, restage};

/// A parameter of a new function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NewParam {
    /// A parameter of the old one.
    Old(usize),
    /// A pair, by its number among those that the function takes.
    Pair(usize),
}

/// The parameters of new functions; `None`: as before.
type Layouts = SideTable<Func, Option<Vec<NewParam>>>;

/// Rewrites all functions and their parameters.
pub(super) fn run(module: &mut Module, needs: &Needs, vars: &FxHashMap<Key, Var>) {
    let funcs: Vec<Func> = module.funcs.keys().filter(|&func| module.funcs[func].body.is_some()).collect();
    let mut layouts = Layouts::new();
    for &func in &funcs {
        layouts[func] = layout(module, func, needs);
    }
    let places: Vec<Places> = funcs.iter().map(|&func| places(module, func)).collect();
    for &func in &funcs {
        if let Some(layout) = &layouts[func] {
            apply_to_signature(module, func, layout, needs);
        }
    }
    for (&func, places) in funcs.iter().zip(&places) {
        if needs.nodes(func).is_empty() && layouts[func].is_none() {
            continue;
        }
        let form = module.funcs[func].body.as_ref().expect("these have one").form;
        let mut stage = Combine { func, places, needs, layouts: &layouts, vars, indices: FxHashMap::default() };
        restage(module, func, Policy { form, ..Policy::PLAIN }, &mut stage);
    }
}

fn places(module: &Module, func: Func) -> Places {
    Places::find(module, module.funcs[func].body.as_ref().expect("it has one"))
}

/// The new parameters: pairs are where their texture was, or if that is a variable of the module, their sampler.
fn layout(module: &Module, func: Func, needs: &Needs) -> Option<Vec<NewParam>> {
    let params = &module.funcs[func].params;
    let is_separate = |param: &Param| separate_pointee(&module.types, param.ty).is_some();
    if !params.iter().any(is_separate) {
        return None;
    }
    let mut layout = Vec::new();
    for (index, param) in params.iter().enumerate() {
        if !is_separate(param) {
            layout.push(NewParam::Old(index));
            continue;
        }
        let pairs = needs.of(func).enumerate().filter(|(_, key)| owner(key) == Some(index));
        layout.extend(pairs.map(|(pair, _)| NewParam::Pair(pair)));
    }
    Some(layout)
}

/// The parameter in whose place a pair is.
fn owner(key: &Key) -> Option<usize> {
    key.texture.param().or(key.sampler.as_ref().and_then(Path::param))
}

fn apply_to_signature(module: &mut Module, func: Func, layout: &[NewParam], needs: &Needs) {
    let keys: Vec<&Key> = needs.of(func).collect();
    let mut params = Vec::with_capacity(layout.len());
    for &param in layout {
        params.push(match param {
            NewParam::Old(index) => module.funcs[func].params[index].clone(),
            NewParam::Pair(pair) => {
                let key = keys[pair];
                let ty = pair_type(module, Some(func), key);
                let is_only = keys.iter().filter(|other| other.texture == key.texture).count() == 1;
                let name = key_name(module, Some(func), key, is_only && key.texture.param().is_some());
                let old = &module.funcs[func].params[owner(key).expect("it is a pair of parameters")];
                let name = Name::new(name, old.name.source);
                Param { name, ty: module.types.pointer(ty, AddressSpace::Handle), ..old.clone() }
            }
        });
    }
    let function = &mut module.funcs[func];
    function.params = params;
    let params: Vec<_> = function.params.iter().map(|p| p.ty).collect();
    let results: Vec<_> = function.results.iter().map(|r| r.ty).collect();
    function.ty = module.types.function(&params, &results);
}

struct Combine<'a> {
    func: Func,
    places: &'a Places,
    needs: &'a Needs,
    layouts: &'a Layouts,
    vars: &'a FxHashMap<Key, Var>,
    /// New values of the indices of elements.
    indices: FxHashMap<Value, Value>,
}

impl Combine<'_> {
    /// The address of a pair.
    fn pair(&self, (key, indices): &Use, b: &mut Builder<'_, '_>) -> Value {
        let own = self.needs.of(self.func).position(|own| own == key);
        let mut address = match own {
            None => self.vars[key].into(),
            Some(pair) => {
                let layout = self.layouts[self.func].as_ref().expect("it takes pairs");
                let at = layout.iter().position(|param| *param == NewParam::Pair(pair));
                b.param(at.expect("each has a place"))
            }
        };
        for index in indices {
            address = b.op(Op::AccessArrayElement, &[address, self.indices[index]]);
        }
        address
    }

    /// The arguments of a call with its pairs.
    fn arguments(&self, callee: Func, args: &[Value], uses: &[Use], b: &mut Builder<'_, '_>) -> SmallVec<[Value; 8]> {
        let mut new: SmallVec<[Value; 8]> = smallvec![args[0]];
        for param in self.layouts[callee].as_ref().expect("it takes pairs") {
            new.push(match *param {
                NewParam::Old(index) => args[1 + index],
                NewParam::Pair(pair) => self.pair(&uses[pair], b),
            });
        }
        new
    }
}

/// The value of what is gone, which nothing uses.
fn nothing() -> Value {
    Const::FALSE.into()
}

impl Stage for Combine<'_> {
    fn param(&mut self, index: usize, b: &mut Builder<'_, '_>) -> Option<Value> {
        let Some(layout) = &self.layouts[self.func] else { return Some(b.param(index)) };
        Some(match layout.iter().position(|param| *param == NewParam::Old(index)) {
            Some(at) => b.param(at),
            None => nothing(),
        })
    }

    fn node(&mut self, old: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Results {
        let data = old.node(node);
        if old.result(node).is_some_and(|result| self.places.has(result)) {
            if data.op == Op::AccessArrayElement {
                self.indices.insert(old.args(node)[1], args[1]);
            }
            return smallvec![nothing()];
        }
        let Some(uses) = self.needs.nodes(self.func).get(&node) else { return copy_node(old, node, args, b) };
        let new: SmallVec<[Value; 8]> = match data.op {
            Op::CombineSampler => {
                let address = self.pair(&uses[0], b);
                return smallvec![b.load(address)];
            }
            Op::Call | Op::TailCall => self.arguments(args[0].as_func().expect("it is a function"), args, uses, b),
            _ => {
                let address = self.pair(&uses[0], b);
                std::iter::once(b.load(address)).chain(args[1..].iter().copied()).collect()
            }
        };
        let ty = old.result(node).map(|result| old.local_type(result));
        b.set_precise(data.precise);
        b.make_all(Request { op: data.op, imm: data.imm, args: &new, ty, precision: Some(data.precision) })
    }
}

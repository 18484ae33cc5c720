//! Lowering to scalars, for machines with numbers and bytes, but neither vectors nor pointers.
//!
//! ```text
//! before: var uniform @light: vec3                 after: memory memory0 min 1 export "memory"
//!         fn @shade(%n: vec3) -> (f32) {                  fn @shade(%n_0: f32, %n_1: f32, %n_2: f32) -> (f32) {
//!           %l = load @light                                %l0 = memory_load[memory0 u32 offset 16] 0   …
//!           %d = dot %n, %l                                 %p = multiply %n_0, %l0   …
//!           return %d                                       %d = add %q, %r
//! ```
//!
//! **Holds after:** every value is a scalar (or a `v128`, reference or token that was one before); there are no pointers but
//! those of scalar variables that `load` and `store` name directly; every op is one that the target has.
//!
//! - Composites become their components, in the order of `planish_ir::meaning`: parameters, results, block inputs,
//!   constants and operands of ops, each op by its definition in `docs/numerics.md`. No bit changes, except of NaNs.
//! - Variables of `function` and `private` space whose parts are known become scalar variables. Others, and all that the
//!   host sees (uniforms, inputs, outputs, buffers), lie in a memory that is added, at a fixed address: as their block's
//!   layout has it, else by `std430`. The addresses of those that the host sees are exported as constants under their names.
//! - A pointer parameter is an address.
//! - Variables of the module hold their initial values when the module is instantiated, and what calls leave there between
//!   calls of exported functions. An entry point of a stage, each call of which is an invocation, first gives outputs and
//!   private variables what they hold at first. A discarded fragment sets the exported variable [`DISCARDED`] and returns.
//!
//! - Of a function over several invocations ([`run_on_lanes`], [`crate::widen`]) a vector of lanes becomes 128-bit values: four lanes
//!   of 32 bits or two of 64 each, of truth values ones or zeros.
//!
//! **Holds before:** a valid, placed module. **Not lowered**, but an error: textures and images, derivatives, recursive
//! functions with variables in memory, and the ops that [`arith`](self) does not know.

pub(crate) mod arith;
mod copy;
mod lane_arith;
mod lane_division;
mod lanes;
mod memory;
mod packed;
pub(crate) mod pointers;
pub(crate) mod values;

use planish_ir::arena::SideTable;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Memory, Node, Type, Var};
use planish_ir::function::{Body, Exit, Function, NodeData, Param, ResultType};
use planish_ir::module::{Import, Linkage, Module};
use planish_ir::ops::{Class, Op};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};
use planish_target::legal::TargetInfo;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::call_graph::CallGraph;
use crate::context::Context;
use crate::legalize;
use crate::lower_small;

pub use memory::{Placement, Placements};

/// The exported variable that is not 0 after a fragment was discarded.
pub const DISCARDED: &str = "discarded";
/// The name by which the host knows the memory that is added.
pub const MEMORY: &str = "memory";

/// Whether a module has anything that lowering would change: composites, pointers, variables that the host sees, or an op
/// that the target lacks.
pub fn is_needed(module: &Module, target: &TargetInfo<'_>) -> bool {
    is_structured(module) || lower_small::is_needed(module, lower_small::NONE) || legalize::is_needed(module, target)
}

/// Whether a module has anything but functions of scalars and scalar variables of its own.
fn is_structured(module: &Module) -> bool {
    let whole = |ty: Type| !is_composite(module, ty);
    let own = |var: Var| matches!(module.vars[var].space, AddressSpace::Function | AddressSpace::Private);
    let stage = module.entry_points.iter().any(|e| e.stage.is_some());
    stage
        || module.funcs.values().any(|f| {
            let signature = f.params.iter().map(|p| p.ty).chain(f.results.iter().map(|r| r.ty)).all(whole);
            let body = f.body.as_ref().is_none_or(|body| {
                let plain = |(node, data): (Node, &NodeData)| {
                    let scalar = match data.op.info().class {
                        Class::Access | Class::Texture | Class::Stage | Class::Subgroup => false,
                        Class::Memory => matches!(data.op, Op::Load | Op::Store),
                        _ => true,
                    };
                    scalar
                        && body.args(node).iter().filter_map(|a| a.as_var()).all(|v| own(v) && whole(module.vars[v].ty))
                };
                body.locals().all(|(_, l)| whole(l.ty)) && body.nodes().all(plain)
            });
            !(signature && body)
        })
}

fn is_composite(module: &Module, ty: Type) -> bool {
    !matches!(
        module.types[ty],
        TypeKind::Scalar(_) | TypeKind::V128 | TypeKind::FuncRef | TypeKind::ExternRef | TypeKind::Token
    )
}

/// Lowers a module to the ops of a target on scalars; returns the functions that changed. One that has nothing but scalars
/// is only legalized.
///
/// # Errors
/// What cannot be lowered, each with its place. The module is then in no good state.
pub fn run(module: &mut Module, target: &TargetInfo<'_>, context: &mut Context) -> Result<Vec<Func>, Vec<Diagnostic>> {
    lower(module, target, context, None, &Placements::default()).map(|(changed, ..)| changed)
}

/// Lowers a module of functions over `lanes` invocations, in which every vector of so many components has one for each of them. Returns
/// the addresses of the variables that lie in memory.
///
/// # Errors
/// As [`run`].
pub fn run_on_lanes(
    module: &mut Module,
    target: &TargetInfo<'_>,
    context: &mut Context,
    lanes: u8,
) -> Result<Addresses, Vec<Diagnostic>> {
    lower(module, target, context, Some(lanes), &Placements::default()).map(|(_, addresses, _)| addresses)
}

/// As [`run_on_lanes`], with places for variables in memories that the module has. Returns the memory that is added, too, with the
/// number of its bytes that are used.
///
/// # Errors
/// As [`run`].
pub fn run_in_memories(
    module: &mut Module,
    target: &TargetInfo<'_>,
    context: &mut Context,
    (lanes, given): (u8, &Placements),
) -> Result<(Addresses, Extent), Vec<Diagnostic>> {
    lower(module, target, context, Some(lanes), given).map(|(_, addresses, extent)| (addresses, extent))
}

/// The memory that is added, and the number of its bytes that are used; `None` if there is none.
pub type Extent = Option<(Memory, u32)>;

/// By variable of the source: its address in memory.
pub type Addresses = FxHashMap<Var, u32>;

fn lower(
    module: &mut Module,
    target: &TargetInfo<'_>,
    context: &mut Context,
    lanes: Option<u8>,
    given: &Placements,
) -> Result<(Vec<Func>, Addresses, Extent), Vec<Diagnostic>> {
    let functions = function_values(module);
    if !functions.is_empty() {
        return Err(functions);
    }
    // No machine of scalars has those of 8 and 16 bits.
    if lower_small::is_needed(module, lower_small::NONE) {
        lower_small::run(module, target.name, lower_small::NONE, context)?;
    }
    if !is_structured(module) {
        return legalize::run(module, target, context).map(|changed| (changed, Addresses::default(), None));
    }
    context.changed();
    let old = module.clone();
    let old = &old;
    let mut lowering = Lowering {
        target,
        memory: memory::Plan::new(module, old, lanes, given),
        may_discard: may_discard(old),
        recursive: recursive(old),
        discarded: None,
        errors: Vec::new(),
    };
    if old.funcs.iter().any(|(f, _)| lowering.may_discard[f]) {
        lowering.discarded = Some(add_flag(module));
    }
    for func in old.funcs.keys() {
        lower_signature(module, func, lanes, &mut lowering.errors);
    }
    for func in old.funcs.keys() {
        if old.funcs[func].body.is_some() {
            copy::lower(module, old, func, &mut lowering);
        }
    }
    let (addresses, extent) = (lowering.memory.addresses(), lowering.memory.extent());
    lowering.memory.finish(module, old);
    let changed = old.funcs.iter().filter(|(_, function)| function.body.is_some()).map(|(func, _)| func);
    if lowering.errors.is_empty() { Ok((changed.collect(), addresses, extent)) } else { Err(lowering.errors) }
}

/// The state of the lowering, over all functions.
struct Lowering<'a> {
    target: &'a TargetInfo<'a>,
    memory: memory::Plan,
    may_discard: SideTable<Func, bool>,
    recursive: FxHashSet<Func>,
    discarded: Option<Var>,
    errors: Vec<Diagnostic>,
}

impl Lowering<'_> {
    fn error(&mut self, code: Code, span: Span, text: impl Into<String>) {
        self.errors.push(Diagnostic::error(code, span, text));
    }
}

/// Functions as values have no number: they must be specialized away before.
fn function_values(module: &Module) -> Vec<Diagnostic> {
    let holds = |ty: Type| module.types.contains(ty, &mut |kind| matches!(kind, TypeKind::Function { .. }));
    let has = |f: &Function| {
        let in_body = |body: &Body| body.locals().any(|(_, l)| holds(l.ty));
        f.params.iter().any(|p| holds(p.ty)) || f.body.as_ref().is_some_and(in_body)
    };
    let text = |f: &Function| format!("`{}` has functions as values, which cannot be lowered to numbers", f.name.text);
    let funcs = module.funcs.values().filter(|f| has(f));
    funcs.map(|f| Diagnostic::error(Code::E0604, f.span, text(f))).collect()
}

fn add_flag(module: &mut Module) -> Var {
    let name = planish_ir::decoration::Name::new(DISCARDED, planish_ir::decoration::NameSource::Internal);
    let var = module.add_var(name, Type::I32, AddressSpace::Private);
    let linkage = Linkage { exports: vec![DISCARDED.into()], import: None::<Import>, computed: None };
    module.vars[var].linkage = Some(Box::new(linkage));
    var
}

/// The functions that may discard the fragment, by themselves or by their callees.
fn may_discard(module: &Module) -> SideTable<Func, bool> {
    let mut found: SideTable<Func, bool> = SideTable::new();
    // Callees come first; a cycle of calls needs another iteration.
    loop {
        let mut changed = false;
        for func in CallGraph::new(module).callees_first() {
            let Some(body) = module.funcs[func].body.as_ref().filter(|_| !found[func]) else { continue };
            let discards = body.blocks.values().any(|b| b.exit == Exit::Discard)
                || body.nodes().any(|(node, d)| {
                    d.op == Op::Demote || body.args(node).first().and_then(|a| a.as_func()).is_some_and(|f| found[f])
                });
            if discards {
                found[func] = true;
                changed = true;
            }
        }
        if !changed {
            return found;
        }
    }
}

/// The functions that may call themselves, directly or not.
fn recursive(module: &Module) -> FxHashSet<Func> {
    let callees = |func: Func| -> Vec<Func> {
        let body = module.funcs[func].body.as_ref();
        body.into_iter()
            .flat_map(|body| body.nodes().filter_map(|(node, _)| body.args(node).first()?.as_func()))
            .collect()
    };
    let reaches_itself = |func: Func| {
        let (mut seen, mut stack) = (FxHashSet::default(), callees(func));
        while let Some(next) = stack.pop() {
            if next == func {
                return true;
            }
            if seen.insert(next) {
                stack.extend(callees(next));
            }
        }
        false
    };
    module.funcs.keys().filter(|&f| reaches_itself(f)).collect()
}

/// Appends the types of the scalars that values of a type become; an address for a pointer, 128-bit values for lanes.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn scalars(module: &mut Module, ty: Type, lanes: Option<u8>, out: &mut Vec<Type>) -> bool {
    match module.types[ty].clone() {
        TypeKind::Pointer { .. } => out.push(Type::I32),
        TypeKind::Vector(s, n) if Some(n) == lanes => {
            let wide = module.types.intern(TypeKind::V128);
            out.extend(std::iter::repeat_n(wide, lanes::parts_of(s, n)));
        }
        TypeKind::Vector(s, n) => {
            let scalar = module.types.scalar(s);
            out.extend(std::iter::repeat_n(scalar, n.into()));
        }
        TypeKind::Matrix { scalar, columns, rows } => {
            let scalar = module.types.scalar(scalar);
            out.extend(std::iter::repeat_n(scalar, usize::from(columns) * usize::from(rows)));
        }
        TypeKind::Array { element, len } => {
            let mut one = Vec::new();
            if !scalars(module, element, lanes, &mut one) {
                return false;
            }
            (0..len).for_each(|_| out.extend_from_slice(&one));
        }
        TypeKind::Struct(s) => return s.members.iter().all(|m| scalars(module, m.ty, lanes, out)),
        TypeKind::Void | TypeKind::RuntimeArray { .. } | TypeKind::Image(_) | TypeKind::Sampler { .. } => return false,
        _ => out.push(ty),
    }
    true
}

fn lower_signature(module: &mut Module, func: Func, lanes: Option<u8>, errors: &mut Vec<Diagnostic>) {
    let function = module.funcs[func].clone();
    let mut params: Vec<Param> = Vec::new();
    let mut results: Vec<ResultType> = Vec::new();
    for param in &function.params {
        let mut types = Vec::new();
        if !scalars(module, param.ty, lanes, &mut types) {
            errors.push(Diagnostic::error(Code::E0605, param.span, "a texture cannot be lowered to numbers"));
        }
        params.extend(types.into_iter().map(|ty| Param {
            ty,
            direction: planish_ir::function::Direction::In,
            ..param.clone()
        }));
    }
    for result in &function.results {
        let mut types = Vec::new();
        scalars(module, result.ty, lanes, &mut types);
        results.extend(types.into_iter().map(|ty| ResultType { ty, precision: result.precision }));
    }
    let param_types: Vec<Type> = params.iter().map(|p| p.ty).collect();
    let result_types: Vec<Type> = results.iter().map(|r| r.ty).collect();
    let ty = module.types.function(&param_types, &result_types);
    let function = &mut module.funcs[func];
    (function.params, function.results, function.ty) = (params, results, ty);
    function.body = None;
}

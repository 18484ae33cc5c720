//! Widening: a function over one invocation becomes a function over `n` invocations, its *lanes* (SPMD on SIMD).
//!
//! ```text
//! before: fn @f(%x: f32) -> (f32) {              after: fn @f_lanes(%active: bvec8, %x: vec8) -> (vec8) {
//!         b0:                                           b0:
//!           %c = greater_than %x, 0.0                     %c = greater_than %x, vec8{0.0; 8}
//!           if %c { then b1:                              %then = logical_and %active, %c
//!             %r = sqrt %x                                %any = any %then
//!             merge %r                                    if %any { then b1: … %r = sqrt %x …
//!           else b2: merge %x                             …
//!           } b3(%y: f32):                                %y = select %c, %r, %x
//!           return %y                                     return %y
//! ```
//!
//! Every scalar that may differ between lanes becomes a vector with a component for each lane; composites become their
//! components. Values that are the same in all lanes ([`divergence`]) stay scalars, branches on them branches.
//!
//! | source | becomes |
//! | --- | --- |
//! | `If`, `Switch` on a value that varies | each arm under the mask of its lanes, skipped where that is empty and the arm is worth a branch |
//! | loop | runs while a lane runs; what a lane carries is frozen by selects when it has left |
//! | `break`, `continue`, `return`, `merge` | its lanes are added to the mask of the target; no jump remains |
//! | `discard`, `demote` | its lanes are added to the mask of helper invocations, and go on for the derivatives of others |
//! | variable of an invocation | one of the components' lanes; stores are selects by the mask |
//! | access by an index that varies | lane by lane |
//! | store to shared memory, atomic | lane by lane in order, for active lanes; helpers only read |
//! | derivative | difference of the lanes of a quad, 4k to 4k + 3 |
//! | texture or image op | call of an import on all lanes at once: [`Outlined`] |
//! | op without a meaning on vectors | lane by lane |
//! | trapping division | divisor 1 in lanes that are not active |
//! | work group ([`widen_group`]) | loops over batches of lanes, between two barriers each |
//! | call | call of the widened callee, with the mask before the other arguments |
//! | iterations of a loop ([`widen_iterations`]) | lanes, as far as there are whole batches of them |
//!
//! The masks are those of the evaluator (`planish-eval`), which runs lanes in lockstep: a lane computes the same bits here and
//! there, derivatives in divergent control flow included. The code is written with variables for masks and merged values, and all
//! tests in place; promoting the variables (`promote_variables`) and the other passes clean it up.
//!
//! **Holds before:** a valid, placed module. **Holds after:** the widened functions have no vectors but lanes.

mod calls;
mod control;
mod divergence;
mod groups;
mod iterations;
mod lanes;
mod loops;
mod nodes;
mod outline;
mod pieces;
mod places;
mod switches;

use std::sync::Arc;

use planish_ir::builder::{Builder, Policy};
use planish_ir::constant::ConstValue;
use planish_ir::decoration::{Decorations, Name, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type, Value, Var};
use planish_ir::function::{Body, Exit, Param, ResultType};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Member, Scalar, StructType, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use divergence::Divergence;
pub(crate) use divergence::stopping_arm;
pub(crate) use iterations::{Carried, Iterations, after, identity, widen_iterations};
pub use outline::{IMPORTS, Outlined};

/// Numbers of lanes that a function can be widened to.
pub const LANES: [u8; 3] = [4, 8, 16];

/// Options of [`widen`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WidenOptions {
    /// Number of invocations: one of [`LANES`].
    pub lanes: u8,
    /// Whether all lanes of the function are active where it begins. It then has no parameter for the mask.
    pub all_active: bool,
    /// Whether lanes may be helper invocations where the function begins.
    pub helpers: bool,
    /// Whether the variables of an invocation are those of the widened function: it then has further parameters, the mask of
    /// helper invocations if there may be some, and the components of the inputs it uses; and further results, the components of
    /// the outputs it uses, and the mask of helper invocations if it may make some. It calls no others.
    pub interface: bool,
}

impl Default for WidenOptions {
    fn default() -> Self {
        WidenOptions { lanes: 8, all_active: false, helpers: false, interface: false }
    }
}

/// The result of [`widen`].
#[derive(Clone, Debug)]
pub struct Widened {
    /// The widened function: parameters are the mask of the active lanes, unless all are, and the components of each
    /// parameter; results are the components of each result.
    pub func: Func,
    /// The variable with the lanes of each variable of an invocation (`private`, `input`, `output` space) that the function or a callee
    /// uses: vectors and matrices are arrays there, structs structs. The caller sets them before, where they have another value than
    /// zero, initializers included.
    pub vars: FxHashMap<Var, Var>,
    /// The mask of helper invocations, a `private` variable. The caller sets it before, and reads it after.
    pub helpers: Var,
    /// With [`WidenOptions::interface`]: the inputs that are parameters, in order.
    pub inputs: Vec<Var>,
    /// With [`WidenOptions::interface`]: the outputs that are results, in order.
    pub outputs: Vec<Var>,
    /// Whether lanes may be helper invocations where the function ends.
    pub has_helpers: bool,
    /// Operations that are imported.
    pub outlined: Vec<Outlined>,
}

/// Widens a function, with all that it calls, to functions that are added to the module.
///
/// # Errors
/// Constructs that cannot be widened (E0604), each with its place. The module then holds unfinished functions.
///
/// # Panics
/// If the number of lanes is none of [`LANES`].
pub fn widen(module: &mut Module, func: Func, options: &WidenOptions) -> Result<Widened, Vec<Diagnostic>> {
    widen_with(module, func, options, &Replacements::default())
}

/// As [`widen`], with other variables in place of some of those that invocations share: an array with a size instead of one without, a
/// number instead of an atomic counter, an input that is the same in all lanes as a uniform.
///
/// # Errors
/// As [`widen`].
///
/// # Panics
/// As [`widen`].
pub fn widen_with(
    module: &mut Module,
    func: Func,
    options: &WidenOptions,
    instead: &Replacements,
) -> Result<Widened, Vec<Diagnostic>> {
    assert!(LANES.contains(&options.lanes), "{} lanes", options.lanes);
    let old = module.clone();
    let mut work = Work::new(module, options);
    work.instead.clone_from(instead);
    work.refuse_subgroups(&old);
    if options.interface {
        work.find_interface(&old, func);
    }
    let widened = work.function(module, &old, func);
    while let Some(source) = work.pending.pop() {
        let target = work.funcs[&source];
        let Some(body) = old.funcs[source].body.as_ref() else { continue };
        let all_active = options.all_active && source == func;
        let mut builder = Builder::new(module, target, Policy::PLAIN);
        control::write(&mut builder, &old, body, source, all_active, &mut work);
        builder.finish();
    }
    let Work { vars, helpers, outlined, errors, inputs, outputs, has_helpers, .. } = work;
    match errors.is_empty() {
        true => Ok(Widened { func: widened, vars, helpers, inputs, outputs, has_helpers, outlined }),
        false => Err(errors),
    }
}

/// The result of [`widen_group`].
#[derive(Clone, Debug)]
pub struct WidenedGroup {
    /// The widened function, which has neither parameters nor results.
    pub func: Func,
    /// Number of batches of lanes.
    pub batches: u32,
    /// The inputs, and the uniform that the caller sets instead: an array with an element for each batch, of the components in lanes.
    pub inputs: Vec<(Var, Var)>,
    /// The masks of the invocations there are, by batch, which the caller sets; `None` if all batches are full.
    pub present: Option<Var>,
    /// Operations that are imported.
    pub outlined: Vec<Outlined>,
}

/// Widens the entry point of a compute shader, without calls, to a function over all `invocations` of a work group. Its barriers are
/// where batches wait for each other; a barrier that only some of the invocations that have not returned reach is a trap.
///
/// # Errors
/// Constructs that cannot be widened (E0604), each with its place. The module then holds unfinished functions.
///
/// # Panics
/// If the number of lanes is none of [`LANES`].
pub fn widen_group(
    module: &mut Module,
    func: Func,
    (lanes, invocations): (u8, u32),
    instead: &Replacements,
) -> Result<WidenedGroup, Vec<Diagnostic>> {
    assert!(LANES.contains(&lanes), "{lanes} lanes");
    let old = module.clone();
    let mut work = Work::new(module, &WidenOptions { lanes, all_active: true, helpers: false, interface: true });
    work.instead.clone_from(instead);
    work.refuse_subgroups(&old);
    work.find_interface(&old, func);
    work.entry = Some(func);
    let batches = invocations.div_ceil(lanes.into());
    let by_batch = |module: &mut Module, name: Name, ty: Type| {
        let array = module.types.array(ty, batches);
        module.add_var(name, array, AddressSpace::Uniform)
    };
    let mut inputs = Vec::new();
    for input in work.inputs.clone() {
        let data = &old.vars[input];
        let Some(ty) = lanes_in_memory(module, data.ty, lanes) else {
            work.error(data.span, "an input of this type");
            continue;
        };
        let var = by_batch(module, data.name.clone(), ty);
        work.vars.insert(input, var);
        inputs.push((input, var));
    }
    let present = (!invocations.is_multiple_of(lanes.into())).then(|| {
        let mask = module.types.vector(Scalar::Bool, lanes);
        by_batch(module, Name::new("present", NameSource::Internal), mask)
    });
    let source = &old.funcs[func];
    let name = Name::new(format!("{}_group", source.name.text), NameSource::Internal);
    let target = module.add_func(name, vec![], vec![], source.span);
    if let Some(body) = &source.body {
        let mut builder = Builder::new(module, target, Policy::PLAIN);
        control::write_group(&mut builder, &old, body, (batches, present), &mut work);
        builder.finish();
    }
    match work.errors.is_empty() {
        true => Ok(WidenedGroup { func: target, batches, inputs, present, outlined: work.outlined }),
        false => Err(work.errors),
    }
}

/// By variable of the source: the variable that the widened function uses instead.
pub type Replacements = FxHashMap<Var, Var>;

/// The state of widening, over all functions.
struct Work {
    instead: Replacements,
    n: u8,
    /// The function that the caller names; its mask is no parameter if all lanes are active.
    entry: Option<Func>,
    all_active: bool,
    vars: FxHashMap<Var, Var>,
    funcs: FxHashMap<Func, Func>,
    pending: Vec<Func>,
    helpers: Var,
    /// Whether there may be helper invocations.
    has_helpers: bool,
    outlined: Vec<Outlined>,
    errors: Vec<Diagnostic>,
    options: WidenOptions,
    /// Of a function with its interface: the variables of an invocation that it uses.
    inputs: Vec<Var>,
    outputs: Vec<Var>,
    private: Vec<Var>,
}

impl Work {
    fn new(module: &mut Module, options: &WidenOptions) -> Self {
        let mask = module.types.vector(Scalar::Bool, options.lanes);
        let space = if options.interface { AddressSpace::Function } else { AddressSpace::Private };
        let helpers = module.add_var(Name::new("helpers", NameSource::Internal), mask, space);
        Work {
            instead: Replacements::default(),
            n: options.lanes,
            entry: None,
            all_active: options.all_active,
            vars: FxHashMap::default(),
            funcs: FxHashMap::default(),
            pending: Vec::new(),
            helpers,
            has_helpers: options.helpers || module.funcs.values().filter_map(|f| f.body.as_ref()).any(knows_helpers),
            outlined: Vec::new(),
            errors: Vec::new(),
            options: *options,
            inputs: Vec::new(),
            outputs: Vec::new(),
            private: Vec::new(),
        }
    }

    /// Finds the variables of an invocation that a function uses.
    fn find_interface(&mut self, old: &Module, func: Func) {
        let Some(body) = &old.funcs[func].body else { return };
        let used: FxHashSet<Var> = body.all_args().iter().filter_map(|arg| arg.as_var()).collect();
        for &var in old.globals.iter().filter(|var| used.contains(var) && !self.instead.contains_key(var)) {
            match old.vars[var].space {
                AddressSpace::Input => self.inputs.push(var),
                AddressSpace::Output => self.outputs.push(var),
                AddressSpace::Private => self.private.push(var),
                _ => {}
            }
        }
    }

    fn error(&mut self, span: Span, what: &str) {
        self.errors.push(Diagnostic::error(Code::E0604, span, format!("{what} cannot be widened to lanes")));
    }

    /// Reports inputs that tell of subgroups, of which lanes are none.
    fn refuse_subgroups(&mut self, old: &Module) {
        let is_it = |var: Var| old.vars[var].decorations.builtin().filter(|builtin| builtin.is_of_subgroup());
        for body in old.funcs.values().filter_map(|function| function.body.as_ref()) {
            for (node, data) in body.nodes() {
                if let Some(builtin) = body.args(node).iter().find_map(|arg| is_it(arg.as_var()?)) {
                    self.error(data.span, &format!("the input `{}`", builtin.glsl_name()));
                }
            }
        }
    }

    /// The widened function of one; its body is written later.
    fn function(&mut self, module: &mut Module, old: &Module, func: Func) -> Func {
        if let Some(&widened) = self.funcs.get(&func) {
            return widened;
        }
        let source = &old.funcs[func];
        let is_entry = self.entry.is_none();
        self.entry.get_or_insert(func);
        let mut params = Vec::new();
        let further =
            |name: &str, ty: Type| Param { span: source.span, ..Param::new(Name::new(name, NameSource::Internal), ty) };
        let mask = module.types.vector(Scalar::Bool, self.n);
        if !(is_entry && self.all_active) {
            params.push(further("active", mask));
        }
        if self.options.interface && self.options.helpers {
            params.push(further("helpers", mask));
        }
        for var in self.inputs.clone() {
            let types = self.types_of(module, old.vars[var].ty);
            if types.is_none() {
                self.error(old.vars[var].span, "an input of this type");
            }
            params.extend(types.into_iter().flatten().map(|ty| further(&old.vars[var].name.text, ty)));
        }
        for param in &source.params {
            let types = self.types_of(module, param.ty);
            if types.is_none() {
                self.error(param.span, "a parameter of this type");
            }
            params.extend(types.into_iter().flatten().map(|ty| Param { ty, ..param.clone() }));
        }
        let mut results = Vec::new();
        for result in &source.results {
            let types = self.types_of(module, result.ty);
            if types.is_none() {
                self.error(source.span, "a result of this type");
            }
            let precision = result.precision;
            results.extend(types.into_iter().flatten().map(|ty| ResultType { ty, precision }));
        }
        for var in self.outputs.clone() {
            let types = self.types_of(module, old.vars[var].ty);
            if types.is_none() {
                self.error(old.vars[var].span, "an output of this type");
            }
            results.extend(types.into_iter().flatten().map(ResultType::new));
        }
        if self.options.interface && self.has_helpers {
            results.push(ResultType::new(mask));
        }
        let name = Name::new(format!("{}_lanes", source.name.text), NameSource::Internal);
        let widened = module.add_func(name, params, results, source.span);
        if source.body.is_none() {
            self.error(source.span, "a function without a body");
        }
        self.funcs.insert(func, widened);
        self.pending.push(func);
        widened
    }

    /// The types of the components of a value in every lane. A pointer to memory of invocations is one to lanes; other pointers and
    /// handles are the same for all.
    fn types_of(&self, module: &mut Module, ty: Type) -> Option<Vec<Type>> {
        match module.types[ty] {
            TypeKind::Pointer { pointee, space } if is_own(space) => {
                let lanes = lanes_in_memory(module, pointee, self.n)?;
                Some(vec![module.types.pointer(lanes, space)])
            }
            TypeKind::Pointer { .. } | TypeKind::Image(_) | TypeKind::Sampler { .. } => Some(vec![ty]),
            _ => {
                let mut scalars = Vec::new();
                scalars_of(module, ty, &mut scalars)?;
                Some(scalars.into_iter().map(|scalar| module.types.vector(scalar, self.n)).collect())
            }
        }
    }

    /// The variable that is used instead of one, which may be itself.
    fn in_place_of(&self, var: Var) -> Var {
        self.instead.get(&var).copied().unwrap_or(var)
    }

    /// The variable with the lanes of one.
    fn variable(&mut self, module: &mut Module, old: &Module, var: Var) -> Option<Var> {
        if let Some(&lanes) = self.vars.get(&var) {
            return Some(lanes);
        }
        let data = &old.vars[var];
        let ty = lanes_in_memory(module, data.ty, self.n)?;
        let is_local = data.space == AddressSpace::Function || self.options.interface;
        let space = if is_local { AddressSpace::Function } else { AddressSpace::Private };
        let source = if space == AddressSpace::Private { NameSource::Internal } else { data.name.source };
        let lanes = module.add_var(Name::new(data.name.text.clone(), source), ty, space);
        module.vars[lanes].span = data.span;
        self.vars.insert(var, lanes);
        Some(lanes)
    }
}

/// Whether a function makes helper invocations of its lanes, or asks which are.
pub fn knows_helpers(body: &Body) -> bool {
    body.blocks.values().any(|block| block.exit == Exit::Discard)
        || body.nodes().any(|(_, data)| matches!(data.op, Op::Demote | Op::IsHelper))
}

/// Whether each invocation has its own memory of an address space.
fn is_own(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Function | AddressSpace::Private | AddressSpace::Input | AddressSpace::Output)
}

/// Appends the scalars that a value consists of; `None` if it holds anything else.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn scalars_of(module: &Module, ty: Type, out: &mut Vec<Scalar>) -> Option<()> {
    match &module.types[ty] {
        &TypeKind::Scalar(scalar) => out.push(scalar),
        &TypeKind::Vector(scalar, n) => out.extend(std::iter::repeat_n(scalar, n.into())),
        &TypeKind::Matrix { scalar, columns, rows } => {
            out.extend(std::iter::repeat_n(scalar, usize::from(columns) * usize::from(rows)));
        }
        &TypeKind::Array { element, len } => {
            let mut one = Vec::new();
            scalars_of(module, element, &mut one)?;
            (0..len).for_each(|_| out.extend_from_slice(&one));
        }
        TypeKind::Struct(s) => return s.members.iter().try_for_each(|m| scalars_of(module, m.ty, out)),
        _ => return None,
    }
    Some(())
}

/// The type of memory with the lanes of each component of a value.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn lanes_in_memory(module: &mut Module, ty: Type, n: u8) -> Option<Type> {
    Some(match module.types[ty].clone() {
        TypeKind::Scalar(scalar) => module.types.vector(scalar, n),
        TypeKind::Vector(scalar, size) => {
            let lanes = module.types.vector(scalar, n);
            module.types.array(lanes, size.into())
        }
        TypeKind::Matrix { scalar, columns, rows } => {
            let lanes = module.types.vector(scalar, n);
            let column = module.types.array(lanes, rows.into());
            module.types.array(column, columns.into())
        }
        TypeKind::Array { element, len } => {
            let lanes = lanes_in_memory(module, element, n)?;
            module.types.array(lanes, len)
        }
        TypeKind::Struct(s) => {
            let mut members = Vec::new();
            for member in &s.members {
                let ty = lanes_in_memory(module, member.ty, n)?;
                members.push(Member { ty, decorations: Decorations::new(), ..member.clone() });
            }
            let name: Arc<str> = format!("{}_lanes{n}", s.name).into();
            module.types.intern(TypeKind::Struct(Arc::new(StructType { name, members, is_block: false })))
        }
        _ => return None,
    })
}

/// The constant with the lanes of a constant, as memory has it.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn constant_in_memory(b: &mut Builder<'_, '_>, constant: planish_ir::entity::Const, n: u8) -> Option<Value> {
    let data = b.module.consts[constant].clone();
    let ty = lanes_in_memory(b.module, data.ty, n)?;
    match data.value {
        ConstValue::Bits(bits) => Some(b.module.consts.splat(&mut b.module.types, ty, bits)?.into()),
        ConstValue::Composite(parts) => {
            let parts: Option<Vec<_>> = parts.iter().map(|&part| constant_in_memory(b, part, n)?.as_const()).collect();
            Some(b.module.consts.composite(ty, parts?).into())
        }
        _ => None,
    }
}

//! Ops of the user's own: rows that a module has beside the op table.
//!
//! A row gives the name, the signature, the effect, the cost and the phase that lowers the op to others; a meaning, if there is one,
//! is a function of the host. The nodes are of three ops of the table, which passes treat by their effect: `custom` is pure
//! (shared, moved, dropped), `custom_trapping` may trap, `custom_ordered` is ordered with everything that has an effect. Which row
//! a node is of, and the types of its operands and results, is its immediate.
//!
//! ```text
//! op mat_vec pure cost 64 phase loops                                  a row; each node has types of its own
//! op twice fn(f32) -> (f32) pure cost 1 phase scalars                  a row with the one signature that it takes
//!
//! %2 = custom[mat_vec fn([3 x [3 x f32]], [3 x f32]) -> ([3 x f32])] %0, %1
//! %3 = custom[twice] 4.0
//! ```
//!
//! No back end knows these ops: whatever is left of them when a target is written is an error ([`unlowered`]). A row can also be an
//! instruction of SPIR-V, which that target writes ([`crate::spirv`]).
//!
//! # Example
//! ```
//! use planish_ir::builder::{Builder, Policy};
//! use planish_ir::custom::{CustomOpData, Meaning};
//! use planish_ir::entity::Type;
//! use planish_ir::module::{Language, Module};
//!
//! let mut module = Module::new(Language::Ir);
//! let signature = module.types.function(&[Type::F32], &[Type::F32]);
//! let twice = CustomOpData {
//!     signature: Some(signature),
//!     meaning: Some(Meaning::new(|call, results| {
//!         let x = f32::from_bits(call.operands[0].bits[0] as u32);
//!         results.push((x + x).to_bits().into());
//!         Ok(())
//!     })),
//!     ..CustomOpData::new("twice")
//! };
//! let twice = module.add_custom_op(twice);
//! let mut b = Builder::outside(&mut module, Policy::PLAIN);
//! let four = b.f32(4.0);
//! assert_eq!(b.custom(twice, &[four])[0], b.f32(8.0));
//! ```

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::builder::{Builder, Request, Results};
use crate::diagnostic::{Code, Diagnostic};
use crate::entity::{Const, CustomOp, Node, Type, Value};
use crate::function::{Body, Form};
use crate::meaning::Shape;
use crate::module::{Language, Module};
use crate::ops::{Class, Imm, Op, TypeError};
use crate::spirv::{self, SpirvInstruction};
use crate::types::{TypeKind, Types};
use crate::walk;

pub use crate::meaning::{Fault, Operand};

/// Effect of an op of the user's own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CustomEffect {
    /// None: equal operands give equal results anywhere.
    #[default]
    Pure,
    /// None, but it may trap instead of giving results.
    MayTrap,
    /// Ordered with everything that has an effect.
    Ordered,
}

impl CustomEffect {
    /// Every effect.
    pub const ALL: [CustomEffect; 3] = [CustomEffect::Pure, CustomEffect::MayTrap, CustomEffect::Ordered];

    /// Its word in the text form.
    pub fn name(self) -> &'static str {
        match self {
            CustomEffect::Pure => "pure",
            CustomEffect::MayTrap => "may_trap",
            CustomEffect::Ordered => "ordered",
        }
    }

    /// The op of the table that nodes with this effect have.
    pub fn op(self) -> Op {
        match self {
            CustomEffect::Pure => Op::Custom,
            CustomEffect::MayTrap => Op::CustomTrapping,
            CustomEffect::Ordered => Op::CustomOrdered,
        }
    }
}

/// One application of an op, as its meaning sees it.
#[derive(Clone, Copy, Debug)]
pub struct Application<'a> {
    /// The types of the module.
    pub types: &'a Types,
    /// Operands: their types and the bits of their components, those of arrays and structs one part after the other.
    pub operands: &'a [Operand<'a>],
    /// Types of the results.
    pub results: &'a [Type],
}

type MeaningFn = dyn Fn(&Application<'_>, &mut Vec<u64>) -> Result<(), Fault> + Send + Sync;
type TypeRuleFn = dyn Fn(&mut Types, &[Type]) -> Result<Vec<Type>, String> + Send + Sync;

/// Meaning of an op of the user's own: a function of the host that appends the components of all results.
#[derive(Clone)]
pub struct Meaning(Arc<MeaningFn>);

impl Meaning {
    /// A meaning. It is called wherever all operands are constants, and by the evaluator.
    pub fn new(meaning: impl Fn(&Application<'_>, &mut Vec<u64>) -> Result<(), Fault> + Send + Sync + 'static) -> Self {
        Meaning(Arc::new(meaning))
    }
}

/// Type rule of an op that takes operands of several types: the types of the results, or a message why the operands do not fit.
#[derive(Clone)]
pub struct TypeRule(Arc<TypeRuleFn>);

impl TypeRule {
    /// A type rule.
    pub fn new(rule: impl Fn(&mut Types, &[Type]) -> Result<Vec<Type>, String> + Send + Sync + 'static) -> Self {
        TypeRule(Arc::new(rule))
    }

    /// Types of the results on operands of these types.
    ///
    /// # Errors
    /// If the operands do not fit.
    pub fn results(&self, types: &mut Types, operands: &[Type]) -> Result<Vec<Type>, String> {
        (self.0)(types, operands)
    }
}

impl fmt::Debug for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meaning")
    }
}

impl fmt::Debug for TypeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypeRule")
    }
}

/// An op of the user's own.
#[derive(Clone, Debug)]
pub struct CustomOpData {
    /// Its name, unique in the module.
    pub name: Arc<str>,
    /// The function type that every node has; `None` if operands of several types fit.
    pub signature: Option<Type>,
    /// Types of the results where `signature` is `None`; without it each node is made with its result types. Not part of the text
    /// form.
    pub rule: Option<TypeRule>,
    /// Its effect.
    pub effect: CustomEffect,
    /// Its cost, in the unit of the cost table (about simple operations).
    pub cost: u32,
    /// Name of the phase that lowers it; empty: none does.
    pub phase: Arc<str>,
    /// The instruction of SPIR-V that it is, if it is one that the IR has no op for.
    pub spirv: Option<SpirvInstruction>,
    /// Its meaning; without one it is never folded, and no evaluator runs it. Not part of the text form.
    pub meaning: Option<Meaning>,
}

impl CustomOpData {
    /// A pure op for operands of any types, of cost 1, without a phase.
    pub fn new(name: &str) -> Self {
        CustomOpData {
            name: name.into(),
            signature: None,
            rule: None,
            effect: CustomEffect::Pure,
            cost: 1,
            phase: "".into(),
            spirv: None,
            meaning: None,
        }
    }
}

impl Module {
    /// Adds an op of the user's own. If the module has one of this name already (it was read as text), the row is replaced.
    pub fn add_custom_op(&mut self, data: CustomOpData) -> CustomOp {
        match self.custom_op(&data.name) {
            Some(op) => {
                self.custom_ops[op] = data;
                op
            }
            None => self.custom_ops.push(data),
        }
    }

    /// The op of the user's own with this name.
    pub fn custom_op(&self, name: &str) -> Option<CustomOp> {
        self.custom_ops.iter().find(|(_, data)| *data.name == *name).map(|(op, _)| op)
    }

    /// The row of a node, if it is of an op of the user's own.
    pub fn custom_of(&self, op: Op, imm: Imm) -> Option<&CustomOpData> {
        (op.info().class == Class::Custom).then(|| self.custom_ops.get(imm.as_custom().0)).flatten()
    }
}

impl Builder<'_, '_> {
    /// The results of an op of the user's own.
    ///
    /// # Panics
    /// If the operands do not fit the op: a mistake of the caller.
    pub fn custom(&mut self, op: CustomOp, args: &[Value]) -> Results {
        match self.try_custom(op, args) {
            Ok(results) => results,
            Err(error) => panic!("{}: {}", self.module.custom_ops[op].name, error.0),
        }
    }

    /// As [`Builder::custom`].
    ///
    /// # Errors
    /// If the operands do not fit the op, or it has neither a signature nor a type rule.
    pub fn try_custom(&mut self, op: CustomOp, args: &[Value]) -> Result<Results, TypeError> {
        let operands: SmallVec<[Type; 8]> = args.iter().map(|&arg| self.type_of(arg)).collect();
        let row = &self.module.custom_ops[op];
        let (effect, rule) = (row.effect, row.rule.clone());
        let ty = match (row.signature, rule) {
            (Some(signature), _) => signature,
            (None, Some(rule)) => {
                let results = rule.results(&mut self.module.types, &operands).map_err(TypeError)?;
                self.module.types.function(&operands, &results)
            }
            (None, None) => return Err(TypeError("the types of the results must be given".into())),
        };
        self.try_make(Request::new(effect.op(), args).imm(Imm::custom(op, ty)))
    }

    /// As [`Builder::custom`], with the types of the results, for ops without a signature and a type rule.
    ///
    /// # Panics
    /// If the op has a signature, and it is another.
    pub fn custom_typed(&mut self, op: CustomOp, args: &[Value], results: &[Type]) -> Results {
        let operands: SmallVec<[Type; 8]> = args.iter().map(|&arg| self.type_of(arg)).collect();
        let ty = self.module.types.function(&operands, results);
        let row = &self.module.custom_ops[op];
        assert!(row.signature.is_none_or(|signature| signature == ty), "{} has another signature", row.name);
        let effect = row.effect;
        self.make_all(Request::new(effect.op(), args).imm(Imm::custom(op, ty)))
    }
}

/// Appends the components of all results of an op of the user's own.
///
/// # Errors
/// [`Fault::NoMeaning`] if it has no meaning, or one that gives another number of components than its results have.
pub fn evaluate(module: &Module, imm: Imm, operands: &[Operand<'_>], out: &mut Vec<u64>) -> Result<(), Fault> {
    let (op, ty) = imm.as_custom();
    let meaning = module.custom_ops.get(op).and_then(|row| row.meaning.as_ref()).ok_or(Fault::NoMeaning)?;
    let TypeKind::Function { results, .. } = &module.types[ty] else { return Err(Fault::NoMeaning) };
    let before = out.len();
    (meaning.0)(&Application { types: &module.types, operands, results }, out)?;
    let wanted = results.iter().map(|&ty| module.types.components(ty)).sum::<Option<usize>>();
    if wanted == Some(out.len() - before) { Ok(()) } else { Err(Fault::NoMeaning) }
}

/// The constant that a pure op of the user's own with one result gives on constants.
pub(crate) fn fold(module: &mut Module, imm: Imm, args: &[Const], ty: Type) -> Option<Const> {
    module.custom_ops.get(imm.as_custom().0)?.meaning.as_ref()?;
    let (mut bits, mut ends) = (Vec::new(), Vec::new());
    for &arg in args {
        module.consts.flatten(arg, &mut bits).then_some(())?;
        ends.push(bits.len());
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let operands: Vec<Operand<'_>> = (args.iter().zip(starts.zip(&ends)))
        .map(|(&arg, (start, &end))| Operand { ty: module.consts[arg].ty, bits: &bits[start..end] })
        .collect();
    let mut out = Vec::new();
    evaluate(module, imm, &operands, &mut out).ok()?;
    module.consts.unflatten(&mut module.types, ty, &mut out.into_iter())
}

/// The nodes of a body in either form.
pub(crate) fn nodes(body: &Body) -> Vec<Node> {
    match body.form {
        Form::Placed => walk::blocks(body).flat_map(|block| body.blocks[block].nodes.iter().copied()).collect(),
        Form::Floating => body.nodes().map(|(node, _)| node).collect(),
    }
}

/// Whether a node is an instruction that only SPIR-V has.
pub(crate) fn is_spirv(module: &Module, body: &Body, node: Node) -> bool {
    let data = body.node(node);
    module.custom_of(data.op, data.imm).is_some_and(|row| row.spirv.is_some())
}

/// The ops of the user's own that are left in a module, each where it stands, as errors: no target has them. `target`: a language that has
/// its own instructions.
pub fn unlowered(module: &Module, target: Option<Language>) -> Vec<Diagnostic> {
    if module.custom_ops.is_empty() {
        return Vec::new();
    }
    let is_known = |body: &Body, node: Node| target == Some(Language::Spirv) && is_spirv(module, body, node);
    let mut errors = Vec::new();
    for body in module.funcs.values().filter_map(|function| function.body.as_ref()) {
        let unknown = nodes(body).into_iter().filter(|&node| !is_known(body, node));
        errors.extend(unknown.filter_map(|node| unlowered_node(module, body, node)));
    }
    errors
}

/// Whether a module has nothing but what all targets know.
///
/// # Errors
/// [`unlowered`], and those of [`spirv::check`].
pub fn check(module: &Module) -> Result<(), Vec<Diagnostic>> {
    check_for(module, None)
}

/// As [`check`], for a target that may be a language with instructions and types of its own.
///
/// # Errors
/// As [`check`].
pub fn check_for(module: &Module, target: Option<Language>) -> Result<(), Vec<Diagnostic>> {
    if target != Some(Language::Spirv) {
        spirv::check(module)?;
    }
    let errors = unlowered(module, target);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The error for a node of an op of the user's own; `None` for other nodes.
pub fn unlowered_node(module: &Module, body: &Body, node: Node) -> Option<Diagnostic> {
    let data = body.node(node);
    let row = module.custom_of(data.op, data.imm)?;
    let (name, phase) = (&row.name, &row.phase);
    let (code, message, help) = match (&row.spirv, phase.is_empty()) {
        (Some(_), _) => (
            Code::E0604,
            format!("only SPIR-V has the instruction `{name}`"),
            "write SPIR-V (`--emit=spirv`), or compile the shader without the feature".into(),
        ),
        (None, true) => (
            Code::E0710,
            format!("no target has the op `{name}`, and no phase lowers it"),
            format!("name a phase in the row of `{name}`, and give the optimizer one of that name (`Options::phases`)"),
        ),
        (None, false) => (
            Code::E0710,
            format!("no target has the op `{name}`, which the phase `{phase}` should have lowered"),
            format!("give the optimizer a phase `{phase}` that lowers `{name}` (`Options::phases`)"),
        ),
    };
    Some(Diagnostic::error(code, data.span, message).help(help))
}

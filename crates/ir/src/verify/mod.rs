//! The verifier: says everything that is wrong with a module, in terms of the IR. Linear in the size of the module; it
//! changes nothing and never panics on a malformed module.
//!
//! What holds for a valid module, by the room that checks it:
//!
//! **Module** (`module.rs`)
//! - Types: parts exist and are older; vectors have 2 to 4 components, matrices 2 to 4 columns and rows of floats, arrays
//!   at least one element; no part, pointee, parameter or result is `void`; a runtime-sized array is the last member of a
//!   struct, or stands on its own behind a pointer.
//! - Constants: bits belong to scalars and fit them (a `bool` is 0 or 1), null to references; a composite has one part
//!   for each part of its type, of that part's type, and older than itself.
//! - Variables: a type that is not `void`; `pointer` is the pointer to `ty` in `space`; opaque objects stand in `handle`
//!   space, or as members of a struct in `uniform` space, and `handle` space holds nothing else; an initializer has the
//!   variable's type and does not stand in `input`, `storage`, `push_constant`, `workgroup` or `handle` space; a
//!   variable of booleans has no precision. `globals` lists variables that are not in `function` space, each once.
//! - Functions: `ty` is the type of the signature; an `out` or `inout` parameter is a pointer into `function` space, a
//!   `noalias` one a pointer; an imported function has no body.
//! - Entry points: the function exists and has a body (an export without a stage may be an import); that of a stage has
//!   neither parameters nor results; a name belongs to one entry point of a stage; properties belong to the stage; local
//!   sizes are not 0. What a stage calls, directly or not, holds nothing that only other stages can do.
//! - Memories, tables and segments: limits in order, references in tables, segments in existing memories and tables at
//!   constant offsets or offsets in `private` `i32` variables.
//!
//! **Structure** (`exits.rs`, `function.rs`)
//! - Every block that can be reached hangs from exactly one other block and is ended.
//! - `Merge` ends an arm of an `If` or the body of a `Labelled`, `LoopIf` a loop's condition, `Passthrough` a case that is
//!   not the last. A case has no other end of its own but `Break`; a loop's body and continue block none but `Continue`.
//!   Any of them may also leave further out, return, discard or trap.
//! - `Break` names a `Loop`, `DoLoop`, `Switch` or `Labelled` around it, `Continue` a `Loop` or `DoLoop` around it. Neither
//!   names a `Loop` in whose condition it stands; `Continue` does not name a `DoLoop` in whose condition it stands. So the
//!   values of a `Loop`'s condition are there wherever the loop goes on.
//! - Whoever jumps to a block feeds its inputs: as many values, of their types. Nobody feeds arms of `If`, cases, bodies of
//!   `Labelled` and blocks after `NextBlock`, so they have no inputs. A condition is a `bool`, a selector an integer; case
//!   values have the selector's type and occur once; at most one case is the default, and then no value is given for
//!   "no case".
//! - The entry block's inputs are the parameters; returned values are the results.
//!
//! **Scopes and effects** (`function.rs`)
//! - A value is used only where [`crate::function::Exit`] says that it may be. In the placed form every used node is listed
//!   exactly once, before its users. In the floating form nodes with an effect are, and pure nodes are not listed at all, but what
//!   they are made of is visible at each of their users.
//! - A variable in `function` space is declared by one block and used only where that block's values may be; any other
//!   that is used is listed in `globals`.
//! - Operands are older than the node.
//!
//! **Nodes** (`node.rs`)
//! - The op takes operands of these types ([`crate::ops::infer`]), and gives results of these; the immediate names existing
//!   things; tables hold what is put into them; no swizzle with a component twice is written through.
//! - A result has its node's precision, or, if it is boolean or a struct, none. Inputs of boolean type have none.
//!
//! **Promises** (`promises.rs`)
//! - What a call passes to a parameter that is `out`, `inout` or `noalias` is not reached in another way by the callee, as far as roots
//!   and constant steps tell, if it is written ([`crate::aliasing`]).
mod exits;
mod function;
mod module;
mod node;
mod promises;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::diagnostic::{Code, Diagnostic};
use crate::entity::{Block, Func, Node, Type, Var};
use crate::module::{Module, Stage};
use crate::source::Span;
use crate::text::type_text;
use crate::types::Types;

/// Something that is wrong with a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// In which function, if in one.
    pub func: Option<Func>,
    /// In which block, if in one.
    pub block: Option<Block>,
    /// At which node, if at one; otherwise it is about the block or its exit.
    pub node: Option<Node>,
    /// What, in terms of the IR.
    pub message: String,
    /// Where in the source.
    pub span: Span,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(func) = self.func {
            write!(f, "{func}")?;
            if let Some(block) = self.block {
                write!(f, ", {block}")?;
            }
            if let Some(node) = self.node {
                write!(f, ", {node}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl VerifyError {
    /// As a diagnostic, for the driver.
    pub fn to_diagnostic(&self) -> Diagnostic {
        Diagnostic::error(Code::E0902, self.span, self.to_string())
    }
}

/// Everything that is wrong with a module; empty if it is valid. If types or constants are wrong, nothing else is looked
/// at, because everything else is made of them.
pub fn verify(module: &Module) -> Vec<VerifyError> {
    let mut verifier = Verifier::new(module);
    verifier.check_types_and_constants();
    if !verifier.errors.is_empty() {
        return verifier.errors;
    }
    verifier.check_module();
    for func in module.funcs.keys() {
        verifier.check_function(func);
    }
    verifier.check_stages();
    if verifier.errors.is_empty() {
        verifier.check_promises();
    }
    verifier.errors
}

/// Everything that is wrong with one function of a module whose own parts are valid.
pub fn verify_function(module: &Module, func: Func) -> Vec<VerifyError> {
    let mut verifier = Verifier::new(module);
    verifier.check_function(func);
    verifier.errors
}

/// Something that only some stages can run.
struct StageNeed {
    stages: &'static [Stage],
    block: Block,
    node: Option<Node>,
    what: &'static str,
    span: Span,
}

/// What a function asks of the stages that call it.
#[derive(Default)]
struct FunctionFacts {
    needs: Vec<StageNeed>,
    callees: Vec<Func>,
}

struct Verifier<'m> {
    module: &'m Module,
    /// A copy, because inference interns types; that of a valid module makes none that is not there.
    types: Types,
    errors: Vec<VerifyError>,
    /// By variable: whether `globals` lists it.
    is_global: Vec<bool>,
    /// By variable: which function declares it.
    declared_in: Vec<Option<Func>>,
    /// By variable: the serial number of the scope that declares it; 0 if none has yet.
    var_scopes: Vec<u32>,
    /// The last scope's number. Unique over all functions, so that nothing of one is visible in another.
    last_scope: u32,
    facts: Vec<FunctionFacts>,
    /// Room for the operand types of the node that is being checked.
    operand_types: Vec<Type>,
}

impl<'m> Verifier<'m> {
    fn new(module: &'m Module) -> Self {
        let mut is_global = vec![false; module.vars.len()];
        for var in &module.globals {
            if let Some(flag) = is_global.get_mut(var.as_u32() as usize) {
                *flag = true;
            }
        }
        Verifier {
            module,
            types: module.types.clone(),
            errors: Vec::new(),
            is_global,
            declared_in: vec![None; module.vars.len()],
            var_scopes: vec![0; module.vars.len()],
            last_scope: 0,
            facts: module.funcs.keys().map(|_| FunctionFacts::default()).collect(),
            operand_types: Vec::new(),
        }
    }

    /// An error that is in no function.
    fn error(&mut self, span: Span, message: String) {
        self.errors.push(VerifyError { func: None, block: None, node: None, message, span });
    }

    fn type_text(&self, ty: Type) -> String {
        type_text(&self.types, ty)
    }

    fn var_text(&self, var: Var) -> String {
        match self.module.vars.get(var) {
            Some(data) => format!("variable {var} '{}'", data.name.text),
            None => format!("variable {var}"),
        }
    }

    fn is_type(&self, ty: Type) -> bool {
        (ty.as_u32() as usize) < self.module.types.len()
    }

    /// Whether a value of the type has no precision because it holds nothing but booleans.
    fn is_boolean(&self, ty: Type) -> bool {
        self.types.scalar_of(ty) == Some(crate::types::Scalar::Bool)
    }
}

//! The verifier: reports all errors of a module, in terms of the IR. Linear in the size of the module; it changes
//! nothing and never panics on a malformed module.
//!
//! Rules of a valid module, by the file that checks them:
//!
//! **Module** (`module.rs`)
//! - Types: parts exist and are older; vectors have 2 to 4 components, matrices 2 to 4 columns and rows of floats, arrays
//!   at least one element; no part, pointee, parameter or result is `void`; a runtime-sized array is the last member of a
//!   struct, or a pointee.
//! - Constants: bits belong to scalars and fit them (a `bool` is 0 or 1), null to references; a composite has one part
//!   for each part of its type, of that part's type, and older than itself.
//! - Variables: a type that is not `void`; `pointer` is the pointer to `ty` in `space`; opaque objects are in `handle`
//!   space, or members of a struct in `uniform` space, and `handle` space contains nothing else; an initializer has the
//!   variable's type and is not allowed in `input`, `storage`, `workgroup` or `handle` space; a
//!   variable of booleans has no precision. `globals` lists variables that are not in `function` space, each once.
//! - Functions: `ty` is the type of the signature; an `out` or `inout` parameter is a pointer into `function` space, a
//!   `noalias` one a pointer; an imported function has no body. A signature has a scalar for each parameter and result,
//!   all of which are scalars; parts of a record have different names or none; elements of a list have the same types.
//! - Entry points: the function exists and has a body (an export without a stage may be an import); that of a stage has
//!   neither parameters nor results; a name belongs to one entry point of a stage; properties belong to the stage;
//!   local sizes are not 0. A stage calls, directly or not, no feature that is restricted to other stages.
//! - Memories, tables and segments: limits in order, references in tables, segments in existing memories and tables at
//!   constant offsets or offsets in `private` `i32` variables.
//!
//! **Structure** (`exits.rs`, `function.rs`)
//! - Every reachable block has exactly one parent and an exit.
//! - `Merge` ends an arm of an `If` or the body of a `Labelled`, `LoopIf` the condition of a loop, `Passthrough` a case
//!   that is not the last. The regular end of a case is `Break`, that of a loop's body and continue block `Continue`.
//!   All of them may also exit to an outer construct, return, discard or trap.
//! - `Break` names an enclosing `Loop`, `DoLoop`, `Switch` or `Labelled`, `Continue` an enclosing `Loop` or `DoLoop`.
//!   Neither names a `Loop` from within its condition; `Continue` does not name a `DoLoop` from within its condition.
//!   The values of a `Loop`'s condition are therefore defined wherever the loop continues.
//! - A jump passes as many values as the target has inputs, of their types. Arms of `If`, cases, bodies of `Labelled`
//!   and blocks after `NextBlock` take no arguments, so they have no inputs. A condition is a `bool`, a selector an
//!   integer; case values have the selector's type and occur once; at most one case is the default, and then there are
//!   no arguments for "no case".
//! - The entry block's inputs are the parameters; returned values are the results.
//!
//! **Scopes and effects** (`function.rs`)
//! - A value is used only where [`crate::function::Exit`] allows it. In the placed form every used node is listed
//!   exactly once, before its users. In the floating form this holds for nodes with an effect; pure nodes are not
//!   listed, but their operands are visible at each of their users.
//! - A variable in `function` space is declared by one block and used only where values of that block may be used; any
//!   other used variable is listed in `globals`.
//! - Operands are older than the node.
//!
//! **Nodes** (`node.rs`)
//! - The operand types fit the op ([`crate::ops::infer`]), and the result types are the inferred ones; the immediate
//!   names existing entities; stores to tables have their element type; a swizzle that repeats a component is not
//!   written through.
//! - A result has its node's precision, or, if it is boolean or a struct, none. Inputs of boolean type have none.
//!
//! **Restrictions** (`restrictions.rs`)
//! - A pointer leads to one variable or parameter: it is neither one of several (an input of a block, an operand of `select`) nor
//!   contained in memory or a composite. So every access names its allocation site, and memory that changes contains none that changes.
//!
//! **Promises** (`promises.rs`)
//! - Memory passed to an `out`, `inout` or `noalias` parameter is not accessed in another way by the callee, as far as
//!   roots and constant steps tell, if it is written ([`crate::aliasing`]).
mod exits;
mod function;
mod module;
mod node;
mod promises;
mod restrictions;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::diagnostic::{Code, Diagnostic};
use crate::entity::{Block, Func, Node, Type, Var};
use crate::module::{Module, Stage};
use crate::source::Span;
use crate::text::type_text;
use crate::types::Types;

/// An error of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The function, if the error is in one.
    pub func: Option<Func>,
    /// The block, if the error is in one.
    pub block: Option<Block>,
    /// The node, if the error is in one; otherwise it concerns the block or its exit.
    pub node: Option<Node>,
    /// Description, in terms of the IR.
    pub message: String,
    /// Location in the source.
    pub span: Span,
    /// The place of the memory that a pointer leads to, if it is used in a way that is restricted.
    pub memory: Option<Span>,
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
    /// The error as a diagnostic, for the driver.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let Some(memory) = self.memory else { return Diagnostic::error(Code::E0902, self.span, self.to_string()) };
        let help = "copy the memory into a variable of its own, or choose between values that are loaded";
        Diagnostic::error(Code::E0904, self.span, self.to_string())
            .also(memory, "the memory is declared here")
            .help(help)
    }
}

/// All errors of a module; empty if it is valid. Errors in types or constants suppress all other checks, which depend
/// on them.
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

/// All errors of one function of a module whose other parts are valid.
pub fn verify_function(module: &Module, func: Func) -> Vec<VerifyError> {
    let mut verifier = Verifier::new(module);
    verifier.check_function(func);
    verifier.errors
}

/// A feature that is restricted to some stages.
struct StageNeed {
    stages: &'static [Stage],
    block: Block,
    node: Option<Node>,
    what: &'static str,
    span: Span,
}

/// Requirements of a function on the stages that call it.
#[derive(Default)]
struct FunctionFacts {
    needs: Vec<StageNeed>,
    callees: Vec<Func>,
}

struct Verifier<'m> {
    module: &'m Module,
    /// A copy, because inference interns types; for a valid module it adds none.
    types: Types,
    errors: Vec<VerifyError>,
    /// By variable: whether `globals` lists it.
    is_global: Vec<bool>,
    /// By variable: the function that declares it; `None` for globals.
    declared_in: Vec<Option<Func>>,
    /// By variable: the serial number of the scope that declares it; 0 if none has yet.
    var_scopes: Vec<u32>,
    /// Number of the last scope. Unique over all functions, so that values of one are not visible in another.
    last_scope: u32,
    facts: Vec<FunctionFacts>,
    /// Scratch: operand types of the node being checked.
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

    /// Reports an error outside of functions.
    fn error(&mut self, span: Span, message: String) {
        self.errors.push(VerifyError { func: None, block: None, node: None, message, span, memory: None });
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

    /// Whether values of the type have no precision because they consist of booleans only.
    fn is_boolean(&self, ty: Type) -> bool {
        self.types.scalar_of(ty) == Some(crate::types::Scalar::Bool)
    }
}

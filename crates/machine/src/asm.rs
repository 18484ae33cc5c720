//! What the compilation of a function gives.

use planish_ir::entity::Func;
use planish_ir::source::Span;

/// A function as linear code: its directives, and what its frame is like.
///
/// Registers count from the frame's first word. When it is called, the arguments are in the registers from 0 on; when it
/// returns, so are the results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionAsm<D> {
    /// Which function of the module.
    pub func: Func,
    /// The code. It begins at the first directive.
    pub directives: Vec<D>,
    /// Where each directive comes from.
    pub spans: Vec<Span>,
    /// Labels are numbers below this one.
    pub labels: u32,
    /// Words of the frame: every register that the code names is below this number, and so are the arguments, results and
    /// prelude of its callees (but not what else their frames need).
    pub frame: u32,
    /// Words of the arguments.
    pub args: u32,
    /// Words of the results.
    pub results: u32,
}

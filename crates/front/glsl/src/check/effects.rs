//! Effects of expressions, computed for all of them in one sweep before lowering.
//!
//! Loads of variables are delayed until their value is needed, but not past an operand that may change them; and `&&`
//! and `||` evaluate both sides if that is unobservable.

use crate::ast::*;
use crate::builtins::POSITIONS;
use crate::symbol::{Interner, Symbol};
use rustc_hash::FxHashSet;

/// The effects of each expression, by id.
pub(super) struct Effects {
    facts: Vec<u8>,
    /// Names of functions with `out` or `inout` parameters.
    writing: FxHashSet<Symbol>,
}

/// It may write a variable, or have another observable effect.
const WRITES: u8 = 1;
/// Calls a function, takes a derivative or samples a texture: not to be evaluated speculatively.
const HEAVY: u8 = 2;

impl Effects {
    /// Looks at all expressions of a tree; linear.
    pub(super) fn of(ast: &Ast, names: &Interner) -> Self {
        let mut callees = Callees { classes: vec![UNKNOWN; names.len()], names };
        for function in &ast.functions {
            callees.classes[function.name.symbol.index()] = WRITES | HEAVY;
        }
        let mut facts = vec![0u8; ast.exprs.len()];
        for (index, expr) in ast.exprs.iter().enumerate() {
            let id = ExprId::new(index);
            let own = match expr.kind {
                ExprKind::Assign { .. } | ExprKind::Postfix { .. } => WRITES,
                ExprKind::Prefix { op: PrefixOp::Increment | PrefixOp::Decrement, .. } => WRITES,
                ExprKind::Call { callee, .. } => match ast[callee].kind {
                    ExprKind::Name(symbol) => callees.class(symbol),
                    _ => 0,
                },
                _ => 0,
            };
            let mut all = own;
            ast.for_each_operand(id, |operand| all |= facts[operand.index()]);
            facts[index] = all;
        }
        let writes = |q: &Qualifier| matches!(q.kind, QualifierKind::Out | QualifierKind::InOut);
        let has_out = |f: &&FunctionProto| ast[f.params].iter().any(|p| ast[p.qualifiers].iter().any(writes));
        let mut writing: FxHashSet<Symbol> = ast.functions.iter().filter(has_out).map(|f| f.name.symbol).collect();
        writing.extend(WRITING.iter().filter_map(|name| names.get(name)));
        Effects { facts, writing }
    }

    /// Whether it may write a variable or has an observable effect.
    pub(super) fn writes(&self, expr: ExprId) -> bool {
        self.facts[expr.index()] & WRITES != 0
    }

    /// Whether some function of this name writes to arguments.
    pub(super) fn callee_writes_arguments(&self, name: Symbol) -> bool {
        self.writing.contains(&name)
    }

    /// Whether it must not be evaluated speculatively.
    pub(super) fn must_be_guarded(&self, expr: ExprId) -> bool {
        self.facts[expr.index()] != 0
    }
}

const UNKNOWN: u8 = 0xff;

/// Classes of callees, by symbol.
struct Callees<'a> {
    classes: Vec<u8>,
    names: &'a Interner,
}

impl Callees<'_> {
    fn class(&mut self, symbol: Symbol) -> u8 {
        let known = self.classes[symbol.index()];
        if known != UNKNOWN {
            return known;
        }
        let class = builtin_class(self.names.resolve(symbol));
        self.classes[symbol.index()] = class;
        class
    }
}

/// Built-in functions that write to arguments.
const WRITING: [&str; 7] = ["modf", "frexp", "uaddCarry", "usubBorrow", "umulExtended", "imulExtended", POSITIONS];

/// Whether a built-in function of this name writes to arguments.
pub(super) fn writes_arguments(name: &str) -> bool {
    WRITING.contains(&name)
}

/// The class of a built-in function, by its name; a conservative answer only constrains order.
fn builtin_class(name: &str) -> u8 {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
    if begins(&["atomic", "imageAtomic", "imageStore", "memoryBarrier", "groupMemoryBarrier", "Emit", "End"])
        || begins(&[
            "rayQuery",
            "trace",
            "executeCallable",
            "reportIntersection",
            "ignoreIntersection",
            "terminateRay",
            "SetMeshOutputs",
        ])
        || matches!(name, "barrier" | "controlBarrier")
        || writes_arguments(name)
    {
        WRITES | HEAVY
    } else if begins(&["texture", "texel", "shadow", "dFd", "fwidth", "image", "interpolate", "subpass", "rect"]) {
        HEAVY
    } else {
        0
    }
}

//! Functions and variables reachable from the entry points, callees before callers.

use planish_ir::arena::Id;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type, Value, ValueKind, Var};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};
use planish_ir::walk;

/// Functions and variables that are reached.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Functions, callees first.
    pub funcs: Vec<Func>,
    /// By variable number.
    pub vars: Vec<bool>,
}

/// Calls `f` for every operand in the reachable blocks of a body.
pub fn for_each_operand(body: &Body, mut f: impl FnMut(Value)) {
    for block in walk::blocks(body) {
        let data = &body.blocks[block];
        for &node in &data.nodes {
            body.args(node).iter().copied().for_each(&mut f);
        }
        data.exit.for_each_operand(&mut f);
    }
}

impl Reach {
    /// Whether numbers of a type are computed, passed or stored by what is reached.
    pub fn uses(&self, module: &Module, scalar: Scalar) -> bool {
        let holds = |ty: Type| {
            let ty = module.types.pointee(ty).map_or(ty, |(pointee, _)| pointee);
            module.types.contains(ty, &mut |kind| match kind {
                TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } => *s == scalar,
                _ => false,
            })
        };
        let reached = |&var: &Var| self.vars.get(var.index()).copied().unwrap_or(false);
        module.globals.iter().filter(|var| reached(var)).any(|&var| holds(module.vars[var].ty))
            || self
                .funcs
                .iter()
                .filter_map(|&func| module.funcs[func].body.as_ref())
                .any(|body| body.locals().any(|(_, local)| holds(local.ty)))
    }

    /// Number of elements of an array (such as `gl_FragData`) in use: up to the highest constant index, or all `len`.
    pub fn used_elements(&self, module: &Module, array: Var, len: u32) -> u32 {
        let mut used = 0;
        for body in self.funcs.iter().filter_map(|&func| module.funcs[func].body.as_ref()) {
            for &node in walk::blocks(body).flat_map(|block| &body.blocks[block].nodes) {
                let args = body.args(node);
                if !args.iter().any(|a| a.as_var() == Some(array)) {
                    continue;
                }
                let index = match body.node(node).op {
                    Op::AccessArrayElement => args[1].as_const().and_then(|c| module.consts.as_bits(c)),
                    _ => None,
                };
                match index {
                    Some(i) => used = used.max((i as u32).saturating_add(1)),
                    None => return len,
                }
            }
        }
        used.min(len)
    }

    /// From all entry points; without any, from all functions.
    ///
    /// # Errors
    /// If a function calls itself, directly or not.
    pub fn new(module: &Module) -> Result<Self, Box<Diagnostic>> {
        let mut roots: Vec<Func> = module.entry_points.iter().map(|e| e.func).collect();
        if roots.is_empty() {
            roots = module.funcs.keys().collect();
        }
        Self::from_roots(module, roots)
    }

    /// From these functions.
    ///
    /// # Errors
    /// If a function calls itself, directly or not.
    pub fn from_roots(module: &Module, roots: Vec<Func>) -> Result<Self, Box<Diagnostic>> {
        let mut reach = Reach { funcs: vec![], vars: vec![false; module.vars.len()] };
        // 0: not seen, 1: on the stack, 2: done.
        let mut state = vec![0u8; module.funcs.len()];
        for root in roots {
            let mut stack = vec![(root, false)];
            while let Some((func, done)) = stack.pop() {
                if done {
                    state[func.index()] = 2;
                    reach.funcs.push(func);
                    continue;
                }
                if state[func.index()] != 0 {
                    continue;
                }
                state[func.index()] = 1;
                stack.push((func, true));
                for callee in reach.visit(module, func) {
                    match state[callee.index()] {
                        0 => stack.push((callee, false)),
                        1 => return Err(recursion(module, callee)),
                        _ => {}
                    }
                }
            }
        }
        Ok(reach)
    }

    /// Records the variables of one function; returns the functions it refers to.
    fn visit(&mut self, module: &Module, func: Func) -> Vec<Func> {
        let mut callees = vec![];
        let Some(body) = &module.funcs[func].body else { return callees };
        for_each_operand(body, |value| match value.kind() {
            ValueKind::Var(v) => self.vars[v.index()] = true,
            ValueKind::Func(f) => callees.push(f),
            _ => {}
        });
        callees
    }
}

fn recursion(module: &Module, func: Func) -> Box<Diagnostic> {
    let data = &module.funcs[func];
    let message = format!("function `{}` calls itself, which no shading language allows", data.name.text);
    Box::new(Diagnostic::error(Code::E0608, data.span, message))
}

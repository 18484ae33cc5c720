//! Functions for large expansions: one for each op and types, written when the first call of it is.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::entity::{Func, Type, Value};
use planish_ir::function::{Param, ResultType};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Imm, ImmKind, Op, infer};
use planish_ir::types::{Scalar, TypeKind};

use super::{Legalizer, subgroups};

/// The functions that are called; those without a body are to be written.
#[derive(Default)]
pub(super) struct Callees {
    all: Vec<Callee>,
    written: usize,
}

struct Callee {
    op: Op,
    imm: Imm,
    operands: Vec<Type>,
    func: Func,
}

impl Legalizer<'_> {
    /// Calls the function that computes an op.
    pub(super) fn call(&mut self, b: &mut Builder<'_, '_>, request: Request<'_>) -> Option<Results> {
        let operands: Vec<Type> = request.args.iter().map(|&arg| b.type_of(arg)).collect();
        let is_it =
            |callee: &&Callee| (callee.op, callee.imm) == (request.op, request.imm) && callee.operands == operands;
        let known = self.callees.all.iter().find(is_it);
        let func = match known {
            Some(callee) => callee.func,
            None => {
                let func = declare(b, (request.op, request.imm), &operands)?;
                self.callees.all.push(Callee { op: request.op, imm: request.imm, operands, func });
                func
            }
        };
        let callee: Value = func.into();
        let args: Vec<Value> = std::iter::once(callee).chain(request.args.iter().copied()).collect();
        Some(b.make_all(Request { precision: request.precision, ..Request::new(Op::Call, &args) }))
    }

    /// Writes the functions that calls were made of; returns them.
    pub(super) fn write_callees(&mut self, module: &mut Module, policy: Policy<'_>) -> Vec<Func> {
        self.precision = None;
        while let Some(callee) = self.callees.all.get(self.callees.written) {
            let (op, imm, func, count) = (callee.op, callee.imm, callee.func, callee.operands.len());
            self.callees.written += 1;
            let span = module.funcs[func].span;
            let mut builder = Builder::new(module, func, policy);
            builder.at(span);
            let args: Vec<Value> = (0..count).map(|i| builder.param(i)).collect();
            if op.info().class == Class::Subgroup {
                subgroups::by_loop(self, &mut builder, op, imm.as_group());
                builder.finish();
                continue;
            }
            // An op without an expansion was refused at its call.
            if let Some(results) = self.expand(&mut builder, Request::new(op, &args)) {
                builder.ret(&results);
            }
            builder.finish();
        }
        self.callees.all.iter().map(|callee| callee.func).collect()
    }
}

/// A function without a body, which is where it is first called.
fn declare(b: &mut Builder<'_, '_>, (op, imm): (Op, Imm), operands: &[Type]) -> Option<Func> {
    let span = b.span();
    let module = &mut *b.module;
    let results = infer(&mut module.types, op, imm, operands, None).ok()?;
    let first = *operands.first()?;
    let is_matrix = matches!(module.types[first], TypeKind::Matrix { .. });
    // All bits of integers count.
    let is_integer = module.types.scalar_of(first).is_some_and(Scalar::is_integer);
    let precision = if is_integer { Precision::High } else { Precision::None };
    let param = |(i, &ty): (usize, &Type)| {
        let name = [if is_matrix { "m" } else { "x" }, "y", "z", "w"][i.min(3)];
        Param { precision, span, ..Param::new(Name::new(name, NameSource::Internal), ty) }
    };
    let params = operands.iter().enumerate().map(param).collect();
    let results = results.iter().map(|&ty| ResultType { ty, precision }).collect();
    let name = match module.types[first] {
        TypeKind::Matrix { columns, rows, .. } => format!("{}_{columns}x{rows}", op.text()),
        _ if op.info().imm == ImmKind::Group => {
            format!("{}_{}", op.text(), imm.as_group().to_string().replace(' ', "_"))
        }
        _ => format!("{}_of", op.text()),
    };
    Some(module.add_func(Name::new(name, NameSource::Internal), params, results, span))
}

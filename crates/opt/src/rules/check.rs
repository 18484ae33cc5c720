//! The walk that finds the nodes a rule would still rewrite.

use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::entity::{Func, Node};
use planish_ir::function::Form;
use planish_ir::module::Module;

use super::Rules;
use crate::context::Options;

/// A node that a rule would still rewrite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missed {
    /// The function.
    pub func: Func,
    /// The node.
    pub node: Node,
    /// The rule.
    pub rule: &'static str,
}

/// Every node of the module that a rule (or the folder) would still rewrite. Changes nothing but that constants may be
/// added.
pub fn missed(module: &mut Module, options: &Options) -> Vec<Missed> {
    let rules = Rules::new(options);
    let mut missed = Vec::new();
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let Some(body) = module.funcs[func].body.take() else { continue };
        let nodes: Vec<Node> = match body.form {
            Form::Placed => {
                planish_ir::walk::blocks(&body).flat_map(|b| body.blocks[b].nodes.iter().copied()).collect()
            }
            Form::Floating => body.nodes().map(|(node, _)| node).collect(),
        };
        let policy = Policy { form: Form::Floating, fold: true, share: true, rules: None };
        let mut builder = Builder::resume(module, func, body, policy);
        for node in nodes {
            let data = *builder.body().node(node);
            if data.result_count() != 1 {
                continue;
            }
            let args: Vec<_> = builder.body().args(node).to_vec();
            let ty = builder.body().result(node).map(|r| builder.body().local_type(r));
            builder.set_precise(data.precise);
            let request = Request { op: data.op, imm: data.imm, args: &args, ty, precision: Some(data.precision) };
            let mark = builder.mark();
            let found = rules.find(&mut builder, &request);
            if let Some((number, value)) = found
                && Some(value) != builder.body().result(node).map(Into::into)
            {
                missed.push(Missed { func, node, rule: rules.table.names[number] });
            }
            builder.roll_back(mark);
        }
        builder.finish();
    }
    missed
}

//! Rows of fragments are counted from the other end of the picture: `gl_FragCoord.y` becomes the height less it. OpenGL counts from the
//! bottom, Vulkan, WebGPU, Metal and Direct3D from the top. What follows from the direction follows: the change along y has the other sign,
//! the place of a sample and the offset of an interpolation are mirrored.
//!
//! ```text
//! before: %1 = load @gl_FragCoord                 after: %1 = load @gl_FragCoord
//!         %2 = dfdy %x                                   %2 = extract[1] %1
//!                                                        %3 = subtract @height, %2
//!                                                        %4 = insert[1] %1, %3
//!                                                        %5 = dfdy %x
//!                                                        %6 = negate %5
//! ```
//!
//! Holds before: a valid module; the height is a constant, or a pointer to a float in a uniform.

use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::decoration::BuiltIn;
use planish_ir::entity::{Func, Node, Value, Var};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::AddressSpace;
use smallvec::smallvec;

use crate::input_parts::{part_of, path_to};
use crate::restage::{Stage, copy_node, restage};

/// The number of rows of the picture.
#[derive(Clone, PartialEq, Debug)]
pub enum Height {
    /// A number that is known.
    Rows(f32),
    /// A float in a uniform, by the indices of struct members and vector components that lead to it.
    Uniform(Var, Vec<u32>),
}

/// Whether a module reads `gl_FragCoord`.
pub fn reads_rows(module: &Module) -> bool {
    let mut bodies = module.funcs.values().filter_map(|f| f.body.as_ref());
    bodies.any(|body| {
        body.nodes().any(|(node, _)| body.args(node).iter().any(|&arg| row_of(module, arg) == Some(BuiltIn::FragCoord)))
    })
}

/// Runs on every function.
pub fn run(module: &mut Module, height: &Height) {
    let funcs: Vec<Func> = module.funcs.iter().filter(|(_, f)| f.body.is_some()).map(|(func, _)| func).collect();
    for func in funcs {
        restage(module, func, Policy::PLAIN, &mut Flip { height });
    }
}

/// The input with rows that a value is the address of.
fn row_of(module: &Module, value: Value) -> Option<BuiltIn> {
    let data = &module.vars[value.as_var()?];
    let builtin = data.decorations.builtin().filter(|_| data.space == AddressSpace::Input)?;
    matches!(builtin, BuiltIn::FragCoord | BuiltIn::SamplePosition).then_some(builtin)
}

/// The component of a place that counts rows.
const ROW: Imm = Imm::index(1);

struct Flip<'h> {
    height: &'h Height,
}

impl Stage for Flip<'_> {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Results {
        match old.node(node).op {
            Op::Load => {
                if let Some(loaded) = self.load(old, node, args[0], b) {
                    return smallvec![loaded];
                }
            }
            Op::Dfdy | Op::DfdyFine | Op::DfdyCoarse => {
                let change = copy_node(old, node, args, b)[0];
                return smallvec![b.op(Op::Negate, &[change])];
            }
            Op::InterpolateAtOffset => {
                let y = b.op_imm(Op::ExtractVectorComponent, ROW, &[args[1]]);
                let y = b.op(Op::Negate, &[y]);
                let offset = b.op_imm(Op::InsertVectorComponent, ROW, &[args[1], y]);
                return copy_node(old, node, &[args[0], offset], b);
            }
            _ => {}
        }
        copy_node(old, node, args, b)
    }
}

impl Flip<'_> {
    /// The value of a load from one of the inputs, or of a part.
    fn load(&self, old: &Body, node: Node, pointer: Value, b: &mut Builder<'_, '_>) -> Option<Value> {
        if let Some(builtin) = row_of(b.module, pointer) {
            let whole = copy_node(old, node, &[pointer], b)[0];
            return Some(self.whole(builtin, whole, b));
        }
        let (input, path) = path_to(b, pointer, &|module, value| row_of(module, value).is_some())?;
        if let [(Op::AccessVectorComponent, imm, _)] = path[..]
            && let Some(builtin) = row_of(b.module, input)
        {
            let part = copy_node(old, node, &[pointer], b)[0];
            return Some(if imm == ROW { self.row(builtin, part, b) } else { part });
        }
        let whole = b.load(input);
        let whole = self.whole(row_of(b.module, input)?, whole, b);
        part_of(b, whole, path)
    }

    fn whole(&self, builtin: BuiltIn, whole: Value, b: &mut Builder<'_, '_>) -> Value {
        let row = b.op_imm(Op::ExtractVectorComponent, ROW, &[whole]);
        let row = self.row(builtin, row, b);
        b.op_imm(Op::InsertVectorComponent, ROW, &[whole, row])
    }

    fn row(&self, builtin: BuiltIn, row: Value, b: &mut Builder<'_, '_>) -> Value {
        let all = match (builtin, self.height) {
            (BuiltIn::SamplePosition, _) => b.f32(1.0),
            (_, Height::Rows(rows)) => b.f32(*rows),
            (_, Height::Uniform(var, path)) => {
                let mut pointer = Value::from(*var);
                for &index in path {
                    let pointee = b.module.types.pointee(b.type_of(pointer));
                    let in_struct = pointee.is_some_and(|(ty, _)| b.module.types.as_struct(ty).is_some());
                    let op = if in_struct { Op::AccessStructField } else { Op::AccessVectorComponent };
                    pointer = b.op_imm(op, Imm::index(index), &[pointer]);
                }
                b.load(pointer)
            }
        };
        b.op(Op::Subtract, &[all, row])
    }
}

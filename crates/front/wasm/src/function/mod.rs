//! One function: from its instructions straight into the builder, one node for each, in one pass.
//!
//! The operand stack holds values of the IR, and so does each local variable; at merges, values that differ become
//! inputs of the block ([`control`]). A comparison's `bool` is kept until an `i32` is needed.
//!
//! ```text
//! local.get 0         %1 = less_than %0, 10
//! i32.const 10        if %1 {
//! i32.lt_s            then b1:
//! br_if 0               break b0
//!                     else b2:
//!                       merge
//!                     }
//! ```

mod compare;
mod control;
mod convert;
mod memory;
mod numbers;
mod simd;

use planish_ir::builder::{self, Builder, Policy, Request};
use planish_ir::entity::{Block, Func, Type, Value, Var};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use smallvec::SmallVec;
use wasmparser::{HeapType, Operator};

use crate::environment::Environment;
use crate::liveness::Liveness;
use crate::scan::{Construct, Located, Scan};

/// Maximum number of arguments of all jumps in one function.
const MAX_ARGUMENTS: usize = 1 << 25;

/// The number of jump arguments in the function exceeds a limit.
#[derive(Debug)]
pub(crate) struct TooLarge;

/// A value on the operand stack.
#[derive(Clone, Copy, Debug)]
struct Operand {
    value: Value,
    /// Whether it is a `bool` in place of an `i32`.
    is_bool: bool,
}

type Operands = SmallVec<[Operand; 4]>;
type Values = SmallVec<[Value; 8]>;

/// The kind of construct of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FrameKind {
    Function,
    Block,
    Loop,
    /// The first arm of an `if`.
    Then,
    /// Its second arm.
    Else,
}

/// A construct that is open.
#[derive(Debug)]
struct Frame<'e> {
    kind: FrameKind,
    construct: Construct,
    /// Operands below it.
    height: usize,
    /// Types of the arguments of jumps to it: a loop's parameters, or the results of another construct.
    label_types: &'e [Type],
    results: &'e [Type],
    /// The block that the construct of the IR ends, if jumps name it.
    owner: Option<Block>,
    /// Block after the construct, if it is a construct of the IR.
    merge: Option<Block>,
    /// The second arm of an `if`, and its arguments.
    second: Option<(Block, Operands)>,
    /// The condition of a loop that is jumped to.
    condition: Option<Block>,
    /// Values with numbers below this are defined before the construct, and so visible after it.
    mark: u32,
    /// The length of `undo` where the first arm began.
    undo: usize,
    /// The blocks that end with a jump to `merge`.
    edges: SmallVec<[Block; 4]>,
}

/// Allocations reused from one function to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    stack: Vec<Operand>,
    locals: Vec<Value>,
    undo: Vec<(u32, Value)>,
    builder: builder::Scratch,
}

impl Scratch {
    /// Takes back the memory of a body that is no longer needed.
    pub(crate) fn reuse(&mut self, body: Body) {
        self.builder.reuse(body);
    }
}

/// Translates one function.
struct Translator<'e, 'm> {
    env: &'e Environment,
    b: Builder<'m, 'static>,
    liveness: &'e Liveness,
    constructs: std::slice::Iter<'e, Construct>,
    stack: Vec<Operand>,
    locals: Vec<Value>,
    /// The local variables that have names, by number.
    names: &'e [(u32, Var)],
    frames: Vec<Frame<'e>>,
    /// In an `if`: values of local variables before it that were overwritten since, with which the second arm begins.
    undo: Vec<(u32, Value)>,
    ifs: u32,
    reachable: bool,
    /// Number of jump arguments so far.
    arguments: usize,
}

/// Builds the body of a scanned function, with `params` parameters and these results, and adds it to the module.
///
/// # Errors
/// If its jumps have too many arguments.
pub(crate) fn translate(
    module: &mut Module,
    env: &Environment,
    func: Func,
    (params, results): (usize, &[Type]),
    scan: &Scan<'_>,
    liveness: &Liveness,
    scratch: &mut Scratch,
) -> Result<(), TooLarge> {
    let Scratch { stack, locals, undo, builder } = std::mem::take(scratch);
    let mut translator = Translator {
        env,
        b: Builder::with_scratch(module, func, Policy::PLAIN, builder),
        liveness,
        constructs: scan.constructs.iter(),
        stack,
        locals,
        names: env.local_names.get(&func.as_u32()).map_or(&[], Vec::as_slice),
        frames: Vec::new(),
        undo,
        ifs: 0,
        reachable: true,
        arguments: 0,
    };
    translator.begin(results, params, scan);
    for located in &scan.ops {
        translator.instruction(located);
        if translator.arguments > MAX_ARGUMENTS {
            translator.b.finish();
            module.funcs[func].body = None::<Body>;
            return Err(TooLarge);
        }
    }
    let Translator { b, mut stack, mut locals, mut undo, .. } = translator;
    let builder = b.finish();
    stack.clear();
    locals.clear();
    undo.clear();
    *scratch = Scratch { stack, locals, undo, builder };
    Ok(())
}

impl<'e> Translator<'e, '_> {
    fn begin(&mut self, results: &'e [Type], params: usize, scan: &Scan<'_>) {
        self.locals.extend((0..params).map(|index| self.b.param(index)));
        for &(count, ty) in &scan.locals {
            let zero = self.zero(self.env.values.of(ty));
            self.locals.extend(std::iter::repeat_n(zero, count as usize));
        }
        let none = Construct {
            kind: crate::scan::Kind::Block,
            has_else: false,
            targeted: false,
            carried: (0, 0),
            live_after: (0, 0),
        };
        self.push_frame(FrameKind::Function, none, 0, results, results);
    }

    #[inline]
    fn instruction(&mut self, located: &Located<'_>) {
        match located.op {
            // The most frequent instructions come first, and need no node.
            Operator::LocalGet { local_index } => self.push(self.locals[local_index as usize]),
            Operator::I32Const { value } => {
                let value = self.b.i32(value);
                self.push(value);
            }
            _ => self.other_instruction(located),
        }
    }

    fn other_instruction(&mut self, located: &Located<'_>) {
        self.b.at(located.span);
        let op = &located.op;
        let done = self.variable(op)
            || self.control(op)
            || self.number(op)
            || self.comparison(op)
            || self.memory(op)
            || self.conversion(op)
            || self.simd(op);
        assert!(done, "the validator let {op:?} through, which is of no feature that is switched on");
    }

    /// Zero of a type, or no reference.
    fn zero(&mut self, ty: Type) -> Value {
        let module = &mut *self.b.module;
        module.consts.zero(&mut module.types, ty).expect("every type of WebAssembly has a zero").into()
    }

    // The operand stack.

    fn push(&mut self, value: Value) {
        self.stack.push(Operand { value, is_bool: false });
    }

    fn push_bool(&mut self, value: Value) {
        self.stack.push(Operand { value, is_bool: true });
    }

    fn pop_operand(&mut self) -> Operand {
        self.stack.pop().expect("a valid function finds its operands")
    }

    /// Pops the topmost operand with its type in WebAssembly.
    fn pop(&mut self) -> Value {
        let operand = self.pop_operand();
        self.plain(operand)
    }

    /// The two topmost operands, the upper one last.
    fn pop2(&mut self) -> (Value, Value) {
        let second = self.pop();
        (self.pop(), second)
    }

    /// Converts a `bool` to the `i32` that it represents.
    fn plain(&mut self, operand: Operand) -> Value {
        if operand.is_bool {
            self.op(Op::ConstructScalarFromScalar, &[operand.value], Type::I32)
        } else {
            operand.value
        }
    }

    /// The topmost operand as a condition.
    fn pop_condition(&mut self) -> Value {
        let operand = self.pop_operand();
        if operand.is_bool {
            return operand.value;
        }
        let zero = self.b.i32(0);
        self.op(Op::NotEqual, &[operand.value, zero], Type::BOOL)
    }

    /// The topmost operands with their types in WebAssembly, which stay on the stack.
    fn top(&mut self, count: usize) -> Values {
        let from = self.stack.len() - count;
        let mut values = Values::new();
        for index in from..self.stack.len() {
            let value = self.plain(self.stack[index]);
            self.stack[index] = Operand { value, is_bool: false };
            values.push(value);
        }
        values
    }

    /// The topmost operands, taken off.
    fn take(&mut self, count: usize) -> Values {
        let values = self.top(count);
        self.stack.truncate(self.stack.len() - count);
        values
    }

    fn set_local(&mut self, local: u32, value: Value) {
        // A value keeps the name of its first variable: later ones are copies.
        if let Ok(at) = self.names.binary_search_by_key(&local, |(number, _)| *number)
            && value.as_local().is_some_and(|value| self.b.body().origin(value).is_none())
        {
            self.b.stands_for(value, self.names[at].1);
        }
        let old = std::mem::replace(&mut self.locals[local as usize], value);
        if self.ifs > 0 {
            self.undo.push((local, old));
        }
    }

    /// Local and global variables, constants, references.
    fn variable(&mut self, op: &Operator<'_>) -> bool {
        match *op {
            Operator::LocalSet { local_index } => {
                let value = self.pop();
                self.set_local(local_index, value);
            }
            Operator::LocalTee { local_index } => {
                let operand = self.pop_operand();
                let value = self.plain(operand);
                self.set_local(local_index, value);
                self.stack.push(operand);
            }
            Operator::GlobalGet { global_index } => {
                let var = self.env.globals[global_index as usize];
                let value = self.b.load(var.into());
                self.push(value);
            }
            Operator::GlobalSet { global_index } => {
                let value = self.pop();
                self.b.store(self.env.globals[global_index as usize].into(), value);
            }
            Operator::I64Const { value } => self.constant(self.env.values.i64[0], value as u64),
            Operator::F32Const { value } => self.constant(Type::F32, value.bits().into()),
            Operator::F64Const { value } => self.constant(self.env.values.f64[0], value.bits()),
            Operator::Drop => {
                self.pop_operand();
            }
            Operator::Nop => {}
            Operator::Select | Operator::TypedSelect { .. } => self.select(),
            Operator::RefNull { hty } => {
                let is_extern = hty == HeapType::EXTERN;
                let ty = if is_extern { self.env.values.extern_ref[0] } else { self.env.values.func_ref[0] };
                let null = self.zero(ty);
                self.push(null);
            }
            Operator::RefFunc { function_index } => {
                let value = self.b.op(Op::RefFunc, &[Func::from_u32(function_index).into()]);
                self.push(value);
            }
            Operator::RefIsNull => {
                let reference = self.pop();
                let value = self.op(Op::RefIsNull, &[reference], Type::I32);
                self.push(value);
            }
            _ => return false,
        }
        true
    }

    fn constant(&mut self, ty: Type, bits: u64) {
        let constant = self.b.module.consts.bits(ty, bits);
        self.push(constant.into());
    }

    fn select(&mut self) {
        let condition = self.pop_condition();
        let (second, first) = (self.pop_operand(), self.pop_operand());
        let both_bool = first.is_bool && second.is_bool;
        let [first, second] =
            if both_bool { [first.value, second.value] } else { [self.plain(first), self.plain(second)] };
        let value = self.op(Op::Select, &[condition, first, second], self.b.type_of(first));
        self.stack.push(Operand { value, is_bool: both_bool });
    }

    // Nodes of the usual forms.

    /// A node with a result type determined by the instruction, which the validator has checked.
    fn op(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        self.b.make_known_one(Request::new(op, args).ty(ty), ty)
    }

    /// The result has the operand's type.
    fn unary(&mut self, op: Op) {
        let x = self.pop();
        let value = self.op(op, &[x], self.b.type_of(x));
        self.push(value);
    }

    /// The result has the first operand's type.
    fn binary(&mut self, op: Op) {
        let (x, y) = self.pop2();
        let value = self.op(op, &[x, y], self.b.type_of(x));
        self.push(value);
    }

    /// Emits an op with an immediate, `count` operands and one result.
    fn with_imm(&mut self, op: Op, imm: impl Into<Imm>, count: usize) {
        let args = self.take(count);
        let value = self.b.op_imm(op, imm, &args);
        self.push(value);
    }

    /// The same bits as another type.
    fn bitcast(&mut self, value: Value, ty: Type) -> Value {
        self.op(Op::Bitcast, &[value], ty)
    }
}

//! Programs over columns: the loop over the rows of a batch around a function of one row, so that a batch is one call.
//!
//! ```text
//! fn f(f64, i32) -> (f64)          Batch::Rows                    fn f(rows: u32, x: In<[f64]>, y: In<[i32]>, out: Out<[f64]>)
//! fn f(f64, f64) -> (f64)          Batch::Fold       fn f(rows: u32, state: f64, x: In<[f64]>) -> (f64)
//! fn f(f64, f64) -> (f64)          Batch::Groups     fn f(rows: u32, groups: In<[u64]>, x: In<[f64]>, state: Out<[f64]>)
//! ```

mod row;
mod shape;

use planish_front_stage::Errors;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::Precision;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Type, Value};
use planish_ir::function::{Exit, TrapKind};
use planish_ir::host::HostNumber;
use planish_ir::ops::{MemArg, Op};
use planish_ir::types::{Scalar, TypeKind};

use super::Program;
use super::program::errors;
use shape::{Bits, Memory, Shape};

/// The form of a loop over rows. Parameters of the function that is made are, in this order:
///
/// - the number of rows, a `u32`;
/// - if the loop is masked, bits (see below) of the rows that count;
/// - of [`Batch::Groups`] the number of the group of each row, `In<[u64]>`, which is less than the length of the states;
/// - of [`Batch::Fold`] the state;
/// - for each input its [`Column`], then, if nulls are seen and it has some, bits of the rows that are not null;
/// - of [`Batch::Rows`] `Out<[T]>` for the result, bits for a truth value, and bits for "is not null" if the function gives an `Option`;
/// - of [`Batch::Groups`] an `Out<[T]>` for each value of the state, a byte for a truth value.
///
/// Bits are an `In<[u8]>` or `Out<[u8]>`, the least bit of a byte first; with `In` follows a `u32`, the number of the first row's bit.
/// Bits that are written begin with 0, and values of rows that do not count are left alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Batch {
    /// The function is applied to each row.
    Rows,
    /// The first parameters of the function, as many as it has results, are a state that each row changes.
    Fold,
    /// A state for each group, which the rows of that group change.
    Groups,
}

/// The rows of a parameter of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Column {
    /// `In<[T]>` of numbers, which become what the function takes: integers may become wider ones and floats.
    Numbers(HostNumber),
    /// Truth values as bits.
    Bits,
    /// Truth values as bytes, `In<[u8]>`.
    Bytes,
    /// The same value in each row, of the type that the function takes.
    Constant,
}

/// A parameter of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Input {
    /// Its rows.
    pub column: Column,
    /// Whether the function sees that a row is null.
    pub nulls: Nulls,
}

/// Visibility of nulls to the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Nulls {
    /// Nothing: the parameter is a scalar.
    Unseen,
    /// The parameter is an `Option` of a scalar (`Enum<Option<Rep<T>>>`), and no row is null.
    None,
    /// The parameter is an `Option` of a scalar, and bits follow.
    Some,
}

impl Program {
    /// The loop over the rows of a batch, around a function of scalars.
    ///
    /// # Errors
    /// A function of slices, and inputs that it does not take ([`Code::E1421`]).
    ///
    /// ```
    /// use planish::ir::host::HostNumber;
    /// use planish::stage::{Argument, Batch, Column, Input, Nulls, Rep, function};
    ///
    /// let f = function("f", |x: Rep<f64>, n: Rep<i32>| x * n.as_::<f64>())?.program();
    /// let input = |number| Input { column: Column::Numbers(number), nulls: Nulls::Unseen };
    /// let batch = f.over(Batch::Rows, false, &[input(HostNumber::F64), input(HostNumber::I16)])?;
    /// assert_eq!(batch.signature().to_string(), "(u32, In<[f64]>, In<[i16]>, Out<[f64]>) -> ()");
    /// let mut out = [0.0; 2];
    /// let columns = [Argument::from(&[1.5, 2.0][..]), Argument::from(&[2i16, -1][..]), Argument::from(&mut out[..])];
    /// batch.compile()?.call_columns([Argument::from(2u32)].into_iter().chain(columns))?;
    /// assert_eq!(out, [3.0, -2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn over(&self, batch: Batch, masked: bool, inputs: &[Input]) -> Result<Program, Errors> {
        let why =
            |why: String| errors(Code::E1421, format!("`{}` cannot be run over these columns: {why}", self.name), "");
        let scalars = self.scalars().map_err(why)?;
        let shape = Shape::new(self, &scalars, batch, masked, inputs).map_err(why)?;
        Ok(self.written(shape))
    }

    /// The types of the parameters and results of a function of scalars.
    fn scalars(&self) -> Result<(Vec<Scalar>, Vec<Scalar>), String> {
        let scalar = |ty| match self.module.types[ty] {
            TypeKind::Scalar(scalar) => scalar,
            _ => unreachable!("programs have scalars only"),
        };
        if !self.slices.is_empty() {
            return Err("it is a function of slices".into());
        }
        let function = self.function();
        let params = function.params.iter().map(|param| scalar(param.ty)).collect();
        Ok((params, function.results.iter().map(|result| scalar(result.ty)).collect()))
    }

    /// The program with the loop.
    fn written(&self, shape: Shape) -> Program {
        let mut program = self.clone();
        let span = self.function().span;
        let called = self.module.entry_points[0].func;
        let func = shape.declare(&mut program, span);
        let mut b = Builder::new(&mut program.module, func, Policy::PLAIN);
        b.at(span);
        let mut writer = Writer { b, called, shape };
        writer.check_lengths();
        let results = match writer.shape.writes_bits() {
            true => writer.loop_of_bytes(),
            false => writer.loop_of_rows(),
        };
        let mut b = writer.b;
        b.ret(&results);
        b.finish();
        program.module.entry_points[0].func = func;
        program
    }
}

/// The loop that is being written.
struct Writer<'m> {
    b: Builder<'m, 'static>,
    /// The function of one row.
    called: planish_ir::entity::Func,
    shape: Shape,
}

impl Writer<'_> {
    fn u32(&mut self, value: u32) -> Value {
        self.b.u32(value)
    }

    /// Stops the program unless each slice has as many elements as there are rows: what the accesses promise.
    fn check_lengths(&mut self) {
        let rows = self.b.param(0);
        for (len, first) in self.shape.lengths() {
            let len = self.b.param(len);
            let needed = match first {
                None => rows,
                Some(first) => {
                    let first = match first {
                        Some(first) => self.b.param(first),
                        None => self.u32(0),
                    };
                    let (seven, three) = (self.u32(7), self.u32(3));
                    let last = self.b.op(Op::Add, &[rows, first]);
                    let last = self.b.op(Op::Add, &[last, seven]);
                    self.b.op(Op::ShiftRight, &[last, three])
                }
            };
            let is_short = self.b.op(Op::LessThan, &[len, needed]);
            let blocks = self.b.if_(is_short);
            self.b.exit_block(blocks.then, Exit::Trap(TrapKind::OutOfBoundsMemory));
            self.b.exit_block(blocks.otherwise, Exit::Merge(Default::default()));
            self.b.switch_to(blocks.merge);
        }
    }

    /// A loop from `first` to `end` with a state; the body gets the index and the state, and gives the next.
    fn counted(
        &mut self,
        first: Value,
        end: Value,
        state: &[Value],
        body: impl FnOnce(&mut Self, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let args: Vec<Value> = std::iter::once(first).chain(state.iter().copied()).collect();
        let blocks = self.b.loop_(&args, false);
        self.b.switch_to(blocks.condition);
        let inputs = self.inputs(blocks.condition, &args);
        let (index, state) = (inputs[0], inputs[1..].to_vec());
        let goes_on = self.b.op(Op::LessThan, &[index, end]);
        self.b.loop_if(goes_on);
        self.b.switch_to(blocks.body);
        let mut next = body(self, index, &state);
        let one = self.u32(1);
        next.insert(0, self.b.op(Op::Add, &[index, one]));
        self.b.continue_(blocks.owner, &next);
        self.b.switch_to(blocks.merge);
        state
    }

    /// New inputs of a block, of the types of values.
    fn inputs(&mut self, block: Block, like: &[Value]) -> Vec<Value> {
        let types: Vec<Type> = like.iter().map(|&value| self.b.type_of(value)).collect();
        types.into_iter().map(|ty| self.b.add_input(block, ty, Precision::None)).collect()
    }

    /// The values of a block if a condition holds, and others if not.
    fn chosen(
        &mut self,
        condition: Value,
        otherwise: &[Value],
        then: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let blocks = self.b.if_(condition);
        self.b.switch_to(blocks.then);
        let values = then(self);
        self.b.merge(&values);
        self.b.exit_block(blocks.otherwise, Exit::Merge(otherwise.into()));
        self.b.switch_to(blocks.merge);
        self.inputs(blocks.merge, otherwise)
    }

    fn ty(&mut self, scalar: Scalar) -> Type {
        self.b.module.types.scalar(scalar)
    }

    fn load(&mut self, memory: Memory, index: Value, scalar: Scalar) -> Value {
        let ty = self.ty(scalar);
        let (address, imm) = self.place(memory, index, true);
        self.b.make(Request::new(Op::MemoryLoad, &[address]).imm(imm).ty(ty))
    }

    fn store(&mut self, memory: Memory, index: Value, value: Value, in_bounds: bool) {
        let (address, imm) = self.place(memory, index, in_bounds);
        self.b.make_all(Request::new(Op::MemoryStore, &[address, value]).imm(imm));
    }

    /// The address of an element, and the rest of an access to it.
    fn place(&mut self, (memory, number): Memory, index: Value, in_bounds: bool) -> (Value, MemArg) {
        let (width, signed) = (number.width(), number.extends_sign());
        let size = self.u32(width.bytes());
        let offset = self.b.op(Op::Multiply, &[index, size]);
        let address = self.b.op_typed(Op::Bitcast, &[offset], Type::I32);
        (address, MemArg { memory, offset: 0, width, signed, in_bounds })
    }

    /// The bit of a row, as a truth value.
    fn bit(&mut self, bits: Bits, row: Value) -> Value {
        let at = match bits.first {
            Some(first) => {
                let first = self.b.param(first);
                self.b.op(Op::Add, &[row, first])
            }
            None => row,
        };
        let (three, seven, one, zero) = (self.u32(3), self.u32(7), self.u32(1), self.u32(0));
        let byte = self.b.op(Op::ShiftRight, &[at, three]);
        let byte = self.load((bits.memory, HostNumber::U8), byte, Scalar::U32);
        let shift = self.b.op(Op::BitwiseAnd, &[at, seven]);
        let bit = self.b.op(Op::ShiftRight, &[byte, shift]);
        let bit = self.b.op(Op::BitwiseAnd, &[bit, one]);
        self.b.op(Op::NotEqual, &[bit, zero])
    }
}

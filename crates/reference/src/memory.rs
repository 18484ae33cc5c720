//! Variables: addresses of parts, loads, stores and atomics.

use std::rc::Rc;

use planish_ir::entity::Type;
use planish_ir::ops::{Imm, Op};

use crate::machine::Reference;
use crate::ops;
use crate::stop::Stop;
use crate::value::{Pointer, Step, Value, composite};

/// The part of a value at a path; `None` if there is none.
fn read(value: &Value, path: &[Step]) -> Option<Value> {
    path.iter().try_fold(value.clone(), |value, step| match step {
        &Step::Part(index) => value.parts().get(index).cloned(),
        Step::Swizzle(lanes) => ops::swizzle(&value, *lanes),
    })
}

/// Replaces the part of a value at a path; no effect if there is none.
/// Recursion: over the path, which is at most `MAX_TYPE_NESTING` parts and a swizzle.
fn write(value: &mut Value, path: &[Step], new: Value) {
    match (path, value) {
        ([], value) => *value = new,
        ([Step::Part(index), rest @ ..], Value::Composite(parts)) => {
            if let Some(part) = Rc::make_mut(parts).get_mut(*index) {
                write(part, rest, new);
            }
        }
        ([Step::Swizzle(lanes), rest @ ..], vector) => {
            let Some(mut chosen) = ops::swizzle(vector, *lanes) else { return };
            write(&mut chosen, rest, new);
            for (lane, component) in lanes.iter().zip(chosen.parts()) {
                write(vector, &[Step::Part(lane.into())], component.clone());
            }
        }
        ([Step::Part(_), ..], _) => {}
    }
}

fn pointer(value: &Value) -> Result<&Pointer, Stop> {
    if let Value::Pointer(pointer) = value { Ok(pointer) } else { Err(Stop::Malformed("an address is needed")) }
}

impl Reference<'_> {
    /// The address of a part of an address's target; of an array that grows, until it is used.
    pub(crate) fn access(&self, op: Op, imm: Imm, args: &[Value], grows: bool) -> Result<Value, Stop> {
        let whole = pointer(&args[0])?;
        let step = match op {
            Op::AccessStructField | Op::AccessVectorComponent => Step::Part(imm.as_index() as usize),
            Op::AccessVectorComponentMulti => Step::Swizzle(imm.as_lanes()),
            _ if grows => Step::Part(ops::clamp_index(&args[1], usize::MAX)),
            _ => {
                let count = read(&self.cells[whole.cell], &whole.path).map_or(0, |whole| whole.parts().len());
                Step::Part(ops::clamp_index(&args[1], count))
            }
        };
        let path = whole.path.iter().copied().chain([step]).collect();
        Ok(Value::Pointer(Pointer { cell: whole.cell, path }.into()))
    }

    fn load(&self, from: &Value) -> Result<Option<Value>, Stop> {
        let from = pointer(from)?;
        Ok(read(&self.cells[from.cell], &from.path))
    }

    fn store(&mut self, to: &Value, new: Value) -> Result<(), Stop> {
        let to = pointer(to)?;
        write(&mut self.cells[to.cell], &to.path, new);
        Ok(())
    }

    /// Loads, stores and atomics. Outside an array without elements loads give zero, and stores have no effect.
    pub(crate) fn variable_op(&mut self, op: Op, args: &[Value], result: Type) -> Result<Vec<Value>, Stop> {
        if op == Op::Append {
            let to = pointer(&args[0])?;
            let Value::Composite(elements) = &mut self.cells[to.cell] else {
                return Err(Stop::Malformed("it does not grow"));
            };
            Rc::make_mut(elements).push(args[1].clone());
            return Ok(Vec::new());
        }
        if op == Op::Store {
            self.store(&args[0], args[1].clone())?;
            return Ok(Vec::new());
        }
        let old = match self.load(&args[0])? {
            Some(old) => old,
            None => self.zero(result)?,
        };
        let combined = |op: Op| ops::componentwise(op, &[old.clone(), args[1].clone()]).ok_or(Stop::Unsupported(op));
        let counted = |op: Op| ops::componentwise(op, &[old.clone(), Value::U32(1)]).ok_or(Stop::Unsupported(op));
        let new = match op {
            Op::Load | Op::AtomicCounterLoad => return Ok(vec![old]),
            Op::AtomicAdd => combined(Op::Add)?,
            Op::AtomicMin => combined(Op::Min)?,
            Op::AtomicMax => combined(Op::Max)?,
            Op::AtomicAnd => combined(Op::BitwiseAnd)?,
            Op::AtomicOr => combined(Op::BitwiseOr)?,
            Op::AtomicXor => combined(Op::BitwiseXor)?,
            Op::AtomicExchange => args[1].clone(),
            Op::AtomicCompareExchange if ops::word(&old) == ops::word(&args[1]) => args[2].clone(),
            Op::AtomicCompareExchange => old.clone(),
            Op::AtomicCounterIncrement => counted(Op::Add)?,
            Op::AtomicCounterDecrement => counted(Op::Subtract)?,
            _ => return Err(Stop::Unsupported(op)),
        };
        self.store(&args[0], new.clone())?;
        Ok(vec![if op == Op::AtomicCounterDecrement { new } else { old }])
    }

    /// `++` and `--` on memory, componentwise.
    pub(crate) fn increment(&mut self, op: Op, at: &Value) -> Result<Value, Stop> {
        let old = self.load(at)?.ok_or(Stop::Malformed("an increment of nothing"))?;
        let up = matches!(op, Op::PrefixIncrement | Op::PostfixIncrement);
        let step = if up { Op::Add } else { Op::Subtract };
        let one = ops::like(&old, 1.0).ok_or(Stop::Malformed("an increment of a value that is not a number"))?;
        let new = ops::componentwise(step, &[old.clone(), one]).ok_or(Stop::Unsupported(op))?;
        self.store(at, new.clone())?;
        Ok(if matches!(op, Op::PrefixIncrement | Op::PrefixDecrement) { new } else { old })
    }

    /// Number of elements of an array without a declared length.
    pub(crate) fn array_length(&self, array: &Value) -> Result<Value, Stop> {
        let array = self.load(array)?.unwrap_or_else(|| composite([]));
        Ok(Value::I32(array.parts().len() as i32))
    }
}

//! The states of many groups.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray};
use datafusion::arrow::buffer::{BooleanBuffer, MutableBuffer, NullBuffer};
use datafusion::common::{Result, not_impl_err};
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use planish::ir::host::HostNumber;
use planish::ir::types::Scalar;
use planish::stage::{Argument, Value};

use crate::aggregate::Programs;
use crate::arrays::{Data, Rows, array, number_of, type_of, width_of};
use crate::kernel::{Call, Kernel};

/// The states of groups.
#[derive(Debug)]
pub(crate) struct Groups {
    programs: Arc<Programs>,
    start: Vec<Value>,
    count: usize,
    /// For each value of the state those of all groups; a truth value is a byte.
    states: Vec<MutableBuffer>,
}

/// The numbers that a value of a state is kept as.
fn number(scalar: Scalar) -> HostNumber {
    number_of(&type_of(scalar)).unwrap_or(HostNumber::U8)
}

impl Groups {
    pub(crate) fn new(programs: Arc<Programs>) -> Result<Self> {
        let start = programs.start()?;
        let states = start.iter().map(|_| MutableBuffer::new(0)).collect();
        Ok(Groups { programs, start, count: 0, states })
    }

    /// Makes room for groups, which begin with the first state.
    fn grow(&mut self, count: usize) {
        for (state, value) in self.states.iter_mut().zip(&self.start) {
            let bytes = value.bits.to_le_bytes();
            let bytes = &bytes[..width_of(value.scalar)];
            for _ in self.count..count {
                state.extend_from_slice(bytes);
            }
        }
        self.count = self.count.max(count);
    }

    fn each_row(
        &mut self,
        kernel: impl Fn(&Programs) -> &Kernel,
        columns: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        if usize::BITS != 64 {
            return not_impl_err!("groups on a host that is not of 64 bits");
        }
        self.grow(count);
        let columns = columns.iter().map(|column| Rows::of(column)).collect::<Result<Vec<_>>>()?;
        let kernel = kernel(&self.programs);
        let nulls = kernel.nulls(&columns);
        let kept = filter.map(|filter| match filter.nulls() {
            Some(nulls) => filter.values() & nulls.inner(),
            None => filter.values().clone(),
        });
        let mask = match (nulls.as_ref().map(NullBuffer::inner), kept) {
            (Some(valid), Some(kept)) => Some(valid & &kept),
            (Some(valid), None) => Some(valid.clone()),
            (None, kept) => kept,
        };
        let scalars = &self.programs.state;
        let states = self.states.iter_mut().zip(scalars);
        let out = states.map(|(state, &scalar)| Argument::Out(number(scalar), state.as_slice_mut())).collect();
        let before = vec![Argument::In(HostNumber::U64, bytemuck::cast_slice(groups))];
        kernel.call(Call { rows: groups.len(), mask: mask.as_ref(), before, columns: &columns, out })?;
        Ok(())
    }

    /// Takes the states of some groups out.
    fn emit(&mut self, emit_to: EmitTo) -> (usize, Vec<MutableBuffer>) {
        let taken = match emit_to {
            EmitTo::All => self.count,
            EmitTo::First(count) => count.min(self.count),
        };
        let left = self.count - taken;
        self.count = left;
        let states = self.states.iter_mut().zip(&self.programs.state).map(|(state, &scalar)| {
            let mut rest = MutableBuffer::new(left * width_of(scalar));
            rest.extend_from_slice(&state.as_slice()[taken * width_of(scalar)..]);
            state.truncate(taken * width_of(scalar));
            std::mem::replace(state, rest)
        });
        (taken, states.collect())
    }
}

/// Truth values in bytes as bits.
fn packed(bytes: &[u8]) -> BooleanBuffer {
    BooleanBuffer::collect_bool(bytes.len(), |row| bytes[row] != 0)
}

impl GroupsAccumulator for Groups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.each_row(|programs| &programs.update[1], values, groups, filter, count)
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        self.each_row(|programs| &programs.merge[1], states, groups, None, count)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (rows, states) = self.emit(emit_to);
        let (programs, mut columns) = (self.programs.clone(), Vec::new());
        for (state, &scalar) in states.into_iter().zip(&programs.state) {
            let data = match scalar {
                Scalar::Bool => Data::Bits(packed(&state).into_inner(), 0),
                _ => Data::Numbers(number(scalar), state.into()),
            };
            columns.push(Rows { data, nulls: None });
        }
        let (result, bits) = (programs.result, rows.div_ceil(8));
        let size = if result == Scalar::Bool { bits } else { rows * width_of(result) };
        let mut values = MutableBuffer::from_len_zeroed(size);
        let mut valid = MutableBuffer::from_len_zeroed(if programs.gives_option { bits } else { 0 });
        let mut out = vec![Argument::Out(number(result), values.as_slice_mut())];
        if programs.gives_option {
            out.push(Argument::from(valid.as_slice_mut()));
        }
        programs.evaluate_rows.call(Call { rows, mask: None, before: Vec::new(), columns: &columns, out })?;
        let nulls = programs.gives_option.then(|| NullBuffer::new(BooleanBuffer::new(valid.into(), 0, rows)));
        array(&type_of(result), rows, values, nulls)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let (rows, states) = self.emit(emit_to);
        let scalars = self.programs.state.clone();
        let arrays = states.into_iter().zip(scalars).map(|(state, scalar)| match scalar {
            Scalar::Bool => Ok(Arc::new(BooleanArray::new(packed(&state), None)) as ArrayRef),
            _ => array(&type_of(scalar), rows, state, None),
        });
        arrays.collect()
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let rows = values.first().map_or(0, |column| column.len());
        let mut each = Groups::new(self.programs.clone())?;
        each.update_batch(values, &(0..rows).collect::<Vec<_>>(), filter, rows)?;
        each.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.states.iter().map(MutableBuffer::capacity).sum::<usize>()
    }
}

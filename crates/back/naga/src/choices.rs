//! One of several places by a computed index: blocks of an array, which are bound one by one.
//!
//! A load loads all and selects, a store or an atomic operation is a `switch` over the index.

use std::rc::Rc;

use naga::{BinaryOperator as Bin, Statement, SwitchCase, SwitchValue};
use planish_ir::diagnostic::Code;
use planish_ir::entity::Type;

use crate::function::{Ex, FunctionLowering};
use crate::memory::{Index, Place};
use crate::types::{Res, fail};

/// Places of one type, of which the one with this number is meant.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// A `u32` that is less than the number of places.
    index: Ex,
    places: Rc<[Place]>,
}

impl FunctionLowering<'_, '_> {
    /// The element of an array of `len` blocks (or of arrays of them).
    pub(crate) fn choose_block(&mut self, array: &Place, ty: Type, len: u32, index: Ex) -> Res<Place> {
        let index = self.as_u32(index);
        let last = self.u32(len - 1);
        let index = self.math2(naga::MathFunction::Min, index, last);
        let places = (0..len).map(|i| self.access_part(array, ty, Index::Const(i))).collect::<Res<_>>()?;
        Ok(Place::Choice(Choice { index, places }))
    }

    /// The same part of each of the places.
    pub(crate) fn part_of_choice(
        &mut self,
        choice: &Choice,
        mut part: impl FnMut(&mut Self, &Place) -> Res<Place>,
    ) -> Res<Place> {
        let places = choice.places.iter().map(|place| part(self, place)).collect::<Res<_>>()?;
        Ok(Place::Choice(Choice { index: choice.index, places }))
    }

    /// The result of `f`, a scalar or vector, for the place that the index selects. `f` runs for all places, so it must
    /// have no effects.
    pub(crate) fn select_of_choice(
        &mut self,
        choice: &Choice,
        mut f: impl FnMut(&mut Self, &Place) -> Res<Ex>,
    ) -> Res<Ex> {
        let results = choice.places.iter().map(|place| f(self, place)).collect::<Res<Vec<_>>>()?;
        let Some((&last, others)) = results.split_last() else { return fail(Code::E0699, self.span, "no block") };
        let mut chosen = last;
        for (i, &result) in others.iter().enumerate().rev() {
            let this = self.u32(i as u32);
            let is_this = self.binary(Bin::Equal, choice.index, this);
            chosen = self.select(is_this, result, chosen);
        }
        Ok(chosen)
    }

    /// Does something with the place that is meant.
    pub(crate) fn switch_of_choice(
        &mut self,
        choice: &Choice,
        mut f: impl FnMut(&mut Self, &Place) -> Res<()>,
    ) -> Res<()> {
        let mut cases = Vec::with_capacity(choice.places.len());
        for (i, place) in choice.places.iter().enumerate() {
            let (body, ()) = self.nested(|s| f(s, place))?;
            let last = i + 1 == choice.places.len();
            let value = if last { SwitchValue::Default } else { SwitchValue::U32(i as u32) };
            cases.push(SwitchCase { value, body, fall_through: false });
        }
        self.push(Statement::Switch { selector: choice.index, cases });
        Ok(())
    }

    pub(crate) fn load_choice(&mut self, choice: &Choice) -> Res<Ex> {
        let Some(first) = choice.places.first() else { return fail(Code::E0699, self.span, "no block") };
        let ty = self.value_type(first)?;
        if self.cx.types.ir.vector_size(ty).is_some() {
            return self.select_of_choice(choice, |s, place| s.load(place));
        }
        let naga = self.cx.types.value(ty, self.span)?;
        let pointer = self.local(None, naga, None);
        self.switch_of_choice(choice, |s, place| {
            let value = s.load(place)?;
            s.push(Statement::Store { pointer, value });
            Ok(())
        })?;
        Ok(self.load_pointer(pointer))
    }

    /// The type of the value at a place.
    /// Recursion: over places within places, at most one level per level of the type.
    fn value_type(&self, place: &Place) -> Res<Type> {
        match place {
            Place::Memory { mem, .. } => Ok(self.cx.types.mem(*mem).ir),
            Place::Lanes { ty, .. } | Place::Column { ty, .. } => Ok(*ty),
            Place::Choice(choice) if !choice.places.is_empty() => self.value_type(&choice.places[0]),
            _ => fail(Code::E0699, self.span, "not plain memory"),
        }
    }
}

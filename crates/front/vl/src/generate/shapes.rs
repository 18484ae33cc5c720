//! The structure of parameters and results, as the host sees them: lists of equal parts are lists, other pairs and lists are records without names,
//! and declared records have their names.

use std::sync::Arc;

use planish_ir::signature::{Field, Shape, Signature};
use planish_ir::types::MAX_TYPE_NESTING;

use super::Generator;
use super::whole::{Leaf, leaves};
use crate::analyze::Exposed;
use crate::analyze::value::{Value, ValueId, Values};
use crate::core::Lambda;
use crate::expand::Shape as Declared;
use crate::terms::Pattern;

/// The structure of a value; `None` if the host sees nothing of it.
/// Recursion: as deep as the value nests, at most `MAX_HEIGHT`; tails of lists are a loop.
pub(super) fn of(values: &Values, value: ValueId, declared: Option<&Declared>) -> Option<Shape> {
    let unnamed = |shape| Field { name: "".into(), shape };
    match (values.get(value), declared) {
        (Value::Real(_) | Value::AnyReal | Value::Asked(_) | Value::Bool(_) | Value::AnyBool, _) => Some(Shape::Scalar),
        (Value::Bundle(_, primal, tangent), _) => record(
            "".into(),
            [primal, tangent].iter().filter_map(|&part| of(values, part, None)).map(unnamed).collect(),
        ),
        (Value::Pair(..), Some(Declared::Record(name, parts))) => {
            let (mut fields, mut rest) = (Vec::new(), value);
            for (field, declared) in parts {
                let Value::Pair(item, tail) = values.get(rest) else { break };
                rest = tail;
                let shape = of(values, item, Some(declared));
                fields.extend(shape.map(|shape| Field { name: field.clone(), shape }));
            }
            record(name.clone(), fields)
        }
        (Value::Pair(..), mut declared) => {
            let (mut items, mut rest) = (Vec::new(), value);
            while let Value::Pair(item, tail) = values.get(rest)
                && !matches!(declared, Some(Declared::Record(..)))
            {
                let parts = if let Some(Declared::Pair(parts)) = declared { Some(&**parts) } else { None };
                items.push((item, of(values, item, parts.map(|parts| &parts.0))));
                declared = parts.map(|parts| &parts.1);
                rest = tail;
            }
            if rest == Values::NIL && is_uniform(values, &items) {
                let element = Box::new(items[0].1.clone()?);
                return Some(Shape::List { element, len: items.len() as u32 });
            }
            items.push((rest, of(values, rest, declared)));
            record("".into(), items.into_iter().filter_map(|(_, shape)| shape).map(unnamed).collect())
        }
        _ => None,
    }
}

/// Nothing if there are no fields.
fn record(name: Arc<str>, fields: Vec<Field>) -> Option<Shape> {
    (!fields.is_empty()).then_some(Shape::Record { name, fields })
}

/// Whether all elements have the same structure of the same types.
fn is_uniform(values: &Values, items: &[(ValueId, Option<Shape>)]) -> bool {
    let booleans = |value| leaves(values, value).map(|leaf| matches!(leaf, Leaf::Bool(_)));
    let Some(((first, shape), others)) = items.split_first() else { return false };
    shape.is_some() && others.iter().all(|(item, other)| other == shape && booleans(*item).eq(booleans(*first)))
}

impl Generator<'_, '_> {
    /// The signature of an export; `None` if it is that of its function.
    pub(super) fn signature(&self, exposed: &Exposed) -> Option<Arc<Signature>> {
        let core = self.analysis.core;
        let export = exposed.export.map(|index| &core.exports[index]);
        let mut params = Vec::new();
        for (index, &(function, argument, _)) in exposed.applications.iter().enumerate() {
            let lists = export.and_then(|export| export.arguments.as_ref());
            let declared = lists.and_then(|lists| lists.get(index));
            match self.analysis.values.get(function) {
                Value::Closure(lambda, _) => self.parameters(core.lambda(lambda), argument, declared, &mut params),
                _ => scalars("x", self.analysis.values.width(argument), &mut params),
            }
        }
        let result = of(&self.analysis.values, exposed.result, export.and_then(|export| export.result.as_ref()));
        useful(Signature { params, result })
    }

    /// The signature of a function without parameters that returns a value.
    pub(super) fn signature_of_value(&self, value: ValueId) -> Option<Arc<Signature>> {
        useful(Signature { params: vec![], result: of(&self.analysis.values, value, None) })
    }

    /// A parameter for each name of the pattern, and for each declared record.
    fn parameters(&self, lambda: &Lambda, argument: ValueId, declared: Option<&Declared>, params: &mut Vec<Field>) {
        let mut names = lambda.parameters.iter();
        self.parameter(&lambda.pattern, argument, declared, &mut names, params);
    }

    /// Recursion: over the pattern, at most `reader::MAX_DEPTH` lists of `MAX_PARAMETERS` each.
    fn parameter(
        &self,
        pattern: &Pattern<u32>,
        value: ValueId,
        declared: Option<&Declared>,
        names: &mut std::slice::Iter<'_, Arc<str>>,
        params: &mut Vec<Field>,
    ) {
        let values = &self.analysis.values;
        let name = match (pattern, values.get(value), declared) {
            (Pattern::Pair(_), _, Some(Declared::Record(name, _))) => {
                pattern.for_each(&mut |_| _ = names.next());
                name.clone()
            }
            (Pattern::Pair(parts), Value::Pair(a, b), declared) => {
                let inner = if let Some(Declared::Pair(parts)) = declared { Some(&**parts) } else { None };
                self.parameter(&parts.0, a, inner.map(|parts| &parts.0), names, params);
                self.parameter(&parts.1, b, inner.map(|parts| &parts.1), names, params);
                return;
            }
            (Pattern::Var(_), ..) => names.next().cloned().unwrap_or_else(|| "x".into()),
            _ => "ignored".into(),
        };
        params.extend(of(values, value, declared).map(|shape| Field { name, shape }));
    }
}

/// Parameters that are numbers.
fn scalars(name: &str, count: usize, params: &mut Vec<Field>) {
    let name = |index: usize| if count == 1 { name.to_owned() } else { format!("{name}_{index}") };
    params.extend((1..=count).map(|index| Field { name: name(index).into(), shape: Shape::Scalar }));
}

fn useful(signature: Signature) -> Option<Arc<Signature>> {
    let shapes = signature.params.iter().map(|param| &param.shape).chain(&signature.result);
    let is_shallow = shapes.map(Shape::nesting).max().unwrap_or(0) <= MAX_TYPE_NESTING / 2;
    (signature.is_structured() && is_shallow).then(|| Arc::new(signature))
}

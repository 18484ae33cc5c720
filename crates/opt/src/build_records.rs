//! Gives exported functions the records and lists of their signatures.
//!
//! ```text
//! before: fn @f(%x: f64, %y: f64) -> (f64, bool) shape(p: point{x: _, y: _}) -> {_, _}      after: fn @f(%p: $point) -> ($f_result)
//!           return %a, %b                                                                            %x = extract_struct_field[0] %p   %y = …
//!                                                                                                    %r = construct_struct %a, %b   return %r
//! ```
//!
//! For targets whose functions have structs; the others read the signature. **Holds before:** a valid module. Left alone: functions that are
//! no exports, whose signatures mean nothing, and for targets without arrays as values those with lists.

use std::sync::Arc;

use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Decorations, Name, Precision};
use planish_ir::entity::{Block, Func, Type, Value};
use planish_ir::function::{Args, Exit, Param, ResultType};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::signature::{Field, Shape, Signature, capitals};
use planish_ir::types::{Member, StructType, TypeKind};

use crate::restage::{Stage, restage};

/// Names of the types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Words {
    /// Records as they are, and `f_result` for the result of `f` that has no name.
    Plain,
    /// `Point`, `FResult`.
    Capitals,
    /// Records as they are; a record without a name has none, nor have its members: a tuple.
    Tuples,
}

/// Lists that a target has as values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lists {
    /// All of them.
    Any,
    /// Lists of lists are lists of structs with a member `items`.
    Flat,
    /// None.
    None,
}

/// Exports with a signature of their own.
fn exports(module: &Module) -> Vec<Func> {
    let own = module.entry_points.iter().filter(|entry| entry.stage.is_none());
    let mut funcs: Vec<Func> = own.map(|entry| entry.func).filter(|&f| module.signature_of(f).is_some()).collect();
    funcs.sort();
    funcs.dedup();
    funcs
}

/// Whether there is an export that changes.
pub fn is_needed(module: &Module) -> bool {
    !exports(module).is_empty()
}

/// Makes exports that the program refers to itself functions of their own, which call it. After that, exports with signatures are called by the
/// host only.
pub fn separate(module: &mut Module) {
    for func in exports(module) {
        let is_operand = |f: &planish_ir::function::Function| {
            f.body.as_ref().is_some_and(|body| {
                body.nodes().any(|(node, _)| body.args(node).contains(&func.into()))
                    || body.blocks.values().any(|block| {
                        let mut found = false;
                        block.exit.for_each_operand(&mut |value| found |= value == func.into());
                        found
                    })
            })
        };
        let in_table = module.elems.values().any(|e| e.items.iter().any(|item| item.as_func() == Some(func)));
        if !in_table && !module.funcs.values().any(is_operand) {
            continue;
        }
        let own = &mut module.funcs[func];
        let signature = own.signature.take();
        let (name, params, results, span) = (own.name.clone(), own.params.clone(), own.results.clone(), own.span);
        let count = params.len();
        let outer = module.add_func(name, params, results, span);
        module.funcs[outer].signature = signature;
        let mut b = Builder::new(module, outer, Policy::PLAIN);
        b.at(span);
        let args: Vec<Value> = (0..count).map(|index| b.param(index)).collect();
        let values = b.call(func.into(), &args);
        b.ret(&values);
        b.finish();
        let entries = module.entry_points.iter_mut().filter(|entry| entry.stage.is_none() && entry.func == func);
        entries.for_each(|entry| entry.func = outer);
    }
}

/// Runs on the whole module.
pub fn run(module: &mut Module, words: Words, lists: Lists) {
    separate(module);
    for func in exports(module) {
        let signature = module.funcs[func].signature.take().expect("it is an export with one");
        let mut shapes = signature.params.iter().map(|param| &param.shape).chain(&signature.result);
        if lists == Lists::None && shapes.any(has_list) {
            continue;
        }
        let mut signature = (*signature).clone();
        if lists == Lists::Flat {
            signature.params.iter_mut().map(|param| &mut param.shape).chain(&mut signature.result).for_each(wrap_lists);
        }
        let name = module.outside_name(func).clone();
        let mut records = Build::new(module, &signature, func, words, &name);
        let form = module.funcs[func].body.as_ref().expect("exports have bodies").form;
        restage(module, func, Policy { form, ..Policy::PLAIN }, &mut records);
    }
}

/// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels.
fn has_list(shape: &Shape) -> bool {
    match shape {
        Shape::Scalar => false,
        Shape::Record { fields, .. } => fields.iter().any(|field| has_list(&field.shape)),
        Shape::List { .. } => true,
    }
}

/// Puts each list in a list into a record.
/// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels.
fn wrap_lists(shape: &mut Shape) {
    match shape {
        Shape::Scalar => {}
        Shape::Record { fields, .. } => fields.iter_mut().for_each(|field| wrap_lists(&mut field.shape)),
        Shape::List { element, .. } => {
            wrap_lists(element);
            if let Shape::List { .. } = **element {
                let shape = std::mem::replace(&mut **element, Shape::Scalar);
                let items = Field { name: "items".into(), shape };
                **element = Shape::Record { name: "".into(), fields: vec![items] };
            }
        }
    }
}

struct Build<'a> {
    signature: &'a Signature,
    params: Vec<Type>,
    result: Option<Type>,
    /// The scalars of the parameters.
    scalars: Vec<Value>,
}

impl<'a> Build<'a> {
    /// Changes the parameters and results of the function.
    fn new(module: &mut Module, signature: &'a Signature, func: Func, words: Words, name: &str) -> Self {
        let own = &module.funcs[func];
        let mut types = own.params.iter().map(|param| param.ty).collect::<Vec<_>>().into_iter();
        let mut result_types = own.results.iter().map(|result| result.ty).collect::<Vec<_>>().into_iter();
        let mut params = Vec::with_capacity(signature.params.len());
        for field in &signature.params {
            let path = format!("{name}_{}", field.name);
            params.push(type_of(module, &field.shape, &mut types, words, &path));
        }
        let shape = signature.result.as_ref();
        let result = shape.map(|shape| type_of(module, shape, &mut result_types, words, &format!("{name}_result")));
        let param = |(field, &ty): (&Field, &Type)| Param::new(Name::temporary(field.name.clone()), ty);
        let function = &mut module.funcs[func];
        function.params = signature.params.iter().zip(&params).map(param).collect();
        function.results = result.map(ResultType::new).into_iter().collect();
        let results: Vec<Type> = result.into_iter().collect();
        function.ty = module.types.function(&params, &results);
        Build { signature, params, result, scalars: vec![] }
    }
}

/// The type of a structure with scalars of these types.
/// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels.
fn type_of(
    module: &mut Module,
    shape: &Shape,
    scalars: &mut dyn Iterator<Item = Type>,
    words: Words,
    path: &str,
) -> Type {
    match shape {
        Shape::Scalar => scalars.next().expect("a scalar for each"),
        Shape::List { element, len } => {
            let ty = type_of(module, element, scalars, words, path);
            // The other elements are the same.
            let more = element.width().unwrap_or(0) * (*len as usize - 1);
            scalars.take(more).for_each(drop);
            module.types.array(ty, *len)
        }
        Shape::Record { name, fields } => {
            let mut members = Vec::with_capacity(fields.len());
            for (index, field) in fields.iter().enumerate() {
                let name: Arc<str> = match (&*field.name, words) {
                    ("", Words::Tuples) => "".into(),
                    ("", _) => format!("r{index}").into(),
                    (name, _) => name.into(),
                };
                let ty = type_of(module, &field.shape, scalars, words, &format!("{path}_{name}"));
                members.push(Member { name, ty, precision: Precision::None, decorations: Decorations::new() });
            }
            let name = match (&**name, words) {
                ("", Words::Tuples) => String::new(),
                (name, Words::Capitals) => capitals(if name.is_empty() { path } else { name }),
                ("", Words::Plain) => path.to_owned(),
                (name, _) => name.to_owned(),
            };
            module.types.intern(TypeKind::Struct(StructType { name: name.into(), members, is_block: false }.into()))
        }
    }
}

/// The scalars of a value.
/// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels.
fn take_apart(b: &mut Builder<'_, '_>, shape: &Shape, value: Value, out: &mut Vec<Value>) {
    match shape {
        Shape::Scalar => out.push(value),
        Shape::Record { fields, .. } => {
            for (index, field) in fields.iter().enumerate() {
                let part = b.op_imm(Op::ExtractStructField, Imm::index(index as u32), &[value]);
                take_apart(b, &field.shape, part, out);
            }
        }
        Shape::List { element, len } => {
            for index in 0..*len {
                let index = b.u32(index);
                let part = b.op(Op::ExtractArrayElement, &[value, index]);
                take_apart(b, element, part, out);
            }
        }
    }
}

/// A value of a type, made of scalars.
/// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels.
fn put_together(b: &mut Builder<'_, '_>, shape: &Shape, ty: Type, scalars: &mut dyn Iterator<Item = Value>) -> Value {
    match shape {
        Shape::Scalar => scalars.next().expect("a scalar for each"),
        Shape::Record { fields, .. } => {
            let members: Vec<Type> = match &b.module.types[ty] {
                TypeKind::Struct(data) => data.members.iter().map(|member| member.ty).collect(),
                _ => unreachable!("records are structs"),
            };
            let parts: Vec<Value> =
                fields.iter().zip(members).map(|(field, ty)| put_together(b, &field.shape, ty, scalars)).collect();
            b.op_typed(Op::ConstructStruct, &parts, ty)
        }
        Shape::List { element, len } => {
            let TypeKind::Array { element: inner, .. } = b.module.types[ty] else { unreachable!("lists are arrays") };
            let parts: Vec<Value> = (0..*len).map(|_| put_together(b, element, inner, scalars)).collect();
            b.op_typed(Op::ConstructArray, &parts, ty)
        }
    }
}

impl Stage for Build<'_> {
    fn param(&mut self, index: usize, b: &mut Builder<'_, '_>) -> Option<Value> {
        if index == 0 {
            let params = self.signature.params.iter().take(self.params.len()).enumerate();
            for (number, param) in params {
                let value = b.param(number);
                take_apart(b, &param.shape, value, &mut self.scalars);
            }
        }
        self.scalars.get(index).copied()
    }

    fn leave(&mut self, _: Block, exit: Exit, b: &mut Builder<'_, '_>) -> Exit {
        let (Exit::Return(values), Some(shape), Some(ty)) = (&exit, &self.signature.result, self.result) else {
            return exit;
        };
        let value = put_together(b, shape, ty, &mut values.iter().copied());
        Exit::Return(Args::from_iter([value]))
    }
}

//! Specialization of functions for opaque arguments that cannot be passed: images whose format is not the parameter's,
//! and samplers in structs.
//!
//! Before: `vec4 load(image2D i, ivec2 p) { … }` and `load(rgba8_image, p)`. After: a copy `load(ivec2 p)` that names
//! `rgba8_image` instead of `i`. Dynamic indices in the argument are passed. The copies are lowered from the syntax
//! tree after everything else, in the environment of the definition.

use planish_ir::decoration::{Name, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Type, Value, Var};
use planish_ir::function::{Direction, Param};
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::functions::opaque_space;
use super::operand::Operand;
use super::precision::DefaultPrecisions;
use super::{Checked, Checker};
use crate::ast::{FunctionId, StmtId};

/// Maximum number of copies; chains of functions that pass on their parameters may need exponentially many.
const MAX_INSTANCES: usize = 256;

/// One step from a composite to its part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    Field(u32),
    Element(Const),
    /// The element at an index of this type, which is a further parameter of the copy.
    Passed(Type, bool),
}

/// A part of a global variable, and its type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Path {
    root: Var,
    steps: SmallVec<[Step; 2]>,
    pub(super) ty: Type,
}

/// Translation of an opaque argument.
pub(super) enum OpaqueArgument {
    /// It is passed.
    Passed(Value),
    /// The callee is copied for it, and gets these indices.
    Named(Path, SmallVec<[Value; 2]>),
}

/// A function, and the bindings of its specialized parameters.
type Key = (u32, Vec<Option<Path>>);

/// The copies.
#[derive(Default)]
pub(super) struct Instances {
    known: FxHashMap<Key, Func>,
    /// Instances whose bodies are still to be lowered.
    pending: Vec<(Key, Func)>,
}

/// A function with opaque parameters, and the environment of its definition.
pub(super) struct Definition<'a> {
    id: FunctionId,
    body: StmtId,
    bindings: usize,
    functions: usize,
    extensions: Vec<&'a str>,
    precisions: DefaultPrecisions,
}

impl<'a> Checker<'a, '_> {
    /// The translation of an opaque argument; reports an error if there is none.
    pub(super) fn opaque_argument(&mut self, operand: Operand, ty: Type, span: Span) -> Checked<OpaqueArgument> {
        let types = &mut self.b.module.types;
        let space = opaque_space(types, ty);
        let wanted = types.pointer(ty, space);
        if operand.place && operand.ty == ty && self.b.type_of(operand.value) == wanted {
            return Ok(OpaqueArgument::Passed(operand.value));
        }
        let path = self.path(operand).filter(|_| operand.place);
        // Samplers in ES 1.00 are indexed by constants and by variables of loops, and an argument is neither.
        let dynamic = self.version.is_es_100() && path.as_ref().is_some_and(|(_, indices)| !indices.is_empty());
        if let (Some((path, indices)), false) = (path, dynamic) {
            return Ok(OpaqueArgument::Named(path, indices));
        }
        let name = self.type_name(ty);
        let what = match operand.place {
            _ if dynamic => "a sampler of a struct by an index that is not constant",
            true => "a parameter of another format",
            false => "something that is no variable",
        };
        Err(self.error(
            Diagnostic::error(Code::E0508, span, format!("{what} is passed as `{name}`"))
                .note("this is not supported: pass a variable or a part of one"),
        ))
    }

    /// The part of a global variable at an address, if it is one, and its dynamic indices.
    fn path(&self, operand: Operand) -> Option<(Path, SmallVec<[Value; 2]>)> {
        let mut steps = SmallVec::new();
        let mut indices = SmallVec::new();
        let mut address = operand.value;
        while let Some((op, imm, args)) = self.b.definition(address) {
            steps.push(match op {
                Op::AccessStructField => Step::Field(imm.as_index()),
                Op::AccessArrayElement => match args[1].as_const() {
                    Some(index) => Step::Element(index),
                    None => {
                        indices.push(args[1]);
                        let marked = self.b.definition(args[1]).is_some_and(|(op, ..)| op == Op::NonUniform);
                        Step::Passed(self.b.type_of(args[1]), marked)
                    }
                },
                _ => return None,
            });
            address = args[0];
        }
        steps.reverse();
        indices.reverse();
        Some((Path { root: address.as_var()?, steps, ty: operand.ty }, indices))
    }

    /// The address of a part of a global variable, in the copy being built; `next` is the next parameter for an index.
    pub(super) fn address_of(&mut self, path: &Path, next: &mut usize) -> Value {
        let mut address: Value = path.root.into();
        for step in &path.steps {
            address = match *step {
                Step::Field(index) => self.b.op_imm(Op::AccessStructField, Imm::index(index), &[address]),
                Step::Element(index) => self.b.op(Op::AccessArrayElement, &[address, index.into()]),
                Step::Passed(_, marked) => {
                    let mut index = self.b.param(*next);
                    if marked {
                        index = self.b.op(Op::NonUniform, &[index]);
                    }
                    *next += 1;
                    self.b.op(Op::AccessArrayElement, &[address, index])
                }
            };
        }
        address
    }

    /// Records the environment of the function defined here, for its instances.
    pub(super) fn note_definition(&mut self, index: u32, id: FunctionId, body: StmtId) {
        if !self.functions[index as usize].params.iter().any(|p| p.is_opaque) {
            return;
        }
        let definition = Definition {
            id,
            body,
            bindings: self.scopes.len(),
            functions: self.functions.len(),
            extensions: self.extensions.clone(),
            precisions: self.precisions.clone(),
        };
        self.definitions.insert(index, definition);
    }

    /// The instance of a function with some parameters bound to `paths`.
    pub(super) fn instance(&mut self, function: u32, paths: Vec<Option<Path>>, span: Span) -> Checked<Func> {
        let key = (function, paths);
        if let Some(&func) = self.instances.known.get(&key) {
            return Ok(func);
        }
        if self.instances.known.len() >= MAX_INSTANCES {
            let message = format!("more than {MAX_INSTANCES} copies of functions would be needed for opaque arguments");
            return Err(self.error(
                Diagnostic::error(Code::E0508, span, message)
                    .note("a function is copied for each image of another format and each sampler in a struct"),
            ));
        }
        let original = &self.b.module.funcs[self.functions[function as usize].func];
        let (name, results, span) = (original.name.clone(), original.results.clone(), original.span);
        let passed = original.params.iter().zip(&key.1).filter(|(_, path)| path.is_none());
        let mut params: Vec<Param> = passed.map(|(param, _)| param.clone()).collect();
        for step in key.1.iter().flatten().flat_map(|path| &path.steps) {
            if let Step::Passed(ty, _) = *step {
                let (name, precision) = (Name::temporary("index"), self.precision_for(ty, Precision::None, span));
                params.push(Param { name, ty, precision, direction: Direction::In, span });
            }
        }
        let func = self.b.module.add_func(name, params, results, span);
        self.instances.known.insert(key.clone(), func);
        self.instances.pending.push((key, func));
        Ok(func)
    }

    /// Lowers the copies, and those that they call.
    pub(super) fn lower_instances(&mut self) {
        while let Some(((index, paths), func)) = self.instances.pending.pop() {
            // Without a definition there is an error, and with an error no module.
            let Some(definition) = self.definitions.remove(&index).filter(|_| self.error_count == 0) else { return };
            let reported = self.diagnostics.len();
            let extensions = std::mem::replace(&mut self.extensions, definition.extensions.clone());
            let precisions = std::mem::replace(&mut self.precisions, definition.precisions.clone());
            self.builtin_calls.clear();
            self.scopes.horizon = definition.bindings;
            self.functions_in_sight = definition.functions;
            self.lower_function(index, func, definition.id, definition.body, &paths);
            self.scopes.horizon = usize::MAX;
            self.functions_in_sight = usize::MAX;
            self.precisions = precisions;
            self.extensions = extensions;
            if self.error_count == 0 {
                // The warnings have been given for the original.
                self.diagnostics.truncate(reported);
            }
            self.definitions.insert(index, definition);
        }
    }
}

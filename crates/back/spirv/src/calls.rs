//! Functions as they are called: parameters, results, arguments.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Func, Node, Type, Value};
use planish_ir::function::Direction;
use planish_ir::types::TypeKind;
use spirv::{Op, StorageClass};

use crate::assemble::Id;
use crate::function::{FunctionWriter, Val};
use crate::module::{Context, at};
use crate::places::Place;
use crate::types::{Res, fail};

/// Lowered form of a parameter, with its SPIR-V type.
#[derive(Clone, Debug)]
pub(crate) enum ParamRef {
    /// A value.
    Value(Id),
    /// A pointer to memory: of the function, but where no copy of it can be.
    Pointer(Id, StorageClass),
    /// A pointer to a texture, sampler or image, or to an array of them.
    Opaque(Id),
}

impl ParamRef {
    pub(crate) fn ty(&self) -> Id {
        match *self {
            ParamRef::Value(ty) | ParamRef::Pointer(ty, _) | ParamRef::Opaque(ty) => ty,
        }
    }
}

/// Parameters and result of a function.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) params: Vec<ParamRef>,
    /// The type of the result; several are a struct.
    pub(crate) result: Id,
    /// The function's type.
    pub(crate) ty: Id,
}

impl Signature {
    pub(crate) fn into_ref(self, id: Id) -> FuncRef {
        FuncRef { id, params: self.params, result: self.result }
    }
}

/// A function that has been written.
#[derive(Clone, Debug)]
pub(crate) struct FuncRef {
    pub(crate) id: Id,
    params: Vec<ParamRef>,
    result: Id,
}

impl Context<'_> {
    /// Parameters and result of a function.
    pub(crate) fn signature(&mut self, func: Func) -> Res<Signature> {
        let data = &self.module.funcs[func];
        let mut params = vec![];
        for (number, param) in data.params.iter().enumerate() {
            let pointee = self.types.pointee(param.ty).map(|(ty, _)| ty);
            let ty = pointee.unwrap_or(param.ty);
            self.compute_with(ty);
            params.push(if self.types.is_opaque(ty) {
                ParamRef::Opaque(self.opaque_pointer(ty, param.span)?)
            } else if let Some((_, space)) = self.types.pointee(param.ty) {
                let class = self.class_of_param(func, number, ty, space)?;
                ParamRef::Pointer(self.pointer_type(class, ty, None, param.span)?, class)
            } else {
                ParamRef::Value(self.value_type(ty, param.span)?)
            });
        }
        let types: Vec<Type> = data.results.iter().map(|r| r.ty).collect();
        types.iter().for_each(|&ty| self.compute_with(ty));
        let result = self.result_type(&types, data.span)?;
        let mut operands = vec![result];
        operands.extend(params.iter().map(ParamRef::ty));
        let ty = self.out.plain_type(Op::TypeFunction, &operands);
        Ok(Signature { params, result, ty })
    }

    /// The type of results: none, one, or a struct of several.
    fn result_type(&mut self, types: &[Type], span: planish_ir::source::Span) -> Res<Id> {
        let mut parts = vec![];
        for &ty in types {
            parts.push(self.value_type(ty, span)?);
        }
        Ok(match parts[..] {
            [] => self.out.plain_type(Op::TypeVoid, &[]),
            [one] => one,
            _ => self.out.plain_type(Op::TypeStruct, &parts),
        })
    }

    /// A pointer to something opaque; arrays of arrays of such are one array.
    fn opaque_pointer(&mut self, ty: Type, span: planish_ir::source::Span) -> Res<Id> {
        let (mut inner, mut count, mut is_array) = (ty, 1u32, false);
        while let TypeKind::Array { element, len } = self.types[inner] {
            (inner, count, is_array) = (element, count.saturating_mul(len), true);
        }
        if !matches!(self.types[inner], TypeKind::Image(_) | TypeKind::Sampler { .. }) {
            let message = "SPIR-V cannot pass a struct that holds samplers to a function";
            return fail(Code::E0605, span, message);
        }
        let mut pointee = self.value_type(inner, span)?;
        if is_array {
            let len = self.u32(count);
            pointee = self.out.plain_type(Op::TypeArray, &[pointee, len]);
        }
        Ok(self.out.pointer(StorageClass::UniformConstant, pointee))
    }
}

impl FunctionWriter<'_, '_> {
    /// Writes a call.
    pub(crate) fn call(&mut self, node: Node, args: &[Value]) -> Res<()> {
        let Some(func) = args[0].as_func() else {
            return fail(Code::E0608, self.span, "SPIR-V has no calls through references");
        };
        let module = self.cx.module;
        let Some(callee) = self.cx.funcs[at(func)].clone() else {
            // The callee failed; it has an error of its own.
            let message = format!("function `{}` cannot be called", module.funcs[func].name.text);
            return fail(Code::E0608, self.span, message);
        };
        let mut operands = vec![callee.id];
        let mut copies: Vec<(Place, Id, Type)> = vec![];
        for (i, param) in callee.params.iter().enumerate() {
            let arg = args[i + 1];
            operands.push(match param {
                ParamRef::Value(_) => self.id(arg)?,
                ParamRef::Opaque(_) => self.opaque_argument(arg)?,
                ParamRef::Pointer(_, class) => {
                    let direction = module.funcs[func].params[i].direction;
                    self.pointer_argument(arg, *class, direction, &mut copies)?
                }
            });
        }
        let result = self.emit(Op::FunctionCall, callee.result, &operands);
        for (place, variable, ty) in copies {
            let ty = self.cx.value_type(ty, self.span)?;
            let value = self.emit(Op::Load, ty, &[variable]);
            self.store(&place, value)?;
        }
        let results: Vec<_> = self.body.results(node).collect();
        match results[..] {
            [] => {}
            [one] => {
                self.relax(one, result);
                self.define(one, Val::Id(result));
            }
            _ => {
                for (i, local) in results.into_iter().enumerate() {
                    let ty = self.cx.value_type(self.body.local_type(local), self.span)?;
                    let part = self.emit(Op::CompositeExtract, ty, &[result, i as u32]);
                    self.define(local, Val::Id(part));
                }
            }
        }
        Ok(())
    }

    /// A pointer that SPIR-V lets a function have: the whole of a variable of the caller, or of a copy.
    fn pointer_argument(
        &mut self,
        arg: Value,
        class: StorageClass,
        direction: Direction,
        copies: &mut Vec<(Place, Id, Type)>,
    ) -> Res<Id> {
        let place = self.place(arg)?;
        let Some((ty, _)) = self.cx.types.pointee(self.type_of(arg)) else {
            return fail(Code::E0699, self.span, "a pointer was expected");
        };
        if let Place::Memory(chain) = &place
            && chain.class == class
            && let Some(id) = chain.whole()
        {
            return Ok(id);
        }
        if class != StorageClass::Function {
            let message = "SPIR-V cannot pass a part of this variable to a function";
            return fail(Code::E0605, self.span, message);
        }
        let variable = self.new_variable(ty, None)?;
        if direction == Direction::Out {
            let null = self.cx.null(ty, self.span)?;
            self.emit_void(Op::Store, &[variable, null]);
        } else {
            let value = self.load(&place)?;
            self.emit_void(Op::Store, &[variable, value]);
        }
        if direction != Direction::In {
            copies.push((place, variable, ty));
        }
        Ok(variable)
    }

    fn opaque_argument(&mut self, arg: Value) -> Res<Id> {
        match self.val(arg)? {
            Val::Handle(place) | Val::Place(place) => match place {
                Place::Memory(chain) => self.pointer(&chain),
                Place::Path(path) => self.whole_array(&path),
                Place::Lanes(..) => fail(Code::E0699, self.span, "a texture or sampler was expected"),
            },
            Val::Combined(..) => {
                let message = "a texture and a sampler that were put together cannot be passed to a function";
                fail(Code::E0605, self.span, message)
            }
            Val::Id(_) | Val::Splat(_) => fail(Code::E0605, self.span, "a texture or sampler was expected"),
        }
    }
}

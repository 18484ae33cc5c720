//! Parts that only SPIR-V has ([`planish_ir::spirv`]): written as they were read.

use planish_ir::aliasing::{Root, root};
use planish_ir::decoration::{Decoration as Is, Decorations};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Func, Node, Type, Value, Var};
use planish_ir::ops::Op as IrOp;
use planish_ir::source::Span;
use planish_ir::spirv::{SpirvOperand, SpirvType, SpirvTypeOperand};
use planish_ir::types::{AddressSpace, TypeKind};
use spirv::{Op, StorageClass};

use crate::assemble::{Id, Sections};
use crate::function::{FunctionWriter, Val};
use crate::globals::Global;
use crate::module::Context;
use crate::places::Place;
use crate::types::{Res, fail};

impl Context<'_> {
    /// Whether a type has such a type in it, so that it has no zero.
    pub(crate) fn has_spirv_type(&self, ty: Type) -> bool {
        self.types.contains(ty, &mut |kind| matches!(kind, TypeKind::Spirv(_)))
    }

    /// The storage class of the pointers that a parameter takes. What only SPIR-V has cannot be copied, and is passed where it is.
    pub(crate) fn class_of_param(
        &self,
        func: Func,
        number: usize,
        pointee: Type,
        space: AddressSpace,
    ) -> Res<StorageClass> {
        Ok(match space {
            AddressSpace::Spirv => match self.argument(func, number) {
                Some(var) => self.storage_class(var)?,
                None => StorageClass::Function,
            },
            AddressSpace::Private if self.has_spirv_type(pointee) => StorageClass::Private,
            AddressSpace::Workgroup if self.has_spirv_type(pointee) => StorageClass::Workgroup,
            _ => StorageClass::Function,
        })
    }

    /// A variable that some call leads to by a parameter.
    fn argument(&self, mut func: Func, mut number: usize) -> Option<Var> {
        // Nothing recurses: a chain of calls is no longer than there are functions.
        for _ in 0..self.module.funcs.len() {
            let bodies = self.module.funcs.iter().filter_map(|(caller, data)| Some((caller, data.body.as_ref()?)));
            let found = bodies.into_iter().find_map(|(caller, body)| {
                let call = body.nodes().find(|(node, data)| {
                    data.op == IrOp::Call
                        && body.args(*node).first().is_some_and(|callee| callee.as_func() == Some(func))
                });
                Some((caller, root(body, *body.args(call?.0).get(number + 1)?)?))
            });
            match found? {
                (_, Root::Var(var)) => return Some(var),
                (caller, Root::Param(param)) => (func, number) = (caller, param as usize),
            }
        }
        None
    }

    pub(crate) fn spirv_type(&mut self, ty: &SpirvType, span: Span) -> Res<Id> {
        let Some(op) = Op::from_u32(ty.opcode.into()) else {
            return fail(Code::E0602, span, format!("there is no instruction {} that declares a type", ty.opcode));
        };
        let mut operands = vec![];
        for operand in &ty.operands {
            operands.push(match *operand {
                SpirvTypeOperand::Type(ty) => self.value_type(ty, span)?,
                SpirvTypeOperand::Constant(value) => self.u32(value),
                SpirvTypeOperand::Literal(word) => word,
            });
        }
        Ok(self.out.plain_type(op, &operands))
    }

    /// The storage class of a variable in the address space `spirv`.
    pub(crate) fn storage_class(&self, var: Var) -> Res<StorageClass> {
        let data = &self.module.vars[var];
        let number = data.decorations.find(|d| if let Is::StorageClass(n) = d { Some(n) } else { None });
        match number.and_then(StorageClass::from_u32) {
            Some(class) => Ok(class),
            None => fail(Code::E0602, data.span, format!("`{}` has no storage class of SPIR-V", data.name.text)),
        }
    }

    /// Declares a variable in the address space `spirv`.
    pub(crate) fn spirv_variable(&mut self, var: Var) -> Res<Global> {
        let data = &self.module.vars[var];
        let class = self.storage_class(var)?;
        if data.decorations.block_layout().is_some() {
            return self.block(var);
        }
        self.compute_with(data.ty);
        self.share(data.ty, class);
        let ty = self.value_type(data.ty, data.span)?;
        let made = self.memory(var, class, ty, None);
        if let Global::Memory { id, .. } = made {
            self.spirv_decorations(id, None, &data.decorations);
        }
        Ok(made)
    }

    /// Decorations that only SPIR-V has.
    pub(crate) fn spirv_decorations(&mut self, id: Id, member: Option<u32>, decorations: &Decorations) {
        for decoration in decorations.iter() {
            let Is::Spirv(number, operand) = decoration else { continue };
            let mut words = vec![id];
            words.extend(member);
            words.push(number);
            words.extend(operand);
            let op = if member.is_some() { Op::MemberDecorate } else { Op::Decorate };
            self.out.decorations.op(op, &words);
        }
    }
}

impl FunctionWriter<'_, '_> {
    /// Writes an instruction that only SPIR-V has.
    pub(crate) fn spirv_instruction(&mut self, node: Node, args: &[Value]) -> Res<()> {
        let data = self.body.node(node);
        let row = self.cx.module.custom_of(data.op, data.imm);
        let Some((name, spirv)) = row.and_then(|row| Some((&row.name, row.spirv.as_ref()?))) else {
            return self.no_such_op(data.op);
        };
        let op = if spirv.set.is_some() { Some(Op::ExtInst) } else { Op::from_u32(spirv.opcode) };
        let Some(op) = op else {
            return fail(Code::E0604, self.span, format!("SPIR-V has no instruction {} (`{name}`)", spirv.opcode));
        };
        let mut words = vec![];
        if let Some(set) = &spirv.set {
            words.extend([self.cx.out.set(set), spirv.opcode]);
        }
        let mut args = args.iter();
        let missing = || fail(Code::E0699, data.span, format!("`{name}` lacks operands"));
        for operand in &spirv.operands {
            words.push(match operand {
                SpirvOperand::Literal(word) => *word,
                SpirvOperand::Texel(ty) => {
                    let (Some(&image), Some(&coordinate), Some(&sample)) = (args.next(), args.next(), args.next())
                    else {
                        return missing();
                    };
                    let place = [self.any_operand(image)?, self.id(coordinate)?, self.id(sample)?];
                    let texel = self.cx.value_type(*ty, self.span)?;
                    let ty = self.cx.out.pointer(StorageClass::Image, texel);
                    self.emit(Op::ImageTexelPointer, ty, &place)
                }
                SpirvOperand::Type(ty) => self.cx.value_type(*ty, self.span)?,
                SpirvOperand::Value | SpirvOperand::Image => match args.next() {
                    Some(&arg) if *operand == SpirvOperand::Image => self.image_only(arg)?,
                    Some(&arg) => self.any_operand(arg)?,
                    None => return missing(),
                },
            });
        }
        if Sections::fits(words.len() + 2).is_err() {
            return fail(Code::E0602, self.span, format!("`{name}` has too many operands"));
        }
        let result = self.body.results(node).next();
        let Some(result) = result else {
            if op == Op::ExtInst {
                let void = self.cx.out.plain_type(Op::TypeVoid, &[]);
                self.emit(op, void, &words);
            } else if spirv.ends {
                self.end(op, &words);
            } else {
                self.emit_void(op, &words);
            }
            return Ok(());
        };
        let ty = self.body.local_type(result);
        self.cx.compute_with(ty);
        let ty = self.cx.value_type(ty, self.span)?;
        let id = self.emit(op, ty, &words);
        self.define(result, Val::Id(id));
        Ok(())
    }

    /// A value, a pointer, an image or a sampler as an id.
    fn any_operand(&mut self, arg: Value) -> Res<Id> {
        match self.val(arg)? {
            Val::Id(id) => Ok(id),
            Val::Place(Place::Memory(chain)) => self.pointer(&chain),
            Val::Handle(_) | Val::Combined(..) => self.sampled_image(arg),
            Val::Splat(_) | Val::Place(_) => {
                fail(Code::E0604, self.span, "this cannot be an operand of an instruction that only SPIR-V has")
            }
        }
    }
}

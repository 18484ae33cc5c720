//! Code of the interface: between the convention of C and that of the program's functions.
//!
//! ```text
//! export    C ─► program    loads composites from structures, calls, stores results
//! import    program ─► C    the reverse; its number is that of the imported function
//! stage     C ─► program    an instance in the frame, with the inputs in its variables
//! ```

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, Signature, StackSlotData, StackSlotKind, Type as ClifType, UserFuncName, Value,
    types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use planish_back_header::traps::code_of;
use planish_back_header::{
    CFunction, CLayout, CResults, Fields, Interface, Passing, Shaders, StageFunction, State, layout,
};
use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Type, Var};
use planish_ir::function::TrapKind;
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_machine::isa::Kind;
use smallvec::SmallVec;

use super::code::{ObjectEnvironment, c_param, flags};
use super::ctype;
use super::symbols::{self, Scope};
use crate::body::{signature_of, size_of, split_results};
use crate::words;

type Values = SmallVec<[Value; 8]>;

/// All that functions of the interface have in common.
#[derive(Clone, Copy)]
pub(crate) struct Glue<'a> {
    pub(crate) module: &'a Module,
    pub(crate) isa: &'a dyn TargetIsa,
    pub(crate) object: &'a ObjectEnvironment<'a>,
    pub(crate) interface: &'a Interface,
    pub(crate) signatures: &'a SideTable<Type, Option<planish_machine::Signature>>,
    pub(crate) shaders: &'a Shaders,
}

/// The name of the function that initializes an instance in a frame.
pub(crate) const LOCAL_INIT: &str = "planish.init";

impl Glue<'_> {
    pub(crate) fn layout_of(&self, ty: Type) -> CLayout {
        CLayout::of(self.module, ty).expect("the interface has types of C only")
    }

    fn results_layout(&self, results: &CResults) -> CLayout {
        match results {
            CResults::None => CLayout::default(),
            CResults::Value(ty, _) | CResults::Pointer(ty) => self.layout_of(*ty),
            CResults::Struct(types) => {
                CLayout::of_members(self.module, types).expect("the interface has types of C only")
            }
        }
    }

    /// The signature of a function in C.
    fn c_signature(&self, function: &CFunction) -> Signature {
        let mut signature = Signature::new(self.isa.default_call_conv());
        signature.params.extend(self.interface.takes_instance().then(|| AbiParam::new(types::I64)));
        for param in &function.params {
            match param.passing {
                Passing::Value(kind) => signature.params.push(c_param(self.isa, kind)),
                Passing::In | Passing::InOut => signature.params.push(AbiParam::new(types::I64)),
                Passing::Slice(_) => {
                    signature.params.extend([AbiParam::new(types::I64), c_param(self.isa, Kind::U32)]);
                }
            }
        }
        match function.results {
            CResults::None => {}
            CResults::Value(_, kind) => signature.returns.push(c_param(self.isa, kind)),
            CResults::Pointer(_) | CResults::Struct(_) => signature.params.push(AbiParam::new(types::I64)),
        }
        signature
    }

    /// Builds an exported function of the interface: its number and code.
    pub(crate) fn define(
        &self,
        name: &str,
        scope: Scope,
        signature: Signature,
        scratch: &mut FunctionBuilderContext,
        build: impl FnOnce(&Self, &mut FunctionBuilder<'_>, &[Value]),
    ) -> (u32, Function) {
        let number = self.object.symbols.borrow_mut().declare(name, scope, &signature);
        self.build(number, signature, scratch, build)
    }

    pub(super) fn build(
        &self,
        number: u32,
        signature: Signature,
        scratch: &mut FunctionBuilderContext,
        build: impl FnOnce(&Self, &mut FunctionBuilder<'_>, &[Value]),
    ) -> (u32, Function) {
        let mut function = Function::with_name_signature(UserFuncName::user(0, number), signature);
        let mut b = FunctionBuilder::new(&mut function, scratch);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let params: Values = b.block_params(entry).into();
        build(self, &mut b, &params);
        b.seal_all_blocks();
        b.finalize(self.isa.frontend_config());
        (number, function)
    }

    /// Calls a function of the program: all results.
    pub(crate) fn call_program(
        &self,
        b: &mut FunctionBuilder<'_>,
        func: Func,
        context: Value,
        args: &[Value],
    ) -> Values {
        let signature = self.signatures[self.module.funcs[func].ty].as_ref().expect("lowering has accepted its type");
        let (_, in_memory) = split_results(self.isa, &signature.results);
        let mut all = Values::from_slice(&[context]);
        let rest = (!in_memory.is_empty()).then(|| {
            let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, size_of(in_memory), 4);
            let slot = b.create_sized_stack_slot(slot);
            b.ins().stack_addr(types::I64, slot, 0)
        });
        all.extend(rest);
        all.extend_from_slice(args);
        let callee = symbols::function(b, symbols::number_of(func), signature_of(self.isa, signature));
        let call = b.ins().call(callee, &all);
        let mut results: Values = b.inst_results(call).into();
        if let Some(at) = rest {
            results.extend(words::load(b, at, in_memory));
        }
        results
    }

    /// A function of the program, for C.
    pub(crate) fn export(&self, function: &CFunction, scratch: &mut FunctionBuilderContext) -> (u32, Function) {
        let signature = self.c_signature(function);
        self.define(&function.c_name, Scope::Exported, signature, scratch, |glue, b, params| {
            let mut given = params.iter().copied();
            let context = match glue.interface.state {
                State::Instance => given.next().expect("the instance comes first"),
                State::None => b.ins().iconst(types::I64, 0),
                State::Call | State::Shader => glue.instance_in_frame(b),
                State::Slices => glue.memories_in_frame(b),
            };
            let (mut args, mut behind) = (Values::new(), Vec::new());
            for param in &function.params {
                let value = given.next().expect("there is a value for each parameter");
                match param.passing {
                    Passing::Slice(slice) => {
                        let len = given.next().expect("the length follows");
                        glue.lend(b, context, &slice, [value, len]);
                        args.push(len);
                    }
                    Passing::Value(Kind::Bool) => args.push(ctype::truth(b, value)),
                    Passing::Value(_) => args.push(value),
                    Passing::In | Passing::InOut => {
                        let layout = glue.layout_of(param.ty);
                        args.extend(layout.parts.iter().map(|&(at, kind)| ctype::load(b, value, at, kind)));
                        if param.passing == Passing::InOut {
                            behind.push((value, layout));
                        }
                    }
                }
            }
            let results = glue.call_program(b, function.func, context, &args);
            let layout = glue.results_layout(&function.results);
            let (own, mut rest) = results.split_at(layout.parts.len());
            for (place, layout) in behind {
                let (these, others) = rest.split_at(layout.parts.len());
                store_parts(b, place, &layout, these);
                rest = others;
            }
            match function.results {
                CResults::None => b.ins().return_(&[]),
                CResults::Value(_, Kind::Bool) => {
                    let byte = b.ins().ireduce(types::I8, own[0]);
                    b.ins().return_(&[byte])
                }
                CResults::Value(..) => b.ins().return_(own),
                CResults::Pointer(_) | CResults::Struct(_) => {
                    let place = given.next().expect("the place of the results comes last");
                    store_parts(b, place, &layout, own);
                    b.ins().return_(&[])
                }
            };
        })
    }

    /// A function of C, for the program.
    pub(crate) fn import(&self, function: &CFunction, scratch: &mut FunctionBuilderContext) -> (u32, Function) {
        let machine = self.signatures[self.module.funcs[function.func].ty].as_ref().expect("the type was checked");
        let number = symbols::number_of(function.func);
        self.build(number, signature_of(self.isa, machine), scratch, |glue, b, params| {
            let (_, in_memory) = split_results(glue.isa, &machine.results);
            let (&context, mut args) = params.split_first().expect("the context comes first");
            let mut rest_at = None;
            if !in_memory.is_empty() {
                (rest_at, args) = (Some(args[0]), &args[1..]);
            }
            let (mut given, mut behind) = (Values::new(), Vec::new());
            given.extend(glue.interface.takes_instance().then_some(context));
            for param in &function.params {
                let layout = glue.layout_of(param.ty);
                let (these, others) = args.split_at(layout.parts.len());
                args = others;
                given.push(match param.passing {
                    Passing::Value(Kind::Bool) => b.ins().ireduce(types::I8, these[0]),
                    Passing::Value(_) => these[0],
                    Passing::Slice(_) => unreachable!("imports take no slices"),
                    Passing::In | Passing::InOut => {
                        let place = place_for(b, &layout);
                        store_parts(b, place, &layout, these);
                        if param.passing == Passing::InOut {
                            behind.push((place, layout));
                        }
                        place
                    }
                });
            }
            let layout = glue.results_layout(&function.results);
            let place = matches!(function.results, CResults::Pointer(_) | CResults::Struct(_)).then(|| {
                let place = place_for(b, &layout);
                given.push(place);
                place
            });
            let signature = glue.c_signature(function);
            let number = glue.object.symbols.borrow_mut().declare(&function.c_name, Scope::External, &signature);
            let callee = symbols::function(b, number, signature);
            let call = b.ins().call(callee, &given);
            let mut results: Values = b.inst_results(call).into();
            if let CResults::Value(_, Kind::Bool) = function.results {
                results[0] = ctype::truth(b, results[0]);
            }
            let places = place.map(|place| (place, layout)).into_iter().chain(behind);
            for (place, layout) in places {
                results.extend(layout.parts.iter().map(|&(at, kind)| ctype::load(b, place, at, kind)));
            }
            let (in_registers, _) = split_results(glue.isa, &machine.results);
            let (results, others) = results.split_at(in_registers.len());
            if let Some(at) = rest_at {
                words::store(b, at, in_memory, others);
            }
            b.ins().return_(results);
        })
    }

    /// An instance in the frame that has memories only, of which none has bytes.
    fn memories_in_frame(&self, b: &mut FunctionBuilder<'_>) -> Value {
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, self.object.layout.size, 4);
        let slot = b.create_sized_stack_slot(slot);
        let instance = b.ins().stack_addr(types::I64, slot, 0);
        self.begin_instance(b, instance, None);
        self.copy_image(b, instance);
        instance
    }

    /// Makes a slice of the caller's the memory that it is for the program. Its addresses have 32 bits.
    fn lend(&self, b: &mut FunctionBuilder<'_>, instance: Value, slice: &SliceParam, [data, len]: [Value; 2]) {
        let len = b.ins().uextend(types::I64, len);
        let size = b.ins().imul_imm_s(len, i64::from(slice.stride()));
        let is_large = b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, size, i64::from(u32::MAX));
        self.trap_if(b, is_large, code_of(TrapKind::OutOfBoundsMemory));
        self.set_memory(b, instance, slice.memory, [data, size]);
    }

    /// An instance in the frame, initialized.
    fn instance_in_frame(&self, b: &mut FunctionBuilder<'_>) -> Value {
        let size = self.object.layout.size;
        let slot = b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4));
        let instance = b.ins().stack_addr(types::I64, slot, 0);
        let signature = self.local_init_signature();
        let number = self.object.symbols.borrow_mut().declare(LOCAL_INIT, Scope::Local, &signature);
        let callee = symbols::function(b, number, signature);
        b.ins().call(callee, &[instance]);
        instance
    }

    pub(crate) fn local_init_signature(&self) -> Signature {
        let mut signature = Signature::new(self.isa.default_call_conv());
        signature.params.push(AbiParam::new(types::I64));
        signature
    }

    /// The entry point of a shader, for C.
    pub(crate) fn stage(&self, function: &StageFunction, scratch: &mut FunctionBuilderContext) -> (u32, Function) {
        let mut signature = Signature::new(self.isa.default_call_conv());
        let groups = [&function.uniforms, &function.inputs, &function.outputs];
        let present = groups.iter().filter(|group| !group.0.is_empty());
        signature.params.extend(present.map(|_| AbiParam::new(types::I64)));
        self.define(&function.c_name, Scope::Exported, signature, scratch, |glue, b, params| {
            let context = match glue.interface.state {
                State::Call => glue.instance_in_frame(b),
                _ => b.ins().iconst(types::I64, 0),
            };
            let mut given = params.iter().copied();
            let mut next = |group: &Fields| if group.0.is_empty() { None } else { given.next() };
            let places = [next(&function.uniforms), next(&function.inputs), next(&function.outputs)];
            for (group, place) in groups.into_iter().zip(places).take(2) {
                for (var, part, kind, offset) in glue.parts_of(group) {
                    let place = place.expect("the group has members");
                    let value = ctype::load(b, place, offset, kind);
                    glue.store_word(b, context, (var, part), kind, value);
                }
            }
            glue.call_program(b, function.func, context, &[]);
            for (var, part, kind, offset) in glue.parts_of(&function.outputs) {
                let word = glue.object.layout.offsets[var] + 8 * part;
                let value = ctype::load_word(b, context, word, kind);
                ctype::store(b, places[2].expect("there are outputs"), offset, kind, value);
            }
            b.ins().return_(&[]);
        })
    }

    /// The components of fields: variable, word in it, kind, offset in the structure.
    fn parts_of(&self, fields: &Fields) -> Vec<(Var, u32, Kind, u32)> {
        let vars: Vec<Var> = fields.0.iter().map(|&(_, var)| var).collect();
        let members: Vec<Type> = vars.iter().map(|&var| self.module.vars[var].ty).collect();
        let layout = CLayout::of_members(self.module, &members).expect("the interface has types of C only");
        let mut parts = layout.parts.into_iter();
        let mut all = Vec::new();
        for (&var, &ty) in vars.iter().zip(&members) {
            let mut word = 0;
            for (offset, kind) in parts.by_ref().take(self.layout_of(ty).parts.len()) {
                all.push((var, word, kind, offset));
                word += kind.words(64);
            }
        }
        all
    }

    fn store_word(
        &self,
        b: &mut FunctionBuilder<'_>,
        context: Value,
        (var, part): (Var, u32),
        kind: Kind,
        value: Value,
    ) {
        let place = self.object.layout.offsets[var] + 8 * part;
        let place = b.ins().iadd_imm_s(context, i64::from(place));
        words::store(b, place, &[kind], &[value]);
    }

    /// The address of something in an instance, for C.
    pub(crate) fn accessor(
        &self,
        name: &str,
        offset: u32,
        is_address: bool,
        scratch: &mut FunctionBuilderContext,
    ) -> (u32, Function) {
        let mut signature = Signature::new(self.isa.default_call_conv());
        signature.params.push(AbiParam::new(types::I64));
        signature.returns.push(AbiParam::new(types::I64));
        self.define(name, Scope::Exported, signature, scratch, |_, b, params| {
            let address = if is_address {
                b.ins().load(types::I64, flags(), params[0], offset as i32)
            } else {
                b.ins().iadd_imm_s(params[0], i64::from(offset))
            };
            b.ins().return_(&[address]);
        })
    }

    /// Stores the embedder's pointer, and that there is no limit of the stack.
    pub(crate) fn begin_instance(&self, b: &mut FunctionBuilder<'_>, instance: Value, user: Option<Value>) {
        let none = b.ins().iconst(types::I64, 0);
        b.ins().store(flags(), user.unwrap_or(none), instance, layout::USER as i32);
        b.ins().store(flags(), none, instance, layout::STACK_LIMIT as i32);
    }
}

/// Room in the frame for a value in C.
fn place_for(b: &mut FunctionBuilder<'_>, layout: &CLayout) -> Value {
    let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, layout.size.max(8), 4);
    let slot = b.create_sized_stack_slot(slot);
    b.ins().stack_addr(types::I64, slot, 0)
}

fn store_parts(b: &mut FunctionBuilder<'_>, place: Value, layout: &CLayout, values: &[Value]) {
    for (&(at, kind), &value) in layout.parts.iter().zip(values) {
        ctype::store(b, place, at, kind, value);
    }
}

/// The type of a word of the instance.
pub(crate) const WORD: ClifType = types::I64;

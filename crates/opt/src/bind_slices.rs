//! A function of slices becomes a compute shader, whose slices are storage buffers.
//!
//! ```text
//! before: memory memory0 min 0 max 0 export "slice0"       after: var storage @x: $x_slice set(0) binding(0) readonly       struct { data: [f32] }
//!         fn @f(%x: u32, %n: u32) -> (f32) {                      var storage @arguments: $Arguments set(0) binding(1)     struct { x_len: u32, n: u32 }
//!           %y = memory_load[memory0 u32 in_bounds] %a            var storage @results: $Results set(0) binding(2)         struct { stopped: u32, r0: f32 }
//!           return %y                                             fn @f() {
//!                                                                   %y = load @x.data[%a >> 2]
//!                                                                   @results.r0 = %y   @results.stopped = 0   return
//! ```
//!
//! One invocation runs it; or many do, which share the iterations of its loop ([`spread`]).
//!
//! Shaders have no traps: a trap sets `stopped` to its number, and a slice that is longer than its buffer sets it to 1, and the shader returns.
//! Truth values are words. What a slice loses is that of [`crate::join_slices`].
//!
//! **Holds before:** a valid, placed module as for [`crate::join_slices`], whose slices, if there are any, are all of the one entry point.

mod spread;

use std::sync::Arc;

use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::decoration::{BlockLayout, Decoration, Decorations, Name, NameSource, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Func, Memory, Node, Type, Value, Var};
use planish_ir::function::{Body, Exit, TrapKind};
use planish_ir::host::SliceParam;
use planish_ir::module::{Module, Stage as ShaderStage};
use planish_ir::ops::{Imm, Op, Width};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Member, Scalar, StructType, TypeKind};

use self::spread::{GROUP, Share};
use crate::restage::{Stage, copy_node, restage};

/// The buffers of the shader, and its ends.
#[derive(Clone, Debug)]
pub struct Interface {
    /// A structure of the parameters; `None` if there are none.
    pub arguments: Option<Var>,
    /// A structure of `stopped` and the results.
    pub results: Var,
    /// Whether the invocations of any number of work groups share the iterations of a loop; else one invocation is the call.
    pub is_shared: bool,
    /// The traps of the function: that with the index `n` sets `stopped` to `n` + [`FIRST_STOP`].
    pub stops: Vec<(TrapKind, Span)>,
}

/// The number in `stopped` of the first trap. Below, 0 is a return, and 1 a slice that is longer than its buffer.
pub const FIRST_STOP: u32 = 2;

/// Runs on a function, with the slices that it takes.
///
/// # Errors
/// E1406: numbers of other than 32 bits in slices, parameters or results, functions that trap where they are called, and those of the host.
///
/// # Panics
/// If the module has other memories, or the slices are of other functions.
pub fn run(module: &mut Module, func: Func, slices: &[SliceParam]) -> Result<Interface, Vec<Diagnostic>> {
    assert_eq!(module.memories.len(), slices.len(), "all memories are slices");
    assert!(slices.iter().all(|slice| slice.func == func), "all slices are of the function");
    check(module, func, slices)?;
    let spread = spread::find(module, func);
    let is_shared = spread.is_some();
    let mut binding = 0..;
    let mut next = || binding.next().expect("it does not end");
    let params = module.funcs[func].params.clone();
    let buffers = slices.iter().map(|slice| {
        let element = module.types.scalar(slice.number.scalar());
        let data = module.types.intern(TypeKind::RuntimeArray { element });
        let name = &params[slice.param].name.text;
        let var = buffer(module, name, &format!("{name}_slice"), &[("data".into(), data)], next());
        if !slice.is_written {
            module.vars[var].decorations.add(Decoration::ReadOnly);
        }
        var
    });
    let buffers: Vec<Var> = buffers.collect();
    let member = |(number, param): (usize, &planish_ir::function::Param)| {
        let is_len = slices.iter().any(|slice| slice.param == number);
        let name = if is_len { format!("{}_len", param.name.text) } else { param.name.text.to_string() };
        (name.into(), stored(param.ty))
    };
    let members: Vec<(Arc<str>, Type)> = params.iter().enumerate().map(member).collect();
    let arguments = (!members.is_empty()).then(|| {
        let arguments = buffer(module, "arguments", "Arguments", &members, next());
        module.vars[arguments].decorations.add(Decoration::ReadOnly);
        arguments
    });
    let results: Vec<Type> = module.funcs[func].results.iter().map(|result| result.ty).collect();
    let numbered = results.iter().enumerate().map(|(number, &ty)| (format!("r{number}").into(), stored(ty)));
    let members: Vec<(Arc<str>, Type)> = [("stopped".into(), Type::U32)].into_iter().chain(numbered).collect();
    let results = buffer(module, "results", "Results", &members, next());
    let function = &mut module.funcs[func];
    function.params.clear();
    function.results.clear();
    function.ty = module.types.function(&[], &[]);
    module.memories.truncate(0);
    for entry in module.entry_points.iter_mut().filter(|entry| entry.func == func) {
        entry.stage = Some(ShaderStage::Compute);
        entry.properties.local_size = Some([if is_shared { GROUP } else { 1 }, 1, 1]);
    }
    let types = params.iter().map(|param| param.ty).collect();
    let share = spread.map(|spread| Share::new(module, spread));
    let (values, stops) = (Vec::new(), Vec::new());
    let mut stage = BindSlices { slices, buffers, types, arguments, results, values, share, stops };
    restage(module, func, Policy::PLAIN, &mut stage);
    Ok(Interface { arguments, results, is_shared, stops: stage.stops })
}

/// The type of a value in a buffer.
fn stored(ty: Type) -> Type {
    if ty == Type::BOOL { Type::U32 } else { ty }
}

/// A storage buffer with members.
fn buffer(module: &mut Module, name: &str, of: &str, members: &[(Arc<str>, Type)], binding: u32) -> Var {
    let member = |(name, ty): &(Arc<str>, Type)| Member {
        name: name.clone(),
        ty: *ty,
        precision: Precision::None,
        decorations: Decorations::new(),
    };
    let block = StructType { name: of.into(), members: members.iter().map(member).collect(), is_block: true };
    let ty = module.types.intern(TypeKind::Struct(Arc::new(block)));
    let var = module.add_var(Name::new(name, NameSource::Interface), ty, AddressSpace::Storage);
    let decorations = &mut module.vars[var].decorations;
    decorations.add(Decoration::Set(0));
    decorations.add(Decoration::Binding(binding));
    decorations.add(Decoration::BlockLayout(BlockLayout::Std430));
    var
}

/// Refuses what buffers do not hold.
fn check(module: &Module, func: Func, slices: &[SliceParam]) -> Result<(), Vec<Diagnostic>> {
    let function = &module.funcs[func];
    let mut errors = Vec::new();
    let mut refuse = |span, what: String| {
        let text = format!("`{}` is no compute shader: {what}", module.outside_name(func));
        errors.push(Diagnostic::error(Code::E1406, span, text));
    };
    for slice in slices.iter().filter(|slice| slice.number.width() != Width::B32) {
        refuse(
            function.span,
            format!("a slice has elements of {}, and buffers have numbers of 32 bits", slice.number.name()),
        );
    }
    let values = function.params.iter().map(|param| param.ty).chain(function.results.iter().map(|result| result.ty));
    let is_large = |ty: Type| {
        module.types.contains(ty, &mut |kind| matches!(kind, TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } if s.bits() == 64))
    };
    let is_truths = |ty: Type| ty != Type::BOOL && module.types.scalar_of(ty) == Some(Scalar::Bool);
    if values.clone().any(is_large) {
        refuse(function.span, "a parameter or result has 64 bits, and buffers have numbers of 32 bits".into());
    }
    if values.clone().any(is_truths) {
        refuse(function.span, "a parameter or result is a vector of truth values".into());
    }
    if let Some((_, import)) = module.func_imports.first() {
        refuse(function.span, format!("it calls `{}`, a function of the host", import.name));
    }
    for (_, other) in module.funcs.iter().filter(|(other, _)| *other != func) {
        let Some(body) = &other.body else { continue };
        if body.blocks.values().any(|block| matches!(block.exit, Exit::Trap(_))) {
            refuse(other.span, format!("`{}`, which it calls, may stop the program", other.name.text));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

struct BindSlices<'a> {
    slices: &'a [SliceParam],
    /// Of each slice.
    buffers: Vec<Var>,
    /// Types of the parameters.
    types: Vec<Type>,
    arguments: Option<Var>,
    results: Var,
    /// The parameters.
    values: Vec<Value>,
    /// Of the iterations of a loop, those that an invocation runs.
    share: Option<Share>,
    /// The traps so far.
    stops: Vec<(TrapKind, Span)>,
}

impl Stage for BindSlices<'_> {
    fn enter(&mut self, builder: &mut Builder<'_, '_>) -> Block {
        if let Some(share) = &mut self.share {
            share.begin(builder);
        }
        for (number, &ty) in self.types.iter().enumerate() {
            let arguments = self.arguments.expect("there are parameters");
            let place = builder.op_imm(Op::AccessStructField, Imm::index(number as u32), &[arguments.into()]);
            let value = builder.load(place);
            let zero = builder.u32(0);
            self.values.push(if ty == Type::BOOL { builder.op(Op::NotEqual, &[value, zero]) } else { value });
        }
        let mut is_beyond = None;
        for (slice, &var) in self.slices.iter().zip(&self.buffers) {
            let data = builder.op_imm(Op::AccessStructField, Imm::index(0), &[var.into()]);
            let numbers = builder.op(Op::ArrayLength, &[data]);
            let numbers = builder.op_typed(Op::Bitcast, &[numbers], Type::U32);
            let count = builder.u32(slice.count);
            let most = builder.op(Op::Divide, &[numbers, count]);
            let beyond = builder.op(Op::GreaterThan, &[self.values[slice.param], most]);
            is_beyond = Some(match is_beyond {
                Some(before) => builder.op(Op::LogicalOr, &[before, beyond]),
                None => beyond,
            });
        }
        let Some(is_beyond) = is_beyond else { return builder.block() };
        let blocks = builder.if_(is_beyond);
        builder.switch_to(blocks.then);
        self.end(1, &[], builder);
        builder.ret(&[]);
        builder.switch_to(blocks.otherwise);
        builder.merge(&[]);
        builder.switch_to(blocks.merge);
        builder.block()
    }

    fn param(&mut self, index: usize, _: &mut Builder<'_, '_>) -> Option<Value> {
        Some(self.values[index])
    }

    fn node(&mut self, source: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let data = source.node(node);
        match data.op {
            Op::MemoryLoad => {
                let (place, held) = self.place(source, node, args[0], builder);
                let value = builder.load(place);
                let wanted = source.result(node).map(|result| source.local_type(result)).expect("a load has a result");
                let same = held == wanted;
                Results::from_slice(&[if same { value } else { builder.op_typed(Op::Bitcast, &[value], wanted) }])
            }
            Op::MemoryStore => {
                let (place, held) = self.place(source, node, args[0], builder);
                let same = builder.type_of(args[1]) == held;
                let value = if same { args[1] } else { builder.op_typed(Op::Bitcast, &[args[1]], held) };
                builder.store(place, value);
                Results::new()
            }
            _ => copy_node(source, node, args, builder),
        }
    }

    fn leave(&mut self, block: Block, exit: Exit, builder: &mut Builder<'_, '_>) -> Exit {
        match exit {
            Exit::Return(values) => self.end(0, &values, builder),
            Exit::Trap(kind) => {
                let number = FIRST_STOP + self.stops.len() as u32;
                self.stops.push((kind, builder.span()));
                self.end(number, &[], builder);
            }
            other => return self.share.as_ref().map_or(other.clone(), |share| share.leave(block, other, builder)),
        }
        Exit::Return(Default::default())
    }
}

impl BindSlices<'_> {
    /// The number that an access is to, and its type.
    fn place(&self, source: &Body, node: Node, address: Value, builder: &mut Builder<'_, '_>) -> (Value, Type) {
        let arg = source.node(node).imm.as_mem_arg();
        let of = |memory: Memory| self.slices.iter().position(|slice| slice.memory == memory);
        let number = of(arg.memory).expect("all memories are slices");
        let data = builder.op_imm(Op::AccessStructField, Imm::index(0), &[self.buffers[number].into()]);
        let address = builder.op_typed(Op::Bitcast, &[address], Type::U32);
        let (two, more) = (builder.u32(2), builder.u32(arg.offset / 4));
        let index = builder.op(Op::ShiftRight, &[address, two]);
        let index = builder.op(Op::Add, &[index, more]);
        let place = builder.op(Op::AccessArrayElement, &[data, index]);
        (place, builder.module.types.scalar(self.slices[number].number.scalar()))
    }

    /// Writes the results, and whether the function came to a trap. One invocation does so for all.
    fn end(&self, stopped: u32, values: &[Value], builder: &mut Builder<'_, '_>) {
        let blocks = self.share.as_ref().map(|share| builder.if_(share.is_first()));
        if let Some(blocks) = &blocks {
            builder.switch_to(blocks.then);
        }
        let [zero, one, stopped] = [0, 1, stopped].map(|word| builder.u32(word));
        for (number, &value) in (0..).zip([stopped].iter().chain(values)) {
            let is_truth = builder.type_of(value) == Type::BOOL;
            let value = if is_truth { builder.op(Op::Select, &[value, one, zero]) } else { value };
            let place = builder.op_imm(Op::AccessStructField, Imm::index(number), &[self.results.into()]);
            builder.store(place, value);
        }
        if let Some(blocks) = blocks {
            builder.merge(&[]);
            builder.switch_to(blocks.otherwise);
            builder.merge(&[]);
            builder.switch_to(blocks.merge);
        }
    }
}

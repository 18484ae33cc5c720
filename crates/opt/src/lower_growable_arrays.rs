//! Puts growable arrays into a byte memory, for targets that have one and no such arrays.
//!
//! ```text
//! before: var @xs: [f64]                 after: var @xs: u32 = 0u            its length
//!         append @xs, %x                        %n = load @xs
//!         %p = access_array_element @xs, %i     %full = equal %n, @xs_room   (in a variable, as @xs_start is)
//!         %y = load %p                          if %full { … call @grow, … }
//!                                               memory_store[heap u64 in_bounds] %start + %n * 8, %x
//!                                               store @xs, %n + 1
//!                                               %y = select %i < %n, memory_load[heap u64] …, 0.0
//! ```
//!
//! What a function adds lies above what its callers have: the memory is a stack of arrays, and ends with the function where it
//! began. An array that must grow is moved up, unless it is the last one. The room at least doubles, so that all
//! additions together take time in proportion to the elements. A program that needs more than 4 GiB, or more than the host gives, traps.
//!
//! **Holds before:** a valid, placed module. **Holds after:** the same, without growable arrays and `append`.
//! Refused: elements that are not numbers, vectors or matrices; pointers to parts of elements, and those that are passed to functions.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Func, Memory, Node, Type, Value, Var};
use planish_ir::function::{Body, Exit, Param, ResultType, TrapKind};
use planish_ir::meaning::Shape as _;
use planish_ir::module::{MemoryData, Module};
use planish_ir::ops::{Imm, MemArg, Op, Width};
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use planish_ir::walk;
use smallvec::smallvec;

use crate::context::{Context, RemarkKind};
use crate::restage::{Stage, copy_node, restage};

/// Room of an array that is added to for the first time, in bytes; a power of two, to which all arrays are aligned.
const FIRST_ROOM: u32 = 128;
/// Room that does not double any more.
const MOST_ROOM: u32 = 1 << 31;

/// Whether a function of a module has growable arrays.
pub fn is_needed(module: &Module) -> bool {
    module
        .funcs
        .values()
        .filter_map(|function| function.body.as_ref())
        .any(|body| arrays(module, body).next().is_some())
}

/// The growable arrays that a function declares.
fn arrays<'a>(module: &'a Module, body: &'a Body) -> impl Iterator<Item = Var> + 'a {
    let variables = walk::blocks(body).flat_map(|block| body.blocks[block].variables.iter().copied());
    variables.filter(|&var| module.types.growable(module.vars[var].pointer).is_some())
}

/// Lowers all growable arrays.
///
/// # Errors
/// Arrays that cannot be lowered, and uses of them, each with its place; the module is as it was then.
pub fn run(module: &mut Module, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let found = |module: &Module, func: Func| -> Vec<Var> {
        module.funcs[func].body.as_ref().map_or(Vec::new(), |body| arrays(module, body).collect())
    };
    let funcs: Vec<(Func, Vec<Var>)> = module.funcs.keys().map(|func| (func, found(module, func))).collect();
    let errors: Vec<Diagnostic> = module.funcs.keys().flat_map(|func| refusals(module, func)).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let funcs: Vec<_> = funcs.into_iter().filter(|(_, arrays)| !arrays.is_empty()).collect();
    if funcs.is_empty() {
        return Ok(());
    }
    let memory = module.memories.push(MemoryData { min_pages: 1, max_pages: None, import: None, exports: Vec::new() });
    let top = module.add_var(internal("heap_top"), Type::U32, AddressSpace::Private);
    module.vars[top].initializer = Some(module.consts.u32(FIRST_ROOM));
    let heap = Heap { memory, top, grow: grow(module, memory, top) };
    for (func, arrays) in funcs {
        lower(module, func, &arrays, heap);
        context.changed();
        context.count("GrowableArraysLowered", arrays.len() as u64);
    }
    Ok(())
}

/// As a pass: a module with an array that cannot be lowered stays as it is, with a remark for each reason.
pub(crate) fn run_where_possible(module: &mut Module, context: &mut Context) {
    if run(module, context).is_ok() {
        return;
    }
    for func in module.funcs.keys().collect::<Vec<Func>>() {
        for error in refusals(module, func) {
            context.remark(RemarkKind::Missed, "ArrayNotLowered", module, func, error.span, error.message);
        }
    }
}

fn internal(name: &str) -> Name {
    Name::new(name, NameSource::Internal)
}

/// Uses of growable arrays that have no form in a byte memory.
fn refusals(module: &Module, func: Func) -> Vec<Diagnostic> {
    let Some(body) = &module.funcs[func].body else { return Vec::new() };
    let growable = |value: Value| module.types.growable(module.type_of(body, value));
    let error = |span, message: &str| Diagnostic::error(Code::E0610, span, message);
    let mut errors = Vec::new();
    for var in arrays(module, body) {
        let element = module.types.growable(module.vars[var].pointer).expect("it is one");
        if module.types.scalar_of(element).is_none() {
            errors.push(error(
                module.funcs[func].span,
                "a growable array holds something else than numbers, vectors and matrices",
            ));
        }
    }
    for node in walk::blocks(body).flat_map(|block| body.blocks[block].nodes.iter().copied()) {
        let (data, args) = (body.node(node), body.args(node));
        let of_element = |pointer: &Value| {
            let access = body.node_of(*pointer).filter(|&access| body.node(access).op == Op::AccessArrayElement);
            access.is_some_and(|access| growable(body.args(access)[0]).is_some())
        };
        let is_direct = matches!(data.op, Op::Append | Op::ArrayLength | Op::AccessArrayElement);
        let whole = args.iter().skip(usize::from(is_direct)).any(|&arg| growable(arg).is_some());
        let part = !matches!(data.op, Op::Load | Op::Store) && args.iter().any(of_element);
        if whole || part {
            errors.push(error(
                data.span,
                "a pointer into a growable array is used for something else than loads and stores of elements",
            ));
        }
    }
    errors
}

#[derive(Clone, Copy)]
struct Heap {
    memory: Memory,
    /// The variable with the first address that no array has.
    top: Var,
    grow: Func,
}

/// Writes the function that makes room: of the first address, the bytes in use and the room of an array, it gives the first address
/// and the room that it has then.
fn grow(module: &mut Module, memory: Memory, top: Var) -> Func {
    let param = |name: &str| Param::new(internal(name), Type::U32);
    let params = vec![param("start"), param("used"), param("room")];
    let func =
        module.add_func(internal("grow"), params, vec![ResultType::new(Type::U32); 2], planish_ir::source::Span::NONE);
    let mut builder = Builder::new(module, func, Policy::PLAIN);
    let b = &mut builder;
    let [start, used, room] = [0, 1, 2].map(|index| b.param(index));
    let [most, first, zero, shift, one] = [MOST_ROOM, FIRST_ROOM, 0, 16, 1].map(|number| b.u32(number));
    let is_last = b.op(Op::GreaterThanEqual, &[room, most]);
    stop_if(b, is_last);
    let free = b.load(top.into());
    let twice = b.op(Op::ShiftLeft, &[room, one]);
    let wanted = b.op(Op::Max, &[twice, first]);
    let end = b.op(Op::Add, &[start, room]);
    let is_highest = b.op(Op::Equal, &[end, free]);
    let has_some = b.op(Op::NotEqual, &[room, zero]);
    let stays = b.op(Op::LogicalAnd, &[is_highest, has_some]);
    let begin = b.op(Op::Select, &[stays, start, free]);
    let beyond = b.op(Op::Add, &[begin, wanted]);
    let wraps = b.op(Op::LessThan, &[beyond, begin]);
    stop_if(b, wraps);
    // Pages, without the one that an end at 4 GiB would need.
    let last = b.op(Op::Subtract, &[beyond, one]);
    let number = b.op(Op::ShiftRight, &[last, shift]);
    let needed = b.op(Op::Add, &[number, one]);
    let pair = Imm::pair(memory.as_u32(), 0);
    let present = b.op_imm(Op::MemorySize, pair, &[]);
    let present = b.op_typed(Op::Bitcast, &[present], Type::U32);
    let too_few = b.op(Op::LessThan, &[present, needed]);
    let arms = b.if_(too_few);
    b.switch_to(arms.then);
    let more = b.op(Op::Subtract, &[needed, present]);
    let more = b.op_typed(Op::Bitcast, &[more], Type::I32);
    let old = b.op_imm(Op::MemoryGrow, pair, &[more]);
    let failed = b.i32(-1);
    let fails = b.op(Op::Equal, &[old, failed]);
    stop_if(b, fails);
    b.merge(&[]);
    b.switch_to(arms.otherwise);
    b.merge(&[]);
    b.switch_to(arms.merge);
    let arms = b.if_(stays);
    b.switch_to(arms.then);
    b.merge(&[]);
    b.switch_to(arms.otherwise);
    let operands = [begin, start, used].map(|value| b.op_typed(Op::Bitcast, &[value], Type::I32));
    b.make_all(Request::new(Op::MemoryCopy, &operands).imm(Imm::pair(memory.as_u32(), memory.as_u32())));
    b.merge(&[]);
    b.switch_to(arms.merge);
    b.store(top.into(), beyond);
    b.ret(&[begin, wanted]);
    builder.finish();
    func
}

fn stop_if(b: &mut Builder<'_, '_>, condition: Value) {
    let arms = b.if_(condition);
    b.switch_to(arms.then);
    b.exit(Exit::Trap(TrapKind::OutOfMemory));
    b.switch_to(arms.otherwise);
    b.merge(&[]);
    b.switch_to(arms.merge);
}

fn lower(module: &mut Module, func: Func, arrays: &[Var], heap: Heap) {
    let zero = module.consts.u32(0);
    let mut homes: SideTable<Var, Option<Home>> = SideTable::new();
    for &var in arrays {
        let element = module.types.growable(module.vars[var].pointer).expect("it is one");
        let name = module.vars[var].name.text.clone();
        let [start, room] = ["start", "room"].map(|what| {
            let var = module.add_var(internal(&format!("{name}_{what}")), Type::U32, AddressSpace::Function);
            module.vars[var].initializer = Some(zero);
            var
        });
        homes[var] = Some(Home { start, room, element: Element::of(module, element) });
        // It is the length from now on: a variable that begins with 0 wherever the array was empty.
        let pointer = module.types.pointer(Type::U32, AddressSpace::Function);
        let data = &mut module.vars[var];
        (data.ty, data.pointer, data.initializer) = (Type::U32, pointer, Some(zero));
    }
    let mut stage = Lower { homes: &homes, arrays, heap, began: None };
    restage(module, func, Policy::PLAIN, &mut stage);
    let began = stage.began.expect("it was entered");
    let body = module.funcs[func].body.take().expect("it was written");
    let ends: Vec<Block> = walk::blocks(&body).filter(|&b| matches!(body.blocks[b].exit, Exit::Return(_))).collect();
    let mut builder = Builder::resume(module, func, body, Policy::PLAIN);
    for block in ends {
        builder.switch_to(block);
        builder.store(heap.top.into(), began);
    }
    builder.finish();
}

/// Place of an array: the variables with its first address and its capacity in bytes.
#[derive(Clone, Copy)]
struct Home {
    start: Var,
    room: Var,
    element: Element,
}

/// The elements of an array.
#[derive(Clone, Copy)]
struct Element {
    ty: Type,
    scalar: Scalar,
    count: u32,
    width: Width,
}

impl Element {
    fn of(module: &Module, ty: Type) -> Self {
        let scalar = module.types.scalar_of(ty).expect("numbers");
        let width = if scalar == Scalar::Bool { Width::B8 } else { Width::of(scalar).expect("scalars have one") };
        Element { ty, scalar, count: module.types.components(ty).expect("numbers") as u32, width }
    }

    /// Bytes of an element: a power of two for scalars.
    fn size(self) -> u32 {
        self.count * self.width.bytes()
    }

    fn argument(self, memory: Memory, component: u32) -> MemArg {
        let offset = component * self.width.bytes();
        MemArg { memory, offset, width: self.width, signed: false, in_bounds: true }
    }
}

struct Lower<'a> {
    homes: &'a SideTable<Var, Option<Home>>,
    arrays: &'a [Var],
    heap: Heap,
    /// The first free address at the beginning of the function.
    began: Option<Value>,
}

impl Lower<'_> {
    fn home(&self, pointer: Value) -> Option<(Var, Home)> {
        let var = pointer.as_var()?;
        Some((var, self.homes[var]?))
    }

    /// The array and the element that a pointer of the old function leads to; the pointer itself has become the index.
    fn element(&self, old: &Body, pointer: Value) -> Option<(Var, Home)> {
        let access = old.node_of(pointer).filter(|&access| old.node(access).op == Op::AccessArrayElement)?;
        self.home(old.args(access)[0])
    }

    fn append(&self, b: &mut Builder<'_, '_>, (var, home): (Var, Home), value: Value) {
        let size = b.u32(home.element.size());
        let len = b.load(var.into());
        let (used, room) = (b.op(Op::Multiply, &[len, size]), b.load(home.room.into()));
        let needed = b.op(Op::Add, &[used, size]);
        let is_full = b.op(Op::GreaterThan, &[needed, room]);
        let arms = b.if_(is_full);
        b.switch_to(arms.then);
        let start = b.load(home.start.into());
        let grown = b.call(self.heap.grow.into(), &[start, used, room]);
        b.store(home.start.into(), grown[0]);
        b.store(home.room.into(), grown[1]);
        b.merge(&[]);
        b.switch_to(arms.otherwise);
        b.merge(&[]);
        b.switch_to(arms.merge);
        self.put(b, home, used, value);
        let one = b.u32(1);
        let longer = b.op(Op::Add, &[len, one]);
        b.store(var.into(), longer);
    }

    /// Stores an element at an offset in bytes.
    fn put(&self, b: &mut Builder<'_, '_>, home: Home, offset: Value, value: Value) {
        let address = self.address(b, home, offset);
        let components = components(b, value, home.element);
        for (component, mut value) in components.into_iter().enumerate() {
            if home.element.scalar == Scalar::Bool {
                value = b.convert(value, Type::U32);
            }
            let arg = home.element.argument(self.heap.memory, component as u32);
            b.make_all(Request::new(Op::MemoryStore, &[address, value]).imm(arg));
        }
    }

    fn address(&self, b: &mut Builder<'_, '_>, home: Home, offset: Value) -> Value {
        let start = b.load(home.start.into());
        let address = b.op(Op::Add, &[start, offset]);
        b.op_typed(Op::Bitcast, &[address], Type::I32)
    }

    /// Whether there is an element at an index, and the offset of one that there is.
    fn offset(&self, b: &mut Builder<'_, '_>, (var, home): (Var, Home), index: Value) -> (Value, Value) {
        let index = if b.type_of(index) == Type::U32 { index } else { b.op_typed(Op::Bitcast, &[index], Type::U32) };
        let (len, zero, size) = (b.load(var.into()), b.u32(0), b.u32(home.element.size()));
        let exists = b.op(Op::LessThan, &[index, len]);
        let index = b.op(Op::Select, &[exists, index, zero]);
        (exists, b.op(Op::Multiply, &[index, size]))
    }

    fn load(&self, b: &mut Builder<'_, '_>, (var, home): (Var, Home), index: Value) -> Value {
        let (exists, offset) = self.offset(b, (var, home), index);
        let address = self.address(b, home, offset);
        let scalar = b.module.types.scalar(home.element.scalar);
        let ty = if scalar == Type::BOOL { Type::U32 } else { scalar };
        let components: Vec<Value> = (0..home.element.count)
            .map(|component| {
                let arg = home.element.argument(self.heap.memory, component);
                let loaded = b.make(Request::new(Op::MemoryLoad, &[address]).imm(arg).ty(ty));
                let number = if scalar == Type::BOOL { b.convert(loaded, scalar) } else { loaded };
                let nothing = b.module.consts.bits(scalar, 0).into();
                b.op(Op::Select, &[exists, number, nothing])
            })
            .collect();
        whole(b, &components, home.element.ty)
    }

    fn store(&self, b: &mut Builder<'_, '_>, array: (Var, Home), index: Value, value: Value) {
        let (exists, offset) = self.offset(b, array, index);
        let arms = b.if_(exists);
        b.switch_to(arms.then);
        self.put(b, array.1, offset, value);
        b.merge(&[]);
        b.switch_to(arms.otherwise);
        b.merge(&[]);
        b.switch_to(arms.merge);
    }
}

impl Stage for Lower<'_> {
    fn enter(&mut self, b: &mut Builder<'_, '_>) -> Block {
        self.began = Some(b.load(self.heap.top.into()));
        for &var in self.arrays {
            let home = self.homes[var].expect("it has one");
            b.declare(home.start);
            b.declare(home.room);
        }
        b.block()
    }

    fn node(&mut self, old: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Results {
        let (data, before) = (old.node(node), old.args(node));
        let array = before.first().and_then(|&pointer| self.home(pointer));
        let element = before.first().and_then(|&pointer| self.element(old, pointer));
        match (data.op, array, element) {
            (Op::Append, Some(array), _) => self.append(b, array, args[1]),
            (Op::ArrayLength, Some((var, _)), _) => {
                let len = b.load(var.into());
                return smallvec![b.op_typed(Op::Bitcast, &[len], Type::I32)];
            }
            (Op::AccessArrayElement, Some(_), _) => return smallvec![args[1]],
            (Op::Load, _, Some(array)) => return smallvec![self.load(b, array, args[0])],
            (Op::Store, _, Some(array)) => self.store(b, array, args[0], args[1]),
            // The memory ends after the call.
            (Op::TailCall, ..) => {
                let precision = Some(data.precision);
                return b.make_all(Request { precision, ..Request::new(Op::Call, args).imm(data.imm) });
            }
            _ => return copy_node(old, node, args, b),
        }
        Results::new()
    }
}

/// The components of an element.
fn components(b: &mut Builder<'_, '_>, value: Value, element: Element) -> Vec<Value> {
    let rows = match b.module.types[element.ty] {
        TypeKind::Matrix { rows, .. } => rows.into(),
        _ if element.count == 1 => return vec![value],
        _ => element.count,
    };
    let columns: Vec<Value> = if rows == element.count {
        vec![value]
    } else {
        (0..element.count / rows)
            .map(|column| {
                let column = b.u32(column);
                b.op(Op::ExtractMatrixColumn, &[value, column])
            })
            .collect()
    };
    let all = columns.into_iter().flat_map(|column| (0..rows).map(move |row| (column, row)));
    all.map(|(column, row)| b.op_imm(Op::ExtractVectorComponent, Imm::index(row), &[column])).collect()
}

/// The element of these components.
fn whole(b: &mut Builder<'_, '_>, components: &[Value], ty: Type) -> Value {
    let op = match b.module.types[ty] {
        TypeKind::Matrix { .. } => Op::ConstructMatrixFromMultiple,
        TypeKind::Vector(..) => Op::ConstructVectorFromMultiple,
        _ => return components[0],
    };
    b.op_typed(op, components, ty)
}

//! Random valid modules, from a seed: every exit, several levels of constructs with values, both forms, declarations of
//! many kinds. What they compute is of no interest.

use planish_generate::Choices;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{
    BlockLayout, BuiltIn, Decoration, Decorations, Interpolation, Name, NameSource, Precision,
};
use planish_ir::entity::{Block, Type, Value};
use planish_ir::function::{Args, Case, Exit, Form, TrapKind};
use planish_ir::module::{Language, Module};
use planish_ir::ops::{Imm, Lanes, Op};
use planish_ir::types::{AddressSpace, Member, Scalar, StructType, TypeKind};

const PRECISIONS: [Precision; 4] = [Precision::None, Precision::Low, Precision::Medium, Precision::High];
const NAMES: [&str; 8] = ["a", "b", "a", "", "odd name", "gl_x", "vec4", "quote\"\\\n"];

/// A random module with `functions` functions.
pub(crate) fn module(seed: u64, functions: usize) -> Module {
    let mut random = Choices::from_seed(seed);
    let mut module = Module::new(Language::Glsl { version: 310, es: true });
    declare(&mut random, &mut module);
    let types = [Type::F32, Type::I32, Type::BOOL, Type::VEC4];
    let mut funcs = Vec::new();
    for _ in 0..functions {
        let params: Vec<Type> = (0..random.below(4)).map(|_| random.pick(&types)).collect();
        let results: Vec<Type> = (0..random.below(3)).map(|_| random.pick(&types)).collect();
        let func = super::function(&mut module, random.pick(&NAMES), &params, &results);
        for param in module.funcs[func].params.iter_mut().filter(|p| p.ty != Type::BOOL) {
            param.precision = random.pick(&PRECISIONS);
        }
        funcs.push((func, results));
    }
    for (func, results) in funcs {
        let form = random.pick(&[Form::Placed, Form::Floating]);
        let share = form == Form::Floating && random.chance(50);
        let builder = Builder::new(&mut module, func, Policy { form, share, ..Policy::VERBATIM });
        let mut maker =
            Maker { random: &mut random, b: builder, visible: Vec::new(), around: Vec::new(), types, results };
        for i in 0..maker.b.body().blocks[maker.b.block()].inputs.len() {
            maker.visible.push(maker.b.param(i));
        }
        maker.chain(0, &End::Function);
        maker.b.finish();
    }
    module
}

fn declare(random: &mut Choices<'_>, module: &mut Module) {
    let f64 = module.types.scalar(Scalar::F64);
    let members = vec![
        Member {
            name: "m".into(),
            ty: Type::MAT3,
            precision: random.pick(&PRECISIONS),
            decorations: [Decoration::RowMajor, Decoration::Offset(16)].into_iter().collect(),
        },
        Member { name: "odd name".into(), ty: f64, precision: Precision::None, decorations: Decorations::new() },
    ];
    let mut structs = Vec::new();
    for is_block in [false, true] {
        let data = StructType { name: random.pick(&NAMES).into(), members: members.clone(), is_block };
        structs.push(module.types.intern(TypeKind::Struct(data.into())));
    }
    let array = module.types.array(structs[0], 3);
    for (ty, space) in [
        (array, AddressSpace::Private),
        (structs[1], AddressSpace::Uniform),
        (Type::VEC4, AddressSpace::Input),
        (Type::VEC4, AddressSpace::Output),
        (Type::F32, AddressSpace::Private),
    ] {
        let source = random.pick(&[NameSource::Interface, NameSource::Internal, NameSource::Temporary]);
        let var = module.add_var(Name::new(random.pick(&NAMES), source), ty, space);
        let data = &mut module.vars[var];
        data.precision = random.pick(&PRECISIONS);
        data.is_const = random.chance(20);
        for _ in 0..random.below(3) {
            data.decorations.add(random.pick(&[
                Decoration::Location(3),
                Decoration::Interpolation(Interpolation::Flat),
                Decoration::BlockLayout(BlockLayout::Std430),
                Decoration::BuiltIn(BuiltIn::FragCoord),
                Decoration::Invariant,
            ]));
        }
        if space == AddressSpace::Private && random.chance(50) {
            module.vars[var].initializer = module.consts.zero(&mut module.types, ty);
        }
    }
}

/// Regular end of a merge chain.
enum End {
    Function,
    Merge(Vec<Type>),
    Continue(Block, Vec<Type>),
    LoopIf(Vec<Type>, Vec<Type>),
    Break(Block, Vec<Type>),
    Passthrough,
}

/// A construct around.
struct Around {
    owner: Block,
    breaks: Option<Vec<Type>>,
    continues: Option<Vec<Type>>,
}

struct Maker<'r, 'm> {
    random: &'r mut Choices<'static>,
    b: Builder<'m, 'static>,
    /// Values that may be used.
    visible: Vec<Value>,
    around: Vec<Around>,
    types: [Type; 4],
    results: Vec<Type>,
}

const MAX_DEPTH: u32 = 4;

impl Maker<'_, '_> {
    fn some_types(&mut self) -> Vec<Type> {
        (0..self.random.below(3)).map(|_| self.random.pick(&self.types)).collect()
    }

    fn constant(&mut self, ty: Type) -> Value {
        let bits = self.random.pick(&[0, 1, 0x7fc0_1234, 0xff80_0000, 0x8000_0000, 0x3e99_999a, 0x4b80_0001]);
        let c = match ty {
            Type::BOOL => self.b.module.consts.bits(ty, bits & 1),
            Type::VEC4 if self.random.chance(50) => {
                let parts: Vec<_> = (0..4)
                    .map(|i| self.b.module.consts.bits(Type::F32, bits ^ self.random.below(2 + i) as u64))
                    .collect();
                self.b.module.consts.composite(ty, parts)
            }
            Type::VEC4 => {
                let module = &mut *self.b.module;
                module.consts.splat(&mut module.types, ty, bits).expect("a vector")
            }
            _ => self.b.module.consts.bits(ty, bits),
        };
        c.into()
    }

    fn value(&mut self, ty: Type) -> Value {
        let known: Vec<Value> = self.visible.iter().copied().filter(|&v| self.b.type_of(v) == ty).collect();
        if known.is_empty() || self.random.chance(15) { self.constant(ty) } else { self.random.pick(&known) }
    }

    fn values(&mut self, types: &[Type]) -> Args {
        types.iter().map(|&ty| self.value(ty)).collect()
    }

    fn inputs(&mut self, block: Block, types: &[Type]) {
        for &ty in types {
            let precision = if ty == Type::BOOL { Precision::None } else { self.random.pick(&PRECISIONS) };
            let input = self.b.add_input(block, ty, precision);
            self.visible.push(input);
        }
    }

    fn make(&mut self, op: Op, imm: Imm, args: &[Value], ty: Option<Type>) {
        let mut request = Request::new(op, args).imm(imm);
        request.ty = ty;
        if self.random.chance(30) {
            request.precision = Some(self.random.pick(&PRECISIONS));
        }
        let precise = self.random.chance(10);
        self.b.set_precise(precise);
        let results = self.b.make_all(request);
        self.visible.extend(results);
    }

    fn node(&mut self) {
        let number = self.random.pick(&[Type::F32, Type::I32, Type::VEC4]);
        let (a, b) = (self.value(number), self.value(number));
        let floats = self.random.pick(&[Type::F32, Type::VEC4]);
        let f = self.value(floats);
        match self.random.below(12) {
            0 => self.make(Op::Add, Imm::NONE, &[a, b], None),
            1 => self.make(Op::Subtract, Imm::NONE, &[a, b], None),
            2 => self.make(Op::Sin, Imm::NONE, &[f], None),
            3 => self.make(Op::Dfdx, Imm::NONE, &[f], None),
            4 => {
                let (a, b) = (self.value(Type::I32), self.value(Type::I32));
                self.make(Op::LessThan, Imm::NONE, &[a, b], None);
            }
            5 => {
                let condition = self.value(Type::BOOL);
                self.make(Op::Select, Imm::NONE, &[condition, a, b], None);
            }
            6 => {
                let vector = self.value(Type::VEC4);
                let lane = self.random.below(4) as u32;
                self.make(Op::ExtractVectorComponent, Imm::index(lane), &[vector], None);
            }
            7 => {
                let vector = self.value(Type::VEC4);
                self.make(Op::ExtractVectorComponentMulti, Lanes::new(&[3, 3, 0, 1]).into(), &[vector], None);
            }
            8 => {
                let (x, i) = (self.value(Type::F32), self.value(Type::I32));
                self.make(Op::ConstructVectorFromMultiple, Imm::NONE, &[x, i, x, x], Some(Type::VEC4));
            }
            9 => self.make(Op::Frexp, Imm::NONE, &[f], None),
            10 => {
                let (a, b) = (self.value(Type::I32), self.value(Type::I32));
                self.make(Op::DivideTrapping, Imm::NONE, &[a, b], None);
            }
            _ => self.memory(),
        }
    }

    fn memory(&mut self) {
        let ty = self.random.pick(&self.types);
        let name = self.random.pick(&NAMES);
        let var = super::local(&mut self.b, name, ty);
        if self.random.chance(30) {
            let initializer = self.constant(ty).as_const();
            self.b.module.vars[var].initializer = initializer;
        }
        let value = self.value(ty);
        self.make(Op::Store, Imm::NONE, &[var.into(), value], None);
        self.make(Op::Load, Imm::NONE, &[var.into()], None);
    }

    /// Fills the current block and the blocks behind it, and ends the last one.
    fn chain(&mut self, depth: u32, end: &End) {
        for _ in 0..1 + self.random.below(3) {
            for _ in 0..self.random.below(5) {
                self.node();
            }
            if depth < MAX_DEPTH {
                self.construct(depth);
            }
        }
        self.leave(end);
    }

    fn leave(&mut self, end: &End) {
        if self.random.chance(20) {
            let around = self.random.below(self.around.len() + 1);
            if let Some(Around { owner, breaks, continues }) = self.around.get(around) {
                let (owner, breaks, continues) = (*owner, breaks.clone(), continues.clone());
                let exit = match (breaks, continues, self.random.chance(50)) {
                    (_, Some(types), true) => Exit::Continue(owner, self.values(&types)),
                    (Some(types), _, _) => Exit::Break(owner, self.values(&types)),
                    _ => Exit::Trap(TrapKind::User),
                };
                return self.b.exit(exit);
            }
            let results = self.results.clone();
            let exit = match self.random.below(3) {
                0 => Exit::Return(self.values(&results)),
                1 => Exit::Discard,
                _ => Exit::Trap(self.random.pick(&TrapKind::ALL)),
            };
            return self.b.exit(exit);
        }
        let exit = match end {
            End::Function => {
                let results = self.results.clone();
                Exit::Return(self.values(&results))
            }
            End::Merge(types) => Exit::Merge(self.values(types)),
            End::Continue(owner, types) => Exit::Continue(*owner, self.values(types)),
            End::Break(owner, types) => Exit::Break(*owner, self.values(types)),
            End::Passthrough => Exit::Passthrough,
            End::LoopIf(body, merge) => Exit::LoopIf {
                condition: self.value(Type::BOOL),
                body_args: self.values(body),
                merge_args: self.values(merge),
            },
        };
        self.b.exit(exit);
    }

    /// A sub-block with a scope of its own.
    fn sub(&mut self, block: Block, inputs: &[Type], depth: u32, end: &End) {
        let mark = self.visible.len();
        self.b.switch_to(block);
        self.inputs(block, inputs);
        self.chain(depth + 1, end);
        self.visible.truncate(mark);
    }

    fn construct(&mut self, depth: u32) {
        let owner = self.b.block();
        let merged = self.some_types();
        let merge = match self.random.below(7) {
            0 | 1 => {
                let condition = self.value(Type::BOOL);
                let blocks = self.b.if_(condition);
                for arm in [blocks.then, blocks.otherwise] {
                    self.sub(arm, &[], depth, &End::Merge(merged.clone()));
                }
                blocks.merge
            }
            2 => self.loop_(owner, depth, &merged),
            3 => self.do_loop(owner, depth, &merged),
            4 => self.switch(owner, depth, &merged),
            5 => {
                let (body, merge) = self.b.labelled();
                self.around.push(Around { owner, breaks: Some(merged.clone()), continues: None });
                self.sub(body, &[], depth, &End::Merge(merged.clone()));
                self.around.pop();
                merge
            }
            _ => {
                let merge = self.b.new_block();
                self.b.exit(Exit::NextBlock { merge });
                return self.b.switch_to(merge);
            }
        };
        self.b.switch_to(merge);
        self.inputs(merge, &merged);
    }

    fn loop_(&mut self, owner: Block, depth: u32, merged: &[Type]) -> Block {
        let (carried, given) = (self.some_types(), self.some_types());
        let next_types = self.random.chance(50).then(|| self.some_types());
        let args = self.values(&carried);
        let blocks = self.b.loop_(&args, next_types.is_some());
        // The values of the condition stay visible.
        self.b.switch_to(blocks.condition);
        self.inputs(blocks.condition, &carried);
        self.chain_without_jumps(depth, &End::LoopIf(given.clone(), merged.to_vec()));
        let to = next_types.clone().unwrap_or_else(|| carried.clone());
        self.around.push(Around { owner, breaks: Some(merged.to_vec()), continues: Some(to.clone()) });
        self.sub(blocks.body, &given, depth, &End::Continue(owner, to));
        self.around.pop();
        if let (Some(next), Some(types)) = (blocks.next, next_types) {
            self.around.push(Around { owner, breaks: Some(merged.to_vec()), continues: Some(carried.clone()) });
            self.sub(next, &types, depth, &End::Continue(owner, carried));
            self.around.pop();
        }
        blocks.merge
    }

    /// A loop's condition: nodes, perhaps a block behind, and the end.
    fn chain_without_jumps(&mut self, depth: u32, end: &End) {
        self.node();
        if depth < MAX_DEPTH && self.random.chance(50) {
            self.construct(depth + 1);
        }
        self.leave(end);
    }

    fn do_loop(&mut self, owner: Block, depth: u32, merged: &[Type]) -> Block {
        let (carried, given) = (self.some_types(), self.some_types());
        let args = self.values(&carried);
        let blocks = self.b.do_loop(&args);
        self.around.push(Around { owner, breaks: Some(merged.to_vec()), continues: Some(given.clone()) });
        self.sub(blocks.body, &carried, depth, &End::Continue(owner, given.clone()));
        self.around.pop();
        let mark = self.visible.len();
        self.b.switch_to(blocks.condition);
        self.inputs(blocks.condition, &given);
        self.chain_without_jumps(depth, &End::LoopIf(carried, merged.to_vec()));
        self.visible.truncate(mark);
        blocks.merge
    }

    fn switch(&mut self, owner: Block, depth: u32, merged: &[Type]) -> Block {
        let selector = self.value(Type::I32);
        let count = self.random.below(4);
        let default = self.random.below(5);
        let mut cases = Vec::new();
        for i in 0..count {
            let values = (0..1 + self.random.below(2)).map(|j| self.b.module.consts.i32((2 * i + j) as i32)).collect();
            cases.push(Case { values, is_default: i == default, block: self.b.new_block() });
        }
        let args = if default < count { Args::new() } else { self.values(merged) };
        let blocks: Vec<Block> = cases.iter().map(|c| c.block).collect();
        let merge = self.b.switch(selector, cases, &args);
        self.around.push(Around { owner, breaks: Some(merged.to_vec()), continues: None });
        for (i, &block) in blocks.iter().enumerate() {
            let falls = i + 1 < count && self.random.chance(30);
            let end = if falls { End::Passthrough } else { End::Break(owner, merged.to_vec()) };
            self.sub(block, &[], depth, &end);
        }
        self.around.pop();
        merge
    }
}

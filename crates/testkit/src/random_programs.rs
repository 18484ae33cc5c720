//! Random programs: many values carried through constructs of every kind, calls with several results, loops that end.
use planish_generate::Choices;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Block, Func, Type, Value};
use planish_ir::function::{Case, Exit, Param, ResultType};
use planish_ir::module::{Language, Module};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::Scalar;

/// Signatures of the functions of a program, which call only those before them.
struct Program {
    funcs: Vec<Func>,
    long: Type,
    signatures: Vec<(Vec<Type>, Vec<Type>)>,
}

/// A construct that may be left: how it takes the variables.
#[derive(Clone)]
struct Label {
    owner: Block,
    /// Of a loop: the counter, to which a round adds one.
    counter: Option<Value>,
}

struct Generator<'a, 'm> {
    random: &'a mut Choices<'static>,
    b: Builder<'m, 'static>,
    program: &'a Program,
    me: usize,
    /// The current value of each variable.
    now: Vec<Value>,
    types: Vec<Type>,
    budget: u32,
}

/// Constants of floats.
const FLOATS: [f32; 7] = [0.0, -0.0, 1.0, 0.5, -3.25, f32::INFINITY, f32::NAN];

impl Generator<'_, '_> {
    fn of_type(&mut self, ty: Type) -> Value {
        let fitting: Vec<usize> = (0..self.now.len()).filter(|&i| self.types[i] == ty).collect();
        if self.random.below(5) == 0 {
            let choice = self.random.below(7);
            let bits = match self.b.module.types.scalar_of(ty) {
                Some(Scalar::F32) => u64::from(FLOATS[choice].to_bits()),
                Some(Scalar::F64) => f64::from(FLOATS[choice]).to_bits(),
                Some(scalar) if scalar.is_small_integer() => {
                    [0, 1, 2, 3, 7, u64::MAX >> (64 - scalar.bits()), 1 << (scalar.bits() - 1)][choice]
                }
                _ => [0, 1, 2, 3, 7, 0xffff_ffff, 0x8000_0000][choice],
            };
            return self.b.module.consts.bits(ty, bits).into();
        }
        self.now[fitting[self.random.below(fitting.len())]]
    }

    fn number(&mut self, ty: Type) -> Value {
        let (x, y) = (self.of_type(ty), self.of_type(ty));
        let ops = [Op::Add, Op::Subtract, Op::Multiply, Op::BitwiseXor, Op::BitwiseAnd, Op::ShiftLeft, Op::Min];
        let on_floats = [Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::Max, Op::Subtract, Op::Min];
        let is_float = self.b.module.types.scalar_of(ty).is_some_and(Scalar::is_float);
        let op = if is_float { on_floats } else { ops }[self.random.below(ops.len())];
        match self.random.below(6) {
            0 => {
                let condition = self.condition();
                self.b.op(Op::Select, &[condition, x, y])
            }
            1 if ty == Type::I32 => {
                let wide = self.of_type(self.program.long);
                self.b.convert(wide, Type::I32)
            }
            2 if ty != Type::I32 => {
                let narrow = self.of_type(Type::I32);
                self.b.convert(narrow, ty)
            }
            _ => self.b.op(op, &[x, y]),
        }
    }

    fn condition(&mut self) -> Value {
        let ty = self.types[self.random.below(self.types.len())];
        let (x, y) = (self.of_type(ty), self.of_type(ty));
        let ops = [Op::Equal, Op::NotEqual, Op::LessThan, Op::LessThanEqual, Op::GreaterThan, Op::GreaterThanEqual];
        let op = ops[self.random.below(ops.len())];
        let condition = self.b.op(op, &[x, y]);
        if self.random.below(4) == 0 { self.b.op(Op::LogicalNot, &[condition]) } else { condition }
    }

    fn assign(&mut self) {
        let i = self.random.below(self.now.len());
        match self.random.below(6) {
            0 => {
                // Two variables change places.
                let same: Vec<usize> = (0..self.now.len()).filter(|&j| self.types[j] == self.types[i]).collect();
                let j = same[self.random.below(same.len())];
                self.now.swap(i, j);
            }
            1 => self.now[i] = self.of_type(self.types[i]),
            _ => self.now[i] = self.number(self.types[i]),
        }
    }

    fn call(&mut self) {
        if self.me == 0 {
            return self.assign();
        }
        let callee = self.random.below(self.me);
        let program = self.program;
        let (params, results) = &program.signatures[callee];
        let mut args = vec![program.funcs[callee].into()];
        args.extend(params.iter().map(|&ty| self.of_type(ty)));
        let values = self.b.make_all(Request::new(Op::Call, &args));
        for (&value, &ty) in values.iter().zip(results) {
            let fitting: Vec<usize> = (0..self.now.len()).filter(|&i| self.types[i] == ty).collect();
            let i = fitting[self.random.below(fitting.len())];
            if self.random.below(5) > 0 {
                self.now[i] = value;
            }
        }
    }

    /// The variables as inputs of a block.
    fn inputs(&mut self, block: Block) -> Vec<Value> {
        let types = self.types.clone();
        types.into_iter().map(|ty| self.b.add_input(block, ty, Precision::None)).collect()
    }

    /// Statements in the open block; false if it was left.
    fn statements(&mut self, depth: u32, labels: &[Label]) -> bool {
        for _ in 0..1 + self.random.below(4) {
            if self.budget == 0 {
                return true;
            }
            self.budget -= 1;
            match self.random.below(12) {
                0..=3 => self.assign(),
                4 => self.call(),
                _ if depth == 0 => self.assign(),
                5 | 6 => self.branch(depth, labels),
                7 => self.counted(depth, labels),
                8 => self.do_loop(depth, labels),
                9 => self.switch(depth, labels),
                10 => self.labelled(depth, labels),
                _ => {
                    if !self.leave_if(labels) {
                        return false;
                    }
                }
            }
        }
        if depth < 4 && self.random.below(5) == 0 { self.leave(labels) } else { true }
    }

    /// `if (…) leave`, as WebAssembly's `br_if`.
    fn leave_if(&mut self, labels: &[Label]) -> bool {
        let condition = self.condition();
        let arms = self.b.if_(condition);
        let before = self.now.clone();
        self.b.switch_to(arms.then);
        if self.leave(labels) {
            self.b.merge(&[]);
        }
        self.now = before;
        self.b.switch_to(arms.otherwise);
        self.b.merge(&[]);
        self.b.switch_to(arms.merge);
        true
    }

    fn leave(&mut self, labels: &[Label]) -> bool {
        let pick = self.random.below(labels.len() + 1);
        let Some(label) = labels.get(pick) else {
            if self.random.below(3) != 0 {
                return true;
            }
            self.end();
            return false;
        };
        let mut args = self.now.clone();
        match label.counter {
            Some(counter) if self.random.below(2) == 0 => {
                let one = self.b.i32(1);
                args.push(self.b.op(Op::Add, &[counter, one]));
                self.b.continue_(label.owner, &args);
            }
            _ => self.b.break_(label.owner, &args),
        }
        false
    }

    /// Returns, perhaps by a tail call.
    fn end(&mut self) {
        let program = self.program;
        let results = &program.signatures[self.me].1;
        let fitting = (0..self.me).find(|&f| program.signatures[f].1 == *results);
        if let Some(callee) = fitting
            && self.random.below(2) == 0
        {
            let mut args = vec![program.funcs[callee].into()];
            args.extend(program.signatures[callee].0.iter().map(|&ty| self.of_type(ty)));
            let values = self.b.make_all(Request::new(Op::TailCall, &args));
            self.b.ret(&values);
            return;
        }
        let values: Vec<Value> = results.iter().map(|&ty| self.of_type(ty)).collect();
        self.b.ret(&values);
    }

    /// Recursion: `depth` levels, which the caller gives.
    fn branch(&mut self, depth: u32, labels: &[Label]) {
        let condition = self.condition();
        let arms = self.b.if_(condition);
        let inputs = self.inputs(arms.merge);
        let before = self.now.clone();
        for arm in [arms.then, arms.otherwise] {
            self.now.clone_from(&before);
            self.b.switch_to(arm);
            if self.statements(depth - 1, labels) {
                let now = self.now.clone();
                self.b.merge(&now);
            }
        }
        self.b.switch_to(arms.merge);
        self.now = inputs;
    }

    fn carried(&mut self) -> Vec<Value> {
        let mut args = self.now.clone();
        args.push(self.b.i32(0));
        args
    }

    fn counted(&mut self, depth: u32, labels: &[Label]) {
        let args = self.carried();
        let with_next = self.random.below(2) == 0;
        let blocks = self.b.loop_(&args, with_next);
        let inputs = self.inputs(blocks.condition);
        let counter = self.b.add_input(blocks.condition, Type::I32, Precision::None);
        let out = self.inputs(blocks.merge);
        self.b.switch_to(blocks.condition);
        self.now.clone_from(&inputs);
        self.assign();
        let limit = self.random.below(4) as i32;
        let limit = self.b.i32(limit);
        let condition = self.b.op(Op::LessThan, &[counter, limit]);
        let merge_args = self.now.iter().copied().collect();
        self.b.exit(Exit::LoopIf { condition, body_args: Default::default(), merge_args });
        let behind = self.now.clone();
        self.b.switch_to(blocks.body);
        let mut inner = labels.to_vec();
        inner.push(Label { owner: blocks.owner, counter: Some(counter) });
        let one = self.b.i32(1);
        if self.statements(depth - 1, &inner) {
            let mut args = self.now.clone();
            args.push(self.b.op(Op::Add, &[counter, one]));
            self.b.continue_(blocks.owner, &args);
        }
        if let Some(next) = blocks.next {
            self.now = self.inputs(next);
            let counter = self.b.add_input(next, Type::I32, Precision::None);
            self.b.switch_to(next);
            self.assign();
            let mut args = self.now.clone();
            args.push(counter);
            self.b.continue_(blocks.owner, &args);
        }
        self.b.switch_to(blocks.merge);
        self.now = out;
        // Values of the condition may be used after the loop, without an input.
        let i = self.random.below(self.now.len());
        if self.random.below(2) == 0 {
            self.now[i] = self.b.op(Op::Add, &[self.now[i], behind[i]]);
        }
    }

    fn do_loop(&mut self, depth: u32, labels: &[Label]) {
        let args = self.carried();
        let blocks = self.b.do_loop(&args);
        let inputs = self.inputs(blocks.body);
        let counter = self.b.add_input(blocks.body, Type::I32, Precision::None);
        let again = self.inputs(blocks.condition);
        let next = self.b.add_input(blocks.condition, Type::I32, Precision::None);
        let out = self.inputs(blocks.merge);
        self.b.switch_to(blocks.body);
        self.now = inputs;
        let mut inner = labels.to_vec();
        inner.push(Label { owner: blocks.owner, counter: Some(counter) });
        let one = self.b.i32(1);
        if self.statements(depth - 1, &inner) {
            let mut args = self.now.clone();
            args.push(self.b.op(Op::Add, &[counter, one]));
            self.b.continue_(blocks.owner, &args);
        }
        self.b.switch_to(blocks.condition);
        self.now = again;
        self.assign();
        let limit = self.random.below(4) as i32;
        let limit = self.b.i32(limit);
        let condition = self.b.op(Op::LessThan, &[next, limit]);
        let mut body_args = self.now.clone();
        body_args.push(next);
        let merge_args = self.now.iter().copied().collect();
        self.b.exit(Exit::LoopIf { condition, body_args: body_args.into_iter().collect(), merge_args });
        self.b.switch_to(blocks.merge);
        self.now = out;
    }

    fn switch(&mut self, depth: u32, labels: &[Label]) {
        let x = self.of_type(Type::I32);
        let mask = self.b.i32(15);
        let selector = self.b.op(Op::BitwiseAnd, &[x, mask]);
        let count = 1 + self.random.below(9);
        // Close together, or far apart.
        let (base, step) = ([0, 1, 5, -3][self.random.below(4)], [1, 1, 2, 1000][self.random.below(4)]);
        let default = self.random.below(count * 2);
        let blocks: Vec<Block> = (0..count).map(|_| self.b.new_block()).collect();
        let mut cases = vec![];
        for (i, &block) in blocks.iter().enumerate() {
            let value = self.b.module.consts.i32(base + step * i as i32);
            cases.push(Case { values: [value].into_iter().collect(), is_default: i == default, block });
        }
        let owner = self.b.block();
        let before = self.now.clone();
        let merge = self.b.switch(selector, cases, if default < count { &[] } else { &before });
        let out = self.inputs(merge);
        let mut inner = labels.to_vec();
        inner.push(Label { owner, counter: None });
        for (i, &block) in blocks.iter().enumerate() {
            self.b.switch_to(block);
            self.now.clone_from(&before);
            let empty = self.random.below(2) == 0;
            if empty || self.statements(depth - 1, &inner) {
                if i + 1 < blocks.len() && self.random.below(3) == 0 {
                    self.b.exit(Exit::Passthrough);
                } else {
                    let now = self.now.clone();
                    self.b.break_(owner, &now);
                }
            }
        }
        self.b.switch_to(merge);
        self.now = out;
    }

    fn labelled(&mut self, depth: u32, labels: &[Label]) {
        let owner = self.b.block();
        let (body, merge) = self.b.labelled();
        let out = self.inputs(merge);
        let mut inner = labels.to_vec();
        inner.push(Label { owner, counter: None });
        self.b.switch_to(body);
        if self.statements(depth - 1, &inner) {
            let now = self.now.clone();
            self.b.merge(&now);
        }
        self.b.switch_to(merge);
        self.now = out;
    }
}

/// A program of a few functions; the last one may call all others.
pub fn generate(seed: u64, budget: u32) -> Module {
    generate_of(Scalar::I64, seed, budget)
}

/// As [`generate`], with values of another type beside `i32`.
pub fn generate_of(other: Scalar, seed: u64, budget: u32) -> Module {
    let mut module = Module::new(Language::Ir);
    let mut random = Choices::from_seed(seed);
    let long = module.types.scalar(other);
    let (_precision, span) = (Precision::None, Span::NONE);
    let mut program = Program { funcs: vec![], long, signatures: vec![] };
    for f in 0..4 {
        let mut pick =
            |n: usize| -> Vec<Type> { (0..n).map(|_| [Type::I32, Type::I32, long][random.below(3)]).collect() };
        let params = pick([1, 2, 4, 6][f]);
        let results = pick([1, 2, 1, 3][f]);
        let param = |(i, &ty): (usize, &Type)| Param::new(Name::temporary(format!("p{i}")), ty);
        let func = module.add_func(
            Name::temporary(format!("f{f}")),
            params.iter().enumerate().map(param).collect(),
            results.iter().map(|&ty| ResultType::new(ty)).collect(),
            span,
        );
        program.funcs.push(func);
        program.signatures.push((params, results));
    }
    for me in 0..program.funcs.len() {
        let b = Builder::new(&mut module, program.funcs[me], Policy::VERBATIM);
        let mut g = Generator { random: &mut random, b, program: &program, me, now: vec![], types: vec![], budget };
        let params = &program.signatures[me].0;
        for (i, &ty) in params.iter().enumerate() {
            let value = g.b.param(i);
            g.now.push(value);
            g.types.push(ty);
        }
        for ty in [Type::I32, long, Type::I32] {
            let value = g.b.module.consts.bits(ty, 5).into();
            g.now.push(value);
            g.types.push(ty);
        }
        if g.statements(4, &[]) {
            g.end();
        }
        g.b.finish();
    }
    module
}

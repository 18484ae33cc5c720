//! Random structured programs: 64 lanes in lockstep give what each gives alone, and the floating form what the placed one
//! gives.

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::Choices;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Block, Func, Type, Value, Var};
use planish_ir::function::{Case, Direction, Param, ResultType};
use planish_ir::module::{Language, Module};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;

/// A construct that may be left.
#[derive(Clone, Copy)]
struct Label {
    owner: Block,
    /// Of a loop: the counter, and whether `Continue` takes the counter itself (to a `next` or condition block) or the
    /// counter plus one.
    counter: Option<(Value, bool)>,
}

struct Generator<'a, 'm> {
    random: &'a mut Choices<'static>,
    b: Builder<'m, 'static>,
    vars: Vec<Var>,
    /// Nodes left to make.
    budget: u32,
}

impl Generator<'_, '_> {
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.op(op, args)
    }

    fn var(&mut self) -> Value {
        let i = self.random.below(self.vars.len());
        self.vars[i].into()
    }

    fn number(&mut self) -> Value {
        let pointer = self.var();
        let x = self.b.load(pointer);
        let other = self.var();
        let y = self.b.load(other);
        let factor = self.random.below(7) as i32 - 3;
        let factor = self.b.i32(factor);
        let op = [Op::Add, Op::BitwiseXor, Op::Subtract][self.random.below(3)];
        let scaled = self.op(Op::Multiply, &[y, factor]);
        self.op(op, &[x, scaled])
    }

    fn condition(&mut self) -> Value {
        let x = self.number();
        let mask = self.random.below(8) as i32;
        let (mask, two) = (self.b.i32(mask), self.b.i32(2));
        let bits = self.op(Op::BitwiseAnd, &[x, mask]);
        self.op(Op::LessThan, &[bits, two])
    }

    fn assign(&mut self) {
        let value = self.number();
        let to = self.var();
        self.b.store(to, value);
    }

    /// A value for the merge block of a construct; each has one input.
    fn assign_input(&mut self, input: Value) {
        let to = self.var();
        self.b.store(to, input);
    }

    /// Statements in the open block; false if it was left.
    fn statements(&mut self, depth: u32, labels: &[Label]) -> bool {
        for _ in 0..1 + self.random.below(3) {
            if self.budget == 0 {
                return true;
            }
            self.budget -= 1;
            match self.random.below(9) {
                0..=2 => self.assign(),
                _ if depth == 0 => self.assign(),
                3 | 4 => self.branch(depth, labels),
                5 => self.counted(depth, labels),
                6 => self.do_loop(depth, labels),
                7 => self.switch(depth, labels),
                _ => self.labelled(depth, labels),
            }
        }
        if depth < 4 && self.random.below(4) == 0 { self.leave(labels) } else { true }
    }

    /// Leaves some construct, or the function; false (the block is left).
    fn leave(&mut self, labels: &[Label]) -> bool {
        let value = self.number();
        let pick = self.random.below(labels.len() + 1);
        let Some(&label) = labels.get(pick) else {
            if self.random.below(4) != 0 {
                return true;
            }
            self.b.ret(&[value]);
            return false;
        };
        match label.counter {
            Some((counter, as_it_is)) if self.random.below(2) == 0 => {
                let one = self.b.i32(1);
                let next = if as_it_is { counter } else { self.op(Op::Add, &[counter, one]) };
                self.b.continue_(label.owner, &[next]);
            }
            _ => self.b.break_(label.owner, &[value]),
        }
        false
    }

    /// Ends an arm that was not left with a merge.
    fn end_arm(&mut self, open: bool) {
        if open {
            let value = self.number();
            self.b.merge(&[value]);
        }
    }

    fn merge_input(&mut self, merge: Block) -> Value {
        self.b.add_input(merge, Type::I32, Precision::None)
    }

    fn branch(&mut self, depth: u32, labels: &[Label]) {
        let condition = self.condition();
        let arms = self.b.if_(condition);
        let input = self.merge_input(arms.merge);
        for arm in [arms.then, arms.otherwise] {
            self.b.switch_to(arm);
            let open = self.statements(depth - 1, labels);
            self.end_arm(open);
        }
        self.b.switch_to(arms.merge);
        self.assign_input(input);
    }

    fn counted(&mut self, depth: u32, labels: &[Label]) {
        let (zero, with_next) = (self.b.i32(0), self.random.below(2) == 0);
        let blocks = self.b.loop_(&[zero], with_next);
        let counter = self.b.add_input(blocks.condition, Type::I32, Precision::None);
        let result = self.merge_input(blocks.merge);
        self.b.switch_to(blocks.condition);
        let value = self.number();
        let limit = self.random.below(5) as i32;
        let limit = self.b.i32(limit);
        let more = self.op(Op::LessThan, &[counter, limit]);
        // The value of the condition is used after the loop.
        let merge_args = [value].into_iter().collect();
        self.b.exit(planish_ir::function::Exit::LoopIf { condition: more, body_args: Default::default(), merge_args });
        let mut inner = labels.to_vec();
        inner.push(Label { owner: blocks.owner, counter: Some((counter, with_next)) });
        self.b.switch_to(blocks.body);
        let one = self.b.i32(1);
        if self.statements(depth - 1, &inner) {
            let next = if with_next { counter } else { self.op(Op::Add, &[counter, one]) };
            self.b.continue_(blocks.owner, &[next]);
        }
        if let Some(block) = blocks.next {
            let input = self.b.add_input(block, Type::I32, Precision::None);
            self.b.switch_to(block);
            self.assign();
            let next = self.op(Op::Add, &[input, one]);
            self.b.continue_(blocks.owner, &[next]);
        }
        self.b.switch_to(blocks.merge);
        let sum = self.op(Op::Add, &[result, value]);
        self.assign_input(sum);
    }

    fn do_loop(&mut self, depth: u32, labels: &[Label]) {
        let zero = self.b.i32(0);
        let blocks = self.b.do_loop(&[zero]);
        let counter = self.b.add_input(blocks.body, Type::I32, Precision::None);
        let again = self.b.add_input(blocks.condition, Type::I32, Precision::None);
        let result = self.merge_input(blocks.merge);
        let mut inner = labels.to_vec();
        inner.push(Label { owner: blocks.owner, counter: Some((counter, true)) });
        self.b.switch_to(blocks.body);
        if self.statements(depth - 1, &inner) {
            self.b.continue_(blocks.owner, &[counter]);
        }
        self.b.switch_to(blocks.condition);
        let (one, limit) = (self.b.i32(1), self.random.below(4) as i32);
        let limit = self.b.i32(limit);
        let next = self.op(Op::Add, &[again, one]);
        let more = self.op(Op::LessThan, &[next, limit]);
        let value = self.number();
        self.b.exit(planish_ir::function::Exit::LoopIf {
            condition: more,
            body_args: [next].into_iter().collect(),
            merge_args: [value].into_iter().collect(),
        });
        self.b.switch_to(blocks.merge);
        self.assign_input(result);
    }

    fn switch(&mut self, depth: u32, labels: &[Label]) {
        let x = self.number();
        let three = self.b.i32(3);
        let selector = self.op(Op::BitwiseAnd, &[x, three]);
        let none = [self.number()];
        let count = 1 + self.random.below(3) as i32;
        let default = self.random.below(4) as i32;
        let blocks: Vec<Block> = (0..count).map(|_| self.b.new_block()).collect();
        let cases = blocks
            .iter()
            .enumerate()
            .map(|(i, &block)| {
                let is_default = i as i32 == default;
                let value = self.b.module.consts.i32(i as i32);
                Case { values: [value].into_iter().collect(), is_default, block }
            })
            .collect();
        let owner = self.b.block();
        let merge = self.b.switch(selector, cases, if default < count { &[] } else { &none });
        let input = self.merge_input(merge);
        let mut inner = labels.to_vec();
        inner.push(Label { owner, counter: None });
        for (i, &block) in blocks.iter().enumerate() {
            self.b.switch_to(block);
            if self.statements(depth - 1, &inner) {
                if i + 1 < blocks.len() && self.random.below(2) == 0 {
                    self.b.exit(planish_ir::function::Exit::Passthrough);
                } else {
                    let value = self.number();
                    self.b.break_(owner, &[value]);
                }
            }
        }
        self.b.switch_to(merge);
        self.assign_input(input);
    }

    fn labelled(&mut self, depth: u32, labels: &[Label]) {
        let owner = self.b.block();
        let (body, merge) = self.b.labelled();
        let input = self.merge_input(merge);
        let mut inner = labels.to_vec();
        inner.push(Label { owner, counter: None });
        self.b.switch_to(body);
        let open = self.statements(depth - 1, &inner);
        self.end_arm(open);
        self.b.switch_to(merge);
        self.assign_input(input);
    }
}

fn generate(seed: u64, policy: Policy<'static>) -> (Module, Func) {
    let mut module = Module::new(Language::Ir);
    let (precision, span) = (Precision::None, Span::NONE);
    let param =
        |name: &str| Param { name: Name::temporary(name), ty: Type::I32, precision, direction: Direction::In, span };
    let results = vec![ResultType { ty: Type::I32, precision }];
    let func = module.add_func(Name::temporary("f"), vec![param("x"), param("y")], results, span);
    let vars: Vec<Var> =
        (0..3).map(|i| module.add_var(Name::temporary(format!("v{i}")), Type::I32, AddressSpace::Function)).collect();
    let mut random = Choices::from_seed(seed);
    let mut b = Builder::new(&mut module, func, policy);
    for &var in &vars {
        b.declare(var);
    }
    for (i, &var) in vars.iter().take(2).enumerate() {
        let x = b.param(i);
        b.store(var.into(), x);
    }
    let mut g = Generator { random: &mut random, b, vars, budget: 60 };
    if g.statements(4, &[]) {
        let value = g.number();
        let x = g.b.load(g.vars[2].into());
        let hash = g.op(Op::BitwiseXor, &[value, x]);
        g.b.make_all(Request::new(Op::Store, &[g.vars[0].into(), hash]));
        g.b.ret(&[hash]);
    }
    g.b.finish();
    (module, func)
}

#[test]
fn lockstep_is_each_lane_alone() {
    let mut different = 0;
    for seed in 1..=300 {
        let (module, f) = generate(seed, Policy::PLAIN);
        let errors = planish_ir::verify::verify(&module);
        assert!(errors.is_empty(), "seed {seed}: {errors:?}");
        let lanes: Vec<Vec<EvalValue>> =
            (0..64).map(|i| vec![EvalValue::i32(i * 5 % 17 - 3), EvalValue::i32(i * 3 % 7)]).collect();
        let limits = Limits { steps: 20_000_000, ..Limits::default() };
        let mut one = Evaluator::new(&module, limits).expect("instantiates");
        let alone: Vec<_> =
            lanes.iter().map(|l| one.call(f, l).unwrap_or_else(|s| panic!("seed {seed}: {s}"))).collect();
        let mut wide = Evaluator::with_lanes(&module, limits, 64).expect("instantiates");
        let together = wide.call_lanes(f, &lanes).unwrap_or_else(|s| panic!("seed {seed}: {s}"));
        let first = together.iter().zip(&alone).position(|(a, b)| a != b);
        assert_eq!(first, None, "seed {seed}: the first lane that differs\n{}", planish_ir::text::print(&module));
        different += u32::from(alone.iter().any(|r| *r != alone[0]));

        let (floating, f) = generate(seed, Policy::SHARED);
        let mut wide = Evaluator::with_lanes(&floating, limits, 64).expect("instantiates");
        let results = wide.call_lanes(f, &lanes).unwrap_or_else(|s| panic!("seed {seed}: {s}"));
        assert_eq!(results, alone, "seed {seed}, floating\n{}", planish_ir::text::print(&floating));
    }
    assert!(different > 200, "the programs should depend on their arguments: {different}");
}

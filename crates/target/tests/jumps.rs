//! Shortened jumps: random nests of constructs, with jumps from anywhere to anywhere, are valid afterwards, have no jump that
//! a target cannot make, and do what they did before.

use std::borrow::Cow;
use std::collections::BTreeSet;

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_ir::entity::Block;
use planish_ir::function::Exit;
use planish_ir::module::Module;
use planish_ir::text::{parse_str, print};
use planish_ir::walk::{self, BlockKind, Event};
use planish_target::jumps::{Frame, Frames, shorten};

/// `bit` is a random boolean, false once the fuel is used up, so that loops end.
const HELPERS: &str = "module ir
var private @seed: i32 = 1
var private @fuel: i32 = 60
var private @trace: i32 = 0

fn @bit() -> (bool) {
b0:
  %1 = load @fuel
  %2 = subtract %1, 1
  store @fuel, %2
  %3 = load @seed
  %4 = multiply %3, 1103515245
  %5 = add %4, 12345
  store @seed, %5
  %6 = shift_right %5, 16
  %7 = remainder %6, 2
  %8 = equal %7, 0
  %9 = greater_than %2, 0
  %10 = logical_and %8, %9
  return %10
}

fn @mark(%0 x: i32) -> (i32) {
b0:
  %1 = load @trace
  %2 = multiply %1, 31
  %3 = add %2, %0
  store @trace, %3
  return %3
}
";

/// A construct around: its block, the number of its merge block's inputs, and how it can be gone on with.
struct Around {
    block: u32,
    merges: usize,
    /// Number of inputs of the block that a `Continue` leads to, in the body of a loop; else `None`.
    continues: Option<usize>,
}

/// Regular end of a merge chain.
#[derive(Clone, Copy)]
enum End {
    Return,
    Merge(usize),
    Break(usize),
    Passthrough,
    Continue(usize),
    /// Inputs of the body and of the merge block.
    LoopIf(usize, usize),
}

struct Generator {
    random: u64,
    text: String,
    next: u32,
    around: Vec<Around>,
    /// Values that can be used, and how many there were where each scope began.
    values: Vec<u32>,
    constructs: u32,
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.random >> 33) as usize % n
    }

    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn value(&mut self) -> String {
        let at = self.below(self.values.len());
        if self.below(4) == 0 { self.below(9).to_string() } else { format!("%{}", self.values[at]) }
    }

    fn list(&mut self, count: usize) -> String {
        let values: Vec<String> = (0..count).map(|_| self.value()).collect();
        values.join(", ")
    }

    fn args(&mut self, count: usize) -> String {
        if count == 0 { String::new() } else { format!(", {}", self.list(count)) }
    }

    /// The header of a block; its inputs can be used from here on.
    fn header(&mut self, before: &str, inputs: usize) -> u32 {
        let block = self.id();
        let inputs: Vec<u32> = (0..inputs).map(|_| self.id()).collect();
        let list: Vec<String> = inputs.iter().map(|input| format!("%{input}: i32")).collect();
        let list = if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) };
        self.line(&format!("{before}b{block}{list}:"));
        self.values.extend(inputs);
        block
    }

    fn bit(&mut self) -> u32 {
        let bit = self.id();
        self.line(&format!("%{bit} = call @bit"));
        bit
    }

    /// A chain in a scope of its own.
    fn scope(&mut self, before: &str, inputs: usize, end: End) {
        let count = self.values.len();
        let block = self.header(before, inputs);
        self.chain(block, end);
        self.values.truncate(count);
    }

    fn chain(&mut self, mut block: u32, end: End) {
        loop {
            let mark = self.id();
            let value = self.value();
            self.line(&format!("%{mark} = call @mark, {value}"));
            self.values.push(mark);
            if self.constructs == 0 || self.below(5) < 2 {
                break;
            }
            self.constructs -= 1;
            block = self.construct(block);
        }
        self.end(block, end);
    }

    /// Ends a block with a construct; the merge block.
    fn construct(&mut self, block: u32) -> u32 {
        let merges = self.below(3);
        match self.below(6) {
            0 | 1 => {
                let bit = self.bit();
                self.line(&format!("if %{bit} {{"));
                self.scope("then ", 0, End::Merge(merges));
                self.scope("else ", 0, End::Merge(merges));
            }
            2 => self.a_loop(block, merges),
            3 => {
                let (carried, next) = (self.below(3), self.below(3));
                let args = self.list(carried);
                self.line(&format!("do_loop {args} {{"));
                self.around.push(Around { block, merges, continues: Some(next) });
                self.scope("body ", carried, End::Continue(next));
                self.around.last_mut().expect("a loop").continues = None;
                self.scope("cond ", next, End::LoopIf(carried, merges));
                self.around.pop();
            }
            4 => {
                let (selector, args) = (self.value(), self.list(merges));
                self.line(&format!("switch {selector} none({args}) {{"));
                self.around.push(Around { block, merges, continues: None });
                for case in 0..3 {
                    let falls = case < 2 && self.below(4) == 0;
                    let end = if falls { End::Passthrough } else { End::Break(merges) };
                    self.scope(&format!("case {case} "), 0, end);
                }
                self.around.pop();
            }
            _ => {
                self.line("labelled {");
                self.around.push(Around { block, merges, continues: None });
                self.scope("body ", 0, End::Merge(merges));
                self.around.pop();
            }
        }
        self.line("}");
        self.header("", merges)
    }

    fn a_loop(&mut self, block: u32, merges: usize) {
        let (carried, inputs) = (self.below(3), self.below(2));
        let next = (self.below(2) == 0).then(|| self.below(3));
        let args = self.list(carried);
        self.line(&format!("loop {args} {{"));
        let count = self.values.len();
        // (The loop's condition is a chain of one block: no jump leaves it.)
        let condition = self.header("cond ", carried);
        self.end(condition, End::LoopIf(inputs, merges));
        let to = next.unwrap_or(carried);
        self.around.push(Around { block, merges, continues: Some(to) });
        self.scope("body ", inputs, End::Continue(to));
        if let Some(next) = next {
            self.around.last_mut().expect("a loop").continues = None;
            self.scope("next ", next, End::Continue(carried));
        }
        self.around.pop();
        self.values.truncate(count);
    }

    fn end(&mut self, block: u32, end: End) {
        if !matches!(end, End::LoopIf(..)) && self.below(4) == 0 && !self.around.is_empty() {
            return self.jump();
        }
        let owner = self.around.last().map_or(block, |around| around.block);
        match end {
            End::Return => {
                let value = self.value();
                self.line(&format!("return {value}"));
            }
            End::Merge(count) => {
                let args = self.list(count);
                self.line(&format!("merge {args}"));
            }
            End::Break(count) => {
                let args = self.args(count);
                self.line(&format!("break b{owner}{args}"));
            }
            End::Continue(count) => {
                let args = self.args(count);
                self.line(&format!("continue b{owner}{args}"));
            }
            End::Passthrough => self.line("passthrough"),
            End::LoopIf(body, merge) => {
                let bit = self.bit();
                let (body, merge) = (self.list(body), self.list(merge));
                self.line(&format!("loop_if %{bit} body({body}) merge({merge})"));
            }
        }
    }

    /// A jump to any construct around, or out of the function.
    fn jump(&mut self) {
        let to = self.below(self.around.len());
        let Around { block, merges, continues } = self.around[to];
        match continues.filter(|_| self.random >> 40 & 1 == 0) {
            _ if self.below(8) == 0 => self.line("return 77"),
            Some(count) => {
                let args = self.args(count);
                self.line(&format!("continue b{block}{args}"));
            }
            None => {
                let args = self.args(merges);
                self.line(&format!("break b{block}{args}"));
            }
        }
    }
}

fn random_nest(seed: u64) -> String {
    let mut generator = Generator {
        random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        text: HELPERS.to_owned(),
        next: 10,
        around: vec![],
        values: vec![0],
        constructs: 12,
    };
    generator.line("\nfn @f(%0 x: i32) -> (i32) {\nb0:");
    generator.chain(0, End::Return);
    generator.line("}");
    generator.text
}

/// The result of `@f` and the trace that it leaves.
fn run(module: &Module, x: i32) -> (i32, Vec<u64>) {
    let func = module.funcs_named("f").next().expect("it is there");
    let trace = module.vars.iter().find(|(_, data)| &*data.name.text == "trace").expect("it is there").0;
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("it can be evaluated");
    let result = evaluator.call(func, &[EvalValue::i32(x)]).unwrap_or_else(|e| panic!("{e:?}\n{}", print(module)));
    (result[0].as_i32(0).expect("an integer"), evaluator.get(trace, 0))
}

/// Whether every `break` leaves the innermost construct that one leaves, and every `continue` means the innermost loop.
fn has_short_jumps(module: &Module, frames: &Frames) -> bool {
    let body = module.funcs_named("f").next().and_then(|func| module.funcs[func].body.as_ref()).expect("it is there");
    let left: BTreeSet<Block> = walk::blocks(body)
        .filter_map(|b| if let Exit::Break(owner, _) = body.blocks[b].exit { Some(owner) } else { None })
        .collect();
    let mut around: Vec<Block> = vec![];
    walk::events(body, body.entry).all(|event| match event {
        Event::Leave { kind: BlockKind::Entry, .. } => true,
        Event::Leave { .. } => around.pop().is_some(),
        Event::Enter { block, kind, parent, .. } => {
            if !matches!(kind, BlockKind::Entry | BlockKind::Merge) {
                around.push(parent);
            }
            let innermost = |takes_continue: bool| {
                let stops = |&&owner: &&Block| match body.blocks[owner].exit {
                    Exit::Loop { .. } | Exit::DoLoop { .. } => true,
                    Exit::Switch { .. } => !takes_continue,
                    Exit::Labelled { .. } => {
                        left.contains(&owner) && (!takes_continue || frames.labelled == Frame::Loop)
                    }
                    _ => false,
                };
                around.iter().rev().find(stops).copied()
            };
            match body.blocks[block].exit {
                Exit::Break(owner, _) => innermost(false) == Some(owner),
                Exit::Continue(owner, _) => innermost(true) == Some(owner),
                _ => true,
            }
        }
    })
}

fn check(frames: Frames) -> usize {
    let mut rewritten = 0;
    for seed in 1..=600 {
        let text = random_nest(seed);
        let module = parse_str(&text).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        let errors = planish_ir::verify::verify(&module);
        assert!(errors.is_empty(), "{errors:?}\n{text}");
        let Cow::Owned(short) = shorten(&module, &frames) else { continue };
        rewritten += 1;
        let after = || format!("seed {seed}\n{}\n{}", print(&module), print(&short));
        let errors = planish_ir::verify::verify(&short);
        assert!(errors.is_empty(), "{errors:?}\n{}", after());
        assert!(has_short_jumps(&short, &frames), "{}", after());
        for x in 0..4 {
            assert_eq!(run(&module, x), run(&short, x), "{}", after());
        }
    }
    rewritten
}

#[test]
fn labelled_blocks_as_switches() {
    let rewritten = check(Frames { labelled: Frame::Switch, loops_in_next: true });
    assert!(rewritten > 200, "{rewritten} have long jumps");
}

#[test]
fn labelled_blocks_as_loops() {
    let rewritten = check(Frames { labelled: Frame::Loop, loops_in_next: false });
    assert!(rewritten > 200, "{rewritten} have long jumps");
}

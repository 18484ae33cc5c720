//! Constructs: from the IR's tree of blocks to statements and jumps.
//!
//! ```text
//! Labelled     { body }                          with a label, if something leaves it
//! If           if (c) { … } else { … }           if (c) { an arm that leaves } …
//! Loop         while (c) { … }                   for (; c; next) { … }    while (1) { …; if (!c) break; … }
//! DoLoop       do { … } while (c)                while (1) { …; if (!c) break; assignments }
//! Switch       switch (s) { case 0: { … } … }
//! ```

use std::convert::Infallible;

use planish_ir::diagnostic::Code as ErrorCode;
use planish_ir::entity::{Block, Local, Value};
use planish_ir::function::{Case, Exit, TrapKind};
use planish_ir::types::Scalar;
use planish_ir::walk::leaves;
use planish_target::copies::{Step, sequence_assignments};
use planish_target::expressions::{Effects, ExprWriter};
use planish_target::structure::{Arm, Arms, If, Jump, Label, Loop, LoopIf, StructuredWriter, Switch};

use crate::function::Emitter;
use crate::items::{Head, Item, Target};
use crate::text::Text;

/// A loop that is being written.
pub(crate) struct OpenLoop {
    /// Index of its `Open`.
    head: usize,
    /// Index of the `Open` of its body, if the body has braces of its own.
    body: Option<usize>,
    /// Arguments for the merge block that are passed after the loop.
    after: Vec<Value>,
    /// Whether its `Close` is written.
    is_closed: bool,
}

/// A switch that is being written.
pub(crate) struct OpenSwitch {
    /// Whether it only jumps to the cases, which follow it.
    dispatches: bool,
    /// Arguments for the merge block if no case matches.
    default: Vec<Value>,
}

impl<'a> StructuredWriter<'a> for Emitter<'a> {
    type Error = Infallible;

    fn block(&mut self, block: Block) -> Result<bool, Infallible> {
        self.block = block;
        self.nodes();
        Ok(true)
    }

    fn begin_if(&mut self, branch: &If<'a>) -> Result<Arms, Infallible> {
        let condition = self.last(&[branch.condition]).remove(0);
        self.declare_inputs(&self.inputs(branch.merge), branch.owner);
        let arms = &branch.arms;
        let early = match arms.map(|arm| leaves(self.body, arm.block)) {
            [true, true] => Some(usize::from(arms[1].only.is_some())),
            [true, false] => Some(0),
            [false, true] => Some(1),
            [false, false] => None,
        };
        let first = early.unwrap_or_else(|| usize::from(self.is_empty(&arms[0], branch.merge)));
        let text = if first == 1 { condition.negated() } else { condition };
        self.open(Head::If(text.text), vec![], vec![]);
        let (first, second) = (&arms[first], &arms[1 - first]);
        if early.is_some() {
            return Ok(Arms::early(first.block, second.block));
        }
        let second = (!self.is_empty(second, branch.merge)).then_some(second.block);
        Ok(Arms { inside: [Some(first.block), second], after: None })
    }

    fn else_(&mut self, _: Block) -> Result<(), Infallible> {
        self.push(Item::Else);
        Ok(())
    }

    fn end_if(&mut self, _: Block) -> Result<(), Infallible> {
        self.push(Item::Close(None));
        Ok(())
    }

    fn begin_loop(&mut self, l: &Loop<'a>) -> Result<(), Infallible> {
        if self.uses.broken[l.owner] {
            self.declare_inputs(&self.inputs(l.merge), l.owner);
        }
        self.pass_last(l.head, l.args);
        let head = if l.tests_last { Head::Do } else { Head::Loop { condition: None, update: None } };
        let head = self.open(head, vec![(l.owner, Label::Merge)], vec![]);
        self.loops.push(OpenLoop { head, body: None, after: vec![], is_closed: false });
        Ok(())
    }

    fn loop_if(&mut self, l: &Loop<'a>, test: &LoopIf<'a>) -> Result<(), Infallible> {
        if l.tests_last {
            self.repeat_if(l, test);
        } else {
            self.go_on_if(l, test);
        }
        Ok(())
    }

    fn begin_body(&mut self, l: &Loop<'a>) -> Result<(), Infallible> {
        if let Some(next) = l.next {
            // The head of a `for` may read them.
            self.declare_at_top(&self.inputs(next));
            let body = self.open(Head::Block, vec![(l.owner, Label::Next)], vec![]);
            self.the_loop().body = Some(body);
        }
        Ok(())
    }

    fn end_body(&mut self, l: &Loop<'a>, reached: bool) -> Result<bool, Infallible> {
        if l.next.is_some() {
            self.push(Item::Close(None));
        }
        Ok(reached)
    }

    fn end_loop(&mut self, l: &Loop<'a>) -> Result<(), Infallible> {
        if !self.the_loop().is_closed {
            // Nothing gets to a test at the end.
            let head = self.the_loop().head;
            if let Item::Open { head: head @ Head::Do, .. } = &mut self.items[head] {
                *head = Head::Loop { condition: None, update: None };
            }
            self.close_loop();
        }
        let done = self.loops.pop().expect("a loop was begun");
        self.pass_after_loop(l.merge, &done.after, l.owner);
        Ok(())
    }

    fn begin_switch(&mut self, switch: &Switch<'a>, _: &[Arm<'a>]) -> Result<(), Infallible> {
        let scalar = self.scalar(switch.selector).unwrap_or(Scalar::I32);
        let selector = self.last(&[switch.selector]).remove(0);
        let selector = if scalar.bits() == 32 && self.is_asm() { selector.signed() } else { selector };
        self.declare_inputs(&self.inputs(switch.merge), switch.owner);
        let default_case = switch.default_case();
        let default = self.read_args(switch.merge, switch.args);
        let dispatches = self.is_asm() && default_case.is_some_and(|d| d + 1 != switch.cases.len());
        if dispatches {
            self.dispatch(switch, selector);
        } else {
            self.open(Head::Switch(selector.text), vec![(switch.owner, Label::Merge)], vec![]);
        }
        self.switches.push(OpenSwitch { dispatches, default: default_case.map_or(default, |_| vec![]) });
        Ok(())
    }

    fn begin_case(&mut self, switch: &Switch<'a>, number: usize) -> Result<bool, Infallible> {
        if self.switches.last().is_some_and(|open| open.dispatches) {
            self.push(Item::Close(None));
        } else {
            let values = self.case_values(&switch.cases[number]);
            self.open(Head::Case(values), vec![], vec![]);
        }
        Ok(true)
    }

    fn end_case(&mut self, _: &Switch<'a>, _: usize) -> Result<(), Infallible> {
        if self.switches.last().is_some_and(|open| !open.dispatches) {
            self.push(Item::Close(None));
        }
        Ok(())
    }

    fn end_switch(&mut self, switch: &Switch<'a>) -> Result<(), Infallible> {
        let open = self.switches.pop().expect("a switch was begun");
        if !open.default.is_empty() {
            self.open(Head::Case(vec!["default".to_owned()]), vec![], vec![]);
            self.pass(switch.merge, &open.default, switch.owner);
            self.push(Item::Close(None));
        }
        self.push(Item::Close(None));
        Ok(())
    }

    fn begin_labelled(&mut self, owner: Block, merge: Block) -> Result<(), Infallible> {
        self.finish(&[]);
        self.declare_inputs(&self.inputs(merge), owner);
        self.open(Head::Block, vec![(owner, Label::Merge)], vec![]);
        Ok(())
    }

    fn end_labelled(&mut self, _: Block) -> Result<(), Infallible> {
        self.push(Item::Close(None));
        Ok(())
    }

    fn next_block(&mut self, _: Block) -> Result<(), Infallible> {
        self.finish(&[]);
        Ok(())
    }

    fn jump(&mut self, jump: &Jump<'a>) -> Result<(), Infallible> {
        self.pass_last(jump.block, jump.args);
        if !jump.falls {
            self.push(Item::Jump((jump.owner, jump.label)));
        }
        Ok(())
    }

    fn leave(&mut self, block: Block, exit: &'a Exit) -> Result<(), Infallible> {
        match exit {
            Exit::Return(args) => {
                if self.is_asm() && args.len() > 1 && !self.effects_of(args).is_pure() {
                    // A call would overwrite the results that are in the heap already.
                    self.materialize_all(&[]);
                }
                let texts = self.last(args);
                self.return_(texts);
            }
            Exit::Discard => {
                let span = self.body.blocks[block].exit_span;
                self.error(ErrorCode::E0608, span, "JavaScript has no fragments to discard");
            }
            Exit::Trap(kind) => {
                self.finish(&[]);
                self.trap(*kind);
            }
            _ => unreachable!("a valid module has no open block"),
        }
        Ok(())
    }
}

impl<'a> Emitter<'a> {
    /// The inputs of a block that something reads.
    fn inputs(&self, block: Block) -> Vec<Local> {
        self.body.blocks[block].inputs.iter().copied().filter(|&i| self.is_read(i)).collect()
    }

    /// Of the arguments for a block, those that it reads.
    fn read_args(&self, block: Block, args: &[Value]) -> Vec<Value> {
        let inputs = &self.body.blocks[block].inputs;
        inputs.iter().zip(args).filter(|&(&i, _)| self.is_read(i)).map(|(_, &a)| a).collect()
    }

    // Block arguments.

    /// Passes arguments to a block at the end of the current one, all at once.
    fn pass_last(&mut self, target: Block, args: &[Value]) {
        let values = self.read_args(target, args);
        self.make_way(&values, Some(Effects::ALL));
        self.materialize_all(if values.len() == 1 { &values } else { &[] });
        self.consume(&values);
        self.pass(target, &values, self.block);
    }

    /// Assigns to the inputs of a block that are read, as if at once; names are declared in `block`.
    fn pass(&mut self, target: Block, values: &[Value], block: Block) {
        let pairs = self.inputs(target).into_iter().zip(values.iter().copied());
        let pairs: Vec<(Local, Value)> = pairs.filter(|&(input, value)| !self.is_same(input, value)).collect();
        let assignment = |&(input, value): &(Local, Value)| {
            let mut reads = Vec::new();
            self.read_by(value, &mut reads);
            let name = |local| self.name_of(local).map(str::to_owned);
            (name(input), reads.into_iter().filter_map(name).collect())
        };
        let assignments: Vec<(Option<String>, Vec<String>)> = pairs.iter().map(assignment).collect();
        let mut saved: Vec<Option<String>> = vec![None; pairs.len()];
        for step in sequence_assignments(&assignments) {
            let (Step::Assign(at) | Step::Save(at) | Step::Restore(at)) = step;
            let (input, value) = pairs[at];
            let text = saved[at].take().unwrap_or_else(|| self.value(value).text);
            if let Step::Save(_) = step {
                let (name, declared) = self.temporary(self.scalar(value).unwrap_or(Scalar::I32));
                self.push(Item::Assign { name: name.clone(), value: text, declared });
                saved[at] = Some(name);
            } else {
                let (name, declared) = self.name_at(input, block);
                self.push(Item::Assign { name, value: text, declared: declared.then_some("let") });
            }
        }
    }

    /// After a loop with one edge out of it: values that leave it keep their names, as nothing assigns to them any more.
    fn pass_after_loop(&mut self, merge: Block, values: &[Value], owner: Block) {
        for (input, &value) in self.inputs(merge).into_iter().zip(values) {
            if !self.call_the_same(input, value) {
                let text = self.value(value).text;
                let (name, declared) = self.name_at(input, owner);
                self.push(Item::Assign { name, value: text, declared: declared.then_some("const") });
            }
        }
    }

    /// The end of the program.
    fn trap(&mut self, kind: TrapKind) {
        self.needs.insert("trap");
        let text = if self.is_asm() {
            let number = TrapKind::ALL.iter().position(|&k| k == kind).expect("it is one of all");
            format!("trap({number});")
        } else {
            format!("trap(\"{}\");", kind.name())
        };
        self.push(Item::Leave(text));
    }

    fn open(&mut self, head: Head, breaks: Vec<Target>, continues: Vec<Target>) -> usize {
        self.push(Item::Open { head, breaks, continues });
        self.items.len() - 1
    }

    /// Whether an arm does nothing.
    fn is_empty(&self, arm: &Arm<'_>, merge: Block) -> bool {
        arm.only_merges().is_some_and(|args| self.read_args(merge, args).is_empty())
    }

    // Loops.

    fn the_loop(&mut self) -> &mut OpenLoop {
        self.loops.last_mut().expect("a loop was begun")
    }

    /// Evaluates everything before a condition and the arguments that are passed after it.
    fn prepare_test(&mut self, l: &Loop<'a>, test: &LoopIf<'a>) {
        let mut all = self.read_args(l.body, test.body_args);
        all.extend(self.read_args(l.merge, test.merge_args));
        if !self.effects_of(&all).is_pure() {
            self.materialize_all(&[]);
        }
        self.finish(&[test.condition]);
    }

    /// The condition at the beginning of an iteration.
    fn go_on_if(&mut self, l: &Loop<'a>, test: &LoopIf<'a>) {
        self.prepare_test(l, test);
        let head = self.the_loop().head;
        let after = self.read_args(l.merge, test.merge_args);
        let is_bare = self.items.len() == head + 1;
        if !test.always() {
            let text = self.value(test.condition);
            // Each `break` passes the merge block's arguments itself.
            let passes_here = !after.is_empty() && self.uses.broken[l.owner];
            if is_bare && !passes_here {
                self.set_condition(head, text);
            } else {
                self.leave_unless(text, l, if passes_here { &after } else { &[] });
            }
            if !passes_here {
                self.the_loop().after = after;
            }
        }
        let values = self.read_args(l.body, test.body_args);
        self.pass(l.body, &values, l.body);
        if let Item::Open { continues, .. } = &mut self.items[head] {
            continues.push((l.owner, Label::Head));
        }
    }

    /// `if (!condition) { pass; break; }`
    fn leave_unless(&mut self, condition: Text, l: &Loop<'a>, passed: &[Value]) {
        self.open(Head::If(condition.negated().text), vec![], vec![]);
        self.pass(l.merge, passed, self.block);
        self.push(Item::Jump((l.owner, Label::Merge)));
        self.push(Item::Close(None));
    }

    fn set_condition(&mut self, head: usize, text: Text) {
        if let Item::Open { head: Head::Loop { condition, .. }, .. } = &mut self.items[head] {
            *condition = Some(text.text);
        }
    }

    /// Ends a loop. A continue block with nothing but assignments goes into the head; then the body needs no braces of its
    /// own.
    fn close_loop(&mut self) {
        let &mut OpenLoop { head, body, .. } = self.the_loop();
        if let Some(body) = body {
            let end = body_end(&self.items, body);
            let rest = &self.items[end + 1..];
            let sets = |item: &Item| matches!(item, Item::Assign { declared: None, .. });
            if rest.iter().all(sets) && rest.len() <= MAX_UPDATES {
                let update: Vec<String> = rest.iter().filter_map(update_of).collect();
                let target = match &self.items[body] {
                    Item::Open { breaks, .. } => breaks[0],
                    _ => unreachable!("the body was opened"),
                };
                self.items.truncate(end);
                self.items[body] = Item::Gone;
                if let Item::Open { head: Head::Loop { update: at, .. }, continues, .. } = &mut self.items[head] {
                    *at = (!update.is_empty()).then(|| update.join(", "));
                    continues.push(target);
                }
            }
        }
        self.push(Item::Close(None));
    }

    /// The condition at the end of an iteration.
    fn repeat_if(&mut self, l: &Loop<'a>, test: &LoopIf<'a>) {
        self.prepare_test(l, test);
        let head = self.the_loop().head;
        let text = self.value(test.condition);
        let mut after = self.read_args(l.merge, test.merge_args);
        let values = self.read_args(l.body, test.body_args);
        let changes =
            self.inputs(l.body).into_iter().zip(&values).any(|(i, &v)| self.uses.resolve(v) != Value::from(i));
        let broken = self.uses.broken[l.owner];
        if !changes && (after.is_empty() || !broken) {
            self.join_body(head);
            self.push(Item::Close(Some(text.text)));
        } else {
            if let Item::Open { head, continues, .. } = &mut self.items[head] {
                *head = Head::Loop { condition: None, update: None };
                continues.push((l.owner, Label::Head));
            }
            let passed = if broken { std::mem::take(&mut after) } else { vec![] };
            self.leave_unless(text, l, &passed);
            self.pass(l.body, &values, self.block);
            self.push(Item::Close(None));
        }
        let open = self.the_loop();
        open.is_closed = true;
        open.after = after;
    }

    /// Merges the body of a `do` with the loop's if nothing is written between it and the condition: `continue` goes
    /// there.
    fn join_body(&mut self, head: usize) {
        let body = head + 1;
        let end = body_end(&self.items, body);
        if end + 1 == self.items.len() {
            let target = match &self.items[body] {
                Item::Open { head: Head::Block, breaks, .. } => breaks[0],
                _ => return,
            };
            self.items.truncate(end);
            self.items[body] = Item::Gone;
            if let Item::Open { continues, .. } = &mut self.items[head] {
                continues.push(target);
            }
        }
    }

    // Switches.

    /// Labels of a case: constants, and `default`.
    fn case_values(&mut self, case: &Case) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for &constant in &case.values {
            let ty = self.module.consts[constant].ty;
            let scalar = self.module.types.scalar_of(ty).unwrap_or(Scalar::I32);
            let bits = self.module.consts.as_bits(constant).unwrap_or(0);
            let scalar = if self.is_asm() && scalar == Scalar::U32 { Scalar::I32 } else { scalar };
            values.push(self.op_writer().literal(scalar, bits).text);
        }
        if case.is_default {
            // asm.js allows `default` only as the last label, and alone it has the meaning of all of them.
            if self.is_asm() {
                values.clear();
            }
            values.push("default".to_owned());
        }
        values
    }

    /// A switch whose default case is not the last one: it only jumps to the cases, which follow it, one after the
    /// other.
    fn dispatch(&mut self, switch: &Switch<'a>, selector: Text) {
        let (owner, cases) = (switch.owner, switch.cases);
        self.open(Head::Block, vec![(owner, Label::Merge)], vec![]);
        for index in (0..cases.len()).rev() {
            self.open(Head::Block, vec![(owner, Label::Case(index as u32))], vec![]);
        }
        self.open(Head::Switch(selector.text), vec![], vec![]);
        let fallback = switch.default_case().unwrap_or(0);
        let order = (0..cases.len()).filter(|&i| i != fallback).chain([fallback]);
        for index in order {
            let values = self.case_values(&cases[index]);
            self.open(Head::Case(values), vec![], vec![]);
            self.push(Item::Jump((owner, Label::Case(index as u32))));
            self.push(Item::Close(None));
        }
        self.push(Item::Close(None));
    }
}

/// Maximum number of assignments in the head of a `for`; more are written at the end of its body.
const MAX_UPDATES: usize = 2;

fn update_of(item: &Item) -> Option<String> {
    match item {
        Item::Assign { name, value, .. } => Some(format!("{name} = {value}")),
        _ => None,
    }
}

/// The end of a compound statement that has been ended.
fn body_end(items: &[Item], start: usize) -> usize {
    let mut depth = 0usize;
    for (at, item) in items.iter().enumerate().skip(start) {
        match item {
            Item::Open { .. } => depth += 1,
            Item::Close(_) => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    unreachable!("it was ended")
}

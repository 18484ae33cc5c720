//! Constructs: from the IR's tree of blocks to statements and jumps.
//!
//! ```text
//! Labelled     { body }                          with a label, if something leaves it
//! If           if (c) { … } else { … }           if (c) { what leaves } …
//! Loop         while (c) { … }                   for (; c; next) { … }    while (1) { …; if (!c) break; … }
//! DoLoop       do { … } while (c)                while (1) { …; if (!c) break; what changes }
//! Switch       switch (s) { case 0: { … } … }
//! ```
//!
//! The tree is walked with a list of what is still to do, so nesting costs no stack frame.

use planish_ir::diagnostic::Code as ErrorCode;
use planish_ir::entity::{Block, Local, Value};
use planish_ir::expressions::Effects;
use planish_ir::function::{Case, Exit, TrapKind};
use planish_ir::types::Scalar;

use crate::function::Emitter;
use crate::items::{Head, Item, Role, Target};
use crate::text::Text;

/// Something still to do.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// A chain of blocks.
    Block(Block),
    /// An item.
    Item(Item),
    /// The end of a loop, whose `Open` stands there; that of its body, if the body has braces of its own.
    CloseLoop { head: usize, body: Option<usize> },
    /// These values feed the inputs of a block.
    Feed(Block, Vec<Value>, Block),
    /// These values are the inputs of what follows a loop.
    HandOver(Block, Vec<Value>, Block),
}

impl Emitter<'_> {
    pub(crate) fn task(&mut self, task: Task) {
        match task {
            Task::Block(block) => {
                self.nodes(block);
                self.exit(block);
            }
            Task::Item(item) => self.push(item),
            Task::CloseLoop { head, body } => self.close_loop(head, body),
            Task::Feed(target, values, block) => self.feed(target, &values, block),
            Task::HandOver(merge, values, owner) => self.hand_over(merge, &values, owner),
        }
    }

    /// Does these next, in this order.
    fn then(&mut self, tasks: impl IntoIterator<Item = Task, IntoIter: DoubleEndedIterator>) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// The inputs of a block that something reads.
    fn inputs(&self, block: Block) -> Vec<Local> {
        self.body.blocks[block].inputs.iter().copied().filter(|&i| self.is_read(i)).collect()
    }

    /// Of the values that are fed to a block, those that it reads.
    fn fed(&self, block: Block, args: &[Value]) -> Vec<Value> {
        let inputs = &self.body.blocks[block].inputs;
        inputs.iter().zip(args).filter(|&(&i, _)| self.is_read(i)).map(|(_, &a)| a).collect()
    }

    // What is fed.

    /// At the end of `block`: gives the inputs of another block their values, all at once.
    fn feed_last(&mut self, target: Block, args: &[Value], block: Block) {
        let values = self.fed(target, args);
        self.settle(&values, Some(Effects::ALL), block);
        let keep: &[Value] = if values.len() == 1 { &values } else { &[] };
        self.evaluate_waiting(keep, block);
        self.take(&values);
        self.feed(target, &values, block);
    }

    /// Sets the inputs of a block that are read. What reads an input is set before that input is; of a cycle of inputs that read
    /// each other, one waits in a variable of its own.
    fn feed(&mut self, target: Block, values: &[Value], block: Block) {
        let pairs = self.inputs(target).into_iter().zip(values.iter().copied());
        let mut left: Vec<Fed> = Vec::new();
        for (input, value) in pairs.filter(|&(i, v)| !self.is_same(i, v)).collect::<Vec<_>>() {
            let mut reads = Vec::new();
            self.read_by(value, &mut reads);
            let own = self.name_of(input);
            let reads = reads.iter().filter_map(|&r| self.name_of(r)).filter(|&r| own != Some(r));
            let reads = reads.map(str::to_owned).collect();
            left.push(Fed { input, own: own.map(str::to_owned), value: Source::Value(value), reads });
        }
        while !left.is_empty() {
            let free =
                left.iter().position(|f| !left.iter().any(|other| f.own.iter().any(|own| other.reads.contains(own))));
            let Some(index) = free else {
                let index = on_a_cycle(&left);
                self.set_aside(&mut left[index]);
                continue;
            };
            let fed = left.remove(index);
            let value = match fed.value {
                Source::Value(value) => self.value(value).text,
                Source::Name(name) => name,
            };
            let (name, declared) = self.name_at(fed.input, block);
            self.push(Item::Assign { name, value, declared: declared.then_some("let") });
        }
    }

    /// Declares what follows a loop is given, if there are several ways out.
    fn declare_behind_loop(&mut self, owner: Block, merge: Block) {
        if self.uses.broken[owner] {
            self.declare_inputs(&self.inputs(merge), owner);
        }
    }

    /// Behind a loop with one way out: what leaves it keeps its name, as nothing sets it any more.
    fn hand_over(&mut self, merge: Block, values: &[Value], owner: Block) {
        for (input, &value) in self.inputs(merge).into_iter().zip(values) {
            if !self.call_the_same(input, value) {
                let text = self.value(value).text;
                let (name, declared) = self.name_at(input, owner);
                self.push(Item::Assign { name, value: text, declared: declared.then_some("const") });
            }
        }
    }

    /// Evaluates what is fed into a variable of its own.
    fn set_aside(&mut self, fed: &mut Fed) {
        let Source::Value(value) = fed.value else { unreachable!("a name reads no input") };
        let scalar = self.scalar(value).unwrap_or(Scalar::I32);
        let text = self.value(value).text;
        let (name, declared) = self.temporary(scalar);
        self.push(Item::Assign { name: name.clone(), value: text, declared });
        fed.value = Source::Name(name);
        fed.reads.clear();
    }

    // Exits.

    fn exit(&mut self, block: Block) {
        let body = self.body;
        let data = &body.blocks[block];
        match &data.exit {
            Exit::Open => unreachable!("a valid module has no open block"),
            Exit::If { condition, then, otherwise, merge } => {
                self.branch(block, *condition, [*then, *otherwise], *merge)
            }
            Exit::Loop { args, condition, merge, .. } => {
                self.declare_behind_loop(block, *merge);
                self.feed_last(*condition, args, block);
                self.open(Head::Loop { condition: None, update: None }, vec![(block, Role::Merge)], vec![]);
                self.then([Task::Block(*condition), Task::Block(*merge)]);
            }
            Exit::DoLoop { args, body: rounds, condition, merge } => {
                self.declare_behind_loop(block, *merge);
                self.feed_last(*rounds, args, block);
                self.declare_at_top(&self.inputs(*condition));
                self.open(Head::Do, vec![(block, Role::Merge)], vec![]);
                self.open(Head::Block, vec![(block, Role::Next)], vec![]);
                let round = [Task::Block(*rounds), Task::Item(Item::Close(None)), Task::Block(*condition)];
                self.then(round.into_iter().chain([Task::Block(*merge)]));
            }
            Exit::Switch { selector, cases, args, merge } => self.switch(block, *selector, cases, args, *merge),
            Exit::Labelled { body: inside, merge } => {
                self.last(&[], block);
                self.declare_inputs(&self.inputs(*merge), block);
                self.open(Head::Block, vec![(block, Role::Merge)], vec![]);
                self.then([Task::Block(*inside), Task::Item(Item::Close(None)), Task::Block(*merge)]);
            }
            Exit::NextBlock { merge } => {
                self.last(&[], block);
                self.then([Task::Block(*merge)]);
            }
            Exit::Merge(args) => {
                let owner = self.uses.tree.place(block).and_then(|p| p.owner).expect("arms hang from a construct");
                let merge = body.blocks[owner].exit.merge_block().expect("arms meet");
                self.feed_last(merge, args, block);
            }
            Exit::Break(owner, args) => {
                let merge = body.blocks[*owner].exit.merge_block().expect("what is left has what follows it");
                self.feed_last(merge, args, block);
                self.push(Item::Jump((*owner, Role::Merge)));
            }
            Exit::Continue(owner, args) => self.next_round(block, *owner, args),
            Exit::LoopIf { .. } => self.loop_if(block),
            Exit::Passthrough => {
                self.last(&[], block);
            }
            Exit::Return(args) => {
                if self.is_asm() && args.len() > 1 && self.has_effects(args) {
                    // A call would overwrite the results that stand in the heap already.
                    self.evaluate_waiting(&[], block);
                }
                let texts = self.last(args, block);
                self.leave(texts);
            }
            Exit::Discard => {
                self.error(ErrorCode::E0608, data.exit_span, "JavaScript has no fragments to discard");
            }
            Exit::Trap(kind) => {
                self.last(&[], block);
                self.trap(*kind);
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

    /// Whether nothing happens in an arm, and nothing comes of it.
    fn is_empty(&self, arm: Block) -> bool {
        let data = &self.body.blocks[arm];
        let feeds = || self.uses.tree.edges(self.body, arm).iter().any(|(to, args)| !self.fed(*to, args).is_empty());
        data.nodes.is_empty() && data.variables.is_empty() && matches!(data.exit, Exit::Merge(_)) && !feeds()
    }

    /// Whether the chain that begins with an arm ends somewhere else than where the arms meet.
    fn leaves(&self, arm: Block) -> bool {
        let mut block = arm;
        while let Some(merge) = self.body.blocks[block].exit.merge_block() {
            block = merge;
        }
        !matches!(self.body.blocks[block].exit, Exit::Merge(_))
    }

    /// How many blocks the chain that begins with an arm has, and whether it leaves at once.
    fn leaves_at_once(&self, arm: Block) -> bool {
        self.body.blocks[arm].nodes.is_empty() && self.body.blocks[arm].exit.merge_block().is_none() && self.leaves(arm)
    }

    fn branch(&mut self, block: Block, condition: Value, [then, otherwise]: [Block; 2], merge: Block) {
        let condition = self.condition(condition, block);
        self.declare_inputs(&self.inputs(merge), block);
        let leaving = |this: &Self, arm| this.leaves(arm);
        let first = match [then, otherwise].map(|arm| leaving(self, arm)) {
            [true, true] => {
                if self.leaves_at_once(otherwise) {
                    Some(otherwise)
                } else {
                    Some(then)
                }
            }
            [true, false] => Some(then),
            [false, true] => Some(otherwise),
            [false, false] => None,
        };
        let close = || Task::Item(Item::Close(None));
        if let Some(arm) = first {
            let (text, other) = if arm == then { (condition, otherwise) } else { (condition.negated(), then) };
            self.open(Head::If(text.text), vec![], vec![]);
            self.then([Task::Block(arm), close(), Task::Block(other), Task::Block(merge)]);
            return;
        }
        let swap = self.is_empty(then);
        let (first, second) = if swap { (otherwise, then) } else { (then, otherwise) };
        let text = if swap { condition.negated() } else { condition };
        self.open(Head::If(text.text), vec![], vec![]);
        let mut tasks = vec![Task::Block(first)];
        if !self.is_empty(second) {
            tasks.extend([Task::Item(Item::Else), Task::Block(second)]);
        }
        tasks.extend([close(), Task::Block(merge)]);
        self.then(tasks);
    }

    /// The condition that a block ends with, after all that waits.
    fn condition(&mut self, condition: Value, block: Block) -> Text {
        self.last(&[condition], block).remove(0)
    }

    // Loops.

    fn next_round(&mut self, block: Block, owner: Block, args: &[Value]) {
        let target = self.uses.tree.edges(self.body, block)[0].0;
        self.feed_last(target, args, block);
        let to_head = matches!(self.body.blocks[owner].exit, Exit::Loop { condition, .. } if condition == target);
        self.push(Item::Jump((owner, if to_head { Role::Head } else { Role::Next })));
    }

    fn loop_if(&mut self, block: Block) {
        let body = self.body;
        let Exit::LoopIf { condition, body_args, merge_args } = &body.blocks[block].exit else { return };
        let owner = self.uses.tree.place(block).and_then(|p| p.owner).expect("it ends the condition of a loop");
        match body.blocks[owner].exit {
            Exit::DoLoop { body: rounds, merge, .. } => {
                self.repeat_if(block, owner, *condition, (rounds, body_args), (merge, merge_args));
            }
            Exit::Loop { body: inside, next, merge, .. } => {
                self.go_on_if(block, owner, *condition, (inside, body_args), (merge, merge_args), next);
            }
            _ => unreachable!("only loops have a condition"),
        }
    }

    /// Where the loop begins that is being written.
    fn head_of(&self, owner: Block) -> usize {
        let is_it = |item: &Item| match item {
            Item::Open { head: Head::Loop { .. } | Head::Do, breaks, .. } => breaks.contains(&(owner, Role::Merge)),
            _ => false,
        };
        self.items.iter().rposition(is_it).expect("the loop was begun")
    }

    /// What must be evaluated before a condition and what is fed after it.
    fn settle_condition(&mut self, condition: Value, block: Block, fed: [(Block, &[Value]); 2]) -> bool {
        let always = condition.as_const().is_some_and(|c| self.module.consts.as_bits(c) == Some(1));
        let all: Vec<Value> = fed.iter().flat_map(|(to, args)| self.fed(*to, args)).collect();
        if self.has_effects(&all) {
            self.evaluate_waiting(&[], block);
        }
        self.settle(&[condition], Some(Effects::ALL), block);
        self.evaluate_waiting(&[condition], block);
        self.take(&[condition]);
        always
    }

    /// The condition at the beginning of a round.
    fn go_on_if(
        &mut self,
        block: Block,
        owner: Block,
        condition: Value,
        (inside, body_args): (Block, &[Value]),
        (merge, merge_args): (Block, &[Value]),
        next: Option<Block>,
    ) {
        let always = self.settle_condition(condition, block, [(inside, body_args), (merge, merge_args)]);
        let head = self.head_of(owner);
        let after = self.fed(merge, merge_args);
        let is_bare = self.items.len() == head + 1;
        let mut behind = None;
        if !always {
            let text = self.value(condition);
            // Whoever breaks out has fed the merge block already.
            let feeds_here = !after.is_empty() && self.uses.broken[owner];
            if is_bare && !feeds_here {
                self.set_condition(head, text);
            } else {
                let text = text.negated().text;
                self.open(Head::If(text), vec![], vec![]);
                if feeds_here {
                    self.feed(merge, &after, block);
                }
                self.push(Item::Jump((owner, Role::Merge)));
                self.push(Item::Close(None));
            }
            behind = (!feeds_here && !after.is_empty()).then_some(Task::HandOver(merge, after, owner));
        }
        let values = self.fed(inside, body_args);
        self.feed(inside, &values, inside);
        let mut tasks = Vec::new();
        let close = match next {
            Some(next) => {
                // The head of a `for` may read them.
                self.declare_at_top(&self.inputs(next));
                let body = self.open(Head::Block, vec![(owner, Role::Next)], vec![]);
                tasks.extend([Task::Block(inside), Task::Item(Item::Close(None)), Task::Block(next)]);
                Task::CloseLoop { head, body: Some(body) }
            }
            None => {
                tasks.push(Task::Block(inside));
                Task::CloseLoop { head, body: None }
            }
        };
        if let Item::Open { continues, .. } = &mut self.items[head] {
            continues.push((owner, Role::Head));
        }
        tasks.push(close);
        tasks.extend(behind);
        self.then(tasks);
    }

    fn set_condition(&mut self, head: usize, text: Text) {
        if let Item::Open { head: Head::Loop { condition, .. }, .. } = &mut self.items[head] {
            *condition = Some(text.text);
        }
    }

    /// Ends a loop. What its continue block does, if it only sets variables, is said in the head; then its body needs no
    /// braces of its own.
    fn close_loop(&mut self, head: usize, body: Option<usize>) {
        if let Some(body) = body {
            let end = body_end(&self.items, body);
            let rest = &self.items[end + 1..];
            let sets = |item: &Item| matches!(item, Item::Assign { declared: None, .. });
            let jump_last = matches!(rest.last(), Some(Item::Jump((_, Role::Head))));
            let assigns = &rest[..rest.len() - usize::from(jump_last)];
            if assigns.iter().all(sets) && assigns.len() <= MAX_UPDATES {
                let update: Vec<String> = assigns.iter().filter_map(update_of).collect();
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

    /// The condition at the end of a round.
    fn repeat_if(
        &mut self,
        block: Block,
        owner: Block,
        condition: Value,
        (rounds, body_args): (Block, &[Value]),
        (merge, merge_args): (Block, &[Value]),
    ) {
        self.settle_condition(condition, block, [(rounds, body_args), (merge, merge_args)]);
        let head = self.head_of(owner);
        let text = self.value(condition);
        let after = self.fed(merge, merge_args);
        let values = self.fed(rounds, body_args);
        let changes =
            self.inputs(rounds).into_iter().zip(&values).any(|(i, &v)| self.uses.resolve(v) != Value::from(i));
        let broken = self.uses.broken[owner];
        if !changes && (after.is_empty() || !broken) {
            self.join_body(head);
            self.push(Item::Close(Some(text.text)));
        } else {
            if let Item::Open { head, continues, .. } = &mut self.items[head] {
                *head = Head::Loop { condition: None, update: None };
                continues.push((owner, Role::Head));
            }
            let text = text.negated().text;
            self.open(Head::If(text), vec![], vec![]);
            if broken {
                self.feed(merge, &after, block);
            }
            self.push(Item::Jump((owner, Role::Merge)));
            self.push(Item::Close(None));
            self.feed(rounds, &values, block);
            self.push(Item::Close(None));
        }
        if !broken {
            self.hand_over(merge, &after, owner);
        }
    }

    /// Where nothing stands between the body of a `do` and its condition, `continue` goes there.
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

    fn switch(&mut self, owner: Block, selector: Value, cases: &[Case], args: &[Value], merge: Block) {
        let scalar = self.scalar(selector).unwrap_or(Scalar::I32);
        let selector = self.last(&[selector], owner).remove(0);
        let selector = if scalar.bits() == 32 && self.is_asm() { selector.signed() } else { selector };
        self.declare_inputs(&self.inputs(merge), owner);
        let after = self.fed(merge, args);
        let fallback = cases.iter().position(|c| c.is_default);
        if self.is_asm() && fallback.is_some_and(|f| f + 1 != cases.len()) {
            self.dispatch(owner, selector, cases, merge);
            return;
        }
        self.open(Head::Switch(selector.text), vec![(owner, Role::Merge)], vec![]);
        let mut tasks = Vec::new();
        let open = |values| Task::Item(Item::Open { head: Head::Case(values), breaks: vec![], continues: vec![] });
        for case in cases {
            let values = self.case_values(case);
            tasks.extend([open(values), Task::Block(case.block), Task::Item(Item::Close(None))]);
        }
        if fallback.is_none() && !after.is_empty() {
            tasks.push(open(vec!["default".to_owned()]));
            tasks.extend([Task::Feed(merge, after, owner), Task::Item(Item::Close(None))]);
        }
        tasks.extend([Task::Item(Item::Close(None)), Task::Block(merge)]);
        self.then(tasks);
    }

    /// What leads to a case, as asm.js and JavaScript write it.
    fn case_values(&mut self, case: &Case) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for &constant in &case.values {
            let ty = self.module.consts[constant].ty;
            let scalar = self.module.types.scalar_of(ty).unwrap_or(Scalar::I32);
            let bits = self.module.consts.as_bits(constant).unwrap_or(0);
            let scalar = if self.is_asm() && scalar == Scalar::U32 { Scalar::I32 } else { scalar };
            values.push(self.speaker().literal(scalar, bits).text);
        }
        if case.is_default {
            // asm.js knows it as the last one only, and alone it says all that the others say.
            if self.is_asm() {
                values.clear();
            }
            values.push("default".to_owned());
        }
        values
    }

    /// A switch whose default case is not the last one: it only jumps into the cases, which stand behind it one after the
    /// other.
    fn dispatch(&mut self, owner: Block, selector: Text, cases: &[Case], merge: Block) {
        self.open(Head::Block, vec![(owner, Role::Merge)], vec![]);
        for index in (0..cases.len()).rev() {
            self.open(Head::Block, vec![(owner, Role::Case(index as u32))], vec![]);
        }
        self.open(Head::Switch(selector.text), vec![], vec![]);
        let fallback = cases.iter().position(|c| c.is_default).unwrap_or(0);
        let order = (0..cases.len()).filter(|&i| i != fallback).chain([fallback]);
        for index in order {
            let values = self.case_values(&cases[index]);
            self.open(Head::Case(values), vec![], vec![]);
            self.push(Item::Jump((owner, Role::Case(index as u32))));
            self.push(Item::Close(None));
        }
        self.push(Item::Close(None));
        let mut tasks = Vec::new();
        for case in cases {
            tasks.extend([Task::Item(Item::Close(None)), Task::Block(case.block)]);
        }
        tasks.extend([Task::Item(Item::Close(None)), Task::Block(merge)]);
        self.then(tasks);
    }
}

/// Variables that the head of a loop may set between rounds; more, and they are set at its end.
const MAX_UPDATES: usize = 2;

/// What an input is fed with.
enum Source {
    Value(Value),
    Name(String),
}

/// An input and its name, what it is fed with, and the names that this reads, but its own.
struct Fed {
    input: Local,
    own: Option<String>,
    value: Source,
    reads: Vec<String>,
}

/// Of inputs each of which another one reads: one that is on a cycle. Those that only hang from a cycle, as `i` does in
/// `a, b, i = b + i, cos(a), i + 1`, stay blocked however often they are set aside.
fn on_a_cycle(left: &[Fed]) -> usize {
    let reader = |of: usize| {
        let reads = |other: usize| left[of].own.iter().any(|own| left[other].reads.contains(own));
        (0..left.len()).find(|&other| reads(other)).expect("no input is free")
    };
    // After as many steps as there are inputs the walk from reader to reader goes round a cycle.
    (0..left.len()).fold(0, |at, _| reader(at))
}

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

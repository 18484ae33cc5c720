//! The blocks of a function as structured statements.
//!
//! The dominator tree gives the nesting (after Ramsey: "Beyond Relooper", 2022): a block that several blocks jump to follows the
//! statement that its immediate dominator begins, and jumps to it leave labelled statements around them. The merge blocks and
//! continue targets that the binary declares decide where code goes that may go to several places: after a statement or into it,
//! after a loop or into its last iteration. So any reducible control flow is accepted, and what front ends write becomes what the
//! source had: branches without labels, loops with a condition, and with a step.

use rustc_hash::FxHashSet;

use crate::cfg::{Cfg, Term};
use crate::report::{Res, too_deep};
use crate::words::Binary;

/// The largest depth of statements.
const DEEPEST: u32 = 200;

/// The largest number of blocks that follow one statement: each but one is a label.
const MOST_FOLLOWERS: usize = 300;

/// A statement. Numbers are those of blocks.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// The instructions of a block.
    Block(usize),
    /// The branch at the end of a block.
    If { block: usize, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// The switch at the end of a block; jumps to `exit` leave it.
    Switch { block: usize, arms: Vec<Arm>, exit: Option<usize> },
    /// A loop; jumps to `exit` leave it.
    Loop(Box<Loop>),
    /// Statements; jumps to `target`, which follows, leave them.
    Label { target: usize, body: Vec<Stmt> },
    /// A jump between two blocks.
    Jump { from: usize, to: usize },
    /// The return or the like at the end of a block.
    End(usize),
}

/// A case of a switch.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) values: Vec<u64>,
    pub(crate) is_default: bool,
    pub(crate) body: Vec<Stmt>,
}

/// A loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) header: usize,
    pub(crate) exit: Option<usize>,
    pub(crate) test: Test,
    pub(crate) body: Vec<Stmt>,
    /// The continue target, and its statements.
    pub(crate) next: Option<(usize, Vec<Stmt>)>,
}

/// The condition of a loop: its statements, the block whose branch it is, and whether the loop goes on if it is true.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Never,
    Before {
        stmts: Vec<Stmt>,
        block: usize,
        goes_on_if: bool,
    },
    /// After the body; `label` is the continue target.
    After {
        stmts: Vec<Stmt>,
        block: usize,
        goes_on_if: bool,
        label: Option<usize>,
    },
}

struct Builder<'a> {
    binary: &'a Binary<'a>,
    cfg: &'a Cfg,
    /// Blocks that follow a loop around their immediate dominator.
    hoisted: Vec<bool>,
    /// Continue targets that have their place.
    nexts: Vec<bool>,
    opened: Vec<bool>,
    depth: u32,
}

/// The statements of a function.
pub(crate) fn structure(binary: &Binary<'_>, cfg: &Cfg) -> Res<Vec<Stmt>> {
    let count = cfg.nodes.len();
    let (hoisted, nexts, opened) = (vec![false; count], vec![false; count], vec![false; count]);
    let mut builder = Builder { binary, cfg, hoisted, nexts, opened, depth: 0 };
    let mut stmts = vec![];
    builder.sequence(0, &mut stmts)?;
    Ok(without_labels(stmts, None))
}

impl Builder<'_> {
    /// Appends the statements of a block and of those that it dominates.
    fn sequence(&mut self, mut block: usize, out: &mut Vec<Stmt>) -> Res<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let inst = &self.binary.insts[self.cfg.nodes[block].end];
            let message = format!("`Op{:?}` (word {}): control flow is nested deeper than {DEEPEST}", inst.op, inst.at);
            return too_deep(inst.span(), message);
        }
        loop {
            let (statement, followers) = if self.cfg.is_header(block) && !self.opened[block] {
                self.opened[block] = true;
                let exits = self.exits(block);
                (vec![self.loop_(block, exits.first().copied())?], exits)
            } else {
                match self.block(block, out)? {
                    Some(next) => {
                        block = next;
                        continue;
                    }
                    None => {
                        let followers = self.followers(block);
                        let first = followers.first().copied();
                        let mut statement = self.branch(block, first)?;
                        if let (Some(target), false) = (first, matches!(statement.last(), Some(Stmt::Switch { .. }))) {
                            statement = vec![Stmt::Label { target, body: statement }];
                        }
                        (statement, followers)
                    }
                }
            };
            if followers.len() > MOST_FOLLOWERS {
                let inst = &self.binary.insts[self.cfg.nodes[block].end];
                let message = format!("`Op{:?}` (word {}): more than {MOST_FOLLOWERS} blocks follow", inst.op, inst.at);
                return too_deep(inst.span(), message);
            }
            let Some((&last, others)) = followers.split_last() else {
                out.extend(statement);
                break;
            };
            let mut inner = statement;
            for (i, &follower) in others.iter().enumerate() {
                self.sequence(follower, &mut inner)?;
                inner = vec![Stmt::Label { target: followers[i + 1], body: inner }];
            }
            out.extend(inner);
            block = last;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Appends the instructions of a block, and its end if the next block follows at once: that one is returned.
    fn block(&mut self, block: usize, out: &mut Vec<Stmt>) -> Res<Option<usize>> {
        out.push(Stmt::Block(block));
        match self.cfg.nodes[block].term {
            Term::Branch(to) if self.is_inline(block, to) => {
                self.enter(block, to, out);
                return Ok(Some(to));
            }
            Term::If(_, a, b) if self.followers(block).is_empty() => {
                // One side leaves: the other follows.
                let (goes, stays) = match (self.is_inline(block, a), self.is_inline(block, b)) {
                    (false, true) => (a, b),
                    (true, false) => (b, a),
                    (true, true) if self.leaves(a) => (a, b),
                    (true, true) if self.leaves(b) => (b, a),
                    _ => return Ok(None),
                };
                let mut arm = vec![];
                self.arm(block, goes, &mut arm)?;
                let (then, otherwise) = if goes == a { (arm, vec![]) } else { (vec![], arm) };
                out.push(Stmt::If { block, then, otherwise });
                self.enter(block, stays, out);
                return Ok(Some(stays));
            }
            _ => {}
        }
        Ok(None)
    }

    /// Whether a block ends the function.
    fn leaves(&self, block: usize) -> bool {
        matches!(self.cfg.nodes[block].term, Term::Return(_) | Term::Kill | Term::Unreachable)
    }

    /// The statement that the end of a block is; jumps to `exit`, which follows, leave it.
    fn branch(&mut self, block: usize, exit: Option<usize>) -> Res<Vec<Stmt>> {
        let mut body = vec![];
        match self.cfg.nodes[block].term.clone() {
            Term::Branch(to) => self.arm(block, to, &mut body)?,
            Term::If(_, a, b) => {
                let (mut then, mut otherwise) = (vec![], vec![]);
                self.arm(block, a, &mut then)?;
                self.arm(block, b, &mut otherwise)?;
                body.push(Stmt::If { block, then, otherwise });
            }
            Term::Switch(_, default, cases) => {
                let mut arms: Vec<(usize, Arm)> = vec![];
                let all = cases.iter().map(|&(value, to)| (Some(value), to)).chain([(None, default)]);
                for (value, to) in all {
                    let place = arms.iter().position(|a| a.0 == to).unwrap_or_else(|| {
                        arms.push((to, Arm { values: vec![], is_default: false, body: vec![] }));
                        arms.len() - 1
                    });
                    arms[place].1.values.extend(value);
                    arms[place].1.is_default |= value.is_none();
                }
                for (to, arm) in &mut arms {
                    self.arm(block, *to, &mut arm.body)?;
                }
                body.push(Stmt::Switch { block, arms: arms.into_iter().map(|a| a.1).collect(), exit });
            }
            _ => body.push(Stmt::End(block)),
        }
        Ok(body)
    }

    /// Appends what happens after an edge. Recursion: over the dominator tree, at most [`DEEPEST`] levels.
    fn arm(&mut self, from: usize, to: usize, out: &mut Vec<Stmt>) -> Res<()> {
        if self.is_inline(from, to) {
            self.enter(from, to, out);
            return self.sequence(to, out);
        }
        out.push(Stmt::Jump { from, to });
        Ok(())
    }

    /// Appends the jump to a block that follows, if that is a loop, which gets values.
    fn enter(&self, from: usize, to: usize, out: &mut Vec<Stmt>) {
        if self.cfg.is_header(to) {
            out.push(Stmt::Jump { from, to });
        }
    }

    /// Whether a block is within the statement that another begins, and is reached from there only.
    fn is_inline(&self, from: usize, to: usize) -> bool {
        let is_merge = self.cfg.nodes[from].merge == Some(to);
        self.cfg.nodes[to].idom == from
            && to != from
            && !self.hoisted[to]
            && !self.nexts[to]
            && !is_merge
            && self.cfg.forward_preds(to) == 1
    }

    /// The blocks that follow the statement that a block's end is.
    fn followers(&self, block: usize) -> Vec<usize> {
        let node = &self.cfg.nodes[block];
        let follows = |&to: &usize| !self.hoisted[to] && !self.nexts[to] && !self.is_inline(block, to);
        node.children.iter().copied().filter(follows).collect()
    }

    /// The blocks that follow a loop: its merge block, and others that are reached from those, or (without one) those that cannot
    /// come back.
    fn exits(&mut self, header: usize) -> Vec<usize> {
        let cfg = self.cfg;
        let within: Vec<usize> = (header + 1..cfg.nodes.len()).filter(|&n| cfg.dominates(header, n)).collect();
        let merge = cfg.nodes[header].merge.filter(|&m| m != header && cfg.dominates(header, m));
        let natural = natural_loop(cfg, header);
        let merge = merge.filter(|m| !natural.contains(m));
        let declared = cfg.nodes[header].next.is_some() || cfg.nodes[header].merge.is_some();
        let mut is_out = FxHashSet::default();
        for &node in &within {
            let data = &cfg.nodes[node];
            let leaves = match merge {
                _ if self.hoisted[node] || self.nexts[node] => true,
                Some(merge) => node == merge,
                None if declared => false,
                None => !natural.contains(&node),
            };
            let comes = data.preds.iter().any(|p| is_out.contains(p) && !cfg.is_back_edge(*p, node));
            if leaves || is_out.contains(&data.idom) || comes && !natural.contains(&node) {
                is_out.insert(node);
            }
        }
        let placed = |n: usize| self.hoisted[n] || self.nexts[n];
        let first_out = |&n: &usize| is_out.contains(&n) && !is_out.contains(&cfg.nodes[n].idom) && !placed(n);
        let exits: Vec<usize> = within.into_iter().filter(first_out).collect();
        exits.iter().for_each(|&n| self.hoisted[n] = true);
        exits
    }

    fn loop_(&mut self, header: usize, exit: Option<usize>) -> Res<Stmt> {
        let next = self.next_of(header);
        if let Some(next) = next {
            self.nexts[next] = true;
        }
        let mut body = vec![];
        self.sequence(header, &mut body)?;
        let next = match next {
            Some(next) => {
                let mut stmts = vec![];
                self.sequence(next, &mut stmts)?;
                Some((next, stmts))
            }
            None => None,
        };
        Ok(Stmt::Loop(Box::new(Loop { header, exit, test: Test::Never, body, next })))
    }

    /// The continue target of a loop, if all ways back lead through it, and none from it elsewhere into the body.
    fn next_of(&self, header: usize) -> Option<usize> {
        let cfg = self.cfg;
        let next = cfg.nodes[header].next.filter(|&n| n != header && cfg.dominates(header, n) && !self.hoisted[n])?;
        // A loop within would begin there.
        if cfg.is_header(next) {
            return None;
        }
        let back = cfg.nodes[header].preds.iter().filter(|&&p| cfg.is_back_edge(p, header));
        if !back.clone().all(|&p| cfg.dominates(next, p)) {
            return None;
        }
        let is_own = |n: usize| cfg.dominates(next, n);
        let stays = |to: usize| is_own(to) || to == header || self.hoisted[to] || !cfg.dominates(header, to);
        let own = (next..cfg.nodes.len()).filter(|&n| is_own(n));
        own.flat_map(|n| cfg.nodes[n].succs()).all(stays).then_some(next)
    }
}

/// The blocks from which a loop's beginning is reached again.
fn natural_loop(cfg: &Cfg, header: usize) -> FxHashSet<usize> {
    let mut found = FxHashSet::from_iter([header]);
    let mut stack: Vec<usize> =
        cfg.nodes[header].preds.iter().copied().filter(|&p| cfg.is_back_edge(p, header)).collect();
    while let Some(node) = stack.pop() {
        if found.insert(node) {
            stack.extend(&cfg.nodes[node].preds);
        }
    }
    found
}

/// Removes labels that only jumps name that end where the label ends anyway, and finds the conditions of loops. `falls`: the block
/// that follows.
/// Recursion: over the statements, at most [`DEEPEST`] levels.
fn without_labels(stmts: Vec<Stmt>, falls: Option<usize>) -> Vec<Stmt> {
    let mut out = vec![];
    let mut rest = stmts.into_iter().peekable();
    while let Some(stmt) = rest.next() {
        let falls = rest.peek().map_or(falls, first_block);
        match stmt {
            Stmt::Label { target, body } => {
                let body = without_labels(body, Some(target));
                match needs_label(&body, target, Some(target)) {
                    true => out.push(Stmt::Label { target, body }),
                    false => out.extend(body),
                }
            }
            Stmt::If { block, then, otherwise } => out.push(Stmt::If {
                block,
                then: without_labels(then, falls),
                otherwise: without_labels(otherwise, falls),
            }),
            Stmt::Switch { block, arms, exit } => {
                let falls = exit.or(falls);
                let clean = |arm: Arm| Arm { body: without_labels(arm.body, falls), ..arm };
                out.push(Stmt::Switch { block, arms: arms.into_iter().map(clean).collect(), exit });
            }
            Stmt::Loop(data) => {
                let Loop { header, exit, body, next, .. } = *data;
                let target = next.as_ref().map_or(header, |n| n.0);
                let body = without_labels(body, Some(target));
                let next = next.map(|(n, stmts)| (n, without_labels(stmts, Some(header))));
                let data = Loop { header, exit, test: Test::Never, body, next };
                out.push(Stmt::Loop(Box::new(with_test(data))));
            }
            other => out.push(other),
        }
    }
    out
}

/// The block that a statement begins with.
pub(crate) fn first_block(stmt: &Stmt) -> Option<usize> {
    match stmt {
        Stmt::Block(block) => Some(*block),
        Stmt::Loop(data) => Some(data.header),
        Stmt::Label { body, .. } => body.first().and_then(first_block),
        _ => None,
    }
}

/// Whether a jump to a label within statements is not the last that happens in them.
/// Recursion: over the statements, at most [`DEEPEST`] levels.
fn needs_label(stmts: &[Stmt], target: usize, falls: Option<usize>) -> bool {
    let count = stmts.len();
    stmts.iter().enumerate().any(|(i, stmt)| {
        let falls = if i + 1 < count { stmts.get(i + 1).and_then(first_block) } else { falls };
        match stmt {
            Stmt::Jump { to, .. } => *to == target && falls != Some(target),
            Stmt::If { then, otherwise, .. } => {
                needs_label(then, target, falls) || needs_label(otherwise, target, falls)
            }
            Stmt::Switch { arms, exit, .. } => {
                *exit != Some(target) && arms.iter().any(|arm| needs_label(&arm.body, target, exit.or(falls)))
            }
            Stmt::Loop(data) => {
                data.exit != Some(target)
                    && (needs_label(&data.body, target, None)
                        || data.next.as_ref().is_some_and(|n| needs_label(&n.1, target, None)))
            }
            Stmt::Label { target: inner, body } => *inner != target && needs_label(body, target, Some(*inner)),
            Stmt::Block(_) | Stmt::End(_) => false,
        }
    })
}

/// Finds the condition of a loop: at the end of its continue target, or of its only block, or at the beginning of its body.
fn with_test(mut data: Loop) -> Loop {
    let (header, exit) = (data.header, data.exit);
    let jumps = |arm: &[Stmt], wanted: usize| matches!(arm, [Stmt::Jump { to, .. }] if *to == wanted);
    let plain = |stmts: &[Stmt]| stmts.iter().all(|s| matches!(s, Stmt::Block(_)));
    let Some(exit) = exit else { return data };
    let tail = data.next.as_ref().map_or(&data.body, |n| &n.1);
    if let [before @ .., Stmt::If { block, then, otherwise }] = &tail[..]
        && plain(before)
    {
        let block = *block;
        let goes_on_if = match () {
            () if jumps(then, header) && jumps(otherwise, exit) => Some(true),
            () if jumps(then, exit) && jumps(otherwise, header) => Some(false),
            () => None,
        };
        if let Some(goes_on_if) = goes_on_if {
            let stmts = before.to_vec();
            let label = data.next.as_ref().map(|n| n.0);
            if data.next.take().is_none() {
                data.body.clear();
            }
            data.test = Test::After { stmts, block, goes_on_if, label };
            return data;
        }
    }
    let place = data.body.iter().position(|s| !matches!(s, Stmt::Block(_)));
    if let Some(place) = place
        && let Stmt::If { block, then, otherwise } = &data.body[place]
    {
        // Optimizers join the body with the continue target, so that nothing else goes there.
        let next = data.next.as_ref().map(|n| n.0).filter(|_| place + 1 == data.body.len());
        let goes_on = |arm: &[Stmt]| arm.is_empty() || next.is_some_and(|next| jumps(arm, next));
        let (block, goes_on_if) = match () {
            () if goes_on(then) && jumps(otherwise, exit) => (*block, true),
            () if goes_on(otherwise) && jumps(then, exit) => (*block, false),
            () => return data,
        };
        let rest = data.body.split_off(place + 1);
        data.body.pop();
        let stmts = std::mem::replace(&mut data.body, rest);
        data.test = Test::Before { stmts, block, goes_on_if };
        if data.body.is_empty()
            && let Some((_, next)) = data.next.take()
        {
            data.body = next;
        }
    }
    data
}

//! The call graph: callers and callees of each function.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use planish_ir::arena::SideTable;
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::walk;
use rustc_hash::FxHashMap;

/// The direct calls of a module.
pub struct CallGraph {
    funcs: Vec<Func>,
    callees: SideTable<Func, Vec<Func>>,
    /// Number of calls of each of them there.
    times: SideTable<Func, Vec<u32>>,
    /// Number of calls of each function.
    calls: SideTable<Func, u32>,
    recursive: SideTable<Func, bool>,
    order: Vec<Func>,
}

impl CallGraph {
    /// Looks at every reachable block of every function. O(nodes).
    pub fn new(module: &Module) -> Self {
        let mut graph = CallGraph {
            funcs: module.funcs.keys().collect(),
            callees: SideTable::new(),
            times: SideTable::new(),
            calls: SideTable::new(),
            recursive: SideTable::new(),
            order: Vec::new(),
        };
        // By callee: the last function that was found to call it, and where that has it among its callees.
        let mut called_by: SideTable<Func, Option<(Func, usize)>> = SideTable::new();
        for (func, function) in module.funcs.iter() {
            let Some(body) = &function.body else { continue };
            for block in walk::blocks(body) {
                for &node in &body.blocks[block].nodes {
                    if body.node(node).op != Op::Call {
                        continue;
                    }
                    let Some(callee) = body.args(node).first().and_then(|f| f.as_func()) else { continue };
                    graph.calls[callee] += 1;
                    match called_by[callee] {
                        Some((caller, at)) if caller == func => graph.times[func][at] += 1,
                        _ => {
                            called_by[callee] = Some((func, graph.callees[func].len()));
                            graph.callees[func].push(callee);
                            graph.times[func].push(1);
                        }
                    }
                }
            }
        }
        graph.sort();
        graph
    }

    /// Number of calls of a function.
    pub fn calls_of(&self, func: Func) -> u32 {
        self.calls[func]
    }

    /// Whether a function can come to call itself.
    pub fn is_recursive(&self, func: Func) -> bool {
        self.recursive[func]
    }

    /// A shortest path of calls from a function back to itself, that function first and last; empty if there is none that is
    /// found within `most` functions. (If thousands call each other, a path for each costs their number squared.)
    pub fn cycle(&self, func: Func, most: usize) -> Vec<Func> {
        let mut from: FxHashMap<Func, Func> = FxHashMap::default();
        let mut queue = VecDeque::from([func]);
        while let Some(caller) = queue.pop_front().filter(|_| from.len() < most) {
            for &callee in &self.callees[caller] {
                if callee == func {
                    let mut way = vec![func];
                    let mut at = Some(caller);
                    while let Some(f) = at {
                        way.push(f);
                        at = if f == func { None } else { from.get(&f).copied() };
                    }
                    way.reverse();
                    return way;
                }
                if let Entry::Vacant(entry) = from.entry(callee) {
                    entry.insert(caller);
                    queue.push_back(callee);
                }
            }
        }
        Vec::new()
    }

    /// The callees of a function.
    pub fn callees(&self, func: Func) -> &[Func] {
        &self.callees[func]
    }

    /// The callees of a function, each with its number of call sites there.
    pub fn calls_in(&self, func: Func) -> impl Iterator<Item = (Func, u32)> {
        self.callees[func].iter().copied().zip(self.times[func].iter().copied())
    }

    /// Functions with all that they call, directly or not.
    pub fn with_callees(&self, funcs: impl Iterator<Item = Func>) -> SideTable<Func, bool> {
        let mut reached: SideTable<Func, bool> = SideTable::new();
        let mut work: Vec<Func> = funcs.collect();
        while let Some(func) = work.pop() {
            if !std::mem::replace(&mut reached[func], true) {
                work.extend(&self.callees[func]);
            }
        }
        reached
    }

    /// All functions, callees before callers where there is such an order.
    pub fn callees_first(&self) -> Vec<Func> {
        self.order.clone()
    }

    /// Tarjan's strongly connected components, without recursion: a component is complete when its first member is left, and
    /// those that it calls are complete by then.
    fn sort(&mut self) {
        let mut index: SideTable<Func, u32> = SideTable::new();
        let mut low: SideTable<Func, u32> = SideTable::new();
        let mut on_stack: SideTable<Func, bool> = SideTable::new();
        let mut component: Vec<Func> = Vec::new();
        let mut next = 1;
        for root in self.funcs.clone() {
            if index[root] != 0 {
                continue;
            }
            let mut stack: Vec<(Func, usize)> = vec![(root, 0)];
            while let Some((func, at)) = stack.pop() {
                if at == 0 {
                    index[func] = next;
                    low[func] = next;
                    next += 1;
                    component.push(func);
                    on_stack[func] = true;
                } else {
                    let child = self.callees[func][at - 1];
                    if on_stack[child] {
                        low[func] = low[func].min(low[child]);
                    }
                }
                match self.callees[func].get(at) {
                    Some(&child) if index[child] == 0 => {
                        stack.push((func, at + 1));
                        stack.push((child, 0));
                    }
                    Some(_) => stack.push((func, at + 1)),
                    None if low[func] == index[func] => {
                        let from = component.iter().rposition(|&f| f == func).expect("it is on the stack");
                        let members: Vec<Func> = component.drain(from..).collect();
                        let cycle = members.len() > 1 || self.callees[func].contains(&func);
                        for &member in members.iter().rev() {
                            on_stack[member] = false;
                            self.recursive[member] = cycle;
                            self.order.push(member);
                        }
                    }
                    None => {}
                }
            }
        }
    }
}

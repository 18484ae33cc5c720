//! Who calls whom.

use planish_ir::arena::SideTable;
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::walk;

/// The direct calls of a module.
pub struct CallGraph {
    funcs: Vec<Func>,
    callees: SideTable<Func, Vec<Func>>,
    /// How many calls there are of each function.
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
            calls: SideTable::new(),
            recursive: SideTable::new(),
            order: Vec::new(),
        };
        for (func, function) in module.funcs.iter() {
            let Some(body) = &function.body else { continue };
            for block in walk::blocks(body) {
                for &node in &body.blocks[block].nodes {
                    let callee = body.args(node).first().and_then(|f| f.as_func());
                    let (true, Some(callee)) = (body.node(node).op == Op::Call, callee) else { continue };
                    graph.calls[callee] += 1;
                    if !graph.callees[func].contains(&callee) {
                        graph.callees[func].push(callee);
                    }
                }
            }
        }
        graph.sort();
        graph
    }

    /// How many calls there are of a function.
    pub fn calls_of(&self, func: Func) -> u32 {
        self.calls[func]
    }

    /// Whether a function can come to call itself.
    pub fn is_recursive(&self, func: Func) -> bool {
        self.recursive[func]
    }

    /// Who is called by a function.
    pub fn callees(&self, func: Func) -> &[Func] {
        &self.callees[func]
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

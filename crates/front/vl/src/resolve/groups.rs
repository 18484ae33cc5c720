//! Free variables of procedures, and groups of mutually dependent ones.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::core::Atom;
use crate::terms::{Item, Term, TermId, Terms, VarId};

/// Variables in their order.
pub(super) type Set = BTreeSet<VarId>;

/// The free variables of terms, cached.
pub(super) type Free = FxHashMap<TermId, Rc<[VarId]>>;

/// The free variables of a term, in order.
pub(super) fn free(terms: &Terms, id: TermId, known: &mut Free) -> Rc<[VarId]> {
    if let Some(found) = known.get(&id) {
        return found.clone();
    }
    let (mut used, mut bound) = (Set::new(), Set::new());
    match terms.term(id) {
        Term::Lambda(_, pattern, body) => {
            pattern.for_each(&mut |&var| {
                bound.insert(var);
            });
            collect(terms, *body, known, &mut used, &mut bound);
        }
        _ => collect(terms, id, known, &mut used, &mut bound),
    }
    let result: Rc<[VarId]> = used.difference(&bound).copied().collect();
    known.insert(id, result.clone());
    result
}

/// Recursion: as deep as terms nest, at most `expand::MAX_DEPTH`.
fn collect(terms: &Terms, id: TermId, known: &mut Free, used: &mut Set, bound: &mut Set) {
    match terms.term(id) {
        Term::Const(_) | Term::Error(_) => {}
        Term::Var(var) => {
            used.insert(*var);
        }
        Term::Lambda(..) => used.extend(free(terms, id, known).iter().copied()),
        &Term::Apply(procedure, argument) => {
            collect(terms, procedure, known, used, bound);
            collect(terms, argument, known, used, bound);
        }
        &Term::If(test, then, otherwise) => {
            for part in [test, then, otherwise] {
                collect(terms, part, known, used, bound);
            }
        }
        Term::List(items, tail) => {
            for &part in items.iter().chain([tail]) {
                collect(terms, part, known, used, bound);
            }
        }
        Term::Body(items, last) => {
            for item in items {
                match item {
                    Item::Define(var, _) => {
                        bound.insert(*var);
                    }
                    Item::Bind(pattern, _) => pattern.for_each(&mut |&var| {
                        bound.insert(var);
                    }),
                    Item::Effect(_) => {}
                }
                collect(terms, item.term(), known, used, bound);
            }
            collect(terms, *last, known, used, bound);
        }
    }
}

/// A procedure that is being looked at.
struct Visit {
    var: VarId,
    needs: Rc<[VarId]>,
    next: usize,
    lowest: usize,
}

/// The groups of procedures that `needed` depends on and that do not exist yet, each after those that it depends on
/// (Tarjan's strongly connected components, without recursion).
pub(super) fn components(
    terms: &Terms,
    needed: &[VarId],
    procedures: &FxHashMap<VarId, TermId>,
    created: &FxHashMap<VarId, Atom>,
    known: &mut Free,
) -> Vec<Vec<VarId>> {
    let is_open = |var: &VarId| procedures.contains_key(var) && !created.contains_key(var);
    let mut numbers: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut stack: Vec<VarId> = Vec::new();
    let mut groups: Vec<Vec<VarId>> = Vec::new();
    let mut done: FxHashMap<VarId, ()> = FxHashMap::default();
    for &root in needed.iter().filter(|var| is_open(var)) {
        if numbers.contains_key(&root) {
            continue;
        }
        let mut path: Vec<Visit> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(var) = enter.take() {
                let number = numbers.len();
                numbers.insert(var, number);
                stack.push(var);
                path.push(Visit { var, needs: free(terms, procedures[&var], known), next: 0, lowest: number });
            }
            let Some(visit) = path.last_mut() else { break };
            if let Some(&to) = visit.needs.get(visit.next) {
                visit.next += 1;
                if !is_open(&to) || done.contains_key(&to) {
                    continue;
                }
                match numbers.get(&to) {
                    Some(&number) => visit.lowest = visit.lowest.min(number),
                    None => enter = Some(to),
                }
                continue;
            }
            let (var, lowest) = (visit.var, visit.lowest);
            path.pop();
            if let Some(parent) = path.last_mut() {
                parent.lowest = parent.lowest.min(lowest);
            }
            if lowest == numbers[&var] {
                let start = stack.iter().rposition(|&v| v == var).unwrap_or(0);
                let mut group = stack.split_off(start);
                group.sort_unstable();
                done.extend(group.iter().map(|&v| (v, ())));
                groups.push(group);
            }
        }
    }
    groups
}

//! Rare ops, and ops that a specialized handler would not speed up: through the functions that define ops in the IR.

use planish_ir::meaning::{self, Kernel};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use super::{Cx, Fp, Ip, Signal, State, handlers, next, register, set, stop_as};
use crate::code::{Place, Rare};

handlers! {
    /// A function of one register: `a out`, and a word with its address.
    fn unary(ip, m) {
        let f = std::mem::transmute::<*const (), fn(u64) -> u64>(std::ptr::with_exposed_provenance(*ip.add(2) as usize));
        set(ip, &m, 1, f(register(ip, &m, 0)));
        next!(ip.add(3), State { int: 0, single: 0.0, double: 0.0, ..m })
    }
    /// `a b out`, and a word with the address.
    fn binary(ip, m) {
        let f = std::mem::transmute::<*const (), fn(u64, u64) -> u64>(std::ptr::with_exposed_provenance(
            *ip.add(2) as usize,
        ));
        set(ip, &m, 2, f(register(ip, &m, 0), register(ip, &m, 1)));
        next!(ip.add(3), State { int: 0, single: 0.0, double: 0.0, ..m })
    }
    /// `a b c out`, and a word with the address.
    fn ternary(ip, m) {
        let f = std::mem::transmute::<*const (), fn(u64, u64, u64) -> u64>(std::ptr::with_exposed_provenance(
            *ip.add(2) as usize,
        ));
        set(ip, &m, 3, f(register(ip, &m, 0), register(ip, &m, 1), register(ip, &m, 2)));
        next!(ip.add(3), State { int: 0, single: 0.0, double: 0.0, ..m })
    }
    /// Any other op; the next word names its [`Rare`].
    fn rare(ip, m) {
        let rare: *const Rare = std::ptr::with_exposed_provenance(*ip.add(1) as usize);
        if !run_rare(&*rare, ip, m.fp, m.cx) {
            return Signal::Stopped;
        }
        next!(ip.add(2), State::fresh(m.fp, m.cx))
    }
}

/// Does an op, and puts its results in place; false if that stops the program. In a function of its own, see
/// `calls::ask_host`.
#[inline(never)]
unsafe fn run_rare(rare: &Rare, ip: Ip, fp: Fp, cx: *mut Cx) -> bool {
    let mut words = smallvec::SmallVec::<[u64; 8]>::new();
    for place in &rare.places {
        match *place {
            Place::Reg(reg) => words.push(*fp.add(reg as usize)),
            Place::Pair(reg) => words.extend([*fp.add(reg as usize), *fp.add(reg as usize + 1)]),
            Place::Bits(bits) => words.push(bits),
            Place::Wide(bits) => words.extend([bits as u64, (bits >> 64) as u64]),
        }
    }
    let mut results = smallvec::SmallVec::<[u64; 4]>::new();
    if let Err(stop) = (*(*cx).instance).rare(rare, &words, &mut results) {
        stop_as(cx, ip, stop);
        return false;
    }
    let mut left = results.iter();
    for out in &rare.outs {
        for i in 0..out.1 {
            *fp.add((out.0 + i) as usize) = *left.next().expect("the op gives all its results");
        }
    }
    true
}

/// Address of the function that defines an op on scalars, as a word of code; `None` if it has too many operands.
pub(crate) fn definition(op: Op, scalar: Scalar) -> Option<u64> {
    let f = match meaning::kernel(op, scalar)? {
        Kernel::Unary(f) => f.one as *const (),
        Kernel::Binary(f) => f.one as *const (),
        Kernel::Ternary(f) => f.one as *const (),
        Kernel::Quaternary(_) => return None,
    };
    Some(f.expose_provenance() as u64)
}

//! Overload resolution, and its error messages.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::source::Span;

use super::constructors::Operands;
use super::{Checker, Reported};
use crate::ast::*;
use crate::symbol::Symbol;

impl Checker<'_, '_> {
    #[cold]
    #[inline(never)]
    pub(super) fn no_overload(
        &mut self,
        symbol: Symbol,
        set: u32,
        operands: &Operands,
        args: List<ExprId>,
        span: Span,
    ) -> Reported {
        let text = self.text(symbol);
        let signatures: Vec<(Vec<Type>, String)> = self.overloads[set as usize]
            .iter()
            .map(|&f| {
                let function = &self.functions[f as usize];
                let types = function.params.iter().map(|p| p.ty).collect();
                (types, self.signature(function))
            })
            .collect();
        self.no_match(text, &signatures, operands, args, span)
    }

    /// Reports that no overload fits, with the nearest ones and what differs.
    pub(super) fn no_match(
        &mut self,
        text: &str,
        signatures: &[(Vec<Type>, String)],
        operands: &Operands,
        args: List<ExprId>,
        span: Span,
    ) -> Reported {
        let given: Vec<String> = operands.iter().map(|o| self.type_name(o.ty)).collect();
        let message = format!("no `{text}` takes ({})", given.join(", "));
        let mut d = Diagnostic::error(Code::E0303, span, message);
        let distance = |types: &Vec<Type>| {
            let count = types.len().abs_diff(operands.len()) * 4;
            count + types.iter().zip(operands).filter(|(t, o)| self.conversion_rank(o.ty, **t).is_none()).count()
        };
        let mut order: Vec<(usize, &(Vec<Type>, String))> = signatures.iter().map(|s| (distance(&s.0), s)).collect();
        order.sort_by_key(|(distance, _)| *distance);
        for (_, (_, line)) in order.iter().take(4) {
            d = d.note(format!("there is `{line}`"));
        }
        if order.len() > 4 {
            d = d.note(format!("and {} more", order.len() - 4));
        }
        if let Some((_, (types, _))) = order.first() {
            if types.len() != operands.len() {
                let (plural, n) = (if types.len() == 1 { "" } else { "s" }, types.len());
                d = d.label(format!("it takes {n} argument{plural}, not {}", operands.len()));
            } else if let Some(i) =
                types.iter().zip(operands).position(|(t, o)| self.conversion_rank(o.ty, *t).is_none())
            {
                let (wanted, got) = (self.type_name(types[i]), self.type_name(operands[i].ty));
                let at = self.ast[args].get(i).map_or(span, |&a| self.span_of(a));
                d = d.also(at, format!("this is `{got}`, not `{wanted}`"));
                if let Some(&arg) = self.ast[args].get(i)
                    && let ExprKind::Int { bits, .. } = self.ast[arg].kind
                    && types[i] == Type::F32
                {
                    let number = format!("{}.0", bits as i32);
                    d = d.help(format!("write `{number}`")).fix(at, number);
                }
            }
        }
        self.error(d)
    }

    #[cold]
    pub(super) fn ambiguous_call(&mut self, symbol: Symbol, operands: &Operands, span: Span) -> Reported {
        let text = self.text(symbol);
        let given: Vec<String> = operands.iter().map(|o| self.type_name(o.ty)).collect();
        self.error(
            Diagnostic::error(Code::E0318, span, format!("several `{text}` fit ({}) equally well", given.join(", ")))
                .help("convert the arguments to the types that you mean"),
        )
    }
}

/// The candidate that is no worse than any other in every argument; `Err` if there are candidates, but none is best.
pub(super) fn best_of<'r>(candidates: impl Iterator<Item = &'r [u8]> + Clone) -> Result<Option<usize>, ()> {
    let mut best: Option<(usize, &[u8])> = None;
    for (index, ranks) in candidates.clone().enumerate() {
        let better = |b: &[u8]| ranks.iter().zip(b).all(|(a, b)| a <= b) && ranks != b;
        if best.is_none_or(|(_, b)| better(b)) {
            best = Some((index, ranks));
        }
    }
    let Some((index, ranks)) = best else { return Ok(None) };
    let wins = candidates
        .enumerate()
        .all(|(i, other)| i == index || (ranks.iter().zip(other).all(|(a, b)| a <= b) && ranks != other));
    if wins { Ok(Some(index)) } else { Err(()) }
}

#[cfg(test)]
mod tests {
    use super::best_of;

    #[test]
    fn the_best_candidate_is_no_worse_anywhere() {
        let pick = |c: &[&[u8]]| best_of(c.iter().copied());
        assert_eq!(pick(&[]), Ok(None));
        assert_eq!(pick(&[&[3, 3], &[0, 3], &[3, 0]]), Err(()));
        assert_eq!(pick(&[&[3, 3], &[0, 3], &[0, 0]]), Ok(Some(2)));
        assert_eq!(pick(&[&[3], &[3]]), Err(()));
    }
}

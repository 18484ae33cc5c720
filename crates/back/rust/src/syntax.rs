//! The spelling of Rust.

use planish_back_text::tree::{Decl, Expr, ExprKind, Infix};
use planish_back_text::{Place, Style, Syntax, Written, print};
use planish_ir::entity::{Const, Func, Type};
use planish_ir::host::SliceParam;
use planish_ir::types::TypeKind;

use crate::number::literal;
use crate::state::value_type;
use crate::writer::Writer;
use crate::{lints, slices};

/// Functions of at most so many statements are `#[inline]`.
const SMALL: usize = 8;

impl<'m> Syntax<'m> for Writer<'m> {
    fn style(&self) -> &Style {
        &Style::RUST
    }

    fn function_head(&self, function: &Written, out: &mut String) {
        let data = &self.module.funcs[function.func];
        let name = self.known_func(function.func).map(|s| self.name(s)).unwrap_or_default();
        let outside = self.direct.get(&function.func);
        if outside.is_some() {
            out.push_str(&self.documentation(function.func));
        }
        let list = self.tree.list(function.body);
        if list.len() <= SMALL && list.iter().all(|stmt| stmt.lists().is_empty()) {
            out.push_str("#[inline]\n");
        }
        if self.with_dead_stores.contains(&function.func) {
            out.push_str("#[allow(unused_assignments)]\n");
        }
        if crate::polish::compares_with_limits(self, function) {
            out.push_str("#[allow(unused_comparisons)]\n");
        }
        if self.calling_themselves.contains(&function.func) {
            out.push_str("#[allow(unconditional_recursion)]\n");
        }
        let of_slices = slices::of_function(self.module, self.slices, function.func);
        let lints =
            lints::of(self, function, of_slices.len() + usize::from(self.state.has_methods()), !of_slices.is_empty());
        if !lints.is_empty() {
            out.push_str(&format!("#[allow({})]\n", lints.join(", ")));
        }
        let param = |(param, symbol): (&planish_ir::function::Param, &_)| {
            let is_mutable = function.mutable_params.contains(symbol);
            format!("{}{}: {}", if is_mutable { "mut " } else { "" }, self.name(*symbol), self.type_name(param.ty))
        };
        let slice = |slice: &SliceParam| format!("{}: {}", slices::name(slice.memory), slices::type_text(slice));
        let slices = of_slices.into_iter().map(slice);
        let own = self.state.has_methods().then(|| "&mut self".to_owned());
        let params: Vec<String> =
            own.into_iter().chain(slices).chain(data.params.iter().zip(&function.params).map(param)).collect();
        let visible = if outside.is_some() { "pub " } else { "" };
        let name = name.strip_prefix("self.").unwrap_or(&name);
        out.push_str(&format!("{visible}fn {name}({})", params.join(", ")));
        let result = self.results_text(function.func);
        if !result.is_empty() {
            out.push_str(&format!(" -> {result}"));
        }
    }

    fn type_name(&self, ty: Type) -> String {
        value_type(&self.module.types[ty]).unwrap_or("()").to_owned()
    }

    fn declaration_head(&self, decl: &Decl, out: &mut String) {
        out.push_str(if decl.is_assigned { "let mut " } else { "let " });
    }

    fn declaration_name(&self, decl: &Decl, out: &mut String) {
        out.push_str(&self.name(decl.symbol));
        if decl.init.is_none_or(|e| !self.is_typed(e)) {
            out.push_str(&format!(": {}", self.type_name(decl.ty)));
        }
    }

    fn constant(&self, c: Const, _: Option<Type>, out: &mut String) {
        let data = &self.module.consts[c];
        if let (Some(bits), Some(scalar)) = (self.module.consts.as_bits(c), self.scalar(data.ty)) {
            out.push_str(&literal(scalar, bits, false));
        } else {
            out.push_str(if matches!(self.module.types[data.ty], TypeKind::Token) { "0" } else { "None" });
        }
    }

    fn number(&self, kind: ExprKind, out: &mut String) {
        match kind {
            ExprKind::Int(i) => out.push_str(&i.to_string()),
            ExprKind::Uint(u) => out.push_str(&u.to_string()),
            ExprKind::Float(f) => out.push_str(&format!("{f:?}")),
            _ => {}
        }
    }

    fn results_head(&self, _: Func, out: &mut String) {
        out.push_str("let ");
    }

    fn infix_precedence(&self, op: Infix) -> u8 {
        match op {
            Infix::Mul | Infix::Div | Infix::Rem => 14,
            Infix::Add | Infix::Sub => 13,
            Infix::Shl | Infix::Shr => 12,
            Infix::And => 11,
            Infix::Xor => 10,
            Infix::Or => 9,
            Infix::LogicAnd => 6,
            Infix::LogicOr => 4,
            // All comparisons.
            _ => 8,
        }
    }

    fn needs_parentheses(&self, place: Place, e: Expr) -> bool {
        if let (Place::Left(outer) | Place::Right(outer), ExprKind::Infix(inner, ..)) = (place, self.tree.kind(e))
            && is_confusing(outer, inner)
        {
            return true;
        }
        // `x as i32 < y` begins a list of types.
        if let Place::Left(Infix::Lt | Infix::Shl) = place
            && self.ends_in_cast(e)
        {
            return true;
        }
        print::needs_parentheses(self, place, e)
    }
}

impl Writer<'_> {
    fn ends_in_cast(&self, mut e: Expr) -> bool {
        loop {
            e = match self.tree.kind(e) {
                ExprKind::Cast(..) => return true,
                ExprKind::Infix(_, _, right) => right,
                _ => return false,
            }
        }
    }

    /// The comment before a function that the host calls.
    fn documentation(&self, func: Func) -> String {
        let name = crate::exports::one_line(self.module.outside_name(func));
        let mut text = format!("/// The function `{name}`.\n");
        if self.trapping.contains(&func) {
            text.push_str("///\n/// # Errors\n/// A [`Trap`].\n");
        }
        text
    }
}

/// Whether an operator in another needs parentheses: comparisons have no order, and nobody knows that of shifts.
fn is_confusing(outer: Infix, inner: Infix) -> bool {
    use Infix::{And, Eq, Ge, Gt, Le, LogicAnd, LogicOr, Lt, Ne, Or, Shl, Shr, Xor};
    let is_comparison = |op: Infix| matches!(op, Lt | Gt | Le | Ge | Eq | Ne | Infix::LogicXor);
    match outer {
        op if is_comparison(op) => is_comparison(inner),
        Shl | Shr => true,
        And | Or | Xor => inner != outer,
        LogicAnd | LogicOr => matches!(inner, LogicAnd | LogicOr) && inner != outer,
        _ => matches!(inner, Shl | Shr),
    }
}

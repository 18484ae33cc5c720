//! The spelling of C.

use planish_back_text::tree::{Decl, Expr, ExprKind, Infix};
use planish_back_text::{Place, Style, Syntax, Written, print};
use planish_ir::entity::{Const, Func, Type};
use planish_ir::types::{Scalar, TypeKind};

use crate::number::literal;
use crate::writer::Writer;

/// A type of values.
pub(crate) fn type_text(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Scalar(Scalar::Bool) => "bool",
        TypeKind::Scalar(Scalar::I32) => "int32_t",
        TypeKind::Scalar(Scalar::U32) => "uint32_t",
        TypeKind::Scalar(Scalar::I64) => "int64_t",
        TypeKind::Scalar(Scalar::U64) | TypeKind::Token => "uint64_t",
        TypeKind::Scalar(Scalar::F32) => "float",
        TypeKind::Scalar(Scalar::F64) => "double",
        TypeKind::V128 => "v128",
        TypeKind::Void => "void",
        // References to functions and objects of the host.
        TypeKind::FuncRef => "const void *",
        _ => "void *",
    }
}

impl<'m> Syntax<'m> for Writer<'m> {
    fn style(&self) -> &Style {
        &Style::C
    }

    fn function_head(&self, function: &Written, out: &mut String) {
        let data = &self.module.funcs[function.func];
        if !self.direct.contains_key(&function.func) {
            out.push_str("static ");
        }
        let result = self.return_type(&self.results_of(function.func));
        out.push_str(&result);
        out.push_str(if result.ends_with('*') { "" } else { " " });
        out.push_str(&self.known_func(function.func).map(|s| self.name(s)).unwrap_or_default());
        let mut params: Vec<String> = Vec::new();
        if self.has_instance() {
            params.push(format!("{} *self", self.instance));
        }
        for (param, &symbol) in data.params.iter().zip(&function.params) {
            let ty = type_text(&self.module.types[param.ty]);
            let space = if ty.ends_with('*') { "" } else { " " };
            params.push(format!("{ty}{space}{}", self.name(symbol)));
        }
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        out.push_str(&format!("({params})"));
    }

    fn type_name(&self, ty: Type) -> String {
        type_text(&self.module.types[ty]).to_owned()
    }

    fn declaration_head(&self, decl: &Decl, out: &mut String) {
        let ty = type_text(&self.module.types[decl.ty]);
        out.push_str(ty);
        out.push_str(if ty.ends_with('*') { "" } else { " " });
    }

    fn declaration_name(&self, decl: &Decl, out: &mut String) {
        out.push_str(&self.name(decl.symbol));
    }

    fn constant(&self, c: Const, _: Option<Type>, out: &mut String) {
        let data = &self.module.consts[c];
        let text = match (self.module.consts.as_bits(c), self.scalar(data.ty)) {
            (Some(bits), Some(scalar)) => literal(scalar, bits).unwrap_or_else(|| "NAN".to_owned()),
            (Some(bits), None) => format!("UINT64_C({bits})"),
            _ => "NULL".to_owned(),
        };
        out.push_str(&text);
    }

    fn results_head(&self, func: Func, out: &mut String) {
        out.push_str(&format!("const {} ", self.results_name(&self.results_of(func))));
    }

    fn results(&self, func: Func, out: &mut String) -> &'static str {
        out.push_str(&format!("({}){{", self.results_name(&self.results_of(func))));
        "}"
    }

    fn result(&self, number: u32, out: &mut String) {
        out.push_str(&format!(".r{number}"));
    }

    fn needs_parentheses(&self, place: Place, e: Expr) -> bool {
        if let (Place::Left(outer) | Place::Right(outer), ExprKind::Infix(inner, ..)) = (place, self.tree.kind(e))
            && is_confusing(outer, inner)
        {
            return true;
        }
        print::needs_parentheses(self, place, e)
    }
}

/// Whether compilers warn of an operator in another without parentheses.
fn is_confusing(outer: Infix, inner: Infix) -> bool {
    use Infix::{Add, And, Div, LogicAnd, LogicOr, Mul, Or, Rem, Shl, Shr, Sub, Xor};
    let is_arithmetic = |op: Infix| matches!(op, Mul | Div | Rem | Add | Sub);
    let is_logic = |op: Infix| matches!(op, LogicAnd | LogicOr);
    match outer {
        op if is_arithmetic(op) => false,
        LogicAnd | LogicOr => is_logic(inner) && inner != outer,
        Shl | Shr => true,
        And | Or | Xor => inner != outer,
        // Comparisons.
        _ => !is_arithmetic(inner),
    }
}

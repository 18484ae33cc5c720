//! Three small languages over integers, floats, vectors and arrays: just enough to show each ability.

use std::ops::{Deref, DerefMut};

use planish_back_text::print::squeeze;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, Symbol};
use planish_back_text::{
    Abilities, Casts, Dialect, Lower, Place, Printer, Results, Style, Syntax, Text, Words, Written,
};
use planish_back_text::{names, order, program};
use planish_ir::constant::ConstValue;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Const, Func, Node, Type, Var};
use planish_ir::function::{Body, Direction};
use planish_ir::module::Module;
use planish_ir::ops::{Lanes, Op};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::{Context, legalize};
use planish_target::legal::{Operation, Support, TargetInfo};

/// A language to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flavour {
    C,
    Wgsl,
    Rust,
}

pub(crate) struct Tiny<'m> {
    text: Text<'m>,
    flavour: Flavour,
    style: Style,
    /// The parameter through which functions reach globals.
    context: Option<Symbol>,
}

impl<'m> Deref for Tiny<'m> {
    type Target = Text<'m>;

    fn deref(&self) -> &Text<'m> {
        &self.text
    }
}

impl<'m> DerefMut for Tiny<'m> {
    fn deref_mut(&mut self) -> &mut Text<'m> {
        &mut self.text
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Keywords;

impl Words for Keywords {
    fn is_reserved(&self, word: &str) -> bool {
        ["int", "float", "loop", "let", "var", "fn", "i32", "while", "for", "do"].contains(&word)
    }

    fn is_builtin(&self, word: &str) -> bool {
        word == "select"
    }
}

impl<'m> Dialect<'m> for Tiny<'m> {
    type Words = Keywords;

    fn words(&self) -> Keywords {
        Keywords
    }

    fn expression(l: &mut Lower<'_, 'm, Self>, node: Node) -> Option<Expr> {
        let (data, args) = (l.body.node(node), l.body.args(node));
        if let Op::Select = data.op {
            let [c, a, b] = [l.operand(args[0]), l.conditional_operand(args[1]), l.conditional_operand(args[2])];
            return Some(l.choose(c, a, b));
        }
        if let Op::LogicalAnd | Op::LogicalOr = data.op {
            let [a, b] = [l.operand(args[0]), l.conditional_operand(args[1])];
            return Some(l.w.tree.infix(Infix::of(data.op)?, a, b));
        }
        let ty = l.body.result(node).map(|r| l.body.local_type(r));
        let exprs: Vec<Expr> = match data.op {
            Op::ConstructVectorFromScalar => vec![l.stable_operand(args[0])],
            Op::ExtractVectorComponentMulti if !l.w.abilities.swizzles => vec![l.stable_operand(args[0])],
            _ => args.iter().map(|&a| l.operand(a)).collect(),
        };
        match (data.op, &exprs[..]) {
            (Op::LogicalNot, &[a]) => Some(l.w.tree.not(a)),
            (Op::Negate, &[a]) => Some(l.w.tree.add(ExprKind::Prefix("-", a))),
            (Op::ConstructVectorFromScalar, &[a]) => {
                let size = l.w.module.types.vector_size(ty?)?;
                Some(l.w.tree.call(Callee::Type(ty?), &vec![a; size.into()]))
            }
            (Op::ConstructVectorFromMultiple | Op::ConstructStruct | Op::ConstructArray, _) => {
                l.w.check_type(ty?, l.span);
                Some(l.w.tree.call(Callee::Type(ty?), &exprs))
            }
            (Op::ConstructScalarFromScalar, &[a]) => Some(l.w.tree.add(ExprKind::Cast(ty?, a))),
            (Op::ExtractVectorComponent, &[a]) => Some(l.swizzle(a, Lanes::new(&[data.imm.as_index() as u8]))),
            (Op::ExtractVectorComponentMulti, &[a]) if l.w.abilities.swizzles => {
                Some(l.swizzle(a, data.imm.as_lanes()))
            }
            (Op::ExtractVectorComponentMulti, &[a]) => Some(l.construct_from(a, data.imm.as_lanes(), ty?)),
            (Op::Add, &[_, _]) if l.w.flavour != Flavour::Wgsl && l.w.is_vector(ty?) => {
                Some(l.w.tree.builtin("add2", &exprs))
            }
            (op, &[a, b]) => Some(l.w.tree.infix(Infix::of(op)?, a, b)),
            _ => None,
        }
    }

    fn global(l: &mut Lower<'_, 'm, Self>, var: Var) -> Expr {
        let symbol = l.w.global_symbol(var);
        let Some(context) = l.w.context else { return l.w.tree.name(symbol) };
        let pointer = l.w.tree.name(context);
        let place = l.w.tree.add(ExprKind::Deref(pointer));
        l.w.tree.add(ExprKind::Field(place, symbol))
    }

    fn leading_arguments(l: &mut Lower<'_, 'm, Self>, _: Func) -> Vec<Expr> {
        let context = l.w.context;
        context.into_iter().map(|c| l.w.tree.name(c)).collect()
    }

    fn assign_operator(&self, body: &Body, node: Node) -> Option<Infix> {
        let is_scalar = body.result(node).is_some_and(|r| !self.is_vector(body.local_type(r)));
        Infix::of(body.node(node).op).filter(|i| i.has_assignment() && (is_scalar || self.flavour == Flavour::Wgsl))
    }

    fn choose(l: &mut Lower<'_, 'm, Self>, c: Expr, a: Expr, b: Expr) -> Expr {
        match l.w.flavour {
            Flavour::Wgsl => l.w.tree.builtin("select", &[b, a, c]),
            _ => l.w.tree.add(ExprKind::Ternary(c, a, b)),
        }
    }

    fn check_kind(&mut self, ty: Type, span: Span) {
        if matches!(self.module.types[ty], TypeKind::Matrix { .. }) {
            self.lacks_type("matrix", span);
        }
    }
}

impl Tiny<'_> {
    fn push(&self, text: &str, out: &mut String) {
        out.push_str(&if self.minify { squeeze(text) } else { text.into() });
    }

    fn is_vector(&self, ty: Type) -> bool {
        matches!(self.module.types[ty], TypeKind::Vector(..))
    }

    fn scalar(&self, scalar: Scalar) -> &'static str {
        match (self.flavour, scalar) {
            (_, Scalar::Bool) => "bool",
            (Flavour::C, Scalar::I32) => "int",
            (_, Scalar::I32) => "i32",
            (Flavour::C, _) => "float",
            _ => "f32",
        }
    }

    /// `x: i32`, or `int x`.
    fn typed(&self, name: &str, ty: Type, is_out: bool) -> String {
        let pointee = self.module.types.pointee(ty).map(|(ty, _)| ty);
        let text = self.type_name(pointee.unwrap_or(ty));
        match (self.flavour, pointee.is_some() || is_out) {
            (Flavour::C, false) => match self.module.types[ty] {
                TypeKind::Array { element, len } => format!("{} {name}[{len}]", self.type_name(element)),
                _ => format!("{text} {name}"),
            },
            (Flavour::C, true) => format!("{text} *{name}"),
            (Flavour::Wgsl, true) => format!("{name}: ptr<function, {text}>"),
            (Flavour::Rust, true) => format!("{name}: &mut {text}"),
            (_, false) => format!("{name}: {text}"),
        }
    }

    fn result_type(&self, func: Func) -> String {
        let data = &self.module.funcs[func];
        let count = if self.abilities.several_results == Results::Value { data.results.len() } else { 1 };
        let types: Vec<String> = data.results.iter().take(count).map(|r| self.type_name(r.ty)).collect();
        match (&types[..], self.flavour) {
            ([], Flavour::C) => "void".into(),
            ([], _) => String::new(),
            ([one], _) => one.clone(),
            (many, Flavour::Rust) => format!("({})", many.join(", ")),
            (_, Flavour::C) => format!("struct {}_results", data.name.text),
            _ => format!("{}_results", data.name.text),
        }
    }

    fn result_struct(&self, func: Func) -> Option<String> {
        let results = &self.module.funcs[func].results;
        let is_struct = self.abilities.several_results == Results::Value && self.flavour != Flavour::Rust;
        if results.len() < 2 || !is_struct {
            return None;
        }
        let end = if self.flavour == Flavour::C { ";" } else { "," };
        let members = results.iter().enumerate();
        let members: String =
            members.map(|(i, r)| format!(" {}{end}", self.typed(&format!("r{i}"), r.ty, false))).collect();
        let name = self.result_type(func);
        let name = name.trim_start_matches("struct ");
        Some(format!("struct {name} {{{members} }}{}", if self.flavour == Flavour::C { ";" } else { "" }))
    }

    fn global_line(&self, var: Var) -> Option<String> {
        let data = &self.module.vars[var];
        let typed = self.typed(&self.name(self.known_global(var)?), data.ty, false);
        let mut value = String::new();
        if let Some(c) = data.initializer {
            value.push_str(" = ");
            self.constant(c, None, &mut value);
        }
        Some(match self.flavour {
            Flavour::C => format!("{typed}{value};"),
            Flavour::Wgsl => format!("var<private> {typed}{value};"),
            Flavour::Rust => format!("static mut {typed}{};", if value.is_empty() { " = 0" } else { &value }),
        })
    }
}

impl<'m> Syntax<'m> for Tiny<'m> {
    fn style(&self) -> &Style {
        &self.style
    }

    fn function_head(&self, function: &Written, out: &mut String) {
        let data = &self.module.funcs[function.func];
        let param = |(param, symbol): (&planish_ir::function::Param, &_)| {
            let is_mutable = self.flavour == Flavour::Rust && function.mutable_params.contains(symbol);
            let typed = self.typed(&self.name(*symbol), param.ty, param.direction != Direction::In);
            if is_mutable { format!("mut {typed}") } else { typed }
        };
        let mut params: Vec<String> =
            self.context.iter().map(|&c| format!("struct context *{}", self.name(c))).collect();
        params.extend(data.params.iter().zip(&function.params).map(param));
        let extra = data.results.iter().skip(1).zip(&function.result_params);
        params.extend(extra.map(|(r, s)| self.typed(&self.name(*s), r.ty, true)));
        let name = self.known_func(function.func).map(|s| self.name(s)).unwrap_or_default();
        let (params, result) = (params.join(", "), self.result_type(function.func));
        let word = match self.flavour {
            Flavour::C => format!("{result} "),
            Flavour::Rust if !self.module.globals.is_empty() => "unsafe fn ".into(),
            _ => "fn ".into(),
        };
        let has_arrow = self.flavour != Flavour::C && !result.is_empty();
        let arrow = if has_arrow { format!(" -> {result}") } else { String::new() };
        self.push(&format!("{word}{name}({params}){arrow}"), out);
    }

    fn type_name(&self, ty: Type) -> String {
        match (&self.module.types[ty], self.flavour) {
            (TypeKind::Scalar(s), _) => self.scalar(*s).into(),
            (TypeKind::Vector(s, n), Flavour::Wgsl) => format!("vec{n}<{}>", self.scalar(*s)),
            (TypeKind::Vector(s, n), Flavour::Rust) => format!("[{}; {n}]", self.scalar(*s)),
            (TypeKind::Vector(s, n), Flavour::C) => format!("{}{n}", self.scalar(*s)),
            (TypeKind::Array { element, len }, Flavour::Wgsl) => format!("array<{}, {len}>", self.type_name(*element)),
            (TypeKind::Array { element, len }, _) => format!("[{}; {len}]", self.type_name(*element)),
            (TypeKind::Struct(_), _) => self.known_struct(ty).map(|s| self.name(s).to_string()).unwrap_or_default(),
            (kind, _) => format!("{kind:?}"),
        }
    }

    fn declaration_head(&self, decl: &Decl, out: &mut String) {
        out.push_str(match (self.flavour, decl.is_assigned) {
            (Flavour::C, _) => "",
            (Flavour::Rust, true) => "let mut ",
            (Flavour::Wgsl, true) => "var ",
            (_, false) => "let ",
        });
    }

    fn declaration_name(&self, decl: &Decl, out: &mut String) {
        let name = self.name(decl.symbol);
        if decl.init.is_some() && self.flavour != Flavour::C {
            out.push_str(&name);
            return;
        }
        let is_default = decl.init.is_none() && self.flavour == Flavour::Rust;
        let init = if is_default { " = Default::default()" } else { "" };
        self.push(&format!("{}{init}", self.typed(&name, decl.ty, false)), out);
    }

    fn constant(&self, c: Const, _: Option<Type>, out: &mut String) {
        let data = &self.module.consts[c];
        match (&data.value, &self.module.types[data.ty]) {
            (ConstValue::Bits(b), TypeKind::Scalar(Scalar::Bool)) => {
                out.push_str(if *b != 0 { "true" } else { "false" })
            }
            (ConstValue::Bits(b), TypeKind::Scalar(Scalar::I32)) => out.push_str(&(*b as i32).to_string()),
            (ConstValue::Bits(b), _) => out.push_str(&format!("{:?}", f32::from_bits(*b as u32))),
            (ConstValue::Composite(parts), _) => {
                let end = self.constructor(data.ty, out);
                for (i, &part) in parts.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    self.constant(part, None, out);
                }
                out.push_str(end);
            }
            _ => out.push('0'),
        }
    }

    fn constructor(&self, ty: Type, out: &mut String) -> &'static str {
        match self.flavour {
            Flavour::C => out.push_str(&format!("({}){{", self.type_name(ty))),
            Flavour::Wgsl => out.push_str(&format!("{}(", self.type_name(ty))),
            Flavour::Rust => out.push('['),
        }
        match self.flavour {
            Flavour::C => "}",
            Flavour::Wgsl => ")",
            Flavour::Rust => "]",
        }
    }

    fn index(&self, i: Expr) -> (&'static str, Place, &'static str) {
        let is_plain = self.flavour != Flavour::Rust || self.tree.is_literal(i);
        if is_plain { ("[", Place::Whole, "]") } else { ("[", Place::Prefix, " as usize]") }
    }

    fn components(&self, lanes: Lanes, out: &mut String) {
        match self.flavour {
            Flavour::Rust => out.push_str(&format!("[{}]", lanes.get(0))),
            _ => {
                out.push('.');
                out.extend(lanes.iter().map(|l| ['x', 'y', 'z', 'w'][l as usize]));
            }
        }
    }

    fn results_head(&self, func: Func, out: &mut String) {
        match self.flavour {
            Flavour::C => out.push_str(&format!("{} ", self.result_type(func))),
            _ => out.push_str("let "),
        }
    }

    fn results(&self, func: Func, out: &mut String) -> &'static str {
        match self.flavour {
            Flavour::C => {
                out.push_str(&format!("({}){{", self.result_type(func)));
                "}"
            }
            Flavour::Wgsl => {
                out.push_str(&format!("{}(", self.result_type(func)));
                ")"
            }
            Flavour::Rust => {
                out.push('(');
                ")"
            }
        }
    }

    fn result(&self, number: u32, out: &mut String) {
        out.push_str(&match self.flavour {
            Flavour::Rust => format!(".{number}"),
            _ => format!(".r{number}"),
        });
    }

    fn infix_precedence(&self, op: Infix) -> u8 {
        match op {
            // Tighter than comparisons, unlike in C.
            Infix::And | Infix::Xor | Infix::Or if self.flavour == Flavour::Rust => op.precedence() + 4,
            Infix::Shl | Infix::Shr if self.flavour == Flavour::Rust => op.precedence() + 1,
            _ => op.precedence(),
        }
    }
}

fn support(operation: &Operation) -> Support {
    match operation.op {
        Op::PostfixIncrement | Op::PostfixDecrement | Op::PrefixIncrement | Op::PrefixDecrement => Support::Expand,
        _ => Support::Yes,
    }
}

/// A program that has only ops of the languages.
pub(crate) fn read(text: &str) -> Module {
    let mut module = planish_ir::text::parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let errors = planish_ir::verify::verify(&module);
    assert!(errors.is_empty(), "{errors:?}");
    let info = TargetInfo { name: "Tiny", support: &support, is_shading_language: true };
    legalize::run(&mut module, &info, &mut Context::default()).unwrap_or_else(|e| panic!("{e:#?}"));
    module
}

/// Abilities of a language.
pub(crate) fn abilities(flavour: Flavour) -> Abilities {
    match flavour {
        Flavour::C => Abilities::C,
        Flavour::Wgsl => Abilities::WGSL,
        Flavour::Rust => Abilities::RUST,
    }
}

/// Writes all functions of a module in a language with the usual abilities, or with others.
pub(crate) fn write(
    module: &Module,
    flavour: Flavour,
    abilities: Abilities,
    minify: bool,
    has_context: bool,
) -> Result<String, Vec<Diagnostic>> {
    let style = match flavour {
        Flavour::C => Style::C,
        Flavour::Wgsl => Style { casts: Casts::Call, ..Style::WGSL },
        Flavour::Rust => Style::RUST,
    };
    let mut text = Text::new(module, "Tiny", format!("Tiny {flavour:?}"), abilities);
    text.minify = minify;
    let context = has_context.then(|| text.tree.add_symbol("context"));
    let mut w = Tiny { text, flavour, style, context };
    let roots: Vec<Func> = module.funcs.keys().collect();
    let Some(order) = program::order_functions(&mut w, &roots, None) else { return Err(w.text.errors) };
    let Some(functions) = program::write_functions(&mut w, &order) else { return Err(w.text.errors) };
    let globals: Vec<Var> = module.globals.iter().copied().filter(|&v| w.known_global(v).is_some()).collect();
    let variables: Vec<(Symbol, bool)> = w.context.iter().map(|&c| (c, false)).collect();
    let scope = names::Scope { globals: &globals, functions: &functions, variables: &variables, ..Default::default() };
    names::assign(&mut w, &scope);
    let mut p = Printer::new(&w);
    let structs: Vec<String> = order.iter().filter_map(|&f| w.result_struct(f)).collect();
    p.lines(&structs);
    let globals: Vec<String> = globals.iter().filter_map(|&v| w.global_line(v)).collect();
    match w.context {
        Some(_) => p.lines(&[format!("struct context {{ {} }};", globals.join(" "))]),
        None => p.lines(&globals),
    }
    let early = order::called_early(module, &functions);
    functions.iter().filter(|f| w.abilities.prototypes && early.contains(&f.func)).for_each(|f| p.prototype(f));
    functions.iter().for_each(|f| p.function(f));
    Ok(p.finish())
}

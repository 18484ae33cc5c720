//! The syntax tree as a compact s-expression, for tests and debugging.
//!
//! One top-level declaration a line. Types are written as the source writes them, `float[3]`; a pair of parentheses of
//! the source is `(paren e)`. Operators stand first: `(+ a (* b c))`, `(= a b)`, `(+= a b)`, `(? c a b)`, `(_++ a)`
//! behind and `(++ a)` before their operand, `(, a b)`, `(. v xyz)`, `([] a i)`, `(call f a b)`, `(new vec3 a b)`,
//! `{a b}`.

use super::*;
use crate::symbol::{Interner, Symbol};
use planish_ir::meaning::shortest_half;
use std::fmt::Write;

impl Ast {
    /// The whole tree, one external declaration a line.
    pub fn to_text(&self, interner: &Interner) -> String {
        let mut printer = Printer { ast: self, interner, out: String::new() };
        for &item in &self.items {
            printer.decl(item);
            printer.out.push('\n');
        }
        printer.out
    }

    /// One expression.
    pub fn expr_to_text(&self, expr: ExprId, interner: &Interner) -> String {
        let mut printer = Printer { ast: self, interner, out: String::new() };
        printer.expr(expr);
        printer.out
    }
}

struct Printer<'a> {
    ast: &'a Ast,
    interner: &'a Interner,
    out: String,
}

impl Printer<'_> {
    fn word(&mut self, text: impl std::fmt::Display) {
        write!(self.out, "{text}").expect("a String takes all writes");
    }

    fn symbol(&mut self, symbol: Symbol) {
        self.out.push_str(self.interner.resolve(symbol));
    }

    // ------------------------------------------------------------------------------------------ expressions

    /// Left-leaning chains grow with the program: opened from the outside, closed from the inside.
    fn expr(&mut self, expr: ExprId) {
        let spine = self.ast.left_spine(expr);
        for &around in spine.around.iter().rev() {
            self.open(around);
        }
        self.leaf(spine.leaf);
        for &around in &spine.around {
            self.close(around);
        }
    }

    fn open(&mut self, expr: ExprId) {
        match self.ast[expr].kind {
            ExprKind::Binary { op, .. } => self.word(format_args!("({} ", op.as_str())),
            ExprKind::Comma { .. } => self.word("(, "),
            ExprKind::Field { .. } => self.word("(. "),
            ExprKind::Index { .. } => self.word("([] "),
            ExprKind::Postfix { op, .. } => self.word(format_args!("(_{} ", op.as_str())),
            ExprKind::Call { .. } => self.word("(call "),
            _ => {}
        }
    }

    /// Recursion: as deep as expressions nest ([`MAX_NESTING`]); left operands are a loop.
    fn close(&mut self, expr: ExprId) {
        match self.ast[expr].kind {
            ExprKind::Binary { rhs, .. } | ExprKind::Comma { rhs, .. } | ExprKind::Index { index: rhs, .. } => {
                self.out.push(' ');
                self.expr(rhs);
            }
            ExprKind::Field { name, .. } => {
                self.out.push(' ');
                self.symbol(name.symbol);
            }
            ExprKind::Call { args, .. } => self.each(args),
            _ => {}
        }
        self.out.push(')');
    }

    fn each(&mut self, list: List<ExprId>) {
        for &expr in &self.ast[list] {
            self.out.push(' ');
            self.expr(expr);
        }
    }

    fn leaf(&mut self, expr: ExprId) {
        match self.ast[expr].kind {
            ExprKind::Error => self.word("<error>"),
            ExprKind::Name(symbol) => self.symbol(symbol),
            ExprKind::Bool(value) => self.word(value),
            ExprKind::Int { bits, unsigned: true } => self.word(format_args!("{bits}u")),
            ExprKind::Int { bits, unsigned: false } => self.word(bits as i32),
            ExprKind::UnsignedLong(bits) => self.word(format_args!("{}ul", bits.bits())),
            ExprKind::Long(bits) => self.word(format_args!("{}l", bits.bits() as i64)),
            ExprKind::Short { bits, unsigned: true } => self.word(format_args!("{bits}us")),
            ExprKind::Short { bits, unsigned: false } => self.word(format_args!("{}s", bits as i16)),
            ExprKind::Float(value) => self.word(format_args!("{value:?}")),
            ExprKind::Half(bits) => self.word(format_args!("{:?}hf", shortest_half(bits))),
            ExprKind::Double(value) => self.word(format_args!("{:?}lf", f64::from_bits(value.bits()))),
            ExprKind::Paren(inner) => self.list("paren", &[inner]),
            ExprKind::Prefix { op, operand } => self.list(op.as_str(), &[operand]),
            ExprKind::Assign { op, target, value } => {
                let op = op.map_or(String::from("="), |op| format!("{}=", op.as_str()));
                self.list(&op, &[target, value]);
            }
            ExprKind::Ternary { condition, accept, reject } => self.list("?", &[condition, accept, reject]),
            ExprKind::Call { callee, args } => {
                self.word("(call ");
                self.expr(callee);
                self.each(args);
                self.out.push(')');
            }
            ExprKind::Construct { ty, args } => {
                self.word("(new ");
                self.ty(ty);
                self.each(args);
                self.out.push(')');
            }
            ExprKind::InitList(items) => {
                self.out.push('{');
                for (i, &item) in self.ast[items].iter().enumerate() {
                    self.out.push_str(if i == 0 { "" } else { " " });
                    self.expr(item);
                }
                self.out.push('}');
            }
            // These lean to the left: `open` and `close` print them.
            ExprKind::Postfix { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Comma { .. }
            | ExprKind::Field { .. }
            | ExprKind::Index { .. } => unreachable!("not a leaf"),
        }
    }

    fn list(&mut self, head: &str, items: &[ExprId]) {
        self.word(format_args!("({head}"));
        for &item in items {
            self.out.push(' ');
            self.expr(item);
        }
        self.out.push(')');
    }

    // ------------------------------------------------------------------------------------------ statements

    fn stmts(&mut self, list: List<StmtId>) {
        for &stmt in &self.ast[list] {
            self.out.push(' ');
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: StmtId) {
        let (rungs, last) = self.ast.if_ladder(stmt);
        for (i, rung) in rungs.iter().enumerate() {
            self.word(if i == 0 { "(if " } else { " (if " });
            self.expr(rung.condition);
            self.out.push(' ');
            self.stmt(rung.accept);
        }
        if let Some(last) = last {
            if !rungs.is_empty() {
                self.out.push(' ');
            }
            self.other_stmt(last);
        }
        self.out.extend(std::iter::repeat_n(')', rungs.len()));
    }

    fn other_stmt(&mut self, stmt: StmtId) {
        match self.ast[stmt].kind {
            StmtKind::Error => self.word("<error>"),
            StmtKind::Empty => self.word("(;)"),
            StmtKind::Compound(list) => {
                self.word("(block");
                self.stmts(list);
                self.out.push(')');
            }
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::If { .. } => unreachable!("`stmt` prints ladders"),
            StmtKind::Switch { selector, body } => {
                self.word("(switch ");
                self.expr(selector);
                self.stmts(body);
                self.out.push(')');
            }
            StmtKind::Case(value) => self.list("case", &[value]),
            StmtKind::Default => self.word("(default)"),
            StmtKind::While { condition, body } => {
                self.word("(while ");
                self.stmt(condition);
                self.out.push(' ');
                self.stmt(body);
                self.out.push(')');
            }
            StmtKind::DoWhile { body, condition } => {
                self.word("(do ");
                self.stmt(body);
                self.out.push(' ');
                self.expr(condition);
                self.out.push(')');
            }
            StmtKind::For { init, condition, step, body } => {
                self.word("(for ");
                self.stmt(init);
                self.out.push(' ');
                match condition {
                    Some(condition) => self.stmt(condition),
                    None => self.word("_"),
                }
                self.out.push(' ');
                match step {
                    Some(step) => self.expr(step),
                    None => self.word("_"),
                }
                self.out.push(' ');
                self.stmt(body);
                self.out.push(')');
            }
            StmtKind::Return(value) => self.list("return", value.as_slice()),
            StmtKind::Break => self.word("(break)"),
            StmtKind::Continue => self.word("(continue)"),
            StmtKind::Discard => self.word("(discard)"),
            StmtKind::Demote => self.word("(demote)"),
            StmtKind::IgnoreIntersection => self.word("(ignoreIntersectionEXT)"),
            StmtKind::TerminateRay => self.word("(terminateRayEXT)"),
        }
    }

    // ------------------------------------------------------------------------------------------ declarations

    /// Recursion: as deep as statements and structs nest, at most [`MAX_NESTING`].
    fn decl(&mut self, decl: DeclId) {
        match self.ast[decl].kind {
            DeclKind::Error => self.word("<error>"),
            DeclKind::Empty => self.word("(;)"),
            DeclKind::Variables { qualifiers, ty, declarators } => {
                self.word("(decl ");
                self.qualifiers(qualifiers);
                self.ty(ty);
                self.declarators(declarators);
                self.out.push(')');
            }
            DeclKind::Function { function, body } => {
                self.word(if body.is_some() { "(function " } else { "(prototype " });
                self.function(&self.ast[function]);
                if let Some(body) = body {
                    self.out.push(' ');
                    self.stmt(body);
                }
                self.out.push(')');
            }
            DeclKind::Block(block) => self.block(&self.ast[block]),
            DeclKind::Precision { precision, ty } => {
                self.word(format_args!("(precision {} ", precision_word(precision)));
                self.ty(ty);
                self.out.push(')');
            }
            DeclKind::Qualifiers { qualifiers, names } => {
                self.word("(qualify");
                for qualifier in &self.ast[qualifiers] {
                    self.out.push(' ');
                    self.qualifier(qualifier);
                }
                if !names.is_empty() {
                    self.word(" :");
                }
                for name in &self.ast[names] {
                    self.out.push(' ');
                    self.symbol(name.symbol);
                }
                self.out.push(')');
            }
            DeclKind::Pragma(index) => self.word(format_args!("(pragma {index})")),
        }
    }

    fn function(&mut self, function: &FunctionProto) {
        self.qualifiers(function.qualifiers);
        self.ty(function.ty);
        self.out.push(' ');
        self.symbol(function.name.symbol);
        self.word(" (");
        for (i, param) in self.ast[function.params].iter().enumerate() {
            self.word(if i == 0 { "(" } else { " (" });
            self.qualifiers(param.qualifiers);
            self.ty(param.ty);
            if let Some(name) = param.name {
                self.out.push(' ');
                self.symbol(name.symbol);
            }
            self.dims(param.dims);
            self.out.push(')');
        }
        self.out.push(')');
    }

    fn block(&mut self, block: &InterfaceBlock) {
        self.word("(interface ");
        self.qualifiers(block.qualifiers);
        self.symbol(block.name.symbol);
        self.members(block.members);
        if let Some(instance) = block.instance {
            self.word(" : ");
            self.symbol(instance.symbol);
            self.dims(block.dims);
        }
        self.out.push(')');
    }

    fn members(&mut self, members: List<Member>) {
        for member in &self.ast[members] {
            self.word(" (");
            self.qualifiers(member.qualifiers);
            self.ty(member.ty);
            self.declarators(member.declarators);
            self.out.push(')');
        }
    }

    fn declarators(&mut self, declarators: List<Declarator>) {
        for declarator in &self.ast[declarators] {
            self.out.push(' ');
            if declarator.init.is_some() {
                self.word("(= ");
            }
            self.symbol(declarator.name.symbol);
            self.dims(declarator.dims);
            if let Some(init) = declarator.init {
                self.out.push(' ');
                self.expr(init);
                self.out.push(')');
            }
        }
    }

    fn ty(&mut self, ty: TypeId) {
        let ty = self.ast[ty];
        match ty.base {
            TypeBase::Error => self.word("<error>"),
            TypeBase::Builtin(symbol) | TypeBase::Named(symbol) => self.symbol(symbol),
            TypeBase::Struct(id) => {
                let spec = self.ast[id];
                self.word("(struct");
                if let Some(name) = spec.name {
                    self.out.push(' ');
                    self.symbol(name.symbol);
                }
                self.members(spec.members);
                self.out.push(')');
            }
        }
        self.dims(ty.dims);
    }

    fn dims(&mut self, dims: List<Dim>) {
        for dim in &self.ast[dims] {
            self.out.push('[');
            if let Some(size) = dim.size {
                self.expr(size);
            }
            self.out.push(']');
        }
    }

    fn qualifiers(&mut self, list: List<Qualifier>) {
        for qualifier in &self.ast[list] {
            self.qualifier(qualifier);
            self.out.push(' ');
        }
    }

    fn qualifier(&mut self, qualifier: &Qualifier) {
        let QualifierKind::Layout(items) = qualifier.kind else {
            return self.word(qualifier_word(qualifier.kind));
        };
        self.word("(layout");
        for item in &self.ast[items] {
            self.out.push(' ');
            self.symbol(item.name.symbol);
            if let Some(value) = item.value {
                self.out.push('=');
                self.expr(value);
            }
        }
        self.out.push(')');
    }
}

fn precision_word(precision: Precision) -> &'static str {
    match precision {
        Precision::Low => "lowp",
        Precision::Medium => "mediump",
        Precision::High => "highp",
    }
}

/// The keyword of a qualifier.
pub(crate) fn qualifier_word(kind: QualifierKind) -> &'static str {
    match kind {
        QualifierKind::Const => "const",
        QualifierKind::Attribute => "attribute",
        QualifierKind::Varying => "varying",
        QualifierKind::In => "in",
        QualifierKind::Out => "out",
        QualifierKind::InOut => "inout",
        QualifierKind::Uniform => "uniform",
        QualifierKind::Buffer => "buffer",
        QualifierKind::Shared => "shared",
        QualifierKind::Centroid => "centroid",
        QualifierKind::Sample => "sample",
        QualifierKind::Patch => "patch",
        QualifierKind::Flat => "flat",
        QualifierKind::Smooth => "smooth",
        QualifierKind::NoPerspective => "noperspective",
        QualifierKind::PerVertex => "pervertexEXT",
        QualifierKind::PerPrimitive => "perprimitiveEXT",
        QualifierKind::Passed(passed) => passed.keyword(),
        QualifierKind::Precision(precision) => precision_word(precision),
        QualifierKind::Invariant => "invariant",
        QualifierKind::Precise => "precise",
        QualifierKind::Coherent => "coherent",
        QualifierKind::Volatile => "volatile",
        QualifierKind::Restrict => "restrict",
        QualifierKind::ReadOnly => "readonly",
        QualifierKind::WriteOnly => "writeonly",
        QualifierKind::NonUniform => "nonuniformEXT",
        QualifierKind::NonPrivate => "nonprivate",
        QualifierKind::Subroutine => "subroutine",
        QualifierKind::Layout(_) => "layout",
    }
}

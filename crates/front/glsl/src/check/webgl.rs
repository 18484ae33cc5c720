//! The restrictions of WebGL 1 (Appendix A of the GLSL ES 1.00 specification): loops with a known trip count, and
//! constant indices for hardware without dynamic ones.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};

use super::arrays::OPEN_ARRAYS;
use super::names::{Access, Entity};
use super::operand::Operand;
use super::{Checked, Checker};
use crate::ast::*;
use crate::symbol::Symbol;
use crate::version::Version;
use crate::webgl::WebGl;

impl Checker<'_, '_> {
    fn appendix_a(&self) -> bool {
        self.settings.webgl.is_on() && self.version.is_es_100()
    }

    /// `for (int i = CONSTANT; i < CONSTANT; i += CONSTANT)` and the other forms that WebGL allows.
    pub(super) fn webgl_for(&mut self, init: StmtId, condition: Option<StmtId>, step: Option<ExprId>, span: Span) {
        if !self.appendix_a() {
            return;
        }
        let ok = self.webgl_index_of(init).is_some_and(|index| {
            self.webgl_condition(condition, index) && step.is_some_and(|step| self.webgl_step(step, index))
        });
        if !ok {
            self.error(
                Diagnostic::error(Code::E0505, span, "WebGL 1 does not allow this loop")
                    .note("a loop counts: `for (int i = CONSTANT; i < CONSTANT; i++)`")
                    .help("begin the shader with `#version 300 es`, or count to a constant and `break` before"),
            );
        }
    }

    /// WebGL 1 has only GLSL ES 1.00, WebGL 2 also 3.00 (WebGL 1.0 and 2.0, "Supported GLSL Constructs").
    pub(super) fn check_webgl_version(&mut self) {
        let (number, has) = match self.settings.webgl {
            WebGl::One => (1, self.version.is_es_100()),
            WebGl::Two => (2, self.version.is_es_100() || self.version == Version::ES_300),
            WebGl::Off | WebGl::Rules => return,
        };
        if !has {
            let (version, span) = (self.version, self.program.version_span.unwrap_or(Span::NONE));
            let d = Diagnostic::error(Code::E0505, span, format!("WebGL {number} has no shaders in {version}"));
            self.error(d.help(if number == 1 {
                "leave out `#version`, or use WebGL 2"
            } else {
                "write `#version 300 es`"
            }));
        }
    }

    /// Structs are nested at most four deep (WebGL 1.0, "Maximum Nesting of Structures in GLSL Shaders").
    pub(super) fn webgl_struct(&mut self, ty: Type, span: Span) {
        if self.settings.webgl.is_on() && self.struct_depth(ty) > 4 {
            self.fail(Code::E0505, span, "WebGL allows structs in structs four deep");
        }
    }

    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn struct_depth(&self, ty: Type) -> u32 {
        match self.kind(ty) {
            TypeKind::Struct(s) => 1 + s.members.iter().map(|m| self.struct_depth(m.ty)).max().unwrap_or(0),
            TypeKind::Array { element, .. } => self.struct_depth(*element),
            _ => 0,
        }
    }

    /// `? :` and `,` take no `void`, no arrays, and no structs that hold arrays (WebGL 2.0, section 5.26).
    pub(super) fn webgl_2_operand(&mut self, ty: Type, operator: &str, span: Span) -> Checked<()> {
        if !self.settings.webgl.is_on() || self.version.is_es_100() || (ty != Type::VOID && !self.contains_array(ty)) {
            return Ok(());
        }
        let name = self.type_name(ty);
        Err(self.error(
            Diagnostic::error(Code::E0505, span, format!("WebGL 2 does not allow `{operator}` on `{name}`"))
                .help("use statements: `if`, or one after the other"),
        ))
    }

    /// `while` and `do` loops count nothing.
    pub(super) fn webgl_while(&mut self, span: Span) {
        if self.appendix_a() {
            self.error(
                Diagnostic::error(Code::E0505, span, "WebGL 1 allows only `for` loops")
                    .help("count to a constant with `for`, and `break` before"),
            );
        }
    }

    /// The variable that a loop's first part declares with a constant.
    fn webgl_index_of(&self, init: StmtId) -> Option<Symbol> {
        let StmtKind::Decl(decl) = self.ast[init].kind else { return None };
        let DeclKind::Variables { declarators, .. } = self.ast[decl].kind else { return None };
        let [one] = &self.ast[declarators] else { return None };
        one.init.map(|_| one.name.symbol)
    }

    fn is_name(&self, expr: ExprId, symbol: Symbol) -> bool {
        self.ast[self.ast.unparenthesized(expr)].kind == ExprKind::Name(symbol)
    }

    fn webgl_condition(&mut self, condition: Option<StmtId>, index: Symbol) -> bool {
        let Some(StmtKind::Expr(expr)) = condition.map(|c| self.ast[c].kind) else { return false };
        let ExprKind::Binary { op, lhs, rhs } = self.ast[self.ast.unparenthesized(expr)].kind else { return false };
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(op, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
            && self.is_name(lhs, index)
            && self.is_constant_index(rhs)
    }

    fn webgl_step(&self, step: ExprId, index: Symbol) -> bool {
        match self.ast[self.ast.unparenthesized(step)].kind {
            ExprKind::Postfix { operand, .. }
            | ExprKind::Prefix { op: PrefixOp::Increment | PrefixOp::Decrement, operand } => {
                self.is_name(operand, index)
            }
            ExprKind::Assign { op: Some(BinaryOp::Add | BinaryOp::Sub), target, .. } => self.is_name(target, index),
            _ => false,
        }
    }

    /// Reports a loop's body that writes the index, and records the index as allowed in array indices.
    pub(super) fn webgl_lock_index(&mut self, init: StmtId, body: StmtId) -> Option<Symbol> {
        if !self.appendix_a() {
            return None;
        }
        let index = self.webgl_index_of(init)?;
        let written = self.written_names(body);
        if written.contains(&index) {
            let text = self.text(index);
            let span = self.ast[body].span;
            self.error(
                Diagnostic::error(
                    Code::E0505,
                    Span::new(span.start, span.start + 1),
                    format!("WebGL 1 does not allow the body of a loop to write its index `{text}`"),
                )
                .help("count with another variable"),
            );
        }
        self.frame.loop_indices.push(index);
        Some(index)
    }

    pub(super) fn webgl_unlock_index(&mut self, locked: Option<Symbol>) {
        if locked.is_some() {
            self.frame.loop_indices.pop();
        }
    }

    /// Samplers are indexed by constants, and in fragment shaders uniforms by constants and loop indices.
    pub(super) fn webgl_index(&mut self, base: Operand, index: Operand, _base_expr: ExprId, index_expr: ExprId) {
        if index.as_const().is_some() {
            return;
        }
        let dynamic_samplers = self.version.at_least(320, 400)
            || self.has_extension("GL_EXT_gpu_shader5")
            || self.has_extension("GL_OES_gpu_shader5")
            || self.has_extension("GL_ARB_gpu_shader5");
        let is_counter = *self.kind(self.element_type(base.ty).0) == TypeKind::AtomicCounter;
        let opaque = self.is_opaque(base.ty) && !is_counter;
        // (GLSL ES 3.20.8, section 4.3.9; GLSL 3.30.6, section 4.3.7.)
        let of_blocks = base.place
            && self.is_array(base.ty)
            && self.b.module.types.as_struct(self.element_type(base.ty).0).is_some_and(|s| s.is_block)
            && self.b.module.types.pointee(self.b.type_of(base.value)).is_some_and(|(_, s)| s == AddressSpace::Uniform);
        if of_blocks && !dynamic_samplers && !self.has_extension(OPEN_ARRAYS) {
            let version = self.version;
            self.error(
                Diagnostic::error(
                    Code::E0309,
                    self.span_of(index_expr),
                    "an array of uniform blocks is indexed by something that is not constant",
                )
                .note(format!("{version} requires a constant expression here")),
            );
            return;
        }
        let has_rule = if self.is_es() { !self.version.is_es_100() } else { self.version.number >= 130 };
        if opaque && has_rule && !dynamic_samplers && !self.has_extension(OPEN_ARRAYS) {
            let is_sampler = !self.is_storage_image(self.element_type(base.ty).0);
            if is_sampler {
                let version = self.version;
                self.error(
                    Diagnostic::error(
                        Code::E0309,
                        self.span_of(index_expr),
                        "an array of samplers is indexed by something that is not constant",
                    )
                    .note(format!("{version} requires a constant expression here")),
                );
            }
            return;
        }
        if !self.appendix_a() {
            return;
        }
        let only_loop_indices = self.is_constant_index(index_expr);
        let is_uniform = base.place
            && self.b.module.types.pointee(self.b.type_of(base.value)).is_some_and(|(_, s)| s == AddressSpace::Uniform);
        // Vertex shaders may index uniforms as they like.
        let restricted = opaque || !(is_uniform && self.stage() == Stage::Vertex);
        if restricted && !only_loop_indices {
            self.error(
                Diagnostic::error(
                    Code::E0505,
                    self.span_of(index_expr),
                    "WebGL 1 allows only constants and loop indices here",
                )
                .help("begin the shader with `#version 300 es`"),
            );
        }
    }

    /// Whether an expression consists of constants and loop indices.
    fn is_constant_index(&mut self, expr: ExprId) -> bool {
        let mut names = vec![];
        let mut plain = true;
        self.ast.for_each_expr_in(expr, |e| match self.ast[e].kind {
            ExprKind::Name(symbol) => names.push(symbol),
            ExprKind::Int { .. } | ExprKind::Binary { .. } | ExprKind::Paren(_) | ExprKind::Prefix { .. } => {}
            ExprKind::Float(_) | ExprKind::Construct { .. } => {}
            _ => plain = false,
        });
        let loop_indices = self.frame.loop_indices.clone();
        plain
            && names.iter().all(|name| {
                loop_indices.contains(name)
                    || matches!(
                        self.scopes.lookup(*name).map(|b| b.entity),
                        Some(Entity::Value { .. } | Entity::Variable { access: Access::Const, .. })
                    )
            })
    }
}

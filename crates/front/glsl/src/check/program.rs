//! The translation unit: its declarations in order, and the rules about the whole.

use std::ops::Range;
use std::sync::Arc;

use planish_ir::decoration::{BuiltIn, Name as IrName};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Var;
use planish_ir::module::{EntryPoint, Stage};
use planish_ir::source::Span;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::locations::Locations;
use super::names::Entity;
use super::qualifiers::Storage;
use super::{Checked, Checker, Reported};
use crate::ast::*;
use crate::preprocess::{Behavior, ExtensionDirective, PragmaKind};
use crate::symbol::{Symbol, sym};

/// Facts for checks of the whole program.
#[derive(Default)]
pub(super) struct Facts {
    /// Built-in variables in use, and where first.
    builtins: SmallVec<[(BuiltIn, Span); 8]>,
    /// Built-in variables whose only mentions are declarations, such as `invariant gl_FragColor;`.
    only_declared: SmallVec<[(Symbol, BuiltIn); 2]>,
    /// Blocks: name, storage, place.
    pub(super) blocks: Vec<(Symbol, Storage, Span)>,
    /// User-defined fragment outputs, and whether they have a location.
    pub(super) outputs: Vec<(Name, bool)>,
    /// Memory that shaders pass to each other.
    pub(super) passed: Vec<super::rays::PassedMemory>,
    /// The first call of `EmitMeshTasksEXT`.
    pub(super) tasks: Option<Span>,
    /// The block that is a shader record.
    pub(super) shader_record: Option<Span>,
    pub(super) derivatives: super::derivatives::DerivativeFacts,
    pub(super) locations: Vec<Locations>,
    /// Arrays without a length of their own.
    pub(super) open_arrays: FxHashSet<Var>,
    /// Of the work group in each direction, as far as declared.
    pub(super) local_size: [Option<(u32, Span)>; 3],
    pub(super) redeclared: super::redeclarations::Redeclared,
}

impl Facts {
    pub(super) fn note(&mut self, builtin: BuiltIn, span: Span) {
        if self.use_of(builtin).is_none() {
            self.builtins.push((builtin, span));
        }
    }

    /// Notes a use of a built-in variable that has been declared only so far.
    pub(super) fn note_first_use(&mut self, symbol: Symbol, span: Span) {
        if let Some(at) = self.only_declared.iter().position(|(name, _)| *name == symbol) {
            let (_, builtin) = self.only_declared.swap_remove(at);
            self.note(builtin, span);
        }
    }

    pub(super) fn use_of(&self, builtin: BuiltIn) -> Option<Span> {
        self.builtins.iter().find(|(b, _)| *b == builtin).map(|(_, span)| *span)
    }
}

impl Checker<'_, '_> {
    /// Resolves a name in a declaration, which is no use of it.
    pub(super) fn resolve_to_declare(&mut self, name: Name) -> Checked<Entity> {
        let mut only_declared = std::mem::take(&mut self.program_facts.only_declared);
        let used = self.program_facts.builtins.len();
        let result = self.resolve(name.symbol, name.span);
        let new = self.program_facts.builtins.drain(used..).map(|(builtin, _)| (name.symbol, builtin));
        only_declared.extend(new);
        self.program_facts.only_declared = only_declared;
        result
    }

    /// Everything.
    pub(super) fn program(&mut self) {
        self.shadertoy_prologue();
        self.check_webgl_version();
        self.check_stage_version();
        // (GLSL ES 3.00.6, section 4.6.1.)
        let invariant = self.program.pragmas.iter().find(|pragma| pragma.kind == PragmaKind::InvariantAll);
        if let Some(span) = invariant.map(|pragma| pragma.span)
            && self.stage() == Stage::Fragment
            && self.is_es()
            && !self.version.is_es_100()
        {
            self.fail(Code::E0401, span, "the outputs of a fragment shader cannot all be `invariant`");
        }
        let ast = self.ast;
        let mut start = 0;
        for (number, &item) in ast.items.iter().enumerate() {
            let end = ast.item_ends[number] as usize;
            self.extensions_of(start..end);
            self.pragmas_within(item, start..end);
            start = end;
            self.items_after = &ast.items[number + 1..];
            self.external_declaration(item);
        }
        self.misplaced_pragma();
        self.shadertoy_epilogue();
        self.define_initializer();
        self.check_recursion();
        self.check_definitions();
        self.lower_instances();
        self.check_outputs();
        self.check_vertex_block();
        self.check_derivatives();
        self.check_stage_layouts();
        self.finish_captures();
        self.check_packing();
        self.entry_point();
    }

    /// Applies the `#extension` directives up to the end of the declaration with these tokens: one in the middle of a
    /// function is in effect for all of it; `disable` takes effect after it.
    fn extensions_of(&mut self, tokens: Range<usize>) {
        let program = self.program;
        let counts = |d: &&ExtensionDirective| match d.behavior {
            Behavior::Disable => d.position <= tokens.start,
            _ => d.position < tokens.end,
        };
        while let Some(directive) = program.extensions.get(self.directives).filter(counts) {
            self.directives += 1;
            let name = program.interner.resolve(directive.name);
            match directive.behavior {
                Behavior::Disable if directive.name == sym::ALL => self.extensions.clear(),
                Behavior::Disable => self.extensions.retain(|e| *e != name),
                _ if self.extensions.contains(&name) => continue,
                _ => self.extensions.push(name),
            }
            // The meaning of a cached call may have changed.
            self.builtin_calls.clear();
        }
    }

    fn external_declaration(&mut self, id: DeclId) {
        let Decl { kind, span } = self.ast[id];
        if !matches!(kind, DeclKind::Function { .. } | DeclKind::Pragma(_)) {
            self.misplaced_pragma();
        }
        match kind {
            DeclKind::Error | DeclKind::Empty => {}
            DeclKind::Pragma(index) => self.pragma(index),
            DeclKind::Variables { qualifiers, ty, declarators } => self.global_variables(qualifiers, ty, declarators),
            DeclKind::Function { function, body } => self.function(function, body),
            DeclKind::Block(block) => self.interface_block(block),
            DeclKind::Precision { precision, ty } => self.precision_statement(precision, ty, span),
            DeclKind::Qualifiers { qualifiers, names } => self.qualifier_declaration(qualifiers, names, span),
        }
    }

    /// `#pragma planish WORDS`; all others have been processed, or are ignored.
    fn pragma(&mut self, index: u32) {
        let pragma = &self.program.pragmas[index as usize];
        let PragmaKind::Planish(words) = &pragma.kind else { return };
        match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["flatten"] => self.flatten_next = Some(pragma.span),
            _ => self.warn(
                Diagnostic::warning(Code::W0109, pragma.span, "`#pragma planish` is followed by no word that it knows")
                    .help("write `#pragma planish flatten` before a function"),
            ),
        }
    }

    /// Reports pragmas in a function that are only outside of functions (GLSL 4.60.8 and GLSL ES 3.20.8, section 3.3).
    fn pragmas_within(&mut self, item: DeclId, tokens: Range<usize>) {
        if !matches!(self.ast[item].kind, DeclKind::Function { body: Some(_), .. }) {
            return;
        }
        let program = self.program;
        let from = program.pragmas.partition_point(|pragma| pragma.position <= tokens.start);
        for pragma in program.pragmas[from..].iter().take_while(|pragma| pragma.position < tokens.end) {
            if matches!(pragma.kind, PragmaKind::Optimize(_) | PragmaKind::Debug(_)) {
                self.error(
                    Diagnostic::error(Code::E0104, pragma.span, "this pragma is in a function")
                        .help("put it before the function"),
                );
            }
        }
    }

    /// Reports a `#pragma planish flatten` that no function follows.
    fn misplaced_pragma(&mut self) {
        if let Some(span) = self.flatten_next.take() {
            self.warn(
                Diagnostic::warning(Code::W0109, span, "no function follows `#pragma planish flatten`")
                    .help("put it on the line before the function"),
            );
        }
    }

    fn entry_point(&mut self) {
        let main = self.functions.iter().find(|f| f.name == sym::MAIN && f.defined.is_some());
        let Some(main) = main else {
            if self.error_count == 0 {
                let span = self.ast.items.last().map_or(Span::NONE, |&d| self.ast[d].span.after());
                self.error(
                    Diagnostic::error(Code::E0502, span, "the shader has no `main`").help("add `void main() { … }`"),
                );
            }
            return;
        };
        let func = main.func;
        let name: Arc<str> = "main".into();
        self.need_stage();
        let properties = self.properties.clone();
        let stage = Some(self.stage());
        self.b.module.entry_points.push(EntryPoint { names: vec![name], func, stage, properties });
    }

    /// Rules about outputs that no declaration can break alone.
    fn check_outputs(&mut self) {
        if self.stage() != Stage::Fragment {
            return;
        }
        let facts = &self.program_facts;
        if let (Some(color), Some(data)) = (facts.use_of(BuiltIn::FragColor), facts.use_of(BuiltIn::FragData)) {
            let (first, second) = if color < data { (color, data) } else { (data, color) };
            self.error(
                Diagnostic::error(Code::E0504, second, "both `gl_FragColor` and `gl_FragData` are used")
                    .label("the other one is used here")
                    .also(first, "one is used here")
                    .note("a fragment shader uses one or the other"),
            );
        }
        let facts = &self.program_facts;
        let old = [BuiltIn::FragColor, BuiltIn::FragData].into_iter().find_map(|builtin| facts.use_of(builtin));
        // (GLSL 1.30.10 and GLSL 4.60.8, section 7.1.)
        let outputs = facts.outputs.iter().map(|(name, _)| *name).collect::<SmallVec<[Name; 4]>>();
        let own = outputs.into_iter().find(|name| {
            self.scopes.lookup_global(name.symbol).is_some_and(|binding| binding.used && binding.span == name.span)
        });
        if let (Some(used), Some(own)) = (old, own) {
            self.error(
                Diagnostic::error(Code::E0504, used, "both an output of the shader's own and a built-in one are used")
                    .also(own.span, "the own one")
                    .note("a fragment shader writes either its own outputs, or `gl_FragColor`, or `gl_FragData`"),
            );
        }
        let facts = &self.program_facts;
        if self.is_es() && facts.outputs.len() > 1 {
            let missing: Vec<Span> = facts.outputs.iter().filter(|(_, has)| !has).map(|(name, _)| name.span).collect();
            if let Some(&span) = missing.first() {
                self.error(
                    Diagnostic::error(Code::E0404, span, "this output has no location")
                        .note("a fragment shader with several outputs gives each a location")
                        .help("write `layout(location = 0) out …`"),
                );
            }
        }
    }

    /// Whether non-constant initializers of globals may be computed at the beginning of `main`, as desktop versions do,
    /// and browsers for ES 1.00.
    pub(super) fn initializers_may_be_late(&self) -> bool {
        let extension = self.has_extension("GL_EXT_shader_non_constant_global_initializers");
        !self.is_es() || self.version.is_es_100() || extension
    }

    /// At the beginning of `main`: initializes the global variables declared before it, and calls a function that
    /// initializes those declared after it, if there may be any.
    pub(super) fn initialize_globals(&mut self) {
        self.emit_late_initializers();
        let ast = self.ast;
        let has_value = |item: &DeclId| match ast[*item].kind {
            DeclKind::Variables { declarators, .. } => ast[declarators].iter().any(|d| d.init.is_some()),
            _ => false,
        };
        if self.initializers_may_be_late() && self.items_after.iter().any(has_value) {
            let func = self.b.module.add_func(IrName::temporary("initialize"), vec![], vec![], Span::NONE);
            self.b.call(func.into(), &[]);
            self.initializer_of_rest = Some(func);
        }
    }

    /// Defines the function that initializes the global variables declared after `main`.
    fn define_initializer(&mut self) {
        if let Some(func) = self.initializer_of_rest {
            self.b.begin(Some(func));
            self.emit_late_initializers();
            self.b.ret(&[]);
            self.b.begin(None);
        }
    }

    /// Computes the global variables with non-constant initializers.
    fn emit_late_initializers(&mut self) {
        for (var, init) in std::mem::take(&mut self.late_initializers) {
            if let Ok(value) = self.late_value(var, init) {
                self.store(var.into(), value);
            }
        }
    }

    fn late_value(&mut self, var: Var, init: ExprId) -> Result<planish_ir::entity::Value, Reported> {
        let ty = self.b.module.vars[var].ty;
        let operand = self.initializer(init, ty)?;
        self.value_as(operand, ty, self.span_of(init), "the initializer")
    }
}

//! Declarations of variables: global, of the stage's interface, and local.

use planish_ir::decoration::{Decoration, Decorations, Interpolation, Name as IrName, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type, Value, Var};
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};

use super::arrays::OPEN_ARRAYS;
use super::layouts;
use super::names::{Access, Entity};
use super::operand::Operand;
use super::qualifiers::{Qualifiers, Storage};
use super::vertices::stage_words;
use super::{Checked, Checker, Reported};
use crate::ast::*;
use crate::device;

/// Extensions by which images without a format are read.
const UNFORMATTED: [&str; 2] = ["GL_EXT_shader_image_load_formatted", "GL_EXT_shader_image_load_store"];

impl Checker<'_, '_> {
    // ------------------------------------------------------------------------------------------ global

    /// `uniform float a, b[2];` and other declarations in the global scope.
    pub(super) fn global_variables(&mut self, qualifiers: List<Qualifier>, ty: TypeId, declarators: List<Declarator>) {
        let q = self.qualifiers(qualifiers);
        let base = self.type_spec(ty);
        let ast = self.ast;
        for declarator in &ast[declarators] {
            if self.text(declarator.name.symbol).starts_with("gl_") {
                self.redeclare_builtin(declarator, base, &q, false);
                continue;
            }
            if self.global_variable(declarator, base, &q).is_err()
                && self.scopes.lookup_here(declarator.name.symbol).is_none()
            {
                self.scopes.insert(declarator.name.symbol, Entity::Error, declarator.name.span, false);
            }
        }
    }

    fn global_variable(&mut self, declarator: &Declarator, base: Checked<Type>, q: &Qualifiers) -> Checked<()> {
        let ty = self.with_dims(base?, declarator.dims)?;
        let has_own_length = declarator.init.is_some() || self.is_of_each_vertex(q);
        let is_open = self.is_unsized(ty) && !has_own_length;
        let ty = if has_own_length { ty } else { self.implicitly_sized(ty, declarator.name) };
        let span = declarator.name.span;
        self.check_variable_type(ty, span)?;
        if declarator.init.is_none() && self.sized_again(declarator.name, ty)? {
            return Ok(());
        }
        self.global_of_storage(declarator, ty, q)?;
        if is_open && !self.is_unsized(ty) {
            self.note_open_array(declarator.name);
        }
        Ok(())
    }

    fn global_of_storage(&mut self, declarator: &Declarator, ty: Type, q: &Qualifiers) -> Checked<()> {
        let Some((storage, storage_span)) = q.storage else { return self.private_variable(declarator, ty, q) };
        self.check_storage(storage, storage_span)?;
        match storage {
            Storage::Uniform => self.uniform_variable(declarator, ty, q),
            Storage::Shared => self.shared_variable(declarator, ty, q),
            Storage::Passed(passed) => self.passed_variable(declarator, ty, q, passed),
            Storage::Buffer => Err(self.error(
                Diagnostic::error(Code::E0401, storage_span, "`buffer` is only for blocks")
                    .help("write `buffer Name { … };`"),
            )),
            _ => self.interface_variable(declarator, ty, q, storage),
        }
    }

    fn check_variable_type(&mut self, ty: Type, span: Span) -> Checked<()> {
        if ty == Type::VOID {
            return Err(self.fail(Code::E0312, span, "a variable cannot be `void`"));
        }
        self.check_stored(ty, span)
    }

    /// Checks that the storage is available in this version, stage and scope.
    pub(super) fn check_storage(&mut self, storage: Storage, span: Span) -> Checked<()> {
        let stage = self.stage();
        let version = self.version;
        let word = storage.keyword();
        let message = match storage {
            Storage::Attribute if stage != Stage::Vertex => "attributes are only in vertex shaders".to_owned(),
            Storage::Varying if stage == Stage::Compute => "a compute shader has no varyings".to_owned(),
            Storage::In | Storage::Out if !version.at_least(300, 130) => {
                let instead = match (stage, storage) {
                    (Stage::Vertex, Storage::In) => "attribute",
                    (Stage::Fragment, Storage::Out) => "gl_FragColor",
                    _ => "varying",
                };
                return Err(self.error(
                    Diagnostic::error(Code::E0401, span, format!("{version} has no global `{word}`"))
                        .help(format!("write `{instead}`, or begin the shader with `#version 300 es`")),
                ));
            }
            Storage::In | Storage::Out
                if stage == Stage::Compute
                    || stage.is_of_spirv() && (stage, storage) != (Stage::Mesh, Storage::Out) =>
            {
                format!("{} has no `{word}` variables of its own", stage_words(stage))
            }
            Storage::Passed(passed) => return self.check_passed(passed, span),
            Storage::InOut => {
                if stage == Stage::Fragment && self.has_extension("GL_EXT_shader_framebuffer_fetch") {
                    return Ok(());
                }
                "a global variable cannot be `inout`".to_owned()
            }
            Storage::Shared if !stage.has_work_groups() => {
                "`shared` is only in compute, task and mesh shaders".to_owned()
            }
            _ => return Ok(()),
        };
        Err(self.fail(Code::E0401, span, message))
    }

    fn private_variable(&mut self, declarator: &Declarator, ty: Type, q: &Qualifiers) -> Checked<()> {
        let span = declarator.name.span;
        self.check_plain_qualifiers(q, "a variable");
        if !self.is_query_variable(declarator, ty)? && self.is_opaque(ty) {
            let name = self.type_name(ty);
            return Err(self.error(
                Diagnostic::error(Code::E0405, span, format!("a variable of type `{name}` must be `uniform`"))
                    .help(format!("write `uniform {name} …;`")),
            ));
        }
        if q.is_const.is_some() {
            return self.constant(declarator, ty, q);
        }
        let init = declarator.init.map(|init| self.initializer(init, ty).map(|operand| (init, operand)));
        let ty = match &init {
            Some(Ok((_, operand))) if self.is_unsized(ty) => self.sized_like(ty, operand.ty),
            _ => ty,
        };
        self.check_sized(ty, span)?;
        let precision = self.precision_for(ty, self.written_precision(q), span);
        let name = IrName::temporary(self.text(declarator.name.symbol));
        let ir_type = self.ir_type(ty);
        let var = self.b.module.add_var(name, ir_type, AddressSpace::Private);
        let decorations = q.decorations();
        let data = &mut self.b.module.vars[var];
        data.precision = precision;
        data.span = span;
        data.decorations = decorations;
        self.declare_name(
            declarator.name,
            Entity::Variable { address: var.into(), ty, access: self.query_access(ty) },
            false,
        );
        let Some(init) = init else { return Ok(()) };
        let (expr, operand) = init?;
        self.check_global_initializer(expr)?;
        let value = self.value_as(operand, ty, self.span_of(expr), "the initializer")?;
        match value.as_const() {
            Some(c) => self.b.module.vars[var].initializer = Some(c),
            None => self.late_initializer(var, expr)?,
        }
        Ok(())
    }

    /// A non-constant initializer of a global is computed before `main`, in versions that allow it.
    fn late_initializer(&mut self, var: Var, init: ExprId) -> Checked<()> {
        if self.initializers_may_be_late() {
            self.late_initializers.push((var, init));
            return Ok(());
        }
        let (span, version) = (self.span_of(init), self.version);
        Err(self.error(
            Diagnostic::error(Code::E0309, span, "the initializer of a global variable is not a constant expression")
                .note(format!("{version} computes global initializers when it compiles"))
                .help("assign the value in `main`"),
        ))
    }

    /// Browsers compute initializers of globals in GLSL ES 1.00 from uniforms and other globals, though section 4.3 of
    /// its specification has only constant expressions; calls of functions and of texture lookups, assignments, and
    /// inputs of the stage are errors everywhere.
    fn check_global_initializer(&mut self, init: ExprId) -> Checked<()> {
        if !self.is_es() || self.has_extension("GL_EXT_shader_non_constant_global_initializers") {
            return Ok(());
        }
        let ast = self.ast;
        let mut wrong = None;
        let mut names = vec![];
        ast.for_each_expr_in(init, |e| match ast[e].kind {
            ExprKind::Name(symbol) => names.push((symbol, e)),
            ExprKind::Assign { .. }
            | ExprKind::Postfix { .. }
            | ExprKind::Prefix { op: PrefixOp::Increment | PrefixOp::Decrement, .. } => {
                wrong = Some((e, "an assignment"))
            }
            _ => {}
        });
        // Later versions have constant expressions only, which the caller checks.
        names.retain(|_| self.version.is_es_100());
        for (symbol, e) in names {
            match self.scopes.lookup(symbol).map(|b| b.entity).or_else(|| self.builtins.get(&symbol).copied()) {
                Some(Entity::Functions(_)) => wrong = Some((e, "a call of a function")),
                Some(Entity::Variable { access: Access::Input | Access::BuiltIn, .. }) => {
                    wrong = Some((e, "an input of the stage"));
                }
                None if self.text(symbol).starts_with("texture") => wrong = Some((e, "a texture lookup")),
                _ => {}
            }
        }
        let Some((at, what)) = wrong else { return Ok(()) };
        let (span, version) = (self.span_of(at), self.version);
        Err(self.error(
            Diagnostic::error(Code::E0309, span, "the initializer of a global variable is not a constant expression")
                .label(what)
                .note(format!("{version} computes global initializers when it compiles"))
                .help("assign the value in `main`"),
        ))
    }

    /// `const float a = 1.0;`, global or local.
    fn constant(&mut self, declarator: &Declarator, ty: Type, q: &Qualifiers) -> Checked<()> {
        let name = declarator.name;
        self.check_no_reference(ty, name.span)?;
        let Some(init) = declarator.init else {
            let text = self.text(name.symbol);
            return Err(self.error(
                Diagnostic::error(Code::E0406, name.span, format!("the constant `{text}` has no value"))
                    .help(format!("write `{text} = …`")),
            ));
        };
        self.check_early_constant(init)?;
        let operand = self.initializer(init, ty)?;
        let ty = if self.is_unsized(ty) { self.sized_like(ty, operand.ty) } else { ty };
        let value = self.value_as(operand, ty, self.span_of(init), "the initializer")?;
        let layout = self.layout_decorations(&q.layout, layouts::CONST, "a constant");
        match value.as_const() {
            Some(constant) if !layout.is_empty() => self.specialization_constant(name, ty, constant, layout),
            Some(constant) => {
                self.declare_name(name, Entity::Value { value: constant.into(), ty }, false);
                Ok(())
            }
            None if self.is_global() || !self.version.at_least(0, 420) => {
                let span = self.span_of(init);
                // The name is declared nevertheless, so that its uses are not reported.
                self.declare_name(name, Entity::Error, false);
                Err(self.error(
                    Diagnostic::error(Code::E0309, span, "the initializer of a constant is not a constant expression")
                        .label("its value is not known when the shader is compiled")
                        .help("leave out `const`"),
                ))
            }
            None => {
                let var = self.local(name, ty, q);
                self.store(var.into(), value);
                let entity = Entity::Variable { address: var.into(), ty, access: Access::Const };
                self.declare_name(name, entity, true);
                Ok(())
            }
        }
    }

    /// A specialization constant: a variable of the module with a default.
    fn specialization_constant(&mut self, name: Name, ty: Type, value: Const, layout: Decorations) -> Checked<()> {
        let var = self.b.module.add_var(
            IrName::new(self.text(name.symbol), NameSource::Interface),
            ty,
            AddressSpace::Private,
        );
        let data = &mut self.b.module.vars[var];
        data.initializer = Some(value);
        data.is_const = true;
        data.decorations = layout;
        data.span = name.span;
        self.declare_name(name, Entity::Variable { address: var.into(), ty, access: Access::Const }, false);
        Ok(())
    }

    fn uniform_variable(&mut self, declarator: &Declarator, ty: Type, q: &Qualifiers) -> Checked<()> {
        let span = declarator.name.span;
        self.check_not_interpolated(q, "a uniform");
        let opaque = self.is_opaque(ty);
        if device::is_device_type(&self.b.module.types, ty) {
            return self.acceleration_structures(declarator, ty, q);
        }
        let ty = match declarator.init {
            // The length is that of the value.
            Some(init) if self.is_unsized(ty) && !opaque => {
                let operand = self.initializer(init, ty)?;
                self.sized_like(ty, operand.ty)
            }
            _ => ty,
        };
        if !self.is_storage_image(self.element_type(ty).0) {
            let of_memory = |d: &Decoration| {
                use Decoration::{Coherent, ReadOnly, Restrict, Volatile, WriteOnly};
                matches!(d, Coherent | Volatile | Restrict | ReadOnly | WriteOnly)
            };
            if let Some((_, at)) = q.memory.iter().find(|(decoration, _)| of_memory(decoration)) {
                return Err(self.error(
                    Diagnostic::error(Code::E0401, *at, "this uniform is no memory that a shader accesses")
                        .note("images and buffers have such qualifiers"),
                ));
            }
        }
        if !(opaque && self.has_extension(OPEN_ARRAYS)) {
            self.check_sized(ty, span)?;
        }
        let (element, _) = self.element_type(ty);
        let is_image = self.is_storage_image(element);
        let ty = if is_image { self.with_format(ty, q) } else { ty };
        let places = match (opaque, is_image) {
            (true, true) => layouts::OPAQUE | layouts::IMAGE,
            (true, false) => layouts::OPAQUE,
            _ => layouts::UNIFORM,
        };
        let mut decorations = self.layout_decorations(&q.layout, places, "a uniform");
        decorations = q.decorations().iter().chain(decorations.iter()).collect();
        if is_image {
            self.check_image_access(ty, q, span);
        }
        let handle =
            matches!(self.kind(element), TypeKind::Image(_) | TypeKind::Sampler { .. } | TypeKind::AtomicCounter);
        let space = if handle { AddressSpace::Handle } else { AddressSpace::Uniform };
        let precision = self.precision_for(ty, self.written_precision(q), span);
        let var = self.interface_var(declarator.name, ty, space, precision, decorations);
        let access = if handle { Access::Opaque } else { Access::Uniform };
        self.declare_name(declarator.name, Entity::Variable { address: var.into(), ty, access }, false);
        if let Some(init) = declarator.init {
            if !self.version.at_least(0, 120) || opaque {
                return Err(self.error(
                    Diagnostic::error(Code::E0406, self.span_of(init), "a uniform cannot be initialized")
                        .note("its value comes from outside"),
                ));
            }
            let operand = self.initializer(init, ty)?;
            let value = self.value_as(operand, ty, self.span_of(init), "the initializer")?;
            let constant = self.require_constant(Operand::value(value, ty), self.span_of(init), "the initializer")?;
            self.b.module.vars[var].initializer = Some(constant);
        }
        Ok(())
    }

    /// ES requires a format, other versions for images that are read, and ES for all but three formats `readonly` or `writeonly`.
    fn check_image_access(&mut self, ty: Type, q: &Qualifiers, span: Span) {
        let writes_only = q.memory.iter().any(|(decoration, _)| *decoration == Decoration::WriteOnly);
        let is_free = writes_only || UNFORMATTED.iter().any(|extension| self.has_extension(extension));
        if (self.is_es() || !is_free) && q.layout.format().is_none() {
            let name = self.type_name(ty);
            self.error(
                Diagnostic::error(Code::E0404, span, format!("an `{name}` needs a format"))
                    .help("write `layout(rgba8) …` or another format"),
            );
        }
    }

    fn shared_variable(&mut self, declarator: &Declarator, ty: Type, q: &Qualifiers) -> Checked<()> {
        let span = declarator.name.span;
        self.check_not_interpolated(q, "a shared variable");
        self.check_sized(ty, span)?;
        if self.is_opaque(ty) {
            let name = self.type_name(ty);
            return Err(self.fail(Code::E0405, span, format!("a shared variable cannot be `{name}`")));
        }
        if let Some(init) = declarator.init {
            return Err(self.fail(Code::E0406, self.span_of(init), "a shared variable cannot be initialized"));
        }
        let precision = self.precision_for(ty, self.written_precision(q), span);
        let name = IrName::temporary(self.text(declarator.name.symbol));
        let ir_type = self.ir_type(ty);
        let var = self.b.module.add_var(name, ir_type, AddressSpace::Workgroup);
        let data = &mut self.b.module.vars[var];
        data.precision = precision;
        data.span = span;
        data.decorations = q.decorations();
        self.declare_name(
            declarator.name,
            Entity::Variable { address: var.into(), ty, access: Access::ReadWrite },
            false,
        );
        Ok(())
    }

    /// Whether the storage is an input of the stage, as against an output.
    pub(super) fn is_input(&self, storage: Storage) -> bool {
        match storage {
            Storage::Varying => self.stage() == Stage::Fragment,
            Storage::In | Storage::Attribute => true,
            _ => false,
        }
    }

    /// `in`, `out`, `attribute`, `varying`.
    fn interface_variable(
        &mut self,
        declarator: &Declarator,
        ty: Type,
        q: &Qualifiers,
        storage: Storage,
    ) -> Checked<()> {
        let span = declarator.name.span;
        let is_input = self.is_input(storage);
        let ty = match *self.kind(ty) {
            // One for each vertex of the triangle.
            TypeKind::RuntimeArray { element } if matches!(q.interpolation, Some((Interpolation::PerVertex, _))) => {
                self.array_of(element, 3, span)?
            }
            _ => ty,
        };
        let ty = self.of_each_vertex(ty, q, span)?;
        self.check_sized(ty, span)?;
        self.check_interface_type(ty, q, is_input, span)?;
        if let Some(init) = declarator.init {
            let word = storage.keyword();
            return Err(self.fail(
                Code::E0406,
                self.span_of(init),
                format!("an `{word}` variable cannot be initialized"),
            ));
        }
        // (GLSL ES 1.00.17, section 4.6.4; GLSL ES 3.00.6, section 4.6.1.)
        let invariant =
            q.invariant.filter(|_| is_input && (self.stage() == Stage::Vertex || self.version.at_least(300, 0)));
        if let Some(at) = invariant {
            self.error(
                Diagnostic::error(Code::E0401, at, "this input cannot be `invariant`")
                    .note("only outputs can be invariant"),
            );
        }
        if storage == Storage::Attribute
            && let Some(&(_, _, at)) = q.layout.items.first()
        {
            self.error(
                Diagnostic::error(Code::E0404, at, "an `attribute` has no layout").help("write `in` for `attribute`"),
            );
        }
        let place = if is_input { layouts::INPUT } else { layouts::OUTPUT };
        let what = if is_input { "an input" } else { "an output" };
        let layout = self.layout_decorations(&q.layout, place, what);
        let mut decorations: Decorations = q.decorations().iter().chain(layout.iter()).collect();
        if storage == Storage::InOut {
            decorations.add(Decoration::FramebufferFetch);
        }
        if self.invariant_all && !is_input && self.stage() == Stage::Vertex {
            decorations.add(Decoration::Invariant);
        }
        let class = self.device_class(storage, q);
        let space = match class {
            Some(class) => {
                decorations = self.device_decorations(&decorations, q, class, span)?;
                AddressSpace::Spirv
            }
            None if is_input => AddressSpace::Input,
            None => AddressSpace::Output,
        };
        let precision = self.precision_for(ty, self.written_precision(q), span);
        let of_one = match *self.kind(ty) {
            TypeKind::Array { element, .. } if self.is_of_each_vertex(q) => element,
            _ => ty,
        };
        self.take_location(of_one, &q.layout, &layout, is_input, span);
        if !is_input {
            self.capture(ty, &layout, span);
        }
        if !is_input && self.stage() == Stage::Fragment {
            let has_place = layout.location().is_some() || layout.has(Decoration::Yuv);
            self.program_facts.outputs.push((declarator.name, has_place));
        }
        let var = self.interface_var(declarator.name, ty, space, precision, decorations);
        let access = if is_input { Access::Input } else { Access::ReadWrite };
        self.declare_name(declarator.name, Entity::Variable { address: var.into(), ty, access }, false);
        Ok(())
    }

    /// The type of the innermost elements of an array, and whether the type is an array.
    pub(super) fn element_type(&self, mut ty: Type) -> (Type, bool) {
        let mut is_array = false;
        while let TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } = *self.kind(ty) {
            ty = element;
            is_array = true;
        }
        (ty, is_array)
    }

    pub(super) fn interface_var(
        &mut self,
        name: Name,
        ty: Type,
        space: AddressSpace,
        precision: planish_ir::decoration::Precision,
        decorations: Decorations,
    ) -> Var {
        let ir_name = IrName::new(self.text(name.symbol), NameSource::Interface);
        let ty = self.ir_type(ty);
        let var = self.b.module.add_var(ir_name, ty, space);
        let data = &mut self.b.module.vars[var];
        data.precision = precision;
        data.decorations = decorations;
        data.span = name.span;
        var
    }

    // ------------------------------------------------------------------------------------------ local

    /// A declaration in a function.
    pub(super) fn local_declaration(&mut self, id: DeclId) {
        let Decl { kind, span } = self.ast[id];
        match kind {
            DeclKind::Variables { qualifiers, ty, declarators } => self.local_variables(qualifiers, ty, declarators),
            DeclKind::Precision { precision, ty } => self.precision_statement(precision, ty, span),
            DeclKind::Function { .. } => {
                // ES 1.00 and desktop versions allow prototypes here, but they are unused in practice.
                self.fail(Code::E0401, span, "a function is declared within a function");
            }
            DeclKind::Block(block) => {
                self.fail(Code::E0409, span, "a block is declared within a function");
                let block = self.ast[block];
                self.poison_block(&block);
            }
            DeclKind::Qualifiers { qualifiers, names } => self.qualifier_declaration(qualifiers, names, span),
            DeclKind::Error | DeclKind::Empty | DeclKind::Pragma(_) => {}
        }
    }

    fn local_variables(&mut self, qualifiers: List<Qualifier>, ty: TypeId, declarators: List<Declarator>) {
        let q = self.qualifiers(qualifiers);
        let base = self.type_spec(ty);
        if let Some((storage, span)) = q.storage {
            let word = storage.keyword();
            self.fail(Code::E0401, span, format!("a local variable cannot be `{word}`"));
        }
        self.check_plain_qualifiers(&q, "a local variable");
        let ast = self.ast;
        for declarator in &ast[declarators] {
            if self.local_variable(declarator, base, &q).is_err()
                && self.scopes.lookup_here(declarator.name.symbol).is_none()
            {
                self.scopes.insert(declarator.name.symbol, Entity::Error, declarator.name.span, false);
            }
        }
    }

    fn local_variable(&mut self, declarator: &Declarator, base: Checked<Type>, q: &Qualifiers) -> Checked<()> {
        let name = declarator.name;
        let declared = match base {
            Ok(base) => self.with_dims(base, declarator.dims),
            Err(Reported) => Err(Reported),
        };
        let is_open = declarator.init.is_none() && declared.is_ok_and(|ty| self.is_unsized(ty));
        let declared = declared.map(|ty| if is_open { self.implicitly_sized(ty, name) } else { ty });
        let Ok(ty) = declared else {
            // The initializer may have errors of its own.
            if let Some(init) = declarator.init {
                let _ = self.expression(init);
            }
            return Err(Reported);
        };
        self.check_variable_type(ty, name.span)?;
        let is_query = self.is_query_variable(declarator, ty)?;
        if self.is_opaque(ty) && !is_query {
            let type_name = self.type_name(ty);
            return Err(self.fail(Code::E0405, name.span, format!("a local variable cannot be `{type_name}`")));
        }
        if q.is_const.is_some() {
            return self.constant(declarator, ty, q);
        }
        if declarator.init.is_none() && self.sized_again(name, ty)? {
            return Ok(());
        }
        // The initializer does not see the variable.
        let outer = self.b.set_precise(q.precise.is_some());
        let init = declarator.init.map(|init| (init, self.initializer(init, ty)));
        self.b.set_precise(outer);
        let ty = match &init {
            Some((_, Ok(operand))) if self.is_unsized(ty) => self.sized_like(ty, operand.ty),
            _ => ty,
        };
        self.check_sized(ty, name.span)?;
        let value = init.map(|(expr, operand)| {
            let operand = operand?;
            if self.version.is_es_100() && self.contains_array(ty) {
                return Err(self.fail(Code::E0406, self.span_of(expr), "arrays cannot be initialized in GLSL ES 1.00"));
            }
            self.value_as(operand, ty, self.span_of(expr), "the initializer")
        });
        let var = self.local(name, ty, q);
        let access = if is_query { self.query_access(ty) } else { Access::ReadWrite };
        self.declare_name(name, Entity::Variable { address: var.into(), ty, access }, true);
        if is_open {
            self.note_open_array(name);
        }
        match value {
            None if is_query => {}
            None => self.note_unwritten(var, name.span),
            Some(Ok(value)) => self.initialize(var, value, declarator.span),
            Some(Err(Reported)) => {}
        }
        Ok(())
    }

    /// A new local variable, declared where we are.
    fn local(&mut self, name: Name, ty: Type, q: &Qualifiers) -> Var {
        let precision = self.precision_for(ty, self.written_precision(q), name.span);
        let ir_name = IrName::temporary(self.text(name.symbol));
        let ir_type = self.ir_type(ty);
        let var = self.b.module.add_var(ir_name, ir_type, AddressSpace::Function);
        let data = &mut self.b.module.vars[var];
        data.precision = precision;
        data.span = name.span;
        if q.precise.is_some() {
            data.decorations.add(Decoration::Precise);
        }
        if q.memory.iter().any(|(decoration, _)| *decoration == Decoration::NonUniform) {
            data.decorations.add(Decoration::NonUniform);
        }
        match self.frame.declare_in {
            Some(block) => self.b.block_mut(block).variables.push(var),
            None => self.b.declare(var),
        }
        var
    }

    /// The initial value of a local variable: part of its declaration if constant.
    fn initialize(&mut self, var: Var, value: Value, span: Span) {
        match value.as_const() {
            Some(c) if self.frame.declare_in.is_none() => self.b.module.vars[var].initializer = Some(c),
            _ => {
                self.b.at(span);
                self.store(var.into(), value);
            }
        }
    }
}

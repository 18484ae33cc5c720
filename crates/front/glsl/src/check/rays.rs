//! Ray tracing: memory that its shaders pass to each other, acceleration structures, and what ends a shader (`GL_EXT_ray_tracing`,
//! `GL_EXT_ray_query`).

use planish_ir::decoration::{Decoration, Decorations, Name as IrName, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type, Value, Var};
use planish_ir::function::{Exit, TrapKind};
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};

use super::constructors::Operands;
use super::layouts::{self, Key};
use super::names::{Access, Entity};
use super::operand::Operand;
use super::qualifiers::Qualifiers;
use super::vertices::stage_words;
use super::{Checked, Checker};
use crate::ast::*;
use crate::builtins::list;
use crate::device::{self, Instruction, Last, class};

/// Memory that was declared, and its location.
pub(super) struct PassedMemory {
    passed: Passed,
    location: Option<u32>,
    var: Var,
    span: Span,
}

/// The stages that have memory of a kind, and its storage class.
fn facts(passed: Passed) -> (&'static [Stage], u32) {
    use Stage as S;
    match passed {
        Passed::RayPayload => (&[S::RayGeneration, S::ClosestHit, S::Miss], class::RAY_PAYLOAD),
        Passed::RayPayloadIn => (&[S::AnyHit, S::ClosestHit, S::Miss], class::INCOMING_RAY_PAYLOAD),
        Passed::HitAttribute => (&[S::Intersection, S::AnyHit, S::ClosestHit], class::HIT_ATTRIBUTE),
        Passed::CallableData => (&[S::RayGeneration, S::ClosestHit, S::Miss, S::Callable], class::CALLABLE_DATA),
        Passed::CallableDataIn => (&[S::Callable], class::INCOMING_CALLABLE_DATA),
        Passed::TaskPayload => (&[S::Task, S::Mesh], class::TASK_PAYLOAD),
    }
}

/// Whether two kinds share their locations.
fn share_locations(a: Passed, b: Passed) -> bool {
    let is_ray = |passed| matches!(passed, Passed::RayPayload | Passed::RayPayloadIn);
    let is_callable = |passed| matches!(passed, Passed::CallableData | Passed::CallableDataIn);
    is_ray(a) && is_ray(b) || is_callable(a) && is_callable(b)
}

impl Checker<'_, '_> {
    /// Notes what the stage needs.
    pub(super) fn need_stage(&mut self) {
        match self.stage() {
            Stage::Task | Stage::Mesh => device::need(self.b.module, &device::MESHES),
            stage if stage.is_of_spirv() => device::need(self.b.module, &device::RAY_TRACING),
            _ => {}
        }
    }

    // ------------------------------------------------------------------------------------------ memory

    /// Reports memory that the stage does not have.
    pub(super) fn check_passed(&mut self, passed: Passed, span: Span) -> Checked<()> {
        let (stages, _) = facts(passed);
        if stages.contains(&self.stage()) {
            return Ok(());
        }
        let names: Vec<String> = stages.iter().map(|stage| stage.name().replace('_', " ")).collect();
        let message = format!("{} has no `{}`", stage_words(self.stage()), passed.keyword());
        Err(self
            .error(Diagnostic::error(Code::E0401, span, message).note(format!("it is in {} shaders", list(&names)))))
    }

    /// Whether the stage may write such memory.
    pub(super) fn passed_access(&self, passed: Passed) -> Access {
        match passed {
            Passed::HitAttribute if self.stage() != Stage::Intersection => Access::Input,
            Passed::TaskPayload if self.stage() == Stage::Mesh => Access::Input,
            _ => Access::ReadWrite,
        }
    }

    /// `layout(location = 0) rayPayloadEXT vec4 payload;` and the like.
    pub(super) fn passed_variable(
        &mut self,
        declarator: &Declarator,
        ty: Type,
        q: &Qualifiers,
        passed: Passed,
    ) -> Checked<()> {
        let name = declarator.name;
        let what = format!("`{}`", passed.keyword());
        self.check_not_interpolated(q, &what);
        self.check_sized(ty, name.span)?;
        if self.is_opaque(ty) {
            let ty = self.type_name(ty);
            return Err(self.fail(Code::E0405, name.span, format!("{what} cannot hold `{ty}`")));
        }
        if let Some(init) = declarator.init {
            return Err(self.fail(Code::E0406, self.span_of(init), format!("{what} cannot be initialized")));
        }
        let text = IrName::new(self.text(name.symbol), NameSource::Interface);
        let var = self.add_passed(text, ty, q, passed, name.span);
        let access = self.passed_access(passed);
        self.declare_name(name, Entity::Variable { address: var.into(), ty, access }, false);
        Ok(())
    }

    /// The variable of such memory, with its location.
    pub(super) fn add_passed(&mut self, name: IrName, ty: Type, q: &Qualifiers, passed: Passed, span: Span) -> Var {
        let what = format!("`{}`", passed.keyword());
        let has_location = share_locations(passed, passed);
        let places = if has_location { layouts::PASSED } else { 0 };
        let layout = self.layout_decorations(&q.layout, places, &what);
        let (_, class) = facts(passed);
        let location = layout.location();
        let var = self.spirv_variable(name, ty, class, device::by_number(&layout), span);
        let declared = &self.program_facts.passed;
        let same = |one: &&PassedMemory| match passed {
            Passed::HitAttribute | Passed::TaskPayload => one.passed == passed,
            _ => share_locations(one.passed, passed) && location.is_some() && one.location == location,
        };
        if let Some(earlier) = declared.iter().find(same).map(|one| one.span) {
            let message = match location {
                Some(location) => format!("location {location} is taken"),
                None => format!("a second {what}"),
            };
            self.error(Diagnostic::error(Code::E0404, span, message).also(earlier, "by this one"));
        }
        if let (Passed::TaskPayload, Some(call)) = (passed, self.program_facts.tasks) {
            self.error(
                Diagnostic::error(Code::E0401, span, format!("{what} is declared after `EmitMeshTasksEXT` is called"))
                    .also(call, "the call")
                    .help("declare it before"),
            );
        }
        let needs = if passed == Passed::TaskPayload { &device::MESHES } else { &device::RAY_TRACING };
        device::need(self.b.module, needs);
        self.program_facts.passed.push(PassedMemory { passed, location, var, span });
        var
    }

    /// The block of a shader record: reports a second one, and bindings.
    pub(super) fn check_shader_record(&mut self, block: Name, q: &Qualifiers) -> Checked<()> {
        let Some((_, span)) = q.layout.find(Key::ShaderRecord) else { return Ok(()) };
        let is_of_rays = self.stage().is_of_spirv() && !self.stage().has_work_groups();
        let extensions = ["GL_EXT_ray_tracing", "GL_NV_ray_tracing"];
        if !is_of_rays || !extensions.iter().any(|extension| self.has_extension(extension)) {
            return Err(self.fail(Code::E0404, span, "`shaderRecordEXT` is only in shaders of ray tracing"));
        }
        for key in [Key::Binding, Key::Set] {
            if let Some((_, span)) = q.layout.find(key) {
                let message = "a shader record has neither `binding` nor `set`";
                return Err(
                    self.error(Diagnostic::error(Code::E0404, span, message).note("it is in the table of shaders"))
                );
            }
        }
        if let Some(earlier) = self.program_facts.shader_record.replace(block.span) {
            let message = "a second block is a shader record";
            return Err(self.error(
                Diagnostic::error(Code::E0404, span, message)
                    .also(earlier, "the first one")
                    .help("put the members into one block"),
            ));
        }
        device::need(self.b.module, &device::RAY_TRACING);
        Ok(())
    }

    /// The last arguments of a call that SPIR-V has in another form.
    pub(super) fn device_arguments(
        &mut self,
        instruction: &Instruction,
        values: &mut smallvec::SmallVec<[Value; 8]>,
        span: Span,
    ) -> Checked<()> {
        match instruction.last {
            Last::Plain if instruction.is_of_streams() => {
                let bits =
                    values.first().and_then(|value| value.as_const()).and_then(|c| self.b.module.consts.as_bits(c));
                self.check_stream(bits.map_or(0, |bits| bits as u32), false, span);
            }
            Last::Plain => {}
            Last::Number => {
                let last = values.pop();
                let is_true = last == Some(Const::TRUE.into());
                values.push(self.b.u32(is_true.into()));
            }
            Last::Payload | Last::Callable => {
                let kind = if instruction.last == Last::Payload { Passed::RayPayload } else { Passed::CallableData };
                let bits = values.pop().and_then(Value::as_const).and_then(|c| self.b.module.consts.as_bits(c));
                let location = bits.map(|bits| bits as u32);
                let found = self.program_facts.passed.iter().find(|one| {
                    share_locations(one.passed, kind) && (one.location, location) == (location, one.location)
                });
                let Some(var) = found.map(|one| one.var) else {
                    let word = kind.keyword();
                    let number = location.unwrap_or(0) as i32;
                    return Err(self.error(
                        Diagnostic::error(Code::E0303, span, format!("no `{word}` has the location {number}"))
                            .help(format!("declare `layout(location = {number}) {word} …;` before")),
                    ));
                };
                values.push(var.into());
            }
            Last::Positions => {
                let (out, number) = (values.pop(), values.pop());
                values.push(self.b.u32((number == Some(Const::TRUE.into())).into()));
                values.extend(out);
            }
            Last::Task => {
                self.program_facts.tasks.get_or_insert(span);
                let payload = self.program_facts.passed.iter().find(|one| one.passed == Passed::TaskPayload);
                values.extend(payload.map(|one| Value::from(one.var)));
            }
        }
        Ok(())
    }

    // ------------------------------------------------------------------------------------------ what ends a shader

    /// `ignoreIntersectionEXT;`, `terminateRayEXT;`
    pub(super) fn end_ray(&mut self, instruction: &Instruction, word: &str, span: Span) {
        self.b.at(span);
        if self.stage() != Stage::AnyHit {
            self.fail(Code::E0314, span, format!("`{word}` is only in any hit shaders"));
            return;
        }
        device::emit(&mut self.b, instruction, &[], Type::VOID);
        self.end_shader();
    }

    /// Ends the block after an instruction that ends the shader.
    pub(super) fn end_shader(&mut self) {
        self.b.exit(Exit::Trap(TrapKind::Unreachable));
        self.leave();
    }

    // ------------------------------------------------------------------------------------------ ray queries

    /// Whether a variable is a ray query, or an array of such. Reports an initializer.
    pub(super) fn is_query_variable(&mut self, declarator: &Declarator, ty: Type) -> Checked<bool> {
        if !device::is_ray_query(&self.b.module.types, ty) {
            return Ok(false);
        }
        device::need(self.b.module, &device::RAY_QUERY);
        let Some(init) = declarator.init else { return Ok(true) };
        Err(self.error(
            Diagnostic::error(Code::E0406, self.span_of(init), "a ray query cannot be initialized")
                .help("call `rayQueryInitializeEXT`"),
        ))
    }

    /// Whether a variable is a ray query or an acceleration structure.
    pub(super) fn is_of_device(&self, entity: Entity) -> bool {
        matches!(entity, Entity::Variable { ty, .. } if device::is_device_type(&self.b.module.types, ty))
    }

    /// Whether a name is a shader record, or a member of one.
    pub(super) fn is_shader_record(&self, entity: Entity) -> bool {
        let (Entity::Variable { address, .. } | Entity::Member { block: address, .. }) = entity else { return false };
        let record = Decoration::StorageClass(class::SHADER_RECORD);
        address.as_var().is_some_and(|var| self.b.module.vars[var].decorations.has(record))
    }

    /// Whether a variable can be written: ray queries and arrays of such have no value.
    pub(super) fn query_access(&self, ty: Type) -> Access {
        let (element, _) = self.element_type(ty);
        if matches!(self.kind(element), TypeKind::Spirv(_)) { Access::Opaque } else { Access::ReadWrite }
    }

    // ------------------------------------------------------------------------------------------ acceleration structures

    /// `uniform accelerationStructureEXT scene;`
    pub(super) fn acceleration_structures(&mut self, declarator: &Declarator, ty: Type, q: &Qualifiers) -> Checked<()> {
        let name = declarator.name;
        let (element, _) = self.element_type(ty);
        if !matches!(self.kind(element), TypeKind::Spirv(_)) || device::is_ray_query(&self.b.module.types, ty) {
            let ty = self.type_name(ty);
            return Err(self.fail(Code::E0405, name.span, format!("a uniform cannot be `{ty}`")));
        }
        if matches!(*self.kind(ty), TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } if self.is_array(element))
        {
            let message = "arrays of arrays of acceleration structures are not supported";
            return Err(self.error(
                Diagnostic::error(Code::E0508, name.span, message).help("declare one array, and compute its index"),
            ));
        }
        if let Some(init) = declarator.init {
            return Err(self.error(
                Diagnostic::error(Code::E0406, self.span_of(init), "a uniform cannot be initialized")
                    .note("its value comes from outside"),
            ));
        }
        if !self.has_extension(super::arrays::OPEN_ARRAYS) {
            self.check_sized(ty, name.span)?;
        }
        let layout = self.layout_decorations(&q.layout, layouts::OPAQUE, "an acceleration structure");
        let mut decorations: Decorations = q.decorations().iter().chain(layout.iter()).collect();
        if layout.binding().is_none() {
            let message = "an acceleration structure needs a binding";
            return Err(self.error(
                Diagnostic::error(Code::E0404, name.span, message).help("write `layout(set = 0, binding = …)` before"),
            ));
        }
        if layout.set().is_none() {
            decorations.add(Decoration::Set(0));
        }
        let feature = self.ray_feature();
        device::need(self.b.module, feature);
        if self.is_unsized(ty) {
            device::need(self.b.module, &device::OPEN_ARRAYS);
        }
        let text = IrName::new(self.text(name.symbol), NameSource::Interface);
        let decorations = device::by_number(&decorations);
        let var = self.spirv_variable(text, ty, class::UNIFORM_CONSTANT, decorations, name.span);
        self.declare_name(name, Entity::Variable { address: var.into(), ty, access: Access::Opaque }, false);
        Ok(())
    }

    /// The feature that has acceleration structures: ray tracing in its stages, or else ray queries.
    fn ray_feature(&self) -> &'static device::Feature {
        let is_of_rays = self.stage().is_of_spirv() && !self.stage().has_work_groups();
        if is_of_rays || !self.has_extension("GL_EXT_ray_query") { &device::RAY_TRACING } else { &device::RAY_QUERY }
    }

    /// `accelerationStructureEXT(address)`, from a `uint64_t` or `uvec2`.
    pub(super) fn construct_acceleration_structure(
        &mut self,
        ty: Type,
        operands: &Operands,
        span: Span,
    ) -> Checked<Operand> {
        let &[operand] = &operands[..] else {
            return Err(self.fail(Code::E0305, span, "an acceleration structure is made of one address"));
        };
        let fits = operand.ty == Type::UVEC2 || matches!(self.kind(operand.ty), TypeKind::Scalar(Scalar::U64));
        if !fits {
            let name = self.type_name(operand.ty);
            return Err(self.error(
                Diagnostic::error(Code::E0305, span, format!("no acceleration structure is made of `{name}`"))
                    .note("its address is a `uvec2` or a `uint64_t`"),
            ));
        }
        let operand = self.loaded_checked(operand, span)?;
        self.b.at(span);
        let instruction = device::to_acceleration_structure(self.ray_feature());
        let value = device::emit(&mut self.b, &instruction, &[operand.value], ty);
        value.map(|value| Operand::value(value, ty)).ok_or(super::Reported)
    }

    /// `layout(primitive_culling);`
    pub(super) fn primitive_culling(&mut self, span: Span) {
        let extension = "GL_EXT_ray_flags_primitive_culling";
        if !self.has_extension(extension) {
            self.error(
                Diagnostic::error(Code::E0404, span, format!("`primitive_culling` needs the extension `{extension}`"))
                    .help(format!("begin with `#extension {extension} : require`")),
            );
            return;
        }
        device::need(self.b.module, &device::PRIMITIVE_CULLING);
    }
}

//! Entry points: arguments into private variables, the call of `main`, private variables into the result.

use naga::{BinaryOperator as Bin, Binding, Expression, Handle, Statement};
use planish_ir::arena::Id;
use planish_ir::decoration::{BuiltIn, Decoration, Interpolation, Sampling};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::module::{DepthLayout, EntryPoint, Stage};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use planish_ir::walk;

use crate::Target;
use crate::function::{Ex, FunctionLowering};
use crate::module::{Context, naga_span};
use crate::overrides::Override;
use crate::types::{Res, fail, scalar};
use planish_interface::Reach;
use planish_interface::Varying;

/// One part of the entry point's result.
struct Output {
    name: String,
    ty: Handle<naga::Type>,
    binding: Binding,
    value: Ex,
}

impl Context<'_> {
    /// Makes an entry point.
    pub(crate) fn entry_point(&mut self, entry: &EntryPoint) -> Res<()> {
        let module = self.module;
        let span = module.funcs[entry.func].span;
        let Some(stage) = entry.stage else { return fail(Code::E0601, span, "an entry point without a stage") };
        let Some(main) = self.funcs[entry.func.index()].clone() else { return Ok(()) };
        let Some(body) = &module.funcs[entry.func].body else { return Ok(()) };
        let mut inputs = self.plan.inputs.clone();
        let mut outputs = self.plan.outputs.clone();
        // A stage that shares its module with others has the variables that it reaches; one that is alone has all that
        // it declares.
        if module.entry_points.len() > 1 {
            let reach = Reach::from_roots(module, vec![entry.func])?;
            inputs.retain(|v| reach.vars[v.var.index()]);
            outputs.retain(|v| reach.vars[v.var.index()]);
        }
        let sizes = self.work_group_sizes(entry)?;
        let early_depth_test = self.early_depth_test(entry, &outputs, span);
        let function = naga::Function { name: Some("main".into()), ..naga::Function::default() };
        let mut f = FunctionLowering::new(self, body, function, vec![], None);
        f.span = span;
        for (var, init) in f.cx.late_initializers.clone() {
            let place = f.var(var)?;
            let value = f.constant(init)?;
            f.store(&place, value)?;
        }
        for input in inputs.iter().filter(|i| i.used) {
            f.input(stage, entry, input)?;
        }
        f.push(Statement::Call { function: main.handle, arguments: vec![], result: None });
        let mut results = vec![];
        for output in &outputs {
            f.output(stage, output, &mut results)?;
        }
        f.finish_outputs(stage, results)?;
        f.flush();
        let mut function = f.fun;
        function.body = std::mem::take(&mut f.block);
        let workgroup_size = match stage {
            Stage::Compute => entry.properties.local_size.unwrap_or([1; 3]),
            _ => [0; 3],
        };
        let mut by_override = |by: Override| {
            let expression = Expression::Override(by.handle);
            self.types.naga.global_expressions.append(expression, naga_span(span))
        };
        let overrides = sizes.map(|(_, by)| by.map(&mut by_override));
        self.types.naga.entry_points.push(naga::EntryPoint {
            name: entry.names.first().map_or("main", |n| n).to_string(),
            stage: match stage {
                Stage::Vertex => naga::ShaderStage::Vertex,
                Stage::Fragment => naga::ShaderStage::Fragment,
                _ => naga::ShaderStage::Compute,
            },
            early_depth_test,
            workgroup_size,
            workgroup_size_overrides: overrides.iter().any(Option::is_some).then_some(overrides),
            function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        Ok(())
    }

    fn early_depth_test(
        &mut self,
        entry: &EntryPoint,
        outputs: &[Varying],
        span: Span,
    ) -> Option<naga::EarlyDepthTest> {
        use naga::ConservativeDepth as Depth;
        let wgsl = self.options.target == Target::Wgsl;
        if entry.properties.early_fragment_tests {
            if !wgsl {
                return Some(naga::EarlyDepthTest::Force);
            }
            let message = "WGSL has no `early_fragment_tests`; the depth test may run after the shader";
            self.warnings.push(Diagnostic::warning(Code::W0151, span, message));
        }
        let writes = outputs.iter().any(|o| o.used && o.builtin == Some(BuiltIn::FragDepth));
        let conservative = match entry.properties.depth {
            Some(DepthLayout::Greater) => Depth::GreaterEqual,
            Some(DepthLayout::Less) => Depth::LessEqual,
            Some(DepthLayout::Unchanged) => Depth::Unchanged,
            Some(DepthLayout::Any) | None => return None,
        };
        (writes && !wgsl).then_some(naga::EarlyDepthTest::Allow { conservative })
    }
}

/// The built-in of naga, and the type it has there.
fn builtin_input(builtin: BuiltIn) -> Option<(naga::BuiltIn, Scalar, u8)> {
    use naga::BuiltIn as B;
    Some(match builtin {
        BuiltIn::VertexId | BuiltIn::VertexIndex => (B::VertexIndex, Scalar::U32, 1),
        BuiltIn::InstanceId | BuiltIn::InstanceIndex => (B::InstanceIndex, Scalar::U32, 1),
        BuiltIn::BaseVertex => (B::BaseVertex, Scalar::U32, 1),
        BuiltIn::BaseInstance => (B::BaseInstance, Scalar::U32, 1),
        BuiltIn::ViewId => (B::ViewIndex, Scalar::U32, 1),
        BuiltIn::FragCoord => (B::Position { invariant: false }, Scalar::F32, 4),
        BuiltIn::FrontFacing => (B::FrontFacing, Scalar::Bool, 1),
        BuiltIn::PointCoord => (B::PointCoord, Scalar::F32, 2),
        BuiltIn::SampleId => (B::SampleIndex, Scalar::U32, 1),
        BuiltIn::SampleMaskIn => (B::SampleMask, Scalar::U32, 1),
        BuiltIn::PrimitiveId => (B::PrimitiveIndex, Scalar::U32, 1),
        BuiltIn::NumWorkGroups => (B::NumWorkGroups, Scalar::U32, 3),
        BuiltIn::WorkGroupId => (B::WorkGroupId, Scalar::U32, 3),
        BuiltIn::LocalInvocationId => (B::LocalInvocationId, Scalar::U32, 3),
        BuiltIn::GlobalInvocationId => (B::GlobalInvocationId, Scalar::U32, 3),
        BuiltIn::LocalInvocationIndex => (B::LocalInvocationIndex, Scalar::U32, 1),
        _ => return None,
    })
}

/// Whether a target's naga writer has a built-in input.
fn target_has(target: Target, builtin: BuiltIn) -> bool {
    match builtin {
        BuiltIn::PointCoord => target == Target::Spirv,
        BuiltIn::BaseVertex | BuiltIn::BaseInstance => target != Target::Wgsl,
        _ => true,
    }
}

impl FunctionLowering<'_, '_> {
    fn no_builtin<T>(&self, var: Var, builtin: BuiltIn, stage: Stage) -> Res<T> {
        let span = self.cx.module.vars[var].span;
        let span = if span.is_none() { self.first_use(var) } else { span };
        let name = builtin.glsl_name();
        let message = format!("{} has no `{name}` in the {} stage", self.cx.target(), stage.name());
        fail(Code::E0603, span, message)
    }

    /// Source location of the first use of a variable, for those without a declaration; [`Span::NONE`] if there is
    /// none.
    fn first_use(&self, var: Var) -> Span {
        let module = self.cx.module;
        for &func in &self.cx.reach.funcs {
            let Some(body) = &module.funcs[func].body else { continue };
            for block in walk::blocks(body) {
                for &node in &body.blocks[block].nodes {
                    if body.args(node).iter().any(|a| a.as_var() == Some(var)) {
                        return body.node(node).span;
                    }
                }
            }
        }
        Span::NONE
    }

    fn add_argument(&mut self, name: &str, ty: Handle<naga::Type>, binding: Binding) -> Ex {
        let argument = naga::FunctionArgument { name: Some(name.to_string()), ty, binding: Some(binding) };
        self.fun.arguments.push(argument);
        let index = self.fun.arguments.len() as u32 - 1;
        self.argument(index)
    }

    /// The memory of a varying: its variable, or a member of it.
    fn varying_place(&mut self, v: &Varying) -> Res<crate::memory::Place> {
        let place = self.var(v.var)?;
        match v.member {
            Some(member) => self.access_field(&place, self.cx.module.vars[v.var].ty, member),
            None => Ok(place),
        }
    }

    fn input(&mut self, stage: Stage, entry: &EntryPoint, v: &Varying) -> Res<()> {
        let place = self.varying_place(v)?;
        let value = match v.builtin {
            Some(builtin) => self.input_builtin(stage, entry, v, builtin)?,
            None => {
                let mut location = v.location.unwrap_or(0);
                self.input_value(stage, v, &v.name, v.ty, &mut location)?
            }
        };
        self.store(&place, value)
    }

    fn input_builtin(&mut self, stage: Stage, entry: &EntryPoint, v: &Varying, builtin: BuiltIn) -> Res<Ex> {
        if builtin == BuiltIn::WorkGroupSize {
            let mut parts = vec![];
            for (n, by) in self.cx.work_group_sizes(entry)? {
                parts.push(match by {
                    Some(by) => {
                        let value = self.pre(Expression::Override(by.handle));
                        if by.scalar == Scalar::U32 { value } else { self.convert(value, Scalar::U32) }
                    }
                    None => self.u32(n),
                });
            }
            return self.compose(v.ty, parts);
        }
        let Some((naga, s, n)) = builtin_input(builtin) else { return self.no_builtin(v.var, builtin, stage) };
        if !target_has(self.cx.options.target, builtin) {
            if builtin == BuiltIn::PointCoord && self.cx.options.point_coord_is_centre {
                let message = format!("{} has no `gl_PointCoord`: it is the middle of the point", self.cx.target());
                let span = self.first_use(v.var);
                self.cx.warnings.push(Diagnostic::warning(Code::W0152, span, message));
                let half = self.f32(0.5);
                return Ok(self.splat(half, 2));
            }
            return self.no_builtin(v.var, builtin, stage);
        }
        let ty = self.cx.types.vector(scalar(s), n);
        let argument = self.add_argument(&v.name, ty, Binding::BuiltIn(naga));
        let (element, array) = match self.kind(v.ty) {
            TypeKind::Array { element, .. } => (element, true),
            _ => (v.ty, false),
        };
        let wanted = self.shape(element).0;
        let value = if wanted == s { argument } else { self.convert(argument, wanted) };
        if array { self.compose(v.ty, vec![value]) } else { Ok(value) }
    }

    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn input_value(&mut self, stage: Stage, v: &Varying, name: &str, ty: Type, location: &mut u32) -> Res<Ex> {
        let parts: Vec<(String, Type)> = match self.kind(ty) {
            TypeKind::Scalar(_) | TypeKind::Vector(..) => {
                let binding = self.location(stage, true, v, ty, *location)?;
                *location += 1;
                let ty = self.cx.types.value(ty, self.span)?;
                return Ok(self.add_argument(name, ty, binding));
            }
            TypeKind::Matrix { scalar, columns, rows } => {
                let column = self.cx.types.ir.vector(scalar, rows);
                (0..columns).map(|i| (format!("{name}_{i}"), column)).collect()
            }
            TypeKind::Array { element, len } => (0..len).map(|i| (format!("{name}_{i}"), element)).collect(),
            TypeKind::Struct(s) => s.members.iter().map(|m| (format!("{name}_{}", m.name), m.ty)).collect(),
            _ => return self.no_varying(v),
        };
        let mut values = vec![];
        for (name, part) in parts {
            values.push(self.input_value(stage, v, &name, part, location)?);
        }
        self.compose(ty, values)
    }

    fn no_varying<T>(&self, v: &Varying) -> Res<T> {
        let span = self.cx.module.vars[v.var].span;
        let message = format!("{} cannot pass `{}` between stages", self.cx.target(), v.name);
        fail(Code::E0609, span, message)
    }

    /// The binding of one location.
    fn location(&self, stage: Stage, input: bool, v: &Varying, ty: Type, location: u32) -> Res<Binding> {
        let (s, _) = self.shape(ty);
        let span = self.cx.module.vars[v.var].span;
        if s == Scalar::Bool || s.bits() == 64 {
            return self.no_varying(v);
        }
        let component = v.decorations.find(|d| if let Decoration::Component(n) = d { Some(n) } else { None });
        if component.is_some_and(|n| n != 0) || v.decorations.has(Decoration::Patch) {
            let message = format!("{} gives each location to one variable", self.cx.target());
            return fail(Code::E0609, span, message);
        }
        let interpolated = matches!((stage, input), (Stage::Vertex, false) | (Stage::Fragment, true));
        let (mut interpolation, mut sampling) = (None, None);
        if interpolated {
            let wanted = v.decorations.interpolation();
            interpolation = Some(match wanted {
                _ if !s.is_float() => naga::Interpolation::Flat,
                Some(Interpolation::Flat) => naga::Interpolation::Flat,
                Some(Interpolation::NoPerspective) => naga::Interpolation::Linear,
                Some(Interpolation::PerVertex) => {
                    let message = format!("{} has no inputs with a value for each vertex", self.cx.target());
                    return fail(Code::E0609, span, message);
                }
                Some(Interpolation::Smooth) | None => naga::Interpolation::Perspective,
            });
            if interpolation != Some(naga::Interpolation::Flat) {
                let wanted = v.decorations.find(|d| if let Decoration::Sampling(s) = d { Some(s) } else { None });
                sampling = Some(match wanted {
                    Some(Sampling::Centroid) => naga::Sampling::Centroid,
                    Some(Sampling::Sample) => naga::Sampling::Sample,
                    None => naga::Sampling::Center,
                });
            }
        }
        let blend_src = self.blend_source(v);
        Ok(Binding::Location { location, interpolation, sampling, blend_src, per_primitive: false })
    }

    /// With dual-source blending every output names its source.
    fn blend_source(&self, v: &Varying) -> Option<u32> {
        let index = |v: &Varying| v.decorations.find(|d| if let Decoration::Index(n) = d { Some(n) } else { None });
        let dual = self.cx.plan.outputs.iter().any(|o| index(o).is_some_and(|n| n > 0));
        let is_output = self.cx.plan.outputs.iter().any(|o| o.var == v.var);
        (dual && is_output).then(|| index(v).unwrap_or(0))
    }

    fn output(&mut self, stage: Stage, v: &Varying, results: &mut Vec<Output>) -> Res<()> {
        // Outputs of a vertex shader must exist for the fragment shader's inputs, written or not.
        let needed = v.used || (stage == Stage::Vertex && v.builtin.is_none());
        if !needed {
            return Ok(());
        }
        if !v.used {
            return self.unused_output(v, results);
        }
        match v.builtin {
            None => {
                let place = self.varying_place(v)?;
                let value = self.load(&place)?;
                let mut location = v.location.unwrap_or(0);
                self.output_value(stage, v, &v.name, v.ty, value, &mut location, results)
            }
            Some(BuiltIn::FragColor) => {
                let place = self.varying_place(v)?;
                let value = self.load(&place)?;
                self.output_value(stage, v, &v.name, v.ty, value, &mut 0, results)
            }
            Some(BuiltIn::FragData) => {
                let place = self.varying_place(v)?;
                let TypeKind::Array { element, len } = self.kind(v.ty) else { return self.no_varying(v) };
                let mut location = 0;
                for i in 0..self.cx.reach.used_elements(self.cx.module, v.var, len) {
                    let part = self.access_part(&place, v.ty, crate::memory::Index::Const(i))?;
                    let value = self.load(&part)?;
                    let name = format!("{}_{i}", v.name);
                    self.output_value(stage, v, &name, element, value, &mut location, results)?;
                }
                Ok(())
            }
            Some(builtin) => self.output_builtin(stage, v, builtin, results),
        }
    }

    /// Zeros for a vertex output that nothing writes.
    fn unused_output(&mut self, v: &Varying, results: &mut Vec<Output>) -> Res<()> {
        let ty = self.cx.types.value(v.ty, self.span)?;
        let zero = self.pre(Expression::ZeroValue(ty));
        let mut location = v.location.unwrap_or(0);
        self.output_value(Stage::Vertex, v, &v.name, v.ty, zero, &mut location, results)
    }

    fn output_builtin(&mut self, stage: Stage, v: &Varying, builtin: BuiltIn, results: &mut Vec<Output>) -> Res<()> {
        let target = self.cx.options.target;
        let naga = match builtin {
            BuiltIn::Position => naga::BuiltIn::Position { invariant: v.decorations.has(Decoration::Invariant) },
            BuiltIn::PointSize if target == Target::Spirv => naga::BuiltIn::PointSize,
            BuiltIn::PointSize => {
                let message = format!("{} has no point size: `gl_PointSize` has no effect", target.name());
                let span = self.first_use(v.var);
                self.cx.warnings.push(Diagnostic::warning(Code::W0151, span, message));
                return Ok(());
            }
            BuiltIn::ClipDistance => naga::BuiltIn::ClipDistances,
            BuiltIn::CullDistance if target == Target::Spirv => naga::BuiltIn::CullDistance,
            BuiltIn::FragDepth => naga::BuiltIn::FragDepth,
            BuiltIn::SampleMask => naga::BuiltIn::SampleMask,
            _ => return self.no_builtin(v.var, builtin, stage),
        };
        let place = self.varying_place(v)?;
        let mut value = self.load(&place)?;
        let mut ty = self.cx.types.value(v.ty, self.span)?;
        if builtin == BuiltIn::SampleMask {
            value = self.access_index(value, 0);
            value = self.as_u32(value);
            ty = self.cx.types.vector(naga::Scalar::U32, 1);
        }
        if builtin == BuiltIn::Position {
            value = self.adjust(value)?;
        }
        results.push(Output { name: v.name.to_string(), ty, binding: Binding::BuiltIn(naga), value });
        Ok(())
    }

    /// The options' changes to the position.
    fn adjust(&mut self, position: Ex) -> Res<Ex> {
        let (flip, depth) = (self.cx.options.flip_y, self.cx.options.adjust_depth);
        if !flip && !depth {
            return Ok(position);
        }
        let mut c: Vec<Ex> = (0..4).map(|i| self.access_index(position, i)).collect();
        if flip {
            c[1] = self.unary(naga::UnaryOperator::Negate, c[1]);
        }
        if depth {
            let sum = self.binary(Bin::Add, c[2], c[3]);
            let half = self.f32(0.5);
            c[2] = self.binary(Bin::Multiply, sum, half);
        }
        self.compose(Type::VEC4, c)
    }

    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn output_value(
        &mut self,
        stage: Stage,
        v: &Varying,
        name: &str,
        ty: Type,
        value: Ex,
        location: &mut u32,
        results: &mut Vec<Output>,
    ) -> Res<()> {
        let parts: Vec<(String, Type)> = match self.kind(ty) {
            TypeKind::Scalar(_) | TypeKind::Vector(..) => {
                let binding = self.location(stage, false, v, ty, *location)?;
                *location += 1;
                let ty = self.cx.types.value(ty, self.span)?;
                results.push(Output { name: name.to_string(), ty, binding, value });
                return Ok(());
            }
            TypeKind::Matrix { scalar, columns, rows } => {
                let column = self.cx.types.ir.vector(scalar, rows);
                (0..columns).map(|i| (format!("{name}_{i}"), column)).collect()
            }
            TypeKind::Array { element, len } => (0..len).map(|i| (format!("{name}_{i}"), element)).collect(),
            TypeKind::Struct(s) => s.members.iter().map(|m| (format!("{name}_{}", m.name), m.ty)).collect(),
            _ => return self.no_varying(v),
        };
        for (i, (name, part)) in parts.into_iter().enumerate() {
            let value = self.access_index(value, i as u32);
            self.output_value(stage, v, &name, part, value, location, results)?;
        }
        Ok(())
    }

    /// The return statement and the result type.
    fn finish_outputs(&mut self, stage: Stage, mut results: Vec<Output>) -> Res<()> {
        let is_position = |o: &Output| matches!(o.binding, Binding::BuiltIn(naga::BuiltIn::Position { .. }));
        if stage == Stage::Vertex && !results.iter().any(is_position) {
            let ty = self.cx.types.vector(naga::Scalar::F32, 4);
            let value = self.pre(Expression::ZeroValue(ty));
            let binding = Binding::BuiltIn(naga::BuiltIn::Position { invariant: false });
            results.insert(0, Output { name: "gl_Position".into(), ty, binding, value });
        }
        let dual = |o: &Output| matches!(o.binding, Binding::Location { blend_src: Some(_), .. });
        match &results[..] {
            [] => self.push(Statement::Return { value: None }),
            [one] if !dual(one) => {
                let (ty, binding, value) = (one.ty, one.binding.clone(), one.value);
                self.fun.result = Some(naga::FunctionResult { ty, binding: Some(binding) });
                self.push(Statement::Return { value: Some(value) });
            }
            _ => {
                let (mut offset, mut align, mut members, mut components) = (0u32, 1, vec![], vec![]);
                for o in results {
                    let (size, a) = self.cx.types.size_align(o.ty);
                    offset = offset.next_multiple_of(a);
                    let member = naga::StructMember { name: Some(o.name), ty: o.ty, binding: Some(o.binding), offset };
                    members.push(member);
                    components.push(o.value);
                    (offset, align) = (offset + size, align.max(a));
                }
                let name = if stage == Stage::Vertex { "VertexOutput" } else { "FragmentOutput" };
                let inner = naga::TypeInner::Struct { members, span: offset.next_multiple_of(align) };
                let ty = self.cx.types.insert(Some(name.into()), inner);
                let value = self.add(Expression::Compose { ty, components });
                self.fun.result = Some(naga::FunctionResult { ty, binding: None });
                self.push(Statement::Return { value: Some(value) });
            }
        }
        Ok(())
    }
}

//! Entry points: interface, execution modes, and the code before and after `main`.

use planish_interface::Reach;
use planish_ir::decoration::BuiltIn;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::module::{
    DepthLayout, DerivativeGroup, EntryPoint, Interlock, Language, Primitive, Spacing, Stage, StageProperties, Winding,
};
use planish_ir::spirv::SpirvMode;
use planish_ir::types::{AddressSpace, Scalar};
use spirv::{Capability, Decoration, ExecutionMode as Mode, ExecutionModel, MemorySemantics, Op, Scope, StorageClass};

use crate::Version;
use crate::assemble::{Id, Words};
use crate::function::FunctionWriter;
use crate::module::{Context, at};
use crate::places::Chain;
use crate::types::{Res, fail};

/// Work of an entry point before it returns.
#[derive(Clone, Copy, Default)]
pub(crate) struct Epilogue {
    /// The variable (and member) with the position, if it is changed.
    position: Option<(Var, Option<u32>)>,
}

impl Epilogue {
    pub(crate) fn of(cx: &Context<'_>, entry: &EntryPoint) -> Self {
        let wanted = (cx.options.flip_y || cx.options.adjust_depth) && entry.stage == Some(Stage::Vertex);
        let position = cx.plan.outputs.iter().find(|v| v.used && v.builtin == Some(BuiltIn::Position));
        Epilogue { position: position.filter(|_| wanted).map(|v| (v.var, v.member)) }
    }
}

impl Context<'_> {
    /// Writes an entry point. `wrapped`: its function is also called, so that another calls it.
    pub(crate) fn entry_point(&mut self, entry: &EntryPoint, wrapped: bool) -> Res<()> {
        let span = self.module.funcs[entry.func].span;
        let Some(main) = self.funcs[at(entry.func)].as_ref().map(|f| f.id) else {
            return Ok(());
        };
        let id = if wrapped { self.wrapper(entry, main)? } else { main };
        let model = match entry.stage {
            Some(Stage::Vertex) => ExecutionModel::Vertex,
            Some(Stage::TessellationControl) => ExecutionModel::TessellationControl,
            Some(Stage::TessellationEvaluation) => ExecutionModel::TessellationEvaluation,
            Some(Stage::Geometry) => ExecutionModel::Geometry,
            Some(Stage::Fragment) => ExecutionModel::Fragment,
            Some(Stage::Task) => ExecutionModel::TaskEXT,
            Some(Stage::Mesh) => ExecutionModel::MeshEXT,
            Some(Stage::TaskNv) => ExecutionModel::TaskNV,
            Some(Stage::MeshNv) => ExecutionModel::MeshNV,
            Some(Stage::RayGeneration) => ExecutionModel::RayGenerationKHR,
            Some(Stage::Intersection) => ExecutionModel::IntersectionKHR,
            Some(Stage::AnyHit) => ExecutionModel::AnyHitKHR,
            Some(Stage::ClosestHit) => ExecutionModel::ClosestHitKHR,
            Some(Stage::Miss) => ExecutionModel::MissKHR,
            Some(Stage::Callable) => ExecutionModel::CallableKHR,
            Some(Stage::Compute) | None => ExecutionModel::GLCompute,
        };
        let interface = self.interface(entry)?;
        let name = entry.names.first().map_or("main", |n| n);
        self.out.entry_points.op_with_text(Op::EntryPoint, &[model as u32, id], name, &interface);
        // A function that is the entry point of one stage by several names has its modes once.
        let is_first = |e: &&EntryPoint| e.func == entry.func && e.stage == entry.stage;
        let first = self.module.entry_points.iter().find(is_first);
        if wrapped || first.is_none_or(|first| std::ptr::eq(first, entry)) {
            self.modes(entry, id);
        }
        if entry.stage.is_some_and(Stage::has_work_groups)
            && entry.properties.local_size_ids.iter().any(Option::is_some)
        {
            let size = entry.properties.local_size.unwrap_or([1; 3]);
            self.specialized_size(size, entry.properties.local_size_ids)?;
        }
        // A binary that has them is one for OpenGL.
        if entry.properties.pixel_center_integer && self.module.language != Language::Spirv {
            return fail(Code::E0603, span, "Vulkan has no pixel centres at integers (`pixel_center_integer`)");
        }
        Ok(())
    }

    /// The variables that belong to an entry point: before 1.4 its inputs and outputs, then all that it reaches.
    fn interface(&mut self, entry: &EntryPoint) -> Res<Vec<Id>> {
        let reach = Reach::from_roots(self.module, vec![entry.func])?;
        let alone = self.module.entry_points.len() == 1;
        let mut ids = vec![];
        for &var in &self.module.globals {
            let data = &self.module.vars[var];
            let is_io = matches!(data.space, AddressSpace::Input | AddressSpace::Output | AddressSpace::Spirv);
            // Every output that a vertex shader declares is passed on, written or not.
            let passed = alone && data.space == AddressSpace::Output;
            if !reach.vars[at(var)] && !passed {
                continue;
            }
            for &(id, class) in self.var_ids.get(&var).into_iter().flatten() {
                let wanted = match class {
                    StorageClass::Input | StorageClass::Output => is_io,
                    _ => self.since(Version::V1_4),
                };
                if wanted && !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        if entry.stage == Some(Stage::Compute)
            && let Some(id) = self.extra_index
            && !ids.contains(&id)
        {
            ids.push(id);
        }
        Ok(ids)
    }

    fn modes(&mut self, entry: &EntryPoint, id: Id) {
        let p = &entry.properties;
        match entry.stage {
            Some(Stage::Geometry) => self.out.need(Capability::Geometry),
            Some(Stage::TessellationControl | Stage::TessellationEvaluation) => {
                self.out.need(Capability::Tessellation);
            }
            _ => {}
        }
        let mut modes = Words::default();
        let mut mode = |mode: Mode, operands: &[u32]| {
            let mut all = vec![id, mode as u32];
            all.extend_from_slice(operands);
            modes.op(Op::ExecutionMode, &all);
        };
        match entry.stage {
            Some(Stage::Fragment) => {
                if !p.spirv_modes.iter().any(|m| m.mode == Mode::OriginLowerLeft as u32) {
                    mode(Mode::OriginUpperLeft, &[]);
                }
                if p.pixel_center_integer {
                    mode(Mode::PixelCenterInteger, &[]);
                }
                if p.early_fragment_tests {
                    mode(Mode::EarlyFragmentTests, &[]);
                }
                let writes = |b: BuiltIn| self.plan.outputs.iter().any(|o| o.used && o.builtin == Some(b));
                if writes(BuiltIn::FragStencilRef) {
                    mode(Mode::StencilRefReplacingEXT, &[]);
                }
                if writes(BuiltIn::FragDepth) {
                    mode(Mode::DepthReplacing, &[]);
                    match p.depth {
                        Some(DepthLayout::Greater) => mode(Mode::DepthGreater, &[]),
                        Some(DepthLayout::Less) => mode(Mode::DepthLess, &[]),
                        Some(DepthLayout::Unchanged) => mode(Mode::DepthUnchanged, &[]),
                        Some(DepthLayout::Any) | None => {}
                    }
                }
            }
            Some(stage) if stage.has_work_groups() => mode(Mode::LocalSize, &p.local_size.unwrap_or([1; 3])),
            Some(Stage::Geometry) => {
                mode(Mode::Invocations, &[p.invocations.unwrap_or(1)]);
                mode(input_mode(p.input_primitive.unwrap_or(Primitive::Triangles)), &[]);
                mode(
                    match p.output_primitive {
                        Some(Primitive::Points) => Mode::OutputPoints,
                        Some(Primitive::LineStrip) => Mode::OutputLineStrip,
                        _ => Mode::OutputTriangleStrip,
                    },
                    &[],
                );
                mode(Mode::OutputVertices, &[p.max_vertices.unwrap_or(0)]);
            }
            Some(Stage::TessellationControl) => {
                mode(Mode::OutputVertices, &[p.vertices.unwrap_or(1)]);
                tessellator_modes(p).into_iter().for_each(|m| mode(m, &[]));
            }
            Some(Stage::TessellationEvaluation) => {
                tessellator_modes(p).into_iter().for_each(|m| mode(m, &[]));
            }
            _ => {}
        }
        if self.captures && !matches!(entry.stage, Some(Stage::Fragment | Stage::Compute) | None) {
            mode(Mode::Xfb, &[]);
        }
        if let Some(group) = p.derivative_group {
            let (group, capability) = match group {
                DerivativeGroup::Quads => (Mode::DerivativeGroupQuadsNV, Capability::ComputeDerivativeGroupQuadsNV),
                DerivativeGroup::Linear => (Mode::DerivativeGroupLinearNV, Capability::ComputeDerivativeGroupLinearNV),
            };
            mode(group, &[]);
            self.out.need(capability);
            self.out.need_extension("SPV_NV_compute_shader_derivatives");
        }
        let interlock = p.interlock.map(interlock_mode);
        if let Some((interlock, capability)) = interlock {
            mode(interlock, &[]);
            self.out.need(capability);
            self.out.need_extension("SPV_EXT_fragment_shader_interlock");
        }
        for SpirvMode { mode, operands } in &p.spirv_modes {
            let all = [&[id, *mode], &operands[..]].concat();
            modes.op(Op::ExecutionMode, &all);
        }
        self.out.modes.0.extend(modes.0);
    }

    /// A function that only calls another.
    fn wrapper(&mut self, entry: &EntryPoint, main: Id) -> Res<Id> {
        let span = self.module.funcs[entry.func].span;
        let epilogue = Epilogue::of(self, entry);
        let reach = Reach::from_roots(self.module, vec![entry.func])?;
        let is_shared = |v: &&Var| self.module.vars[**v].space == AddressSpace::Workgroup;
        let shared = self.module.globals.iter().filter(is_shared).any(|v| reach.vars[at(*v)]);
        if epilogue.position.is_some() || shared {
            let message = "an entry point that is also called can neither clear shared memory nor change its position";
            return Err(Box::new(Diagnostic::error(Code::E0608, span, message)));
        }
        let void = self.out.plain_type(Op::TypeVoid, &[]);
        let ty = self.out.plain_type(Op::TypeFunction, &[void]);
        let (id, label, call) = (self.out.id(), self.out.id(), self.out.id());
        let mut words = Words::default();
        words.op(Op::Function, &[void, id, 0, ty]);
        words.op(Op::Label, &[label]);
        words.op(Op::FunctionCall, &[void, call, main]);
        words.op(Op::Return, &[]);
        words.op(Op::FunctionEnd, &[]);
        self.out.functions.0.extend(words.0);
        Ok(id)
    }
}

/// The mode of an interlock, and the capability that it needs.
fn interlock_mode(interlock: Interlock) -> (Mode, Capability) {
    use Capability as C;
    match interlock {
        Interlock::PixelOrdered => (Mode::PixelInterlockOrderedEXT, C::FragmentShaderPixelInterlockEXT),
        Interlock::PixelUnordered => (Mode::PixelInterlockUnorderedEXT, C::FragmentShaderPixelInterlockEXT),
        Interlock::SampleOrdered => (Mode::SampleInterlockOrderedEXT, C::FragmentShaderSampleInterlockEXT),
        Interlock::SampleUnordered => (Mode::SampleInterlockUnorderedEXT, C::FragmentShaderSampleInterlockEXT),
        Interlock::ShadingRateOrdered => {
            (Mode::ShadingRateInterlockOrderedEXT, C::FragmentShaderShadingRateInterlockEXT)
        }
        Interlock::ShadingRateUnordered => {
            (Mode::ShadingRateInterlockUnorderedEXT, C::FragmentShaderShadingRateInterlockEXT)
        }
    }
}

/// The mode of the primitives that come in.
fn input_mode(primitive: Primitive) -> Mode {
    match primitive {
        Primitive::Points => Mode::InputPoints,
        Primitive::Lines | Primitive::LineStrip => Mode::InputLines,
        Primitive::LinesAdjacency => Mode::InputLinesAdjacency,
        Primitive::TrianglesAdjacency => Mode::InputTrianglesAdjacency,
        Primitive::Triangles | Primitive::TriangleStrip => Mode::Triangles,
        Primitive::Quads => Mode::Quads,
        Primitive::Isolines => Mode::Isolines,
    }
}

/// Modes that tell the tessellator what to make. The control stage has them where a binary gave them there.
fn tessellator_modes(p: &StageProperties) -> Vec<Mode> {
    let mut modes = vec![];
    modes.extend(p.input_primitive.map(input_mode));
    modes.extend(p.spacing.map(|spacing| match spacing {
        Spacing::Equal => Mode::SpacingEqual,
        Spacing::FractionalEven => Mode::SpacingFractionalEven,
        Spacing::FractionalOdd => Mode::SpacingFractionalOdd,
    }));
    modes.extend(p.winding.map(|winding| match winding {
        Winding::Clockwise => Mode::VertexOrderCw,
        Winding::CounterClockwise => Mode::VertexOrderCcw,
    }));
    modes.extend(p.point_mode.then_some(Mode::PointMode));
    modes
}

impl FunctionWriter<'_, '_> {
    /// Writes the beginning of an entry point: zeros in the memory of the work group, as the IR defines. Stages that only SPIR-V has come from
    /// it, where that memory begins as it is left.
    pub(crate) fn prologue(&mut self, entry: &EntryPoint) -> Res<()> {
        if entry.stage != Some(Stage::Compute) {
            return Ok(());
        }
        let reach = Reach::from_roots(self.cx.module, vec![entry.func])?;
        let module = self.cx.module;
        let shared: Vec<Var> = module
            .globals
            .iter()
            .copied()
            .filter(|&v| module.vars[v].space == AddressSpace::Workgroup)
            .filter(|&v| reach.vars[at(v)])
            .collect();
        if shared.is_empty() {
            return Ok(());
        }
        let index = self.local_invocation_index()?;
        let zero = self.cx.u32(0);
        let is_first = self.op2(Op::IEqual, Type::BOOL, index, zero);
        let (then, merge) = (self.cx.out.id(), self.cx.out.id());
        self.emit_void(Op::SelectionMerge, &[merge, 0]);
        self.end(Op::BranchConditional, &[is_first, then, merge]);
        self.start_block(then);
        for var in shared {
            let null = self.cx.null(module.vars[var].ty, module.vars[var].span)?;
            for (id, _) in self.cx.var_ids.get(&var).cloned().unwrap_or_default() {
                self.emit_void(Op::Store, &[id, null]);
            }
        }
        self.end(Op::Branch, &[merge]);
        self.start_block(merge);
        let scope = self.cx.u32(Scope::Workgroup as u32);
        let semantics = self.barrier_semantics(MemorySemantics::WORKGROUP_MEMORY);
        self.emit_void(Op::ControlBarrier, &[scope, scope, semantics]);
        Ok(())
    }

    fn local_invocation_index(&mut self) -> Res<Id> {
        let known = self.cx.plan.inputs.iter().find(|v| v.builtin == Some(BuiltIn::LocalInvocationIndex) && v.used);
        let known = known.and_then(|v| Some(self.cx.var_ids.get(&v.var)?.first()?.0));
        let variable = match known.or(self.cx.extra_index) {
            Some(id) => id,
            None => {
                let ty = self.cx.scalar_type(Scalar::U32);
                let id = self.cx.out.variable(StorageClass::Input, ty, None);
                let builtin = spirv::BuiltIn::LocalInvocationIndex as u32;
                self.cx.out.decorate(id, Decoration::BuiltIn, &[builtin]);
                id
            }
        };
        self.cx.extra_index = Some(variable);
        let ty = self.cx.scalar_type(Scalar::U32);
        Ok(self.emit(Op::Load, ty, &[variable]))
    }

    /// Writes the end of an entry point: the options' changes to the position.
    pub(crate) fn epilogue(&mut self) -> Res<()> {
        let Some((var, member)) = self.epilogue.position else { return Ok(()) };
        let Some(&(base, class)) = self.cx.var_ids.get(&var).and_then(|ids| ids.first()) else { return Ok(()) };
        let mut chain = Chain::new(base, class, Type::VEC4, None);
        if let Some(member) = member {
            chain.indices.push(self.cx.u32(member));
        }
        let position = self.load_chain(&chain)?;
        let mut c: Vec<Id> = (0..4).map(|i| self.part(position, Type::F32, i)).collect();
        if self.cx.options.flip_y {
            c[1] = self.op1(Op::FNegate, Type::F32, c[1]);
        }
        if self.cx.options.adjust_depth {
            let sum = self.op2(Op::FAdd, Type::F32, c[2], c[3]);
            let half = self.cx.scalar(Scalar::F32, 0.5f32.to_bits().into());
            c[2] = self.op2(Op::FMul, Type::F32, sum, half);
        }
        let changed = self.compose(Type::VEC4, &c);
        self.store_chain(&chain, changed)
    }
}

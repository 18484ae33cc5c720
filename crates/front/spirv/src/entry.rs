//! Entry points and their execution modes.

use planish_ir::entity::Const;
use planish_ir::module::{
    DepthLayout, DerivativeGroup, EntryPoint, Interlock, Module, Primitive, Spacing, Stage, StageProperties, Winding,
};
use planish_ir::spirv::SpirvMode;
use rustc_hash::FxHashSet;
use spirv::{BuiltIn, Decoration, ExecutionMode as Mode, ExecutionModel, Op};

use crate::module::Cx;
use crate::report::Res;
use crate::words::{Binary, Inst, text};

/// An entry point and the variables of its interface.
pub(crate) struct Interface {
    pub(crate) function: u32,
    pub(crate) name: String,
    /// `None` for stages that the IR lacks.
    pub(crate) stage: Option<Stage>,
    pub(crate) ids: FxHashSet<u32>,
}

/// The interfaces of all entry points.
pub(crate) fn interfaces(binary: &Binary<'_>) -> Res<Vec<Interface>> {
    let of = |index: &usize| {
        let inst = &binary.insts[*index];
        let (name, length) = text(inst.rest(2));
        let stage = ExecutionModel::from_u32(inst.word(0)?).and_then(stage);
        Ok(Interface { function: inst.word(1)?, name, stage, ids: inst.rest(2 + length).iter().copied().collect() })
    };
    binary.entry_points.iter().map(of).collect()
}

/// Whether the mode names the primitives that a stage gets.
fn is_input(mode: Mode) -> bool {
    use Mode::{InputLines, InputLinesAdjacency, InputPoints, InputTrianglesAdjacency, Isolines, Quads, Triangles};
    matches!(
        mode,
        InputPoints | InputLines | InputLinesAdjacency | InputTrianglesAdjacency | Triangles | Quads | Isolines
    )
}

fn interlock(mode: Mode) -> Option<Interlock> {
    Some(match mode {
        Mode::PixelInterlockOrderedEXT => Interlock::PixelOrdered,
        Mode::PixelInterlockUnorderedEXT => Interlock::PixelUnordered,
        Mode::SampleInterlockOrderedEXT => Interlock::SampleOrdered,
        Mode::SampleInterlockUnorderedEXT => Interlock::SampleUnordered,
        Mode::ShadingRateInterlockOrderedEXT => Interlock::ShadingRateOrdered,
        Mode::ShadingRateInterlockUnorderedEXT => Interlock::ShadingRateUnordered,
        _ => return None,
    })
}

fn stage(model: ExecutionModel) -> Option<Stage> {
    Some(match model {
        ExecutionModel::Vertex => Stage::Vertex,
        ExecutionModel::TessellationControl => Stage::TessellationControl,
        ExecutionModel::TessellationEvaluation => Stage::TessellationEvaluation,
        ExecutionModel::Geometry => Stage::Geometry,
        ExecutionModel::Fragment => Stage::Fragment,
        ExecutionModel::GLCompute => Stage::Compute,
        ExecutionModel::TaskEXT => Stage::Task,
        ExecutionModel::MeshEXT => Stage::Mesh,
        ExecutionModel::TaskNV => Stage::TaskNv,
        ExecutionModel::MeshNV => Stage::MeshNv,
        ExecutionModel::RayGenerationKHR => Stage::RayGeneration,
        ExecutionModel::IntersectionKHR => Stage::Intersection,
        ExecutionModel::AnyHitKHR => Stage::AnyHit,
        ExecutionModel::ClosestHitKHR => Stage::ClosestHit,
        ExecutionModel::MissKHR => Stage::Miss,
        ExecutionModel::CallableKHR => Stage::Callable,
        _ => return None,
    })
}

impl Cx<'_> {
    /// Adds an entry point.
    pub(crate) fn entry_point(&mut self, module: &mut Module, inst: &Inst<'_>) -> Res<()> {
        let (model, function) = (inst.word(0)?, inst.word(1)?);
        let Some(model) = ExecutionModel::from_u32(model) else {
            return inst.invalid("the execution model is unknown");
        };
        let Some(stage) = stage(model) else { return inst.unsupported(&format!("the stage `{model:?}`")) };
        let func = match self.funcs.get(&function) {
            Some(Ok(func)) => *func,
            // The error of the function is reported.
            Some(Err(_)) => return Ok(()),
            None => return inst.invalid(&format!("%{function} is no function")),
        };
        if !module.funcs[func].params.is_empty() || !module.funcs[func].results.is_empty() {
            return inst.invalid("the function of an entry point has no parameters and no result");
        }
        let name = text(inst.rest(2)).0;
        if module.entry_points.iter().any(|e| e.stage == Some(stage) && e.names.iter().any(|n| **n == *name)) {
            return inst.invalid("another entry point has its stage and its name");
        }
        let mut properties = StageProperties::default();
        for &index in &self.binary.modes {
            let mode = &self.binary.insts[index];
            if mode.word(0)? == function {
                self.mode(module, mode, stage, &mut properties)?;
            }
        }
        if stage.has_work_groups() {
            self.work_group_size(module, &mut properties)?;
        }
        module.entry_points.push(EntryPoint { names: vec![name.into()], func, stage: Some(stage), properties });
        Ok(())
    }

    fn mode(&self, module: &Module, inst: &Inst<'_>, stage: Stage, p: &mut StageProperties) -> Res<()> {
        let Some(mode) = Mode::from_u32(inst.word(1)?) else { return Ok(()) };
        let is = |stages: &[Stage]| stages.contains(&stage);
        let geometry = is(&[Stage::Geometry]);
        let tessellation = is(&[Stage::TessellationControl, Stage::TessellationEvaluation]);
        match mode {
            Mode::EarlyFragmentTests if is(&[Stage::Fragment]) => p.early_fragment_tests = true,
            Mode::DepthGreater if is(&[Stage::Fragment]) => p.depth = Some(DepthLayout::Greater),
            Mode::DepthLess if is(&[Stage::Fragment]) => p.depth = Some(DepthLayout::Less),
            Mode::DepthUnchanged if is(&[Stage::Fragment]) => p.depth = Some(DepthLayout::Unchanged),
            Mode::PixelCenterInteger if is(&[Stage::Fragment]) => p.pixel_center_integer = true,
            _ if let (Some(interlock), true) = (interlock(mode), is(&[Stage::Fragment])) => {
                p.interlock = Some(interlock)
            }
            Mode::Xfb => p.xfb_strides = self.binary.xfb_strides(),
            Mode::DerivativeGroupQuadsNV if stage.has_work_groups() => {
                p.derivative_group = Some(DerivativeGroup::Quads)
            }
            Mode::DerivativeGroupLinearNV if stage.has_work_groups() => {
                p.derivative_group = Some(DerivativeGroup::Linear);
            }
            Mode::LocalSize if stage.has_work_groups() => {
                p.local_size = Some([inst.word(2)?, inst.word(3)?, inst.word(4)?])
            }
            Mode::LocalSizeId if stage.has_work_groups() => {
                let ids = [inst.word(2)?, inst.word(3)?, inst.word(4)?];
                self.size_of(module, inst, &ids, p)?;
            }
            Mode::Invocations if geometry => p.invocations = Some(inst.word(2)?),
            Mode::OutputVertices if geometry => p.max_vertices = Some(inst.word(2)?),
            Mode::OutputVertices if is(&[Stage::TessellationControl]) => p.vertices = Some(inst.word(2)?),
            Mode::SpacingEqual if tessellation => p.spacing = Some(Spacing::Equal),
            Mode::SpacingFractionalEven if tessellation => p.spacing = Some(Spacing::FractionalEven),
            Mode::SpacingFractionalOdd if tessellation => p.spacing = Some(Spacing::FractionalOdd),
            Mode::VertexOrderCw if tessellation => p.winding = Some(Winding::Clockwise),
            Mode::VertexOrderCcw if tessellation => p.winding = Some(Winding::CounterClockwise),
            Mode::PointMode if tessellation => p.point_mode = true,
            _ if is_input(mode) && !geometry && !tessellation => {}
            Mode::InputPoints => p.input_primitive = Some(Primitive::Points),
            Mode::InputLines => p.input_primitive = Some(Primitive::Lines),
            Mode::InputLinesAdjacency => p.input_primitive = Some(Primitive::LinesAdjacency),
            Mode::InputTrianglesAdjacency => p.input_primitive = Some(Primitive::TrianglesAdjacency),
            Mode::Triangles => p.input_primitive = Some(Primitive::Triangles),
            Mode::Quads => p.input_primitive = Some(Primitive::Quads),
            Mode::Isolines => p.input_primitive = Some(Primitive::Isolines),
            Mode::OutputPoints if geometry => p.output_primitive = Some(Primitive::Points),
            Mode::OutputLineStrip if geometry => p.output_primitive = Some(Primitive::LineStrip),
            Mode::OutputTriangleStrip if geometry => p.output_primitive = Some(Primitive::TriangleStrip),
            // Found out by the writer, or without a meaning for a device.
            Mode::OriginUpperLeft
            | Mode::DepthReplacing
            | Mode::StencilRefReplacingEXT
            | Mode::LocalSizeHint
            | Mode::ContractionOff => {}
            // Their operands are ids.
            Mode::LocalSizeId | Mode::LocalSizeHintId | Mode::SubgroupsPerWorkgroupId | Mode::FPFastMathDefault => {}
            _ => p.spirv_modes.push(SpirvMode { mode: mode as u32, operands: inst.rest(2).to_vec() }),
        }
        Ok(())
    }

    /// A constant decorated as the size of work groups overrides the execution mode.
    fn work_group_size(&self, module: &Module, p: &mut StageProperties) -> Res<()> {
        for &index in &self.binary.declarations {
            let inst = &self.binary.insts[index];
            let number = self.binary.decoration(inst.result, Decoration::BuiltIn);
            if inst.ty == 0 || number != Some(BuiltIn::WorkgroupSize as u32) || inst.op == Op::Variable {
                continue;
            }
            if let (Op::ConstantComposite | Op::SpecConstantComposite, &[x, y, z]) = (inst.op, inst.operands) {
                self.size_of(module, inst, &[x, y, z], p)?;
            }
        }
        if p.local_size.is_none() {
            p.local_size = Some([1; 3]);
        }
        Ok(())
    }

    fn size_of(&self, module: &Module, inst: &Inst<'_>, ids: &[u32; 3], p: &mut StageProperties) -> Res<()> {
        let mut size = [1; 3];
        for (axis, &id) in ids.iter().enumerate() {
            let value: Const = self.constant(inst, id)?;
            let value = module.consts.as_integer(&module.types, value).and_then(|n| u32::try_from(n).ok());
            let Some(value) = value.filter(|n| *n > 0) else {
                return inst.invalid("the size of a work group is no positive integer");
            };
            size[axis] = value;
            if let Some(Some(_)) = self.specialized.get(&id) {
                p.local_size_ids[axis] = self.binary.decoration(id, Decoration::SpecId);
            }
        }
        p.local_size = Some(size);
        Ok(())
    }
}

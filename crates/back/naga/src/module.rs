//! The whole module: globals, functions in order, entry points, validation.

use std::rc::Rc;

use naga::Handle;
use planish_ir::arena::Id;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Type};
use planish_ir::function::{Direction, Form};
use planish_ir::module::{EntryPoint, Module, Stage};
use planish_ir::source::Span;
use planish_ir::types::TypeKind;
use rustc_hash::FxHashMap;

use crate::function::FunctionLowering;
use crate::globals::{GlobalRef, Tree};
use crate::overrides::Override;
use crate::types::{Res, TypeMap, fail};
use crate::{Lowered, Options, blocks};
use planish_interface::{Derivatives, Plan, Reach};

/// Lowered signature of a function.
#[derive(Clone, Debug)]
pub(crate) struct FuncRef {
    pub(crate) handle: Handle<naga::Function>,
    /// Lowered form of each parameter.
    pub(crate) params: Rc<[ParamRef]>,
    /// The struct of several results.
    pub(crate) results: Option<Handle<naga::Type>>,
}

/// Lowered form of a parameter.
#[derive(Clone, Debug)]
pub(crate) enum ParamRef {
    /// One argument.
    Value(u32),
    /// A pointer to function memory.
    Pointer(u32),
    /// An argument for each texture and sampler.
    Opaque(Rc<Tree>),
}

/// The state of one lowering.
pub(crate) struct Context<'m> {
    pub(crate) module: &'m Module,
    pub(crate) options: &'m Options,
    pub(crate) types: TypeMap,
    pub(crate) plan: Plan,
    pub(crate) reach: Reach,
    pub(crate) derivatives: Derivatives,
    /// By variable number.
    pub(crate) globals: Vec<Option<GlobalRef>>,
    /// By function number.
    pub(crate) funcs: Vec<Option<FuncRef>>,
    pub(crate) constants: FxHashMap<Const, Option<Handle<naga::Constant>>>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// Private variables whose initializer is no constant of the target: set by the entry point.
    pub(crate) late_initializers: Vec<(planish_ir::entity::Var, Const)>,
    /// Specialization constants by their number.
    pub(crate) overrides: FxHashMap<u32, Override>,
    /// By function number: a stage that is not compute from which it is called.
    drawing: Vec<Option<Stage>>,
    /// That of the function being lowered.
    pub(crate) draws: Option<Stage>,
}

impl Context<'_> {
    pub(crate) fn target(&self) -> &'static str {
        self.options.target.name()
    }

    /// A module-scope constant; `None` if it holds a value that no constant of the target can (NaN, infinity).
    pub(crate) fn constant(&mut self, c: Const) -> Res<Option<Handle<naga::Constant>>> {
        if let Some(&known) = self.constants.get(&c) {
            return Ok(known);
        }
        let ty = self.module.consts[c].ty;
        let made = match self.constant_expression(c)? {
            None => None,
            Some(init) => {
                let large = matches!(self.types.ir[ty], TypeKind::Array { .. } | TypeKind::Struct(_));
                let name = large.then(|| "constant".to_string());
                let ty = self.types.value(ty, Span::NONE)?;
                let constant = naga::Constant { name, ty, init };
                Some(self.types.naga.constants.append(constant, naga::Span::UNDEFINED))
            }
        };
        self.constants.insert(c, made);
        Ok(made)
    }

    /// A constant as a global expression.
    /// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn constant_expression(&mut self, c: Const) -> Res<Option<Handle<naga::Expression>>> {
        let data = &self.module.consts[c];
        let ty = data.ty;
        let expression = match self.module.consts.as_parts(c) {
            None => match literal(self.module, c) {
                Some(literal) => naga::Expression::Literal(literal),
                None => return Ok(None),
            },
            Some(parts) => {
                let mut components = Vec::with_capacity(parts.len());
                let mut last = None;
                for &part in parts {
                    // Runs of one part are made once.
                    let made = match last {
                        Some((c, made)) if c == part => Some(made),
                        _ => self.constant_expression(part)?,
                    };
                    let Some(made) = made else { return Ok(None) };
                    last = Some((part, made));
                    components.push(made);
                }
                naga::Expression::Compose { ty: self.types.value(ty, Span::NONE)?, components }
            }
        };
        Ok(Some(self.types.naga.global_expressions.append(expression, naga::Span::UNDEFINED)))
    }

    /// The parameters of a function as naga arguments, and the lowered form of each.
    pub(crate) fn arguments(&mut self, func: Func) -> Res<(Vec<naga::FunctionArgument>, Vec<ParamRef>)> {
        let data = &self.module.funcs[func];
        let (mut arguments, mut refs) = (vec![], vec![]);
        for param in &data.params {
            let name = plain_name(&param.name.text);
            let pointee = self.types.ir.pointee(param.ty).map(|(ty, _)| ty);
            let index = arguments.len() as u32;
            match pointee {
                Some(ty) if self.types.ir.is_opaque(ty) => {
                    let tree =
                        self.argument_tree(ty, name.as_deref().unwrap_or("texture"), param.span, &mut arguments)?;
                    refs.push(ParamRef::Opaque(tree));
                    continue;
                }
                None if self.types.ir.is_opaque(param.ty) => {
                    let ty = param.ty;
                    let tree =
                        self.argument_tree(ty, name.as_deref().unwrap_or("texture"), param.span, &mut arguments)?;
                    refs.push(ParamRef::Opaque(tree));
                    continue;
                }
                Some(ty) => {
                    debug_assert!(param.direction != Direction::In || !self.types.ir.is_opaque(ty));
                    refs.push(ParamRef::Pointer(index));
                }
                None => refs.push(ParamRef::Value(index)),
            }
            let ty = self.types.value(param.ty, param.span)?;
            arguments.push(naga::FunctionArgument { name, ty, binding: None });
        }
        Ok((arguments, refs))
    }

    fn function(&mut self, func: Func) -> Res<()> {
        let module = self.module;
        let data = &module.funcs[func];
        let Some(body) = &data.body else {
            return fail(Code::E0608, self.module.place_of(func), format!("function `{}` has no body", data.name.text));
        };
        if body.form != Form::Placed {
            return fail(Code::E0699, data.span, "functions must be in the placed form");
        }
        let (arguments, params) = self.arguments(func)?;
        let shared: Rc<[ParamRef]> = params.clone().into();
        let (result, results) = self.results(func)?;
        self.draws = self.drawing[func.index()];
        let name = plain_name(module.outside_name(func));
        let function = naga::Function { name, arguments, result, ..naga::Function::default() };
        let implicit = self.derivatives.of(func);
        let mut lowering = FunctionLowering::new(self, body, function, params, results);
        lowering.implicit = implicit;
        let lowered = lowering.run()?;
        let span = naga_span(data.span);
        let handle = self.types.naga.functions.append(lowered, span);
        self.funcs[func.index()] = Some(FuncRef { handle, params: shared, results });
        Ok(())
    }

    fn results(&mut self, func: Func) -> Res<(Option<naga::FunctionResult>, Option<Handle<naga::Type>>)> {
        let data = &self.module.funcs[func];
        let types: Vec<Type> = data.results.iter().map(|r| r.ty).collect();
        Ok(match types[..] {
            [] => (None, None),
            [ty] => (Some(naga::FunctionResult { ty: self.types.value(ty, data.span)?, binding: None }), None),
            _ => {
                let (mut offset, mut align, mut members) = (0u32, 1, vec![]);
                for (i, &ty) in types.iter().enumerate() {
                    let ty = self.types.value(ty, data.span)?;
                    let (size, a) = self.types.size_align(ty);
                    offset = offset.next_multiple_of(a);
                    members.push(naga::StructMember { name: Some(format!("r{i}")), ty, binding: None, offset });
                    (offset, align) = (offset + size, align.max(a));
                }
                let inner = naga::TypeInner::Struct { members, span: offset.next_multiple_of(align) };
                let ty = self.types.insert(plain_name(&format!("{}_results", data.name.text)), inner);
                (Some(naga::FunctionResult { ty, binding: None }), Some(ty))
            }
        })
    }
}

/// naga's span.
pub(crate) fn naga_span(span: Span) -> naga::Span {
    naga::Span::new(span.start, span.end)
}

/// A scalar constant as a literal; `None` for composites, NaN and infinity.
pub(crate) fn literal(module: &Module, c: Const) -> Option<naga::Literal> {
    use planish_ir::types::Scalar;
    let bits = module.consts.as_bits(c)?;
    let TypeKind::Scalar(scalar) = module.types[module.consts[c].ty] else { return None };
    Some(match scalar {
        Scalar::Bool => naga::Literal::Bool(bits != 0),
        Scalar::I32 => naga::Literal::I32(bits as u32 as i32),
        Scalar::U32 => naga::Literal::U32(bits as u32),
        Scalar::I64 => naga::Literal::I64(bits as i64),
        Scalar::U64 => naga::Literal::U64(bits),
        // Lowered to 32 bits before.
        Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::F16 => return None,
        Scalar::F32 => naga::Literal::F32(Some(f32::from_bits(bits as u32)).filter(|f| f.is_finite())?),
        Scalar::F64 => naga::Literal::F64(Some(f64::from_bits(bits)).filter(|f| f.is_finite())?),
    })
}

/// The capabilities that lowered modules may use.
pub(crate) fn capabilities(target: crate::Target) -> naga::valid::Capabilities {
    use naga::valid::Capabilities as C;
    let common = C::IMMEDIATES
        | C::CLIP_DISTANCES
        | C::STORAGE_TEXTURE_16BIT_NORM_FORMATS
        | C::MULTIVIEW
        | C::MULTISAMPLED_SHADING
        | C::DUAL_SOURCE_BLENDING
        | C::CUBE_ARRAY_TEXTURES
        | C::SHADER_FLOAT16_IN_FLOAT32
        | C::PRIMITIVE_INDEX
        | C::EARLY_DEPTH_TEST
        | C::TEXTURE_ATOMIC
        | C::MEMORY_DECORATION_COHERENT
        | C::MEMORY_DECORATION_VOLATILE;
    match target {
        crate::Target::Wgsl => common,
        crate::Target::Spirv => common | C::CULL_DISTANCE | C::FLOAT64 | C::SHADER_INT64,
    }
}

/// See [`crate::lower`].
pub(crate) fn lower(module: &Module, options: &Options, deep: bool) -> Result<Lowered, Vec<Diagnostic>> {
    let reach = Reach::new(module).map_err(|e| vec![*e])?;
    let mut types = TypeMap::new(&module.types, options.target);
    let plan = Plan::new(module, &mut types.ir, &reach, &options.numbering)?;
    let mut cx = Context {
        module,
        options,
        types,
        plan,
        reach,
        derivatives: Derivatives::new(module),
        globals: vec![None; module.vars.len()],
        funcs: vec![None; module.funcs.len()],
        constants: FxHashMap::default(),
        warnings: vec![],
        late_initializers: vec![],
        overrides: FxHashMap::default(),
        drawing: drawing_stages(module)?,
        draws: None,
    };
    let mut errors: Vec<Diagnostic> = vec![];
    for entry in &module.entry_points {
        errors.extend(check_stage(module, options, entry));
    }
    if errors.is_empty() {
        errors = cx.declare_globals();
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    for func in cx.reach.funcs.clone() {
        if let Err(error) = cx.function(func) {
            errors.push(*error);
        }
    }
    if errors.is_empty() {
        for entry in module.entry_points.iter().filter(|e| e.stage.is_some()) {
            errors.extend(cx.entry_point(entry).err().map(|e| *e));
        }
    }
    if !errors.is_empty() {
        errors.dedup();
        return Err(errors);
    }
    validate(cx, deep)
}

/// By function number, a vertex or fragment stage that calls it.
fn drawing_stages(module: &Module) -> Result<Vec<Option<Stage>>, Vec<Diagnostic>> {
    let mut stages = vec![None; module.funcs.len()];
    let drawing = |entry: &&EntryPoint| matches!(entry.stage, Some(Stage::Vertex | Stage::Fragment));
    for entry in module.entry_points.iter().filter(drawing) {
        let reach = Reach::from_roots(module, vec![entry.func]).map_err(|e| vec![*e])?;
        for func in reach.funcs {
            stages[func.index()] = entry.stage;
        }
    }
    Ok(stages)
}

/// A name of the program as all four languages take it, but for words of their own and names that are taken, which naga knows: `_`
/// for each other sign. `None` if nothing of it can stay.
pub(crate) fn plain_name(text: &str) -> Option<String> {
    let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    name.bytes().any(|b| b != b'_').then_some(name)
}

fn check_stage(module: &Module, options: &Options, entry: &EntryPoint) -> Option<Diagnostic> {
    let span = module.funcs[entry.func].span;
    let message = match entry.stage {
        // Without a stage it is a function for others to call.
        Some(Stage::Vertex | Stage::Fragment | Stage::Compute) | None => return None,
        Some(stage) => format!("{} has no {} stage", options.target.name(), stage.name().replace('_', " ")),
    };
    Some(Diagnostic::error(Code::E0601, span, message))
}

/// The rules of naga's validator. Whether control flow is uniform is the program's own affair: GLSL leaves it undefined, not forbidden.
pub(crate) fn validation_flags() -> naga::valid::ValidationFlags {
    use naga::valid::ValidationFlags;
    ValidationFlags::all().difference(ValidationFlags::CONTROL_FLOW_UNIFORMITY)
}

fn validate(cx: Context<'_>, deep: bool) -> Result<Lowered, Vec<Diagnostic>> {
    use naga::valid::{Capabilities, Validator};
    let flags = validation_flags();
    let module = cx.types.naga;
    let span = entry_span(cx.module);
    blocks::check(&module, cx.options.target.name()).map_err(|error| vec![*error])?;
    match Validator::new(flags, capabilities(cx.options.target)).validate(&module) {
        Ok(info) => {
            Ok(Lowered { target: cx.options.target, module, info, plan: cx.plan, warnings: cx.warnings, span, deep })
        }
        Err(error) => {
            let place = error.spans().find_map(|(s, _)| s.to_range());
            let span = place.map_or(span, |r| Span::new(r.start as u32, r.end as u32));
            let mut text = error.as_inner().to_string();
            let mut source = std::error::Error::source(error.as_inner());
            while let Some(inner) = source {
                text = format!("{text}: {inner}");
                source = inner.source();
            }
            let target = cx.options.target.name();
            // A module that is valid for another target or stage is no mistake of lowering.
            let possible = || Validator::new(flags, Capabilities::all()).validate(&module).is_ok();
            let refused = if is_stage_error(error.as_inner()) || possible() {
                Diagnostic::error(Code::E0604, span, format!("{target} cannot express the program"))
            } else {
                Diagnostic::error(Code::E0699, span, format!("the {target} back end made an invalid module"))
            };
            Err(vec![refused.note(text)])
        }
    }
}

/// The first entry point's place, for errors that name none.
fn entry_span(module: &Module) -> Span {
    let mut spans = module.entry_points.iter().map(|e| module.funcs[e.func].span);
    spans.find(|span| !span.is_none()).unwrap_or(Span::NONE)
}

/// Whether something is used that the stage has not.
fn is_stage_error(error: &naga::valid::ValidationError) -> bool {
    use naga::valid::{EntryPointError, ValidationError};
    matches!(error, ValidationError::EntryPoint { source: EntryPointError::ForbiddenStageOperations, .. })
}

//! Derivatives of functions that the host calls.

use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::derivative::{Derivative, DerivativeMode, Derivatives, ShadowSlice};
use planish_ir::entity::Type;
use planish_ir::function::{Exit, Param, ResultType, TrapKind};
use planish_ir::host::SliceParam;
use planish_ir::module::{EntryPoint, MemoryData, StageProperties};
use planish_ir::types::Scalar;
use planish_opt::differentiate;

use super::{
    Differentiable, DifferentiableParams, Errors, Float, Function, Group, Params, Real, Rep, Staged, counts_of,
};

/// Derivatives: functions like others, which have derivatives, too.
///
/// Slices of floats have others beside them, of the same length: in forward mode with their tangents (that of an `Out` is written, as it is), in
/// reverse mode with adjoints. To these, what the function reads is *added*; those of an `Out` hold the adjoints of what is in it after the
/// call, and are replaced by those of what was in it before.
impl<A: DifferentiableParams, R: Differentiable> Function<A, R> {
    /// Forward mode: of the parameters and their tangents, the results and theirs.
    ///
    /// # Errors
    /// Operations that have no derivative.
    #[allow(clippy::type_complexity, reason = "it is made of the function's")]
    pub fn forward(&self) -> Result<Function<(Group<A>, Group<A::Tangent>), (R, R::Tangent)>, Errors> {
        self.derived(DerivativeMode::Forward)
    }

    /// Reverse mode: of the parameters, the adjoints of the results, and slices for those of slices, the results and the adjoints of the other
    /// parameters.
    ///
    /// # Errors
    /// Operations that have no derivative.
    #[allow(clippy::type_complexity, reason = "it is made of the function's")]
    pub fn reverse(&self) -> Result<Function<(Group<A>, R::Tangent, Group<A::Shadow>), (R, A::Gradient)>, Errors> {
        self.derived(DerivativeMode::Reverse)
    }

    /// The result, and its derivative by each float of the parameters; of slices, it is added to others.
    ///
    /// # Errors
    /// Operations that have no derivative.
    #[allow(clippy::type_complexity, reason = "it is made of the function's")]
    pub fn gradient(&self) -> Result<Function<(Group<A>, Group<A::Shadow>), (R, A::Gradient)>, Errors>
    where
        R: Real,
    {
        self.derived(DerivativeMode::Gradient)
    }
}

impl<T: Float, R: Differentiable> Function<(Rep<T>,), R>
where
    Rep<T>: Real,
{
    /// The derivative of a function of one float.
    ///
    /// # Errors
    /// Operations that have no derivative.
    pub fn derivative(&self) -> Result<Function<(Rep<T>,), R::Tangent>, Errors> {
        self.derived(DerivativeMode::Slope)
    }
}

impl<A: DifferentiableParams, R: Staged> Function<A, R> {
    fn derived<B: Params, Q: Staged>(&self, mode: DerivativeMode) -> Result<Function<B, Q>, Errors> {
        let built = &self.built;
        let mut module = built.module.clone();
        let of = module.entry_points.first().expect("the function is one").func;
        let wrt = counts_of::<A>();
        let function = module.funcs[of].clone();
        let mut slices: Vec<SliceParam> = Vec::new();
        let mut params: Vec<Type> = function.params.iter().map(|param| param.ty).collect();
        let mut results: Vec<Type> = function.results.iter().map(|result| result.ty).collect();
        let is_float = |ty: &Type| module.types.scalar_of(*ty).is_some_and(Scalar::is_float);
        let floats = |all: &[Type]| -> Vec<Type> { all.iter().copied().filter(is_float).collect() };
        let counted: Vec<Type> =
            params.iter().zip(&wrt).filter(|(ty, counts)| **counts && is_float(ty)).map(|(&ty, _)| ty).collect();
        let of_results = floats(&results);
        match mode {
            DerivativeMode::Forward => results.extend(of_results),
            DerivativeMode::Slope => results = of_results,
            DerivativeMode::Reverse => {
                params.extend(of_results);
                results.extend(counted);
            }
            DerivativeMode::Gradient => results.extend(counted),
        }
        let mut shadows = Vec::new();
        for param in 0..function.params.len() {
            let slice = built.slices.iter().find(|slice| slice.param == param && wrt[param]);
            if let Some(slice) = slice {
                let memories = &mut module.memories;
                let name = format!("slice{}", memories.len()).into();
                let data = MemoryData { min_pages: 0, max_pages: Some(0), import: None, exports: vec![name] };
                let shadow = memories.push(data);
                shadows.push(ShadowSlice { param, memory: slice.memory, shadow });
                let is_written = slice.is_written || !mode.is_forward();
                slices.push(SliceParam { param: params.len(), memory: shadow, is_written, ..*slice });
                params.push(Type::U32);
            } else if mode == DerivativeMode::Forward && wrt[param] && is_float_type(&module, function.params[param].ty)
            {
                params.push(function.params[param].ty);
            }
        }
        let name = format!("{}_{}", built.name, mode.suffix());
        let param = |(index, ty)| Param { span: function.span, ..Param::new(Name::temporary(format!("x{index}")), ty) };
        let params = params.into_iter().enumerate().map(param).collect();
        let results = results.into_iter().map(ResultType::new).collect();
        let func = module.add_func(Name::new(name.as_str(), NameSource::Temporary), params, results, function.span);
        let request = Derivative { func, of, mode, wrt, slices: shadows, span: function.span };
        let derivatives = Derivatives { requests: vec![request], partials: built.derivatives.partials.clone() };
        differentiate::run(&mut module, &derivatives).map_err(|diagnostics| self.errors(diagnostics))?;
        // The function itself is not called any more: its slices are those of the derivative.
        let mut b = Builder::new(&mut module, of, Policy::PLAIN);
        b.exit(Exit::Trap(TrapKind::Unreachable));
        b.finish();
        module.entry_points = vec![EntryPoint {
            names: vec![name.as_str().into()],
            func,
            stage: None,
            properties: StageProperties::default(),
        }];
        let slices = built.slices.iter().chain(&slices).map(|slice| SliceParam { func, ..*slice }).collect();
        debug_assert_eq!(planish_ir::verify::verify(&module), [], "{}", planish_ir::text::print(&module));
        Ok(Function { built: built.replaced(name, module, slices) })
    }
}

fn is_float_type(module: &planish_ir::module::Module, ty: Type) -> bool {
    module.types.scalar_of(ty).is_some_and(Scalar::is_float)
}

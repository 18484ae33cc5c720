//! Derivatives of functions that the host calls.

use planish_ir::arena::Arena;
use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::derivative::{Derivative, DerivativeMode, Derivatives, ShadowSlice, Signature};
use planish_ir::entity::Memory;
use planish_ir::function::{Exit, Param, ResultType, TrapKind};
use planish_ir::host::SliceParam;
use planish_ir::module::{EntryPoint, MemoryData, StageProperties};
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
        let (wrt, span) = (counts_of::<A>(), module.funcs[of].span);
        let changing: Vec<SliceParam> = built.slices.iter().copied().filter(|slice| wrt[slice.param]).collect();
        let numbers: Vec<usize> = changing.iter().map(|slice| slice.param).collect();
        let Signature { params, results, lengths } = Signature::of(&module, of, mode, &wrt, &numbers);
        let shadow = |slice: &SliceParam, memories: &mut Arena<Memory, MemoryData>| {
            let name = format!("slice{}", memories.len()).into();
            let data = MemoryData { min_pages: 0, max_pages: Some(0), import: None, exports: vec![name] };
            ShadowSlice { param: slice.param, memory: slice.memory, shadow: memories.push(data) }
        };
        let shadows: Vec<ShadowSlice> = changing.iter().map(|slice| shadow(slice, &mut module.memories)).collect();
        let name = format!("{}_{}", built.name, mode.suffix());
        let param = |(index, ty)| Param { span, ..Param::new(Name::temporary(format!("x{index}")), ty) };
        let params = params.into_iter().enumerate().map(param).collect();
        let results = results.into_iter().map(ResultType::new).collect();
        let func = module.add_func(Name::new(name.as_str(), NameSource::Temporary), params, results, span);
        let rows = changing.iter().zip(&shadows).zip(lengths).map(|((slice, shadow), param)| {
            let is_written = slice.is_written || !mode.is_forward();
            SliceParam { param, memory: shadow.shadow, is_written, ..*slice }
        });
        let slices = built.slices.iter().copied().chain(rows).map(|slice| SliceParam { func, ..slice }).collect();
        let requests = vec![Derivative { func, of, mode, wrt, slices: shadows, span }];
        let derivatives = Derivatives { requests, partials: built.derivatives.partials.clone() };
        differentiate::run(&mut module, &derivatives).map_err(|diagnostics| self.errors(diagnostics))?;
        // The function itself is not called any more: its slices are those of the derivative.
        let mut b = Builder::new(&mut module, of, Policy::PLAIN);
        b.exit(Exit::Trap(TrapKind::Unreachable));
        b.finish();
        let names = vec![name.as_str().into()];
        module.entry_points = vec![EntryPoint { names, func, stage: None, properties: StageProperties::default() }];
        debug_assert_eq!(planish_ir::verify::verify(&module), [], "{}", planish_ir::text::print(&module));
        Ok(Function { built: built.replaced(name, module, slices) })
    }
}

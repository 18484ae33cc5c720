//! Requests for derivatives of functions, which a pass of the optimizer fills (`planish_opt::differentiate`).

use crate::entity::{CustomOp, Func, Memory, Type};
use crate::module::Module;
use crate::source::Span;
use crate::types::Scalar;

/// Parameters and results of a derivative. Of the function that it is of, *floats* are the parameters and results that are floats, vectors or
/// matrices of floats; a parameter that is left out ([`Derivative::wrt`]) is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DerivativeMode {
    /// Forward mode: parameters, and tangents of floats; results, and tangents of floats.
    Forward,
    /// Forward mode with the tangent 1 for each float: parameters; tangents of the results that are floats.
    Slope,
    /// Reverse mode: parameters, and adjoints of the results that are floats; results, and adjoints of the parameters that are floats.
    Reverse,
    /// Reverse mode with the adjoint 1 for each result that is a float: parameters; results, and adjoints of the parameters that are floats.
    Gradient,
}

impl DerivativeMode {
    /// Whether tangents go with the values, rather than adjoints against them.
    pub const fn is_forward(self) -> bool {
        matches!(self, DerivativeMode::Forward | DerivativeMode::Slope)
    }

    /// The end of its name, after that of the function.
    pub const fn suffix(self) -> &'static str {
        match self {
            DerivativeMode::Forward => "forward",
            DerivativeMode::Slope => "slope",
            DerivativeMode::Reverse => "reverse",
            DerivativeMode::Gradient => "gradient",
        }
    }
}

/// A slice among the parameters, and the one that holds its tangents or adjoints: of as many elements, at the same addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShadowSlice {
    /// Number of the parameter that is the slice's length.
    pub param: usize,
    /// The slice.
    pub memory: Memory,
    /// Its tangents or adjoints. Their length is a parameter after all others of the derivative, in the order of these rows (in forward mode:
    /// where the tangent of a float would be).
    pub shadow: Memory,
}

/// A function without a body that is to be the derivative of another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derivative {
    /// It.
    pub func: Func,
    /// The function that it is the derivative of.
    pub of: Func,
    /// Its form.
    pub mode: DerivativeMode,
    /// For each parameter of the function, whether it counts; empty: all do. The length of a slice with a shadow does.
    pub wrt: Vec<bool>,
    /// The slices that change.
    pub slices: Vec<ShadowSlice>,
    /// Its place in the source.
    pub span: Span,
}

/// All derivatives that a program asks for.
#[derive(Clone, Default, Debug)]
pub struct Derivatives {
    /// Functions that are derivatives.
    pub requests: Vec<Derivative>,
    /// For ops of the user's own, functions of the same parameters that give the partial derivative of the one result with respect to each
    /// parameter.
    pub partials: Vec<(CustomOp, Func)>,
}

/// Types of the parameters and results of a derivative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Types of its parameters.
    pub params: Vec<Type>,
    /// Types of its results.
    pub results: Vec<Type>,
    /// Numbers of the parameters that are lengths of slices with tangents or adjoints, in the order of the slices.
    pub lengths: Vec<usize>,
}

impl Signature {
    /// Of the derivative of a function; see [`Derivative`].
    pub fn of(module: &Module, of: Func, mode: DerivativeMode, wrt: &[bool], slices: &[usize]) -> Self {
        let function = &module.funcs[of];
        let is_float = |ty: &Type| module.types.scalar_of(*ty).is_some_and(Scalar::is_float);
        let counts = |index: &usize| wrt.get(*index).copied().unwrap_or(true) && is_float(&function.params[*index].ty);
        let counted: Vec<usize> = (0..function.params.len()).filter(counts).collect();
        let mut params: Vec<Type> = function.params.iter().map(|param| param.ty).collect();
        let mut results: Vec<Type> = function.results.iter().map(|result| result.ty).collect();
        let of_results: Vec<Type> = results.iter().copied().filter(is_float).collect();
        let of_params = counted.iter().map(|&index| function.params[index].ty);
        match mode {
            DerivativeMode::Forward => results.extend(of_results),
            DerivativeMode::Slope => results = of_results,
            DerivativeMode::Reverse => {
                params.extend(of_results);
                results.extend(of_params);
            }
            DerivativeMode::Gradient => results.extend(of_params),
        }
        let mut lengths = Vec::new();
        for index in 0..function.params.len() {
            if slices.contains(&index) {
                lengths.push(params.len());
                params.push(Type::U32);
            } else if mode == DerivativeMode::Forward && counted.contains(&index) {
                params.push(function.params[index].ty);
            }
        }
        Signature { params, results, lengths }
    }
}

//! Gradients of functions in VL that the host calls.

use planish_ir::decoration::{Name, NameSource};
use planish_ir::derivative::{Derivative, DerivativeMode, Derivatives, Signature};
use planish_ir::function::{Param, ResultType};
use planish_ir::module::{EntryPoint, StageProperties};
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::differentiate;

use super::{Error, Program, usage};

impl Program {
    /// A program in VL with one function, of the same name: the result of an export, and its derivative by each parameter that is a float, in
    /// reverse mode. Programs in other languages have memories and variables, through which a derivative would have to go.
    ///
    /// # Errors
    /// Another language, an unknown name, a function whose result is not one float, or that has no such parameter; operations without a
    /// derivative (E1408).
    ///
    /// # Example
    /// ```
    /// use planish::vm::Val;
    /// use planish::{Program, Settings};
    /// let source = "(define (f x y) (* x (* x y))) (export f (real real)) 0";
    /// let gradient = Program::new("f.vl", source, &Settings::default()).unwrap().gradient("f").unwrap();
    /// let [x, y] = [3.0f64, 5.0].map(|x| Val::F64(x.to_bits()));
    /// let results = gradient.instance().unwrap().call("f", &[x, y]).unwrap();
    /// let is = |result: &Val, float: f64| matches!(result, Val::F64(bits) if f64::from_bits(*bits) == float);
    /// assert!(is(&results[0], 45.0) && is(&results[1], 30.0) && is(&results[2], 9.0));
    /// ```
    pub fn gradient(&self, name: &str) -> Result<Program, Error> {
        if self.answer.is_none() {
            return Err(self.error(usage(format!("`{name}` has no gradient: only functions in VL have one"))));
        }
        let is_it = |entry: &&EntryPoint| entry.stage.is_none() && entry.names.iter().any(|known| **known == *name);
        let Some(of) = self.module.entry_points.iter().find(is_it).map(|entry| entry.func) else {
            let plain = self.module.entry_points.iter().filter(|entry| entry.stage.is_none());
            let names: Vec<&str> = plain.flat_map(|entry| &entry.names).map(|name| &**name).collect();
            return Err(self.error(usage(format!("there is no function `{name}`; there are: {}", names.join(", ")))));
        };
        let mut module = self.module.clone();
        let function = &module.funcs[of];
        let is_float = |ty| matches!(module.types[ty], TypeKind::Scalar(Scalar::F32 | Scalar::F64));
        let has_one = matches!(function.results.as_slice(), [one] if is_float(one.ty));
        if !has_one || !function.params.iter().any(|param| is_float(param.ty)) {
            let message =
                format!("`{name}` has no gradient: its result must be one float, and a parameter must be a float");
            return Err(self.error(usage(message)));
        }
        if function.body.is_none() {
            return Err(self.error(usage(format!("`{name}` has no gradient: it is a function of the host"))));
        }
        let (mode, span) = (DerivativeMode::Gradient, function.span);
        let Signature { params, results, .. } = Signature::of(&module, of, mode, &[], &[]);
        let param = |(at, ty)| Param { span, ..Param::new(Name::temporary(format!("x{at}")), ty) };
        let params = params.into_iter().enumerate().map(param).collect();
        let results = results.into_iter().map(ResultType::new).collect();
        let own = format!("{name}_{}", mode.suffix());
        let func = module.add_func(Name::new(own.as_str(), NameSource::Temporary), params, results, span);
        let requests = vec![Derivative { func, of, mode, wrt: vec![], slices: vec![], span }];
        let derived = differentiate::run(&mut module, &Derivatives { requests, partials: vec![] });
        self.shown(derived)?;
        let names = vec![name.into()];
        module.entry_points = vec![EntryPoint { names, func, stage: None, properties: StageProperties::default() }];
        self.settings.optimizer.run(&mut module, &mut |_, _| {});
        Ok(Program { module, ..self.clone() })
    }
}

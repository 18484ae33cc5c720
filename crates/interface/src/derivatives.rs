//! Functions with implicit derivatives, by which a texture selects its level: fragment shaders have them, and compute
//! shaders with groups of invocations for derivatives; elsewhere the
//! base level is read, to which a bias is added.

use planish_ir::entity::Func;
use planish_ir::module::{EntryPoint, Module, Stage};
use rustc_hash::FxHashSet;

use crate::Reach;

/// Whether a function has implicit derivatives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Implicit {
    /// Only fragment shaders reach it, or no stage does.
    Exist,
    /// No fragment shader reaches it.
    Missing,
    /// A fragment shader reaches it, and so does another stage.
    Mixed,
}

/// The functions of a module with implicit derivatives and without.
#[derive(Clone, Default, Debug)]
pub struct Derivatives {
    fragment: FxHashSet<Func>,
    other: FxHashSet<Func>,
}

impl Derivatives {
    /// Computes the functions reachable from each stage; empty for recursive programs, which are an error elsewhere.
    pub fn new(module: &Module) -> Self {
        Derivatives::from(module, |entry| entry.stage == Some(Stage::Fragment))
    }

    /// As [`Derivatives::new`], for languages that have derivatives over groups of invocations of compute shaders, too.
    pub fn with_groups(module: &Module) -> Self {
        Derivatives::from(module, |entry| {
            entry.stage == Some(Stage::Fragment) || entry.properties.derivative_group.is_some()
        })
    }

    fn from(module: &Module, has_them: impl Fn(&EntryPoint) -> bool) -> Self {
        let reached = |exist: bool| {
            let staged = module.entry_points.iter().filter(|entry| entry.stage.is_some());
            let roots = staged.filter(|entry| has_them(entry) == exist).map(|entry| entry.func).collect();
            Reach::from_roots(module, roots).map(|reach| reach.funcs.into_iter().collect()).unwrap_or_default()
        };
        Derivatives { fragment: reached(true), other: reached(false) }
    }

    /// Of one function.
    pub fn of(&self, func: Func) -> Implicit {
        match (self.fragment.contains(&func), self.other.contains(&func)) {
            (true, true) => Implicit::Mixed,
            (false, true) => Implicit::Missing,
            _ => Implicit::Exist,
        }
    }
}

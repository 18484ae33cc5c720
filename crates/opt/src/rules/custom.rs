//! Rules of the user's own: closures, asked before the built-in ones.

use std::sync::Arc;

use planish_ir::entity::Value;
use planish_ir::ops::{Class, OPS, Op};

use super::{Law, Site};

type ApplyFn = dyn Fn(&mut Site<'_, '_, '_>) -> Option<Value> + Send + Sync;

/// A rule of the user's own. It goes into [`crate::Options::rules`], and then every pass that asks the built-in rules asks it first,
/// with the facts from branches, variables and loops.
///
/// # Example
/// A program whose angles are given in turns of some length:
/// ```
/// use planish_ir::ops::Op;
/// use planish_ir::text::{parse_str, print};
/// use planish_opt::rules::{CustomRule, Law};
/// use planish_opt::{Context, Options, pipeline, run_passes};
///
/// let turn = 2.5;
/// let rule = CustomRule::new("whole_turns", &[Op::Sin], Law::Exact, "sin(x + turn) → sin(x)", move |s| {
///     let (x, whole) = s.binary(s.arg(0), Op::Add)?;
///     s.is_number(whole, turn).then(|| s.make(Op::Sin, &[x]))
/// });
/// let text = "module ir\nfn @f(%0 x: f32) -> (f32) {\nb0:\n  %1 = add %0, 2.5\n  %2 = sin %1\n  return %2\n}\nexport @f \"f\"\n";
/// let mut module = parse_str(text).unwrap();
/// let options = Options { rules: vec![rule], ..Options::default() };
/// let mut context = Context::new(options);
/// run_passes(&mut module, &pipeline("2").unwrap(), &mut context, &mut |_, _| {});
/// assert!(print(&module).contains("%1 = sin %0"));
/// assert_eq!(context.stats.iter().filter(|(_, name, _)| *name == "whole_turns").count(), 1);
/// ```
#[derive(Clone)]
pub struct CustomRule {
    /// Its name, for remarks and statistics.
    pub name: &'static str,
    /// Its assumption.
    pub law: Law,
    /// `before → after`.
    pub about: &'static str,
    roots: Arc<[Op]>,
    /// The op of the user's own that it is asked for.
    custom: Option<Arc<str>>,
    apply: Arc<ApplyFn>,
}

impl CustomRule {
    /// A rule that is asked for ops of the table. `apply` gives a value that equals the requested node, or `None`.
    pub fn new(
        name: &'static str,
        roots: &[Op],
        law: Law,
        about: &'static str,
        apply: impl Fn(&mut Site<'_, '_, '_>) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        CustomRule { name, law, about, roots: roots.into(), custom: None, apply: Arc::new(apply) }
    }

    /// A rule that is asked for an op of the user's own, by the op's name. Only nodes with one result have rules.
    pub fn on(
        op: &str,
        name: &'static str,
        law: Law,
        about: &'static str,
        apply: impl Fn(&mut Site<'_, '_, '_>) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        let roots = OPS.iter().filter(|row| row.class == Class::Custom).map(|row| row.op).collect();
        CustomRule { name, law, about, roots, custom: Some(op.into()), apply: Arc::new(apply) }
    }

    pub(super) fn roots(&self) -> &[Op] {
        &self.roots
    }

    pub(super) fn apply(&self, site: &mut Site<'_, '_, '_>) -> Option<Value> {
        if self.custom.is_some() && site.custom() != self.custom.as_deref() {
            return None;
        }
        (self.apply)(site)
    }
}

impl std::fmt::Debug for CustomRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.about)
    }
}

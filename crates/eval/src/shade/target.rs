//! Outputs of a fragment shader, one of which is drawn.

use planish_ir::decoration::{BuiltIn, Decoration};
use planish_ir::entity::Var;
use planish_ir::module::{Module, Stage, VarData};
use planish_ir::types::{AddressSpace, Scalar, TypeKind};

use super::ShadeError;
use super::names::{self, Leaf};

/// A scalar or vector in an output.
#[derive(Clone, Copy, Debug)]
pub(super) struct RenderTarget {
    pub(super) var: Var,
    /// Its first component in the variable.
    pub(super) start: usize,
    pub(super) scalar: Scalar,
    /// Number of its components.
    pub(super) size: usize,
}

/// A component of a pixel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Channel {
    /// A component of the output, by number.
    Component(usize),
    /// The same for every pixel.
    Constant(f32),
}

impl RenderTarget {
    /// The components of a pixel: opaque black where the output has none, grey of one component.
    pub(super) fn channels(&self) -> [Channel; 4] {
        std::array::from_fn(|c| match c {
            _ if c < self.size => Channel::Component(c),
            _ if self.size == 1 && c < 3 => Channel::Component(0),
            _ => Channel::Constant(f32::from(u8::from(c == 3))),
        })
    }

    /// The pixel of an output, given the bits of its components: opaque black where there are none, grey of one component.
    pub(super) fn pixel(&self, bits: impl Fn(usize) -> Option<u64>) -> [f32; 4] {
        let float = |bits: u64| f32::from_bits(planish_ir::meaning::convert(bits, self.scalar, Scalar::F32) as u32);
        std::array::from_fn(|c| match bits(c) {
            Some(bits) if c < self.size => float(bits),
            _ if self.size == 1 && c < 3 => bits(0).map_or(0.0, float),
            _ => f32::from(u8::from(c == 3)),
        })
    }
}

/// The names of the outputs of a module's fragment shader, for [`super::DrawOptions::output`]: `colour`,
/// `gl_FragDepth`; for an array each element, `gl_FragData[1]`.
pub fn fragment_outputs(module: &Module) -> Vec<String> {
    if module.entry_point(Some(Stage::Fragment)).is_none() {
        return vec![];
    }
    let names = |leaf: &Leaf| match leaf.count {
        1 => vec![leaf.path.clone()],
        count => (0..count).map(|i| format!("{}[{i}]", leaf.path)).collect(),
    };
    let written = outputs(module).filter(|(var, _)| module.is_named(*var));
    written.flat_map(|(var, _)| names::leaves_of(module, var)).flat_map(|leaf| names(&leaf)).collect()
}

/// The output of a name, or the default one.
pub(super) fn target(module: &Module, name: Option<&str>) -> Result<Option<RenderTarget>, ShadeError> {
    let Some(name) = name else { return Ok(usual(module)) };
    let leaves: Vec<Leaf> = outputs(module).flat_map(|(var, _)| names::leaves_of(module, var)).collect();
    match names::find(&leaves, name) {
        Some((leaf, element)) => Ok(Some(RenderTarget {
            var: leaf.var,
            start: leaf.start + element * leaf.element,
            scalar: leaf.scalar,
            size: leaf.element,
        })),
        None => Err(ShadeError::UnknownName { name: name.into(), known: fragment_outputs(module) }),
    }
}

/// `gl_FragColor`, `gl_FragData[0]`, the output at location 0, the first one of four components, or the first one.
fn usual(module: &Module) -> Option<RenderTarget> {
    let usable = |var: Var| {
        let mut ty = module.vars[var].ty;
        while let TypeKind::Array { element, .. } = module.types[ty] {
            ty = element;
        }
        let (scalar, size) = (module.types.scalar_of(ty)?, usize::from(module.types.vector_size(ty)?));
        Some(RenderTarget { var, start: 0, scalar, size })
    };
    let builtin =
        |wanted| outputs(module).find(|(_, v)| v.decorations.builtin() == Some(wanted)).and_then(|(v, _)| usable(v));
    let user = || outputs(module).filter(|(_, v)| v.decorations.builtin().is_none());
    let index = |v: &VarData| v.decorations.find(|d| matches!(d, Decoration::Index(1)).then_some(()));
    let written = |target: &RenderTarget| module.is_named(target.var);
    builtin(BuiltIn::FragColor)
        .filter(written)
        .or_else(|| builtin(BuiltIn::FragData).filter(written))
        .or_else(|| {
            user().find(|(_, v)| v.decorations.location() == Some(0) && index(v).is_none()).and_then(|(v, _)| usable(v))
        })
        .or_else(|| user().filter_map(|(v, _)| usable(v)).find(|target| target.size == 4))
        .or_else(|| user().filter_map(|(v, _)| usable(v)).next())
        .or_else(|| builtin(BuiltIn::FragColor))
}

fn outputs(module: &Module) -> impl Iterator<Item = (Var, &VarData)> {
    module.vars.iter().filter(|(_, v)| v.space == AddressSpace::Output)
}

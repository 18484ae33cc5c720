//! The inputs of fragments: their sources, and their values by pixel; for this crate, and for engines beside it.

use planish_ir::decoration::BuiltIn;
use planish_ir::entity::Var;
use planish_ir::module::{Module, Stage, StageProperties};
use planish_ir::types::{AddressSpace, Scalar};

use super::defaults::{self, Position, Recipe};
use super::names::{self, Leaf, to_bits};
use super::samples::SAMPLES;
use super::target::{Channel, RenderTarget, target};
use super::{DrawOptions, ShadeError, check_textures, set_uniforms, set_values};
use crate::evaluator::Evaluator;

/// An input, and the source of its value.
pub(super) struct Input {
    pub(super) leaf: Leaf,
    builtin: Option<BuiltIn>,
    /// For inputs that are not built-in.
    recipe: Recipe,
}

pub(super) fn inputs(module: &Module) -> Vec<Input> {
    let mut inputs = Vec::new();
    for (var, data) in module.vars.iter() {
        let builtin = data.decorations.builtin();
        if data.space == AddressSpace::Input || (builtin.is_some() && data.space == AddressSpace::Uniform) {
            inputs.extend(names::leaves_of(module, var).into_iter().map(|leaf| {
                let recipe = defaults::input(&leaf.name, leaf.element, leaf.scalar, leaf.rows);
                Input { leaf, builtin, recipe }
            }));
        }
    }
    inputs
}

impl Input {
    /// The components of one element at a pixel, counted from the lower left one, or at a sample of it.
    pub(super) fn value(
        &self,
        properties: &StageProperties,
        (size, sample): ([u32; 2], Option<usize>),
        [px, py]: [u32; 2],
    ) -> Vec<f64> {
        let [width, height] = size.map(f64::from);
        let [within_x, within_y] = sample.map_or([0.5; 2], |sample| SAMPLES[sample]);
        let (x, y) = (f64::from(px) + within_x, f64::from(py) + within_y);
        let position = Position { u: x / width, v: y / height };
        match self.builtin {
            Some(BuiltIn::FragCoord) => {
                let y = if properties.origin_upper_left { height - y } else { y };
                let half = if properties.pixel_center_integer { 0.5 } else { 0.0 };
                vec![x - half, y - half, 0.5, 1.0]
            }
            Some(BuiltIn::FrontFacing) => vec![1.0],
            Some(BuiltIn::PointCoord) => vec![position.u, 1.0 - position.v],
            Some(BuiltIn::SamplePosition) => vec![within_x, within_y],
            Some(BuiltIn::SampleId) => vec![sample.unwrap_or(0) as f64],
            Some(BuiltIn::NumSamples) => vec![sample.map_or(1.0, |_| SAMPLES.len() as f64)],
            Some(BuiltIn::SampleMaskIn) => vec![f64::from(1 << sample.unwrap_or(0))],
            Some(BuiltIn::HelperInvocation) => vec![f64::from(u8::from(px >= size[0] || py >= size[1]))],
            Some(BuiltIn::DepthRange) => match &self.leaf.name[..] {
                "near" => vec![0.0],
                _ => vec![1.0],
            },
            Some(_) => vec![0.0; self.leaf.element],
            None => self.recipe.value(position),
        }
    }

    /// The coordinates of a pixel that component `c` depends on.
    fn dependence(&self, c: usize) -> Dependence {
        let by_axis = || [Dependence::X, Dependence::Y].get(c).copied().unwrap_or(Dependence::None);
        match (self.builtin, &self.recipe) {
            (Some(BuiltIn::FragCoord | BuiltIn::PointCoord), _) => by_axis(),
            (Some(BuiltIn::HelperInvocation), _) | (None, Recipe::Ray) => Dependence::Both,
            (Some(_), _) | (None, Recipe::Fixed(_)) => Dependence::None,
            (None, Recipe::Across) => Dependence::X,
            (None, Recipe::Ramp(_) | Recipe::Clip(_)) => by_axis(),
        }
    }
}

/// The coordinates of a pixel that a value depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// The same for every pixel.
    None,
    /// The column.
    X,
    /// The row.
    Y,
    /// Both.
    Both,
}

/// The interface of a fragment shader to the host, as [`super::draw`] serves it: for engines that draw otherwise.
pub struct Fragments<'m> {
    size: [u32; 2],
    sample: Option<usize>,
    properties: &'m StageProperties,
    inputs: Vec<Input>,
    output: Option<RenderTarget>,
}

/// A component of an input.
#[derive(Clone, Copy, Debug)]
pub struct InputComponent {
    /// The variable.
    pub var: Var,
    /// Number of the component in the variable.
    pub component: usize,
    /// Its type.
    pub scalar: Scalar,
    /// The coordinates that it depends on.
    pub dependence: Dependence,
    input: usize,
    within: usize,
}

impl<'m> Fragments<'m> {
    /// The interface of the module's fragment shader.
    ///
    /// # Errors
    /// If there is none, or no output of the name in the options.
    pub fn new(module: &'m Module, options: &DrawOptions<'_>) -> Result<Self, ShadeError> {
        let entry = super::entry_of(module, Stage::Fragment)?;
        Ok(Fragments {
            size: options.size.map(|s| s.max(1)),
            sample: options.sample,
            properties: &entry.properties,
            inputs: inputs(module),
            output: target(module, options.output.as_deref())?,
        })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The components of a variable, in order.
    pub fn components(&self, var: Var) -> Vec<InputComponent> {
        let mut found = Vec::new();
        for (number, input) in self.inputs.iter().enumerate().filter(|(_, input)| input.leaf.var == var) {
            let leaf = &input.leaf;
            found.extend((0..leaf.count * leaf.element).map(|c| InputComponent {
                var,
                component: leaf.start + c,
                scalar: leaf.scalar,
                dependence: input.dependence(c % leaf.element),
                input: number,
                within: c % leaf.element,
            }));
        }
        found.sort_by_key(|component| component.component);
        found
    }

    /// The bits of a component at a pixel, counted from the lower left one.
    pub fn bits(&self, component: &InputComponent, pixel: [u32; 2]) -> u64 {
        let value = self.inputs[component.input].value(self.properties, (self.size, self.sample), pixel);
        to_bits(value.get(component.within).copied().unwrap_or(0.0), component.scalar)
    }

    /// The variable of the output that is drawn, and the number of its first component; `None` if nothing is.
    pub fn output(&self) -> Option<(Var, usize)> {
        self.output.as_ref().map(|output| (output.var, output.start))
    }

    /// The components of a pixel; `None` if no output is drawn.
    pub fn channels(&self) -> Option<[Channel; 4]> {
        self.output.as_ref().map(RenderTarget::channels)
    }

    /// The pixel that the output is, given the bits of components of its variable by their number.
    pub fn pixel(&self, bits: impl Fn(usize) -> Option<u64>) -> [f32; 4] {
        self.output.as_ref().map_or([0.0; 4], |output| output.pixel(|c| bits(output.start + c)))
    }
}

/// The bits of the components of every uniform and push constant, from the options or by default; built-in ones included.
///
/// # Errors
/// If an option has an unknown name or a wrong size.
pub fn uniforms(module: &Module, options: &DrawOptions<'_>) -> Result<Vec<(Var, Vec<u64>)>, ShadeError> {
    let mut evaluator = Evaluator::new(module, options.limits)?;
    set_values(&mut evaluator, options)?;
    check_textures(module, options)?;
    let is_fragment = module.entry_point(Some(Stage::Fragment)).is_some();
    let fragments = if is_fragment { Some(Fragments::new(module, options)?) } else { None };
    let spaces = [AddressSpace::Uniform, AddressSpace::PushConstant];
    let vars = module.vars.iter().filter(|(_, data)| spaces.contains(&data.space));
    let words = vars.map(|(var, _)| {
        let mut words = evaluator.get(var, 0);
        if let Some(fragments) = &fragments {
            for component in fragments.components(var) {
                if let Some(word) = words.get_mut(component.component) {
                    *word = fragments.bits(&component, [0, 0]);
                }
            }
        }
        (var, words)
    });
    Ok(words.collect())
}

/// Binds textures, samplers and uniforms of an evaluator, from the options or by default.
///
/// # Errors
/// If an option has an unknown name or a wrong size.
pub fn bind(evaluator: &mut Evaluator<'_>, options: &DrawOptions<'_>) -> Result<(), ShadeError> {
    set_uniforms(evaluator, options)
}

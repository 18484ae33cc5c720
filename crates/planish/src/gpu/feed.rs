//! Inputs and the output of fragments.
//!
//! The entry point of the shader becomes a function. Its place is taken by one that passes it the inputs, and returns the bits of the
//! output that is drawn. What is the same for every fragment is a constant; what depends on the column or the row of a fragment comes
//! from a texture with a column for each, what depends on both from one as large as the picture:
//!
//! ```text
//! fn shader(uv: vec2<f32>) -> vec4<f32> { … }
//!
//! @fragment fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<u32> {
//!     let at = vec2<i32>(position.xy);
//!     let uv = vec2(bitcast<f32>(textureLoad(by_column, vec2(at.x, 0), 0).x), …);
//!     return bitcast<vec4<u32>>(shader(uv));
//! }
//! ```
//!
//! Rows of the target are rows of the picture, counted from the bottom: `@builtin(position)` then is `gl_FragCoord`, and derivatives
//! have the evaluator's sign.

use naga::{Binding, Expression, Handle, Literal, ScalarKind, Span, Statement, TypeInner, VectorSize};
use planish_back_naga::{Lowered, Varying};
use planish_eval::shade::{Dependence, Fragments, InputComponent};
use planish_ir::decoration::{BuiltIn, Decoration};
use planish_ir::entity::{Type, Var};
use planish_ir::meaning::Shape;
use planish_ir::module::Module;
use planish_ir::types::TypeKind;

use super::{Gpu, GpuError, unsupported};

/// Index of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Axis {
    /// The column of a fragment, and the number of the component.
    Column,
    /// The row, and the number of the component.
    Row,
    /// Column and row; the component is the layer.
    Both,
}

/// The axes, in the order of the tables.
const AXES: [Axis; 3] = [Axis::Column, Axis::Row, Axis::Both];

impl Axis {
    fn of(dependence: Dependence) -> Option<Axis> {
        match dependence {
            Dependence::None => None,
            Dependence::X => Some(Axis::Column),
            Dependence::Y => Some(Axis::Row),
            Dependence::Both => Some(Axis::Both),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Axis::Column => "planish_by_column",
            Axis::Row => "planish_by_row",
            Axis::Both => "planish_by_fragment",
        }
    }
}

/// Tables on the device, by axis.
pub(super) type Filled = [Option<wgpu::TextureView>; 3];

/// The components of inputs in tables, and the drawn output.
pub(super) struct Tables {
    /// By axis.
    components: [Vec<InputComponent>; 3],
    /// Variables of the tables, for those with components.
    pub(super) globals: [Option<Handle<naga::GlobalVariable>>; 3],
    /// Number of components of the output.
    size: usize,
}

/// A part of an input that is one argument of the entry point: its variable, number of the first component, type.
struct Argument {
    var: Var,
    first: usize,
    plain: bool,
}

impl Tables {
    /// Rewrites the entry point of a lowered fragment shader. `plain` if the position of a fragment is that of its centre.
    pub(super) fn new(
        module: &Module,
        fragments: &Fragments<'_>,
        lowered: &mut Lowered,
        plain: bool,
    ) -> Result<Tables, GpuError> {
        let arguments = arguments(module, &lowered.plan.inputs, plain);
        let wanted = fragments.output().and_then(|output| binding(module, &lowered.plan.outputs, output));
        let mut tables = Tables { components: Default::default(), globals: [None; 3], size: 0 };
        let entry = &mut lowered.module.entry_points[0];
        let mut shader = std::mem::take(&mut entry.function);
        shader.name = Some("shader".into());
        let parameters: Vec<Handle<naga::Type>> = shader.arguments.iter().map(|a| a.ty).collect();
        if parameters.len() != arguments.len() {
            let span =
                module.entry_points.first().map_or(planish_ir::source::Span::NONE, |e| module.funcs[e.func].span);
            return Err(unsupported(span, "an input of the fragment shader has no values on a device"));
        }
        shader.arguments.iter_mut().for_each(|argument| argument.binding = None);
        let result = take_result(&mut lowered.module, &mut shader, wanted);
        let function = lowered.module.functions.append(shader, Span::UNDEFINED);
        let mut writer = Writer::new(&mut lowered.module, &mut tables, fragments);
        let mut values = vec![];
        for (argument, ty) in arguments.iter().zip(parameters) {
            values.push(writer.argument(argument, ty)?);
        }
        writer.call(function, values, result);
        let function = writer.function;
        lowered.module.entry_points[0].function = function;
        fine_derivatives(&mut lowered.module);
        lowered.validate_again().map_err(GpuError::Unsupported)?;
        Ok(tables)
    }

    /// The tables with the values for all fragments, and for those at the right and upper edge that only complete a quad.
    pub(super) fn fill(&self, gpu: &Gpu, fragments: &Fragments<'_>) -> Filled {
        let [width, height] = fragments.size().map(|n| n.next_multiple_of(2));
        std::array::from_fn(|i| {
            let components = &self.components[i];
            let rows = components.len() as u32;
            if rows == 0 {
                return None;
            }
            let bits = |component: u32, pixel| fragments.bits(&components[component as usize], pixel) as u32;
            Some(match AXES[i] {
                Axis::Column => upload(gpu, [width, rows, 1], false, |x, component, _| bits(component, [x, 0])),
                Axis::Row => upload(gpu, [height, rows, 1], false, |y, component, _| bits(component, [0, y])),
                Axis::Both => upload(gpu, [width, height, rows], true, |x, y, component| bits(component, [x, y])),
            })
        })
    }

    /// The pixel of a texel of the target.
    pub(super) fn pixel(&self, fragments: &Fragments<'_>, texel: [u32; 4]) -> [f32; 4] {
        // A discarded fragment leaves the target as it is cleared.
        if self.size < 4 && texel[3] == 0 {
            return [0.0; 4];
        }
        let start = fragments.output().map_or(0, |(_, start)| start);
        // An output that the shader does not write is zero.
        let bits = |c: usize| if self.size == 0 { Some(0) } else { texel.get(c - start).copied() };
        fragments.pixel(|c| bits(c).map(u64::from))
    }
}

/// The parts of inputs, in the order of the entry point's arguments.
fn arguments(module: &Module, inputs: &[Varying], plain: bool) -> Vec<Argument> {
    let mut all = vec![];
    for input in inputs.iter().filter(|input| input.used) {
        let mut first = member_start(module, input);
        if let Some(builtin) = input.builtin {
            let plain = plain && builtin == BuiltIn::FragCoord;
            all.push(Argument { var: input.var, first, plain });
            continue;
        }
        leaves(module, input.ty, &mut |components| {
            all.push(Argument { var: input.var, first, plain: false });
            first += components;
        });
    }
    all
}

/// The number of the first component of a member in its variable.
fn member_start(module: &Module, input: &Varying) -> usize {
    let block = module.types.as_struct(module.vars[input.var].ty);
    let before = block.zip(input.member).map(|(block, member)| &block.members[..member as usize]);
    before.into_iter().flatten().filter_map(|member| module.types.components(member.ty)).sum()
}

/// Calls `f` with the number of components of each vector or scalar.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn leaves(module: &Module, ty: Type, f: &mut dyn FnMut(usize)) {
    match &module.types[ty] {
        TypeKind::Matrix { columns, rows, .. } => (0..*columns).for_each(|_| f((*rows).into())),
        TypeKind::Array { element, len } => (0..*len).for_each(|_| leaves(module, *element, f)),
        TypeKind::Struct(s) => s.members.iter().for_each(|member| leaves(module, member.ty, f)),
        _ => f(module.types.components(ty).unwrap_or(1)),
    }
}

/// The place of an output in the result of the entry point: location and source of blending, or a built-in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Location(u32, u32),
    Depth,
    Mask,
}

impl Place {
    fn of(binding: &Binding) -> Option<Place> {
        match *binding {
            Binding::Location { location, blend_src, .. } => Some(Place::Location(location, blend_src.unwrap_or(0))),
            Binding::BuiltIn(naga::BuiltIn::FragDepth) => Some(Place::Depth),
            Binding::BuiltIn(naga::BuiltIn::SampleMask) => Some(Place::Mask),
            Binding::BuiltIn(_) => None,
        }
    }
}

/// The place of the output whose first component in a variable is `start`.
fn binding(module: &Module, outputs: &[Varying], (var, start): (Var, usize)) -> Option<Place> {
    let output = outputs.iter().find(|output| output.var == var)?;
    match output.builtin {
        Some(BuiltIn::FragDepth) => return Some(Place::Depth),
        Some(BuiltIn::SampleMask) => return Some(Place::Mask),
        _ => {}
    }
    let (mut at, mut location) = (0, output.location?);
    leaves(module, output.ty, &mut |components| {
        location += u32::from(at + components <= start);
        at += components;
    });
    let source = output.decorations.find(|d| if let Decoration::Index(n) = d { Some(n) } else { None });
    Some(Place::Location(location, source.unwrap_or(0)))
}

/// The part of a result: its member, if it is a struct, and its type.
#[derive(Clone, Copy)]
struct Part {
    member: Option<u32>,
    ty: Handle<naga::Type>,
}

/// Makes the result of an entry point one of a function; returns the part of an output, if the shader writes it.
fn take_result(module: &mut naga::Module, shader: &mut naga::Function, wanted: Option<Place>) -> Option<Part> {
    let result = shader.result.as_mut()?;
    if let Some(binding) = result.binding.take() {
        return (Place::of(&binding) == wanted && wanted.is_some()).then_some(Part { member: None, ty: result.ty });
    }
    let struct_type = module.types[result.ty].clone();
    let TypeInner::Struct { mut members, span } = struct_type.inner else { return None };
    let mut found = None;
    for (index, member) in (0..).zip(&mut members) {
        let place = member.binding.take().and_then(|binding| Place::of(&binding));
        if place.is_some() && place == wanted {
            found = Some(Part { member: Some(index), ty: member.ty });
        }
    }
    // In place of the old one: the source of blending would need a feature of the device.
    let name = Some("ShaderOutput".to_string());
    module.types.replace(result.ty, naga::Type { name, inner: TypeInner::Struct { members, span } });
    found
}

/// Differences in a fragment's own row and column, as the evaluator takes them.
fn fine_derivatives(module: &mut naga::Module) {
    let expressions = module.functions.iter_mut().flat_map(|(_, function)| function.expressions.iter_mut());
    for (_, expression) in expressions {
        if let Expression::Derivative { ctrl, .. } = expression {
            *ctrl = naga::DerivativeControl::Fine;
        }
    }
}

/// Writes the entry point.
struct Writer<'w> {
    module: &'w mut naga::Module,
    tables: &'w mut Tables,
    fragments: &'w Fragments<'w>,
    function: naga::Function,
    position: Handle<Expression>,
    /// Column and row of the fragment.
    place: Option<[Handle<Expression>; 2]>,
}

impl<'w> Writer<'w> {
    fn new(module: &'w mut naga::Module, tables: &'w mut Tables, fragments: &'w Fragments<'w>) -> Self {
        let ty = vector(module, naga::Scalar::F32, VectorSize::Quad);
        let binding = Some(Binding::BuiltIn(naga::BuiltIn::Position { invariant: false }));
        let argument = naga::FunctionArgument { name: Some("position".into()), ty, binding };
        let mut function = naga::Function { arguments: vec![argument], ..naga::Function::default() };
        let position = function.expressions.append(Expression::FunctionArgument(0), Span::UNDEFINED);
        Writer { module, tables, fragments, function, position, place: None }
    }

    /// Adds an expression that needs no statement.
    fn constant(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        let handle = self.constant(expression);
        let range = naga::Range::new_from_bounds(handle, handle);
        self.function.body.push(Statement::Emit(range), Span::UNDEFINED);
        handle
    }

    /// The value of a part of an input.
    fn argument(&mut self, argument: &Argument, ty: Handle<naga::Type>) -> Result<Handle<Expression>, GpuError> {
        if argument.plain {
            return Ok(self.position);
        }
        let (scalar, size) = match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) => (scalar, 1),
            TypeInner::Vector { size, scalar } => (scalar, size as usize),
            _ => return Err(unsupported(planish_ir::source::Span::NONE, "an input is neither a scalar nor a vector")),
        };
        let components = self.fragments.components(argument.var);
        let mut values = vec![];
        for number in argument.first..argument.first + size {
            let component = components.iter().find(|component| component.component == number);
            values.push(match component {
                Some(component) if component.scalar.bits() <= 32 => self.component(component, scalar),
                _ => return Err(unsupported(planish_ir::source::Span::NONE, "an input has no values on a device")),
            });
        }
        match values[..] {
            [one] => Ok(one),
            _ => Ok(self.add(Expression::Compose { ty, components: values })),
        }
    }

    fn component(&mut self, component: &InputComponent, scalar: naga::Scalar) -> Handle<Expression> {
        let Some(axis) = Axis::of(component.dependence) else {
            let bits = self.fragments.bits(component, [0, 0]);
            let literal = literal(scalar.kind, bits as u32);
            return self.constant(Expression::Literal(literal));
        };
        let components = &mut self.tables.components[axis as usize];
        let number = components.len() as i32;
        components.push(*component);
        let image = self.table(axis);
        let [x, y] = self.place();
        let number = self.constant(Expression::Literal(Literal::I32(number)));
        let (at, array_index) = match axis {
            Axis::Column => ([x, number], None),
            Axis::Row => ([y, number], None),
            Axis::Both => ([x, y], Some(number)),
        };
        let ty = vector(self.module, naga::Scalar::I32, VectorSize::Bi);
        let coordinate = self.add(Expression::Compose { ty, components: at.to_vec() });
        let level = Some(self.constant(Expression::Literal(Literal::I32(0))));
        let load = Expression::ImageLoad { image, coordinate, array_index, sample: None, level };
        let texel = self.add(load);
        let bits = self.add(Expression::AccessIndex { base: texel, index: 0 });
        match scalar.kind {
            ScalarKind::Uint => bits,
            ScalarKind::Bool => self.add(Expression::As { expr: bits, kind: ScalarKind::Bool, convert: Some(1) }),
            kind => self.add(Expression::As { expr: bits, kind, convert: None }),
        }
    }

    /// The table of an axis, which is made when it is first used.
    fn table(&mut self, axis: Axis) -> Handle<Expression> {
        let global = match self.tables.globals[axis as usize] {
            Some(global) => global,
            None => {
                let class = naga::ImageClass::Sampled { kind: ScalarKind::Uint, multi: false };
                let inner = TypeInner::Image { dim: naga::ImageDimension::D2, arrayed: axis == Axis::Both, class };
                let ty = self.module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED);
                let variable = naga::GlobalVariable {
                    name: Some(axis.name().into()),
                    space: naga::AddressSpace::Handle,
                    binding: Some(free_binding(self.module)),
                    ty,
                    init: None,
                    memory_decorations: naga::MemoryDecorations::empty(),
                };
                let global = self.module.global_variables.append(variable, Span::UNDEFINED);
                self.tables.globals[axis as usize] = Some(global);
                global
            }
        };
        self.constant(Expression::GlobalVariable(global))
    }

    /// Column and row of the fragment.
    fn place(&mut self) -> [Handle<Expression>; 2] {
        if let Some(place) = self.place {
            return place;
        }
        let place = [0, 1].map(|index| {
            let float = self.add(Expression::AccessIndex { base: self.position, index });
            self.add(Expression::As { expr: float, kind: ScalarKind::Sint, convert: Some(4) })
        });
        *self.place.insert(place)
    }

    /// Calls the shader, and returns the bits of a part of its result. The last component tells what is drawn from what is discarded,
    /// if the part has fewer than four.
    fn call(&mut self, function: Handle<naga::Function>, arguments: Vec<Handle<Expression>>, part: Option<Part>) {
        let is_value = self.module.functions[function].result.is_some();
        let result = is_value.then(|| self.constant(Expression::CallResult(function)));
        self.function.body.push(Statement::Call { function, arguments, result }, Span::UNDEFINED);
        let mut words = vec![];
        if let (Some(result), Some(part)) = (result, part) {
            words = self.words(result, part);
        }
        self.tables.size = words.len();
        while words.len() < 4 {
            let bits = u32::from(words.len() == 3);
            words.push(self.constant(Expression::Literal(Literal::U32(bits))));
        }
        let ty = vector(self.module, naga::Scalar::U32, VectorSize::Quad);
        let value = Some(self.add(Expression::Compose { ty, components: words }));
        self.function.body.push(Statement::Return { value }, Span::UNDEFINED);
        let binding = Binding::Location {
            location: 0,
            interpolation: None,
            sampling: None,
            blend_src: None,
            per_primitive: false,
        };
        self.function.result = Some(naga::FunctionResult { ty, binding: Some(binding) });
    }

    fn words(&mut self, result: Handle<Expression>, part: Part) -> Vec<Handle<Expression>> {
        let value = match part.member {
            Some(index) => self.add(Expression::AccessIndex { base: result, index }),
            None => result,
        };
        let (kind, parts) = match self.module.types[part.ty].inner {
            TypeInner::Scalar(scalar) => (scalar.kind, vec![value]),
            TypeInner::Vector { size, scalar } => {
                let parts = (0..size as u32).map(|index| self.add(Expression::AccessIndex { base: value, index }));
                (scalar.kind, parts.collect())
            }
            _ => return vec![],
        };
        let bits = |expr| Expression::As { expr, kind: ScalarKind::Uint, convert: None };
        match kind {
            ScalarKind::Uint => parts,
            _ => parts.into_iter().map(|part| self.add(bits(part))).collect(),
        }
    }
}

fn vector(module: &mut naga::Module, scalar: naga::Scalar, size: VectorSize) -> Handle<naga::Type> {
    module.types.insert(naga::Type { name: None, inner: TypeInner::Vector { size, scalar } }, Span::UNDEFINED)
}

fn literal(kind: ScalarKind, bits: u32) -> Literal {
    match kind {
        ScalarKind::Sint => Literal::I32(bits as i32),
        ScalarKind::Float => Literal::F32(f32::from_bits(bits)),
        ScalarKind::Bool => Literal::Bool(bits != 0),
        _ => Literal::U32(bits),
    }
}

/// A binding of the first group that no variable has.
fn free_binding(module: &naga::Module) -> naga::ResourceBinding {
    let taken = |binding| {
        let of = |global: &naga::GlobalVariable| global.binding.is_some_and(|b| b.group == 0 && b.binding == binding);
        module.global_variables.iter().any(|(_, global)| of(global))
    };
    let binding = (0..).find(|&binding| !taken(binding)).expect("there are fewer variables than numbers");
    naga::ResourceBinding { group: 0, binding }
}

/// A table of words.
fn upload(
    gpu: &Gpu,
    [width, height, layers]: [u32; 3],
    arrayed: bool,
    word: impl Fn(u32, u32, u32) -> u32,
) -> wgpu::TextureView {
    let mut bytes = vec![];
    for z in 0..layers {
        for y in 0..height {
            (0..width).for_each(|x| bytes.extend(word(x, y, z).to_le_bytes()));
        }
    }
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: layers };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::R32Uint,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * 4), rows_per_image: Some(height) };
    gpu.queue.write_texture(texture.as_image_copy(), &bytes, layout, size);
    let dimension = if arrayed { wgpu::TextureViewDimension::D2Array } else { wgpu::TextureViewDimension::D2 };
    texture.create_view(&wgpu::TextureViewDescriptor { dimension: Some(dimension), ..Default::default() })
}

/// The table of a variable, if it is one.
pub(super) fn table_of(tables: &Tables, global: Handle<naga::GlobalVariable>) -> Option<usize> {
    tables.globals.iter().position(|&table| table == Some(global))
}

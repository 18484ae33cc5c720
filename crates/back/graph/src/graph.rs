//! The graph as data. It owns all its data, so that it outlives the module.

use planish_ir::decoration::{BuiltIn, Interpolation, Precision};
use planish_ir::function::TrapKind;
use planish_ir::module::Stage;
use planish_ir::ops::{Effect, Imm, Op};
use planish_ir::source::Span;
use rustc_hash::FxHashMap;

use crate::literal::Literal;
use crate::shape::{TypeId, TypeRow};

/// Index of a node in [`Graph::nodes`].
pub type NodeId = u32;

/// Frequency of computation. Nodes that compute nothing (inputs, constants, outputs) have no group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Group {
    /// Once per draw: depends on uniforms and constants only.
    Preshader,
    /// Once per invocation.
    Pixel,
}

impl Group {
    /// Its name in the outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Preshader => "preshader",
            Group::Pixel => "pixel",
        }
    }
}

/// Kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Input, by index in [`Graph::inputs`].
    Input(u32),
    /// Uniform, by index in [`Graph::uniforms`].
    Uniform(u32),
    /// Texture, sampler or image, by index in [`Graph::resources`].
    Resource(u32),
    /// Constant, by index in [`Graph::constants`].
    Constant(u32),
    /// An op on the operands.
    Op(Op, Imm),
    /// A call of a leaf, by index in [`Graph::functions`].
    Call(u32),
    /// One of the results of the operand, whose type is a tuple.
    Result(u32),
    /// The operand is the output with this index in [`Graph::outputs`].
    Output(u32),
    /// The fragment is discarded if the operand is true.
    Discard,
    /// The function traps if the operand is true.
    Trap(TrapKind),
}

/// Opcodes that are not ops of the IR.
pub(crate) const OWN_OPCODES: [&str; 9] =
    ["input", "uniform", "resource", "constant", "call", "result", "output", "discard", "trap"];

impl Kind {
    /// The opcode: an op's name in the text form, or one of the nine of graphs.
    pub fn opcode(self) -> &'static str {
        match self {
            Kind::Input(_) => "input",
            Kind::Uniform(_) => "uniform",
            Kind::Resource(_) => "resource",
            Kind::Constant(_) => "constant",
            Kind::Op(op, _) => op.text(),
            Kind::Call(_) => "call",
            Kind::Result(_) => "result",
            Kind::Output(_) => "output",
            Kind::Discard => "discard",
            Kind::Trap(_) => "trap",
        }
    }

    /// Whether it has no operands: an input, a uniform, a resource, a constant.
    pub fn is_leaf(self) -> bool {
        matches!(self, Kind::Input(_) | Kind::Uniform(_) | Kind::Resource(_) | Kind::Constant(_))
    }

    /// Whether it is an output, `discard` or a trap.
    pub fn is_sink(self) -> bool {
        matches!(self, Kind::Output(_) | Kind::Discard | Kind::Trap(_))
    }
}

/// Whether an op is a node: a function of values.
pub(crate) fn is_node(op: Op) -> bool {
    use planish_ir::ops::Class;
    let reads_input = matches!(op, Op::InterpolateAtCentroid | Op::InterpolateAtSample | Op::InterpolateAtOffset);
    let info = op.info();
    let on_values = !matches!(info.class, Class::Access | Class::Machine | Class::Simd | Class::Token | Class::Memory);
    let on_values = on_values && info.class != Class::Custom;
    reads_input || on_values && matches!(info.effect, Effect::Pure | Effect::Quad)
}

/// Every possible opcode: ops in the order of the op table, then those of graphs.
pub fn opcodes() -> impl Iterator<Item = &'static str> {
    Op::all().filter(|op| is_node(*op)).map(Op::text).chain(OWN_OPCODES)
}

/// A location in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// Index in [`Graph::files`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// Kind.
    pub kind: Kind,
    /// Type of its value; for an output, of its operand.
    pub ty: TypeId,
    /// Frequency of computation; `None` for nodes that compute nothing.
    pub group: Option<Group>,
    /// Cost; 0 without a group.
    pub cost: u32,
    /// Sufficient precision.
    pub precision: Precision,
    /// Whether rewrites must not change its value (`precise`).
    pub precise: bool,
    /// Location in the source, if requested.
    pub source: Option<Source>,
    /// Place in the source, for messages about it; `Span::NONE` of constants and sinks.
    pub span: Span,
    /// Start and number of its operands in the pool.
    pub(crate) operands: (u32, u32),
}

/// Source of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// A parameter of the function.
    Parameter,
    /// Output of the previous stage, or a vertex attribute.
    Varying {
        /// Location, if it has one.
        location: Option<u32>,
        /// Interpolation, if the source specifies it.
        interpolation: Option<Interpolation>,
    },
    /// Input of the pipeline.
    BuiltIn(BuiltIn),
    /// Previous contents of the frame buffer (framebuffer fetch).
    Framebuffer {
        /// Location of the output.
        location: Option<u32>,
    },
}

/// A varying input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Source.
    pub kind: InputKind,
    /// Its node.
    pub node: NodeId,
}

/// Location of a uniform for the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UniformKind {
    /// In a buffer at a binding (loose uniforms: the block that contains them).
    Buffer {
        /// Group (descriptor set).
        group: u32,
        /// Binding in the group.
        binding: u32,
        /// Offset in the buffer in bytes.
        offset: Option<u32>,
    },
    /// In a storage buffer at a binding, which is not written.
    Storage {
        /// Group (descriptor set).
        group: u32,
        /// Binding in the group.
        binding: u32,
        /// Offset in the buffer in bytes.
        offset: Option<u32>,
    },
    /// In the push constants.
    PushConstant {
        /// Offset in bytes.
        offset: Option<u32>,
    },
    /// Specialization constant, by id.
    Specialization(u32),
    /// Input of the pipeline.
    BuiltIn(BuiltIn),
    /// No location in the source.
    Unbound,
}

/// A value that is the same for a whole draw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uniform {
    /// Its name in the syntax of the source: `lights[2].colour`.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Location for the host.
    pub kind: UniformKind,
    /// Its node.
    pub node: NodeId,
    /// Its value where the host gives none: the initializer of the source; `None`: the host has to give one.
    pub default: Option<Literal>,
    /// Whether it is a colour, for an editor: a picker of colours, and the renderer's colour spaces.
    pub is_color: bool,
}

/// Why a default value or a hint does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HintError {
    /// The graph has no uniform of this name.
    NoUniform,
    /// The uniform has another number of components.
    Components(usize),
    /// A component is no number of the uniform's type.
    NoNumber(String),
    /// A colour has three or four components.
    NoColor,
    /// Only numbers, vectors and matrices have default values.
    NoNumbers,
}

/// A texture, a sampler, or a storage image (or an array of them).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resource {
    /// Its name in the syntax of the source.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Group (descriptor set) and binding; of a texture with its sampler, the texture's.
    pub binding: Option<(u32, u32)>,
    /// Group and binding of the sampler of a combined texture, if they are bound separately.
    pub sampler: Option<(u32, u32)>,
    /// Its node.
    pub node: NodeId,
}

/// An output of the function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its name; for a result, `result` and its index.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its location, if it is an output of a stage.
    pub location: Option<u32>,
    /// The built-in, if it is one.
    pub builtin: Option<BuiltIn>,
    /// The `output` node.
    pub node: NodeId,
}

/// A dataflow graph. Operands precede their users: inputs, uniforms, resources, constants, then the preshader, then the
/// nodes per pixel, then outputs, `discard` and traps. Every node is needed by one of these.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The name of the function.
    pub function: String,
    /// The stage, if it is an entry point.
    pub stage: Option<Stage>,
    /// Names of the source files.
    pub files: Vec<String>,
    /// Types, each once, parts before wholes.
    pub types: Vec<TypeRow>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Inputs, in the order of their declarations.
    pub inputs: Vec<Input>,
    /// Uniforms, in the order of their declarations.
    pub uniforms: Vec<Uniform>,
    /// Textures, samplers and images, in the order of their declarations.
    pub resources: Vec<Resource>,
    /// Outputs, in the order of their declarations; results of the function in theirs.
    pub outputs: Vec<Output>,
    /// The `discard` node.
    pub discard: Option<NodeId>,
    /// The `trap` nodes: the first one with a true operand is the trap that occurs.
    pub traps: Vec<NodeId>,
    /// Values of the constants.
    pub constants: Vec<Literal>,
    /// Names of the called leaves.
    pub functions: Vec<String>,
    pub(crate) pool: Vec<NodeId>,
    pub(crate) names: FxHashMap<NodeId, String>,
}

impl Graph {
    /// The operands of a node.
    pub fn operands(&self, node: &Node) -> &[NodeId] {
        &self.pool[node.operands.0 as usize..][..node.operands.1 as usize]
    }

    /// The name of a node: that given by the caller, or that of the input, uniform, resource or output.
    pub fn name(&self, id: NodeId) -> Option<&str> {
        match self.nodes[id as usize].kind {
            Kind::Input(i) => Some(&self.inputs[i as usize].name),
            Kind::Uniform(i) => Some(&self.uniforms[i as usize].name),
            Kind::Resource(i) => Some(&self.resources[i as usize].name),
            Kind::Output(i) => Some(&self.outputs[i as usize].name),
            _ => self.names.get(&id).map(String::as_str),
        }
    }

    /// The name of a type.
    pub fn type_name(&self, ty: TypeId) -> &str {
        &self.types[ty as usize].name
    }

    /// The value of a constant node; `None` for others.
    pub fn constant(&self, id: NodeId) -> Option<&Literal> {
        match self.nodes[id as usize].kind {
            Kind::Constant(i) => Some(&self.constants[i as usize]),
            _ => None,
        }
    }
}

//! The graph as data. It owns all it says, so that it outlives the module.

use planish_ir::decoration::{BuiltIn, Interpolation, Precision};
use planish_ir::function::TrapKind;
use planish_ir::module::Stage;
use planish_ir::ops::{Effect, Imm, Op};
use rustc_hash::FxHashMap;

use crate::literal::Literal;
use crate::shape::{TypeId, TypeRow};

/// The number of a node: its place in [`Graph::nodes`].
pub type NodeId = u32;

/// When a node is computed. Nodes that compute nothing (inputs, constants, outputs) have no group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Group {
    /// Once a draw: it depends on uniforms and constants only.
    Preshader,
    /// For each pixel, or whatever the function is called for.
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

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The value of [`Graph::inputs`] of this number.
    Input(u32),
    /// The value of [`Graph::uniforms`] of this number.
    Uniform(u32),
    /// The texture, sampler or image of [`Graph::resources`] of this number.
    Resource(u32),
    /// The value of [`Graph::constants`] of this number.
    Constant(u32),
    /// An op on the operands.
    Op(Op, Imm),
    /// A call of the target's own function of this number in [`Graph::functions`].
    Call(u32),
    /// One of the results of the operand, whose type is a tuple.
    Result(u32),
    /// The operand goes to [`Graph::outputs`] of this number.
    Output(u32),
    /// Nothing is written if the operand is true.
    Discard,
    /// The function traps in this way if the operand is true.
    Trap(TrapKind),
}

/// Opcodes that are no ops of the IR.
pub(crate) const OWN_OPCODES: [&str; 9] =
    ["input", "uniform", "resource", "constant", "call", "result", "output", "discard", "trap"];

impl Kind {
    /// Its opcode: an op's name in the text form, or one of our own.
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

    /// Whether it is a value from outside: an input, a uniform, a resource, a constant.
    pub fn is_leaf(self) -> bool {
        matches!(self, Kind::Input(_) | Kind::Uniform(_) | Kind::Resource(_) | Kind::Constant(_))
    }

    /// Whether it is where a value leaves the graph.
    pub fn is_sink(self) -> bool {
        matches!(self, Kind::Output(_) | Kind::Discard | Kind::Trap(_))
    }
}

/// Whether an op may stand in a graph as a node: it is a function of values.
pub(crate) fn is_node(op: Op) -> bool {
    use planish_ir::ops::Class;
    let reads_input = matches!(op, Op::InterpolateAtCentroid | Op::InterpolateAtSample | Op::InterpolateAtOffset);
    let info = op.info();
    let on_values = !matches!(info.class, Class::Access | Class::Machine | Class::Simd | Class::Token | Class::Memory);
    let on_values = on_values && info.class != Class::Custom;
    reads_input || on_values && matches!(info.effect, Effect::Pure | Effect::Quad)
}

/// Every opcode that a graph may have, in the order of the op table, our own last.
pub fn opcodes() -> impl Iterator<Item = &'static str> {
    Op::all().filter(|op| is_node(*op)).map(Op::text).chain(OWN_OPCODES)
}

/// A place in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// Which of [`Graph::files`].
    pub file: u32,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The type of its value; of an output, of what is put out.
    pub ty: TypeId,
    /// When it is computed.
    pub group: Option<Group>,
    /// What it costs; 0 without a group.
    pub cost: u32,
    /// The precision that suffices.
    pub precision: Precision,
    /// Whether the source forbids to change its value (`precise`).
    pub precise: bool,
    /// Where it comes from.
    pub source: Option<Source>,
    /// Where its operands begin in the pool, and how many they are.
    pub(crate) operands: (u32, u32),
}

/// What an input is to the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// A parameter of the function.
    Parameter,
    /// What the stage before gives, or a vertex attribute.
    Varying {
        /// Where.
        location: Option<u32>,
        /// Between vertices.
        interpolation: Option<Interpolation>,
    },
    /// What the pipeline gives.
    BuiltIn(BuiltIn),
    /// What is in the frame buffer before (framebuffer fetch).
    Framebuffer {
        /// Of which output.
        location: Option<u32>,
    },
}

/// Something that differs from pixel to pixel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// What it is to the host.
    pub kind: InputKind,
    /// The node that stands for it.
    pub node: NodeId,
}

/// Where the host puts a uniform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UniformKind {
    /// Into a buffer at a binding (loose uniforms: the block that gathers them).
    Buffer {
        /// Group (descriptor set).
        group: u32,
        /// Binding in the group.
        binding: u32,
        /// From the beginning of the buffer, in bytes.
        offset: Option<u32>,
    },
    /// Into a storage buffer at a binding, which nothing writes.
    Storage {
        /// Group (descriptor set).
        group: u32,
        /// Binding in the group.
        binding: u32,
        /// From the beginning of the buffer, in bytes.
        offset: Option<u32>,
    },
    /// Into the push constants.
    PushConstant {
        /// From their beginning, in bytes.
        offset: Option<u32>,
    },
    /// Into a specialization constant of this number.
    Specialization(u32),
    /// Nowhere: the pipeline gives it.
    BuiltIn(BuiltIn),
    /// Anywhere: nothing is said of it.
    Unbound,
}

/// A number that is the same for a whole draw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uniform {
    /// Its name as the source writes it: `lights[2].colour`.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Where the host puts it.
    pub kind: UniformKind,
    /// The node that stands for it.
    pub node: NodeId,
}

/// A texture, a sampler, or a storage image (or an array of them).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resource {
    /// Its name as the source writes it.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Group (descriptor set) and binding; of a texture with its sampler, the texture's.
    pub binding: Option<(u32, u32)>,
    /// Group and binding of the sampler of a texture with its sampler, where they are bound apart.
    pub sampler: Option<(u32, u32)>,
    /// The node that stands for it.
    pub node: NodeId,
}

/// Something that the function gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its name; of a result, `result` and its number.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its location, if it is an output of a stage.
    pub location: Option<u32>,
    /// What it is to the pipeline.
    pub builtin: Option<BuiltIn>,
    /// The `output` node.
    pub node: NodeId,
}

/// A dataflow graph. Nodes stand in an order where operands come first: inputs, uniforms, resources, constants, then the
/// preshader, then what is computed per pixel, then outputs, `discard` and traps. Every node is needed by one of
/// these.
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
    /// The `trap` nodes: the first whose operand is true says how the function traps.
    pub traps: Vec<NodeId>,
    /// Values of the constants.
    pub constants: Vec<Literal>,
    /// Names of the target's own functions that are called.
    pub functions: Vec<String>,
    pub(crate) pool: Vec<NodeId>,
    pub(crate) names: FxHashMap<NodeId, String>,
}

impl Graph {
    /// The operands of a node.
    pub fn operands(&self, node: &Node) -> &[NodeId] {
        &self.pool[node.operands.0 as usize..][..node.operands.1 as usize]
    }

    /// The name of a node: that which the caller gave, or that of the input, uniform, resource or output.
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

    /// The value of a node, if it is a constant.
    pub fn constant(&self, id: NodeId) -> Option<&Literal> {
        match self.nodes[id as usize].kind {
            Kind::Constant(i) => Some(&self.constants[i as usize]),
            _ => None,
        }
    }
}

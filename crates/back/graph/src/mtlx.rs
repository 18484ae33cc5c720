//! The graph as a MaterialX document: a `nodegraph` of the standard library's nodes, for material editors and renderers.
//!
//! Inputs and uniforms are inputs of the graph, textures its inputs of type `filename`; a comparison and the select on it are one `ifgreater`,
//! `ifgreatereq` or `ifequal`. What the standard library lacks is composed of its nodes, or an error (E0604): integer division, bits, derivatives,
//! arrays, structs, matrices as operands, `discard`.

mod apply;
mod ops;
mod parts;

use std::fmt::Write;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::ops::{Imm, Op, TextureFlags};
use planish_ir::types::{Dim, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Graph, Kind, Node, NodeId};
use crate::literal::Literal;
use crate::shape::{Shape, TypeId};

pub use ops::{INFO, OPS};

/// Version of the format.
const VERSION: &str = "1.39";

/// The graph as a MaterialX document. O(nodes and operands).
///
/// # Errors
/// E0604 for each operation and type that MaterialX lacks, at the first node that has it.
pub fn text(graph: &Graph) -> Result<String, Vec<Diagnostic>> {
    let mut w = Writer {
        graph,
        body: String::new(),
        interface: String::new(),
        values: Vec::with_capacity(graph.nodes.len()),
        names: FxHashSet::default(),
        numbered: FxHashMap::default(),
        errors: Vec::new(),
    };
    let name = w.unique(&graph.function);
    for (id, node) in graph.nodes.iter().enumerate() {
        let value = w.node(id as NodeId, node).unwrap_or_else(|why| {
            w.report(node, &why);
            Value::Missing
        });
        w.values.push(value);
    }
    if !w.errors.is_empty() {
        return Err(w.errors);
    }
    let (interface, body) = (w.interface, w.body);
    Ok(format!(
        "<?xml version=\"1.0\"?>\n<materialx version=\"{VERSION}\">\n  <nodegraph name=\"{name}\">\n{interface}{body}  \
         </nodegraph>\n</materialx>\n"
    ))
}

/// Source of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    /// A node, by name.
    Node(String),
    /// An input of the graph.
    Interface(String),
    /// A constant, written out.
    Constant(String),
    /// A comparison of two numbers, which only the node that selects by it writes.
    Comparison(Comparison),
    /// The scalars of a value whose type MaterialX lacks: vectors of integers, matrices, arrays, structs.
    Parts(Vec<Value>),
    /// It was refused.
    Missing,
}

/// `x > y`, `x >= y` or `x == y`, or the opposite.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Comparison {
    category: &'static str,
    ty: &'static str,
    x: Box<Value>,
    y: Box<Value>,
    negated: bool,
}

/// A value with its type: of scalars, if it is one of several.
type Scalars = (Value, &'static str);

/// An input of a node: name, type, value.
type Input<'a> = (&'a str, &'static str, &'a Value);

struct Writer<'g> {
    graph: &'g Graph,
    /// Nodes and outputs.
    body: String,
    /// Inputs of the graph.
    interface: String,
    /// By node: its value.
    values: Vec<Value>,
    names: FxHashSet<String>,
    /// By base of names: the number that the last of them has.
    numbered: FxHashMap<String, u32>,
    errors: Vec<Diagnostic>,
}

impl Writer<'_> {
    /// Reports what MaterialX lacks, at the first node that has it.
    fn report(&mut self, node: &Node, why: &str) {
        let message = format!("MaterialX has no node for {why}");
        if self.errors.iter().any(|error| error.message == message) {
            return;
        }
        let error = Diagnostic::error(Code::E0604, node.span, message);
        let help = "compute it on the host, or keep a function of the renderer as it is (`--leaf=NAME`)";
        self.errors.push(error.help(help));
    }

    /// A name that nothing has yet, of letters, digits and underscores.
    fn unique(&mut self, wish: &str) -> String {
        let mut base: String = wish.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        while base.contains("__") {
            base = base.replace("__", "_");
        }
        let base = base.trim_matches('_');
        let base = if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
            format!("n{base}")
        } else {
            base.into()
        };
        if self.names.insert(base.clone()) {
            return base;
        }
        let number = self.numbered.entry(base.clone()).or_insert(1);
        loop {
            *number += 1;
            let name = format!("{base}_{number}");
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }

    fn type_name(&self, ty: TypeId) -> Result<&'static str, String> {
        match self.graph.types[ty as usize].shape {
            Shape::Scalar(Scalar::F32) => Ok("float"),
            Shape::Scalar(Scalar::I32) => Ok("integer"),
            Shape::Scalar(Scalar::Bool) => Ok("boolean"),
            Shape::Vector(Scalar::F32, n @ 2..=4) => Ok(VECTORS[n as usize - 2]),
            _ => Err(format!("a value of type `{}`", self.graph.type_name(ty))),
        }
    }

    /// Number of components of a float type.
    fn width(&self, ty: TypeId) -> usize {
        match self.graph.types[ty as usize].shape {
            Shape::Vector(_, n) => n.into(),
            _ => 1,
        }
    }

    // Elements

    /// Writes a node; the value that it gives.
    fn add(&mut self, wish: &str, category: &str, ty: &str, inputs: &[Input<'_>]) -> Value {
        let name = self.unique(wish);
        let _ = write!(self.body, "    <{category} name=\"{name}\" type=\"{ty}\"");
        self.body.push_str(if inputs.is_empty() { " />\n" } else { ">\n" });
        for (input, ty, value) in inputs {
            let source = source(value);
            let _ = writeln!(self.body, "      <input name=\"{input}\" type=\"{ty}\" {source} />");
        }
        if !inputs.is_empty() {
            let _ = writeln!(self.body, "    </{category}>");
        }
        Value::Node(name)
    }

    /// A value that can be an input of any node: a comparison becomes a node.
    fn settled(&mut self, value: &Value) -> Value {
        let Value::Comparison(Comparison { category, ty, x, y, negated }) = value else { return value.clone() };
        let is = self.add("test", category, "boolean", &[("value1", ty, x), ("value2", ty, y)]);
        if *negated { self.add("test", "not", "boolean", &[("in", "boolean", &is)]) } else { is }
    }

    /// An operand, with its type.
    fn operand(&mut self, node: &Node, i: usize) -> Result<(Value, &'static str), String> {
        let id = self.graph.operands(node)[i];
        let ty = self.type_name(self.graph.nodes[id as usize].ty)?;
        let value = self.values[id as usize].clone();
        Ok((self.settled(&value), ty))
    }

    fn component(&mut self, value: &Value, ty: &'static str, i: u32) -> Value {
        if ty == "float" {
            return value.clone();
        }
        if let Value::Constant(text) = value {
            return Value::Constant(text.split(", ").nth(i as usize).unwrap_or("0").to_owned());
        }
        let index = Value::Constant(i.to_string());
        self.add("part", "extract", "float", &[("in", ty, value), ("index", "integer", &index)])
    }

    /// A vector of scalars.
    fn combine(&mut self, wish: &str, parts: &[Value]) -> Value {
        if parts.iter().all(|part| matches!(part, Value::Constant(_))) {
            let texts: Vec<&str> =
                parts.iter().filter_map(|part| if let Value::Constant(t) = part { Some(&**t) } else { None }).collect();
            return Value::Constant(texts.join(", "));
        }
        let category = ["combine2", "combine3", "combine4"][parts.len() - 2];
        let names = ["in1", "in2", "in3", "in4"];
        let inputs: Vec<Input<'_>> = names.into_iter().zip(parts).map(|(name, part)| (name, "float", part)).collect();
        self.add(wish, category, VECTORS[parts.len() - 2], &inputs)
    }

    // Nodes

    fn node(&mut self, id: NodeId, node: &Node) -> Result<Value, String> {
        let graph = self.graph;
        // It was said at the operand.
        if graph.operands(node).iter().any(|&id| self.values[id as usize] == Value::Missing) {
            return Ok(Value::Missing);
        }
        let wish = graph.name(id).map_or_else(|| node.kind.opcode().to_owned(), str::to_owned);
        match node.kind {
            Kind::Input(_) | Kind::Uniform(_) => {
                let ty = self.type_name(node.ty)?;
                let zero = match ty {
                    "boolean" => "false".into(),
                    "integer" => "0".into(),
                    _ => vec!["0.0"; self.width(node.ty)].join(", "),
                };
                let Kind::Uniform(i) = node.kind else { return Ok(self.interface(&wish, ty, &zero, "")) };
                let uniform = &graph.uniforms[i as usize];
                let value = uniform.default.as_ref().and_then(literal_text).unwrap_or(zero);
                if !uniform.is_color {
                    return Ok(self.interface(&wish, ty, &value, &uniform.name));
                }
                // A picker of colours, and the renderer's colour space; nodes compute on vectors.
                let color = if ty == "vector3" { "color3" } else { "color4" };
                let picked = self.interface(&wish, color, &value, &uniform.name);
                Ok(self.add("vector", "convert", ty, &[("in", color, &picked)]))
            }
            Kind::Resource(_) => match graph.types[node.ty as usize].shape {
                Shape::Image(image) if image.dim == Dim::D2 && !image.arrayed && image.sampled == Scalar::F32 => {
                    Ok(self.interface(&wish, "filename", "", ""))
                }
                _ => Err(format!("a resource of type `{}`", graph.type_name(node.ty))),
            },
            Kind::Constant(i) => {
                self.leaves(node.ty)?;
                let literal = &graph.constants[i as usize];
                literal_text(literal).map(Value::Constant).ok_or_else(|| "a number that is not finite".to_owned())
            }
            Kind::Output(i) => {
                let (value, ty) = self.operand(node, 0)?;
                let name = self.unique(&graph.outputs[i as usize].name);
                // An output takes the value of a node.
                let value = match value {
                    Value::Node(_) => value,
                    _ => self.add("value", "constant", ty, &[("value", ty, &value)]),
                };
                let _ = writeln!(self.body, "    <output name=\"{name}\" type=\"{ty}\" {} />", source(&value));
                Ok(Value::Missing)
            }
            Kind::Call(i) => {
                let ty = self.type_name(node.ty)?;
                let operands: Vec<(Value, &'static str)> =
                    (0..graph.operands(node).len()).map(|i| self.operand(node, i)).collect::<Result<_, _>>()?;
                let names: Vec<String> = (1..=operands.len()).map(|i| format!("in{i}")).collect();
                let inputs = names.iter().zip(&operands).map(|(name, (value, ty))| (&**name, *ty, value));
                let inputs: Vec<Input<'_>> = inputs.collect();
                Ok(self.add(&wish, &graph.functions[i as usize], ty, &inputs))
            }
            Kind::Op(op, imm) => self.op(&wish, node, op, imm),
            Kind::Discard => Err("`discard`".into()),
            Kind::Trap(_) => Err("a trap".into()),
            Kind::Result(_) => Err("an operation with several results".into()),
        }
    }

    /// An input of the graph; `label` is its name in the source.
    fn interface(&mut self, wish: &str, ty: &str, value: &str, label: &str) -> Value {
        let name = self.unique(wish);
        // A name in the source has no character that XML escapes.
        let label = if label.is_empty() { String::new() } else { format!(" uiname=\"{label}\"") };
        let _ = writeln!(self.interface, "    <input name=\"{name}\" type=\"{ty}\" value=\"{value}\"{label} />");
        Value::Interface(name)
    }

    fn op(&mut self, wish: &str, node: &Node, op: Op, imm: Imm) -> Result<Value, String> {
        let lacks = || format!("`{}`", op.text());
        if op == Op::TextureSample {
            return self.sample(wish, node, imm.as_texture());
        }
        let operands = self.graph.operands(node);
        let types: Vec<TypeId> = operands.iter().map(|&id| self.graph.nodes[id as usize].ty).collect();
        let known = |ty: TypeId| self.type_name(ty).ok();
        let names: Option<Vec<&'static str>> = types.iter().map(|&ty| known(ty)).collect();
        if let (Some(ty), Some(names)) = (known(node.ty), names) {
            let args: Vec<(Value, &'static str)> =
                operands.iter().zip(names).map(|(&id, name)| (self.values[id as usize].clone(), name)).collect();
            if let Some(value) = self.apply(wish, op, imm, ty, &args)? {
                return Ok(value);
            }
        }
        let flats: Vec<Vec<Scalars>> = operands.iter().map(|&id| self.flat(id)).collect::<Result<_, _>>()?;
        let result = self.leaves(node.ty)?;
        let parts = self.by_parts(wish, (op, imm), node, &types, (&flats, &result))?.ok_or_else(lacks)?;
        Ok(self.rebuilt(wish, node.ty, parts))
    }

    fn sample(&mut self, wish: &str, node: &Node, flags: TextureFlags) -> Result<Value, String> {
        let ty = self.type_name(node.ty)?;
        let has_more = [
            TextureFlags::COMPARE,
            TextureFlags::OFFSET,
            TextureFlags::PROJ,
            TextureFlags::BIAS,
            TextureFlags::MIN_LOD,
        ];
        let (file, at) = (self.values[self.graph.operands(node)[0] as usize].clone(), self.operand(node, 1)?);
        if ty != "vector4" || at.1 != "vector2" || has_more.iter().any(|&flag| flags.has(flag)) {
            return Err("a texture that is sampled in this way".into());
        }
        Ok(self.add(wish, "image", ty, &[("file", "filename", &file), ("texcoord", "vector2", &at.0)]))
    }
}

const VECTORS: [&str; 3] = ["vector2", "vector3", "vector4"];

/// Number of components of a float type.
fn components(ty: &str) -> usize {
    VECTORS.iter().position(|vector| *vector == ty).map_or(1, |i| i + 2)
}

/// The attribute of an input that says where its value comes from.
fn source(value: &Value) -> String {
    match value {
        Value::Node(name) => format!("nodename=\"{name}\""),
        Value::Interface(name) => format!("interfacename=\"{name}\""),
        Value::Constant(text) => format!("value=\"{text}\""),
        // Refused before; comparisons are settled.
        Value::Comparison(_) | Value::Parts(_) | Value::Missing => "value=\"\"".into(),
    }
}

/// A number in every component of a type.
fn splat(number: f32, ty: &str) -> Value {
    Value::Constant(vec![format!("{number:?}"); components(ty)].join(", "))
}

fn literal_text(literal: &Literal) -> Option<String> {
    Some(match literal {
        Literal::Bits(Scalar::Bool, bits) => (*bits != 0).to_string(),
        Literal::Bits(Scalar::F32, bits) => {
            let number = f32::from_bits(*bits as u32);
            number.is_finite().then(|| format!("{number:?}"))?
        }
        Literal::Bits(_, bits) => (*bits as u32 as i32).to_string(),
        Literal::Parts(parts) => parts.iter().map(literal_text).collect::<Option<Vec<_>>>()?.join(", "),
        Literal::Name(_) => return None,
    })
}

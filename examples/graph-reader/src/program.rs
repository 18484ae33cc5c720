//! A graph that has been read and checked.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::component::{self, Kernel};
use crate::error::Error;
use crate::types::{self, Scalar, Type};
use crate::whole::{self, Whole};

/// An input, uniform, resource or output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its row of the graph, with further properties: location, binding, offset, …
    pub row: Value,
    /// The node.
    pub(crate) node: usize,
}

/// The operation of a node.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// None: its value is an input or a constant.
    Leaf,
    /// A function on each component.
    Component(Kernel),
    /// A function on whole values.
    Whole(Whole),
    /// The part of a tuple that begins at this component.
    Result(usize),
    /// A texture op, executed by the host.
    Texture,
    /// A function call, executed by the host.
    Call(String),
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) op: String,
    pub(crate) ty: Type,
    pub(crate) inputs: Vec<usize>,
    pub(crate) index: usize,
    pub(crate) lanes: Vec<usize>,
    pub(crate) roles: Vec<String>,
    pub(crate) projective: bool,
    pub(crate) component: usize,
    pub(crate) is_preshader: bool,
    pub(crate) action: Action,
    /// Offset of its components.
    pub(crate) at: usize,
}

/// A graph that has been read and checked.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of the function.
    pub function: String,
    /// Inputs that vary by pixel.
    pub inputs: Vec<Named>,
    /// Inputs that are constant for a draw.
    pub uniforms: Vec<Named>,
    /// Textures and samplers.
    pub resources: Vec<Named>,
    /// Results.
    pub outputs: Vec<Named>,
    pub(crate) discard: Option<usize>,
    /// The `trap` nodes, with how each traps.
    pub(crate) traps: Vec<(usize, String)>,
    pub(crate) nodes: Vec<Node>,
    /// Components of all values, initialized with the constants.
    pub(crate) words: Vec<u32>,
}

impl Program {
    /// Reads a graph.
    ///
    /// # Errors
    /// If it is not JSON, not this format, inconsistent, or uses an unsupported construct.
    pub fn read(json: &str) -> Result<Program, Error> {
        let value: Value = serde_json::from_str(json).map_err(|e| Error::Format(e.to_string()))?;
        if value["format"] != "planish-graph" || value["version"] != 1 {
            return Err(Error::Format("not version 1 of `planish-graph`".into()));
        }
        let types = types::read(&value["types"])?;
        let mut program = Program {
            function: value["function"].as_str().unwrap_or_default().into(),
            inputs: named(&value, "inputs", &types)?,
            uniforms: named(&value, "uniforms", &types)?,
            resources: named(&value, "resources", &types)?,
            outputs: named(&value, "outputs", &types)?,
            discard: None,
            traps: vec![],
            nodes: vec![],
            words: vec![],
        };
        let nodes = value["nodes"].as_array().ok_or_else(|| Error::Format("no nodes".into()))?;
        for (id, row) in nodes.iter().enumerate() {
            let node = program.read_node(id, row, &types)?;
            program.nodes.push(node);
        }
        program.check_named()?;
        if let Some(discard) = value["discard"].as_u64() {
            let id =
                usize::try_from(discard).ok().filter(|&id| program.nodes.get(id).is_some_and(|n| n.op == "discard"));
            program.discard = Some(id.ok_or_else(|| Error::Format("`discard` names another node".into()))?);
        }
        for trap in value["traps"].as_array().into_iter().flatten() {
            let id = trap.as_u64().map_or(usize::MAX, |id| id as usize);
            let is_trap = program.nodes.get(id).is_some_and(|n| n.op == "trap");
            let kind = is_trap.then(|| nodes[id]["trap"].as_str()).flatten();
            let kind = kind.ok_or_else(|| Error::Format("`traps` names another node".into()))?;
            program.traps.push((id, kind.into()));
        }
        if program.traps.len() != program.nodes.iter().filter(|n| n.op == "trap").count() {
            return Err(Error::Format("a `trap` that `traps` does not name".into()));
        }
        Ok(program)
    }

    fn read_node(&mut self, id: usize, row: &Value, types: &BTreeMap<String, Type>) -> Result<Node, Error> {
        let wrong = |what: &str| Error::Node(id, what.into());
        if row["id"].as_u64() != Some(id as u64) {
            return Err(wrong("is not numbered by its place"));
        }
        let op = row["op"].as_str().ok_or_else(|| wrong("has no op"))?.to_string();
        let ty = row["type"].as_str().and_then(|name| types.get(name)).ok_or_else(|| wrong("has no known type"))?;
        let mut inputs = vec![];
        for input in row["inputs"].as_array().into_iter().flatten() {
            let input = input.as_u64().map(|i| i as usize).filter(|&i| i < id);
            inputs.push(input.ok_or_else(|| wrong("needs a node that does not stand before it"))?);
        }
        let lane = |c: char| "xyzw".find(c);
        let texture = &row["texture"];
        let texts = |list: &Value| {
            list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_string).collect()
        };
        let mut node = Node {
            ty: ty.clone(),
            inputs,
            index: row["index"].as_u64().unwrap_or(0) as usize,
            lanes: row["lanes"].as_str().unwrap_or_default().chars().filter_map(lane).collect(),
            roles: texts(&texture["operands"]),
            projective: texture["projective"] == true,
            component: texture["component"].as_u64().unwrap_or(0) as usize,
            is_preshader: row["group"] == "preshader",
            action: Action::Leaf,
            at: self.words.len(),
            op,
        };
        self.words.resize(node.at + node.ty.size(), 0);
        if node.op == "constant" {
            let words = types::constant(&row["value"], &node.ty).ok_or_else(|| wrong("has no value of its type"))?;
            self.words[node.at..].copy_from_slice(&words);
        }
        node.action = self.action(id, &node, row)?;
        Ok(node)
    }

    /// The operation of a node, if its operands fit.
    fn action(&self, id: usize, node: &Node, row: &Value) -> Result<Action, Error> {
        let wrong = |what: &str| Error::Node(id, what.into());
        let operand = |i: usize| node.inputs.get(i).map(|&input| &self.nodes[input].ty);
        let named = [
            ("input", &self.inputs),
            ("uniform", &self.uniforms),
            ("resource", &self.resources),
            ("output", &self.outputs),
        ];
        if let Some((_, list)) = named.into_iter().find(|(op, _)| *op == node.op)
            && list.get(node.index).is_none_or(|named| named.node != id || named.ty != node.ty)
        {
            return Err(wrong("is not the node of its row"));
        }
        match &node.op[..] {
            "input" | "uniform" | "resource" | "constant" => return Ok(Action::Leaf),
            "output" | "discard" | "trap" => {
                let fits = node.inputs.len() == 1 && operand(0) == Some(&node.ty);
                return if fits { Ok(Action::Result(0)) } else { Err(wrong("does not fit what it puts out")) };
            }
            "result" => {
                let tuple = operand(0).ok_or_else(|| wrong("is a result of nothing"))?;
                let fits = tuple.part(node.index).as_ref() == Some(&node.ty);
                let before = (0..node.index).filter_map(|i| tuple.part(i)).map(|part| part.size()).sum();
                return if fits { Ok(Action::Result(before)) } else { Err(wrong("is no such result")) };
            }
            "call" => {
                let name = row["function"].as_str().ok_or_else(|| wrong("calls nothing"))?;
                return Ok(Action::Call(name.into()));
            }
            _ if row.get("texture").is_some() => {
                let fits = node.roles.len() == node.inputs.len() && operand(0) == Some(&Type::Opaque);
                return if fits { Ok(Action::Texture) } else { Err(wrong("has other operands than it says")) };
            }
            _ => {}
        }
        let scalar = operand(0).and_then(Type::scalar).unwrap_or(Scalar::Bool);
        if let Some(kernel) = component::kernel(&node.op, scalar) {
            let size = node.ty.size();
            let fits = |ty: &Type| ty.size() == 1 || ty.size() == size;
            let all_fit = node.inputs.iter().all(|&i| fits(&self.nodes[i].ty));
            return if kernel.arity() == node.inputs.len() && all_fit {
                Ok(Action::Component(kernel))
            } else {
                Err(wrong("has operands that do not fit its type"))
            };
        }
        let operands: Vec<&Type> = node.inputs.iter().map(|&i| &self.nodes[i].ty).collect();
        match whole::function(&node.op) {
            Some((function, arity)) if arity.is_none_or(|n| n == operands.len()) => {
                if whole::fits(node, &operands) {
                    Ok(Action::Whole(function))
                } else {
                    Err(wrong("has operands that do not fit"))
                }
            }
            Some(_) => Err(wrong("has another number of operands")),
            None => Err(Error::Unsupported(id, format!("`{}`", node.op))),
        }
    }

    fn check_named(&self) -> Result<(), Error> {
        let lists = [
            ("input", &self.inputs),
            ("uniform", &self.uniforms),
            ("resource", &self.resources),
            ("output", &self.outputs),
        ];
        for (op, list) in lists {
            for (i, named) in list.iter().enumerate() {
                let fits = self.nodes.get(named.node).is_some_and(|n| n.op == op && n.index == i && n.ty == named.ty);
                if !fits {
                    return Err(Error::Format(format!("`{}` names another node", named.name)));
                }
            }
        }
        Ok(())
    }
}

fn named(value: &Value, key: &str, types: &BTreeMap<String, Type>) -> Result<Vec<Named>, Error> {
    let wrong = || Error::Format(format!("`{key}` cannot be read"));
    let rows = value[key].as_array().ok_or_else(wrong)?;
    rows.iter()
        .map(|row| {
            let ty = row["type"].as_str().and_then(|name| types.get(name)).ok_or_else(wrong)?;
            let name = row["name"].as_str().ok_or_else(wrong)?;
            let node = row["node"].as_u64().ok_or_else(wrong)? as usize;
            Ok(Named { name: name.into(), ty: ty.clone(), row: row.clone(), node })
        })
        .collect()
}

//! Runs a program: the preshader once a draw, the rest once a pixel.

use crate::component::Kernel;
use crate::error::Error;
use crate::program::{Action, Node, Program};
use crate::types::Type;
use crate::whole::Call;

/// A texture op, for the host.
#[derive(Debug)]
pub struct TextureCall<'a> {
    /// The op: `texture_sample`, `texture_fetch`, …
    pub op: &'a str,
    /// Index into the program's resources.
    pub resource: usize,
    /// Roles of the operands after the texture, and their components.
    pub operands: Vec<(&'a str, &'a [u32])>,
    /// Whether the coordinate is divided by its last component.
    pub projective: bool,
    /// The component of a gather.
    pub component: usize,
    /// The type of the result.
    pub ty: &'a Type,
}

/// Operations that a graph needs from its host.
pub trait Host {
    /// Executes a texture op; returns the components of the result.
    ///
    /// # Errors
    /// The reason, if it cannot.
    fn texture(&mut self, call: &TextureCall<'_>) -> Result<Vec<u32>, String>;

    /// Calls one of the target's own functions; returns the components of the results.
    ///
    /// # Errors
    /// If there is no such function, or it fails.
    fn call(&mut self, function: &str, arguments: &[&[u32]]) -> Result<Vec<u32>, String>;
}

/// A host without textures and functions.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn texture(&mut self, call: &TextureCall<'_>) -> Result<Vec<u32>, String> {
        Err(format!("there are no textures for `{}`", call.op))
    }

    fn call(&mut self, function: &str, _: &[&[u32]]) -> Result<Vec<u32>, String> {
        Err(format!("there is no function `{function}`"))
    }
}

/// A program and the values of its nodes.
#[derive(Clone, Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    words: Vec<u32>,
}

impl<'p> Machine<'p> {
    /// All inputs and uniforms are zero.
    pub fn new(program: &'p Program) -> Self {
        Machine { program, words: program.words.clone() }
    }

    /// Sets a uniform. A shorter value sets the first components.
    pub fn set_uniform(&mut self, uniform: usize, words: &[u32]) {
        self.set(self.program.uniforms[uniform].node, words);
    }

    /// Sets an input. A shorter value sets the first components.
    pub fn set_input(&mut self, input: usize, words: &[u32]) {
        self.set(self.program.inputs[input].node, words);
    }

    fn set(&mut self, node: usize, words: &[u32]) {
        let node = &self.program.nodes[node];
        let count = words.len().min(node.ty.size());
        self.words[node.at..node.at + count].copy_from_slice(&words[..count]);
    }

    /// Computes everything that depends on uniforms only. To be called after setting uniforms.
    ///
    /// # Errors
    /// If the host fails.
    pub fn preshader(&mut self, host: &mut dyn Host) -> Result<(), Error> {
        self.run(true, host)
    }

    /// Computes the rest; false if the pixel is discarded.
    ///
    /// # Errors
    /// If the host fails, or the function traps.
    pub fn pixel(&mut self, host: &mut dyn Host) -> Result<bool, Error> {
        self.run(false, host)?;
        if let Some((_, kind)) = self.program.traps.iter().find(|(id, _)| self.value(*id) != [0]) {
            return Err(Error::Trap(kind.clone()));
        }
        Ok(self.program.discard.is_none_or(|id| self.value(id) == [0]))
    }

    /// The components of an output.
    pub fn output(&self, output: usize) -> &[u32] {
        self.value(self.program.outputs[output].node)
    }

    fn value(&self, id: usize) -> &[u32] {
        let node = &self.program.nodes[id];
        &self.words[node.at..node.at + node.ty.size()]
    }

    fn run(&mut self, preshader: bool, host: &mut dyn Host) -> Result<(), Error> {
        let program = self.program;
        let mut result = Vec::new();
        for node in &program.nodes {
            // A result is computed with its op.
            let is_preshader =
                if node.op == "result" { program.nodes[node.inputs[0]].is_preshader } else { node.is_preshader };
            if is_preshader == preshader && !matches!(node.action, Action::Leaf) {
                result.clear();
                self.compute(node, host, &mut result)?;
                let size = node.ty.size();
                if result.len() != size {
                    return Err(Error::Host(format!("`{}` gives {} components, not {size}", node.op, result.len())));
                }
                self.words[node.at..node.at + size].copy_from_slice(&result);
            }
        }
        Ok(())
    }

    fn compute(&self, node: &Node, host: &mut dyn Host, out: &mut Vec<u32>) -> Result<(), Error> {
        let values = || node.inputs.iter().map(|&i| self.value(i));
        match &node.action {
            Action::Leaf => {}
            Action::Component(kernel) => self.componentwise(node, *kernel, out),
            Action::Result(at) => out.extend_from_slice(&self.value(node.inputs[0])[*at..][..node.ty.size()]),
            Action::Whole(function) => {
                let types = node.inputs.iter().map(|&i| &self.program.nodes[i].ty);
                function(
                    &Call { args: types.zip(values()).collect(), ty: &node.ty, index: node.index, lanes: &node.lanes },
                    out,
                );
            }
            Action::Texture => {
                let texture = &self.program.nodes[node.inputs[0]];
                if texture.op != "resource" {
                    return Err(Error::Host("a texture that is chosen when the program runs".into()));
                }
                let roles = node.roles.iter().map(String::as_str);
                let call = TextureCall {
                    op: &node.op,
                    resource: texture.index,
                    operands: roles.zip(values()).skip(1).collect(),
                    projective: node.projective,
                    component: node.component,
                    ty: &node.ty,
                };
                out.extend(host.texture(&call).map_err(Error::Host)?);
            }
            Action::Call(function) => {
                let arguments: Vec<&[u32]> = values().collect();
                out.extend(host.call(function, &arguments).map_err(Error::Host)?);
            }
        }
        Ok(())
    }

    /// A scalar operand is used for every component.
    fn componentwise(&self, node: &Node, kernel: Kernel, out: &mut Vec<u32>) {
        let arg = |operand: usize, i: usize| {
            let value = self.value(node.inputs[operand]);
            value[if value.len() == 1 { 0 } else { i }]
        };
        out.extend((0..node.ty.size()).map(|i| match kernel {
            Kernel::One(f) => f(arg(0, i)),
            Kernel::Two(f) => f(arg(0, i), arg(1, i)),
            Kernel::Three(f) => f(arg(0, i), arg(1, i), arg(2, i)),
            Kernel::Four(f) => f(arg(0, i), arg(1, i), arg(2, i), arg(3, i)),
        }));
    }
}

//! Shaders over batches of invocations, as C sees them.

use planish_ir::entity::{Func, Memory, Type, Var};
use planish_ir::texture::Call;

/// The shaders of an object.
#[derive(Clone, Debug, Default)]
pub struct Shaders {
    /// Their functions.
    pub entries: Vec<ShaderEntry>,
    /// A memory for the code alone, and the number of its bytes.
    pub memory: Option<(Memory, u32)>,
    /// Imported functions that are texture ops.
    pub textures: Vec<(Func, Call)>,
}

/// The function of an entry point.
#[derive(Clone, Debug)]
pub struct ShaderEntry {
    /// Its name in the program.
    pub name: String,
    /// Comment in the header.
    pub comment: String,
    /// Takes the numbers.
    pub func: Func,
    /// Structures that C passes pointers to, in order.
    pub groups: Vec<ShaderGroup>,
    /// Numbers that C passes after them.
    pub numbers: Vec<ShaderNumbers>,
}

/// Numbers of type `uint32_t` that are passed by value, or behind a pointer to several.
#[derive(Clone, Debug)]
pub struct ShaderNumbers {
    /// Name of the parameter.
    pub name: &'static str,
    /// `None`: one, by value.
    pub count: Option<u32>,
}

/// A structure of a shader's interface, as a memory.
#[derive(Clone, Debug)]
pub struct ShaderGroup {
    /// Name of the parameter, and last part of the name of the structure.
    pub name: &'static str,
    /// The memory that it is.
    pub memory: Memory,
    /// Whether there is one for each batch; their number is the first of the numbers.
    pub is_repeated: bool,
    /// Whether the function only reads it.
    pub is_const: bool,
    /// Bytes.
    pub size: u32,
    /// Its members.
    pub fields: Vec<ShaderField>,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct ShaderField {
    /// Its name in the program.
    pub name: String,
    /// Bytes before it.
    pub offset: u32,
    /// Comment in the header; may be empty.
    pub comment: String,
    /// Its kind.
    pub kind: FieldKind,
}

/// Kind of a member of a structure.
#[derive(Clone, Debug)]
pub enum FieldKind {
    /// A value of a type.
    Value(Type),
    /// Pointers to textures or samplers, with the lengths of their arrays.
    Handle {
        /// Whether they are samplers.
        is_sampler: bool,
        /// From the outermost; none for a single one.
        lengths: Vec<u32>,
    },
    /// Address and size of a buffer.
    Buffer {
        /// The memory that it is.
        memory: Memory,
        /// The variable with the number of elements at its end, the bytes before, and those of an element.
        tail: Option<(Var, u32, u32)>,
    },
}

impl Shaders {
    /// Whether an imported function is a texture op.
    pub fn is_texture(&self, func: Func) -> bool {
        self.textures.iter().any(|(texture, _)| *texture == func)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

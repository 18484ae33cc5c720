//! The part of a header that is about shaders over batches of invocations.

use std::fmt::Write as _;

use crate::ctype::CLayout;
use crate::header::{Header, unique_members};
use crate::shaders::{FieldKind, ShaderEntry, ShaderGroup};

/// Declarations of textures and buffers, which headers share.
pub(crate) const COMMON: &str = "#ifndef PLANISH_RESOURCES_H
#define PLANISH_RESOURCES_H

/* A storage buffer: its bytes lie as the layout of the block in the shader says (std430, if it says nothing). An access
   beyond `size` traps; an index of the array at the end is at most that of its last element. */
typedef struct planish_buffer {
    void *data;
    size_t size;
} planish_buffer;

enum { PLANISH_LINEAR = 0, PLANISH_NEAREST = 1, PLANISH_FIRST_LEVEL = 2 };
enum { PLANISH_REPEAT = 0, PLANISH_CLAMP = 1, PLANISH_MIRROR = 2, PLANISH_BORDER = 3 };
enum {
    PLANISH_LESS_EQUAL = 0,
    PLANISH_LESS = 1,
    PLANISH_GREATER = 2,
    PLANISH_GREATER_EQUAL = 3,
    PLANISH_EQUAL = 4,
    PLANISH_NOT_EQUAL = 5,
    PLANISH_ALWAYS = 6,
    PLANISH_NEVER = 7
};

/* A sampler. All zeros: linear filters, repeating. */
typedef struct planish_sampler {
    uint32_t magnify; /* PLANISH_LINEAR or PLANISH_NEAREST */
    uint32_t minify;
    uint32_t mipmap;  /* between levels; or PLANISH_FIRST_LEVEL only */
    uint32_t wrap[3];
    uint32_t compare; /* of shadow samplers: compare(depth, texel) */
} planish_sampler;

/* A texture. `texels` has four components of 32 bits for each texel: float, or int32_t or uint32_t for integer textures,
   level by level, layer by layer, row by row, the row with the smallest v first. A level is half the size of the one before,
   rounded down, at least 1. If `texels` is NULL, `texel` is called for each. A NULL texture is opaque black. */
typedef struct planish_texture {
    const void *texels;
    void (*texel)(const struct planish_texture *self, uint32_t x, uint32_t y, uint32_t z, uint32_t level, uint32_t bits[4]);
    void *user;
    uint32_t width;
    uint32_t height;
    uint32_t depth; /* of a volume; else the number of layers, six for a cube (+x -x +y -y +z -z) */
    uint32_t levels;
    planish_sampler sampler; /* unless the shader combines the texture with a sampler of its own */
} planish_texture;

#endif

";

impl Header<'_> {
    /// The function of an entry point and its structures.
    pub(crate) fn shader(&mut self, entry: &ShaderEntry, c_name: &str, out: &mut String) {
        let mut params = Vec::new();
        for group in &entry.groups {
            let name = format!("{c_name}_{}", group.name);
            self.group(group, &name);
            params.push(format!("{}{name} *{}", if group.is_const { "const " } else { "" }, group.name));
        }
        params.extend(entry.numbers.iter().map(|numbers| match numbers.count {
            None => format!("uint32_t {}", numbers.name),
            Some(count) => format!("const uint32_t {}[{count}]", numbers.name),
        }));
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let comment = entry.comment.replace("*/", "* /");
        let _ = write!(out, "/* {comment} */\nvoid {c_name}({params});\n\n");
    }

    fn group(&mut self, group: &ShaderGroup, name: &str) {
        let mut text = format!("typedef struct {name} {{\n");
        for (name, field) in unique_members(group.fields.iter().map(|field| (&*field.name, field))) {
            let declared = match &field.kind {
                FieldKind::Value(ty) => {
                    debug_assert!(CLayout::of(self.module, *ty).is_some(), "fields are values of C");
                    self.declare(*ty, &name)
                }
                FieldKind::Buffer { .. } => format!("planish_buffer {name}"),
                FieldKind::Handle { is_sampler, lengths } => {
                    let of = if *is_sampler { "planish_sampler" } else { "planish_texture" };
                    let lengths: String = lengths.iter().map(|len| format!("[{len}]")).collect();
                    format!("const {of} *{name}{lengths}")
                }
            };
            let comment = field.comment.replace("*/", "* /");
            let comment = if comment.is_empty() { comment } else { format!(" /* {comment} */") };
            let _ = writeln!(text, "    {declared};{comment}");
        }
        let _ = write!(text, "}} {name}; /* {} bytes */\n\n", group.size);
        self.types.push_str(&text);
    }
}

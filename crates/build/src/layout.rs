//! Structs of Rust that have the layout of a shader's memory: padding is explicit, arrays and matrices have the padding of their elements inside.

use planish::ir::signature::capitals;
use planish::reflection::{Block, Member};
use planish::rust_identifier;

/// The name of what the reader of WGSL puts at the end of structs that are larger than their members.
const PADDING: &str = "_planish_padding";

/// A struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Struct {
    pub(crate) name: String,
    /// Its name in the shader.
    pub(crate) original: String,
    pub(crate) fields: Vec<Field>,
    /// In bytes.
    pub(crate) size: u32,
}

/// A field that is no padding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// Its type in the shader, in words for people.
    pub(crate) about: String,
    /// In bytes.
    pub(crate) offset: u32,
    pub(crate) shape: Shape,
}

/// A type of Rust, and that of the value without padding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// A scalar or vector, with room for more of its scalars after it.
    Numbers {
        scalar: Scalar,
        /// `None` of a scalar.
        components: Option<u32>,
        /// Number of scalars with the room after it.
        len: u32,
    },
    /// An array, or the columns (or rows) of a matrix.
    Array(Box<Shape>, u32),
    /// A struct by number, with its size and alignment.
    Struct { number: usize, size: u32, align: u32 },
}

/// A scalar of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F16,
    F32,
    I64,
    U64,
    F64,
}

/// A block: the part of known size, and an array after it that is sized by its buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BlockTypes {
    /// The number of the struct; `None` if there is nothing but the array.
    pub(crate) head: Option<usize>,
    pub(crate) tail: Option<Tail>,
}

/// An array that is sized by its buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tail {
    /// The name of the type of its elements, which is a name for [`Tail::shape`].
    pub(crate) alias: String,
    /// Its name in the shader.
    pub(crate) name: String,
    /// In bytes.
    pub(crate) offset: u32,
    pub(crate) shape: Shape,
}

/// The structs of a program.
#[derive(Default)]
pub(crate) struct Structs {
    pub(crate) all: Vec<Struct>,
    /// Names of types that are taken.
    names: Vec<String>,
}

impl Scalar {
    /// Size in bytes. A `bool` is stored as a `u32`.
    pub(crate) fn size(self) -> u32 {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }
}

impl Shape {
    /// Size and alignment in bytes, as Rust has them.
    pub(crate) fn size_and_align(&self) -> (u32, u32) {
        match self {
            Shape::Numbers { scalar, len, .. } => (scalar.size() * len, scalar.size()),
            Shape::Array(element, len) => {
                let (size, align) = element.size_and_align();
                (size.saturating_mul(*len), align)
            }
            Shape::Struct { size, align, .. } => (*size, *align),
        }
    }
}

/// A type in the words of GLSL: scalar, vector or matrix, and arrays.
#[derive(Debug)]
pub(crate) struct Words<'a> {
    pub(crate) kind: Kind<'a>,
    /// From the outermost; `None` if sized by the buffer.
    pub(crate) dimensions: Vec<Option<u32>>,
}

/// A type without arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind<'a> {
    Scalar(Scalar),
    Vector(Scalar, u32),
    Matrix { scalar: Scalar, columns: u32, rows: u32 },
    Struct(&'a str),
}

impl<'a> Words<'a> {
    /// Reads a type of a reflection; one that has members is a struct, whatever its name.
    pub(crate) fn new(text: &'a str, is_struct: bool) -> Result<Self, String> {
        let (base, lengths) = text.split_at(text.find('[').unwrap_or(text.len()));
        let length = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
        let lengths = lengths.split_terminator(']').map(|part| length(part.strip_prefix('[')?));
        let dimensions = lengths.collect::<Option<Vec<_>>>();
        let kind = if is_struct { Some(Kind::Struct(base)) } else { kind(base) };
        let (Some(kind), Some(dimensions)) = (kind, dimensions) else { return Err(format!("the type `{text}`")) };
        Ok(Words { kind, dimensions })
    }
}

fn kind(text: &str) -> Option<Kind<'static>> {
    let scalar = match text {
        "bool" => Some(Scalar::Bool),
        "int" => Some(Scalar::I32),
        "uint" => Some(Scalar::U32),
        "int8_t" => Some(Scalar::I8),
        "uint8_t" => Some(Scalar::U8),
        "int16_t" => Some(Scalar::I16),
        "uint16_t" => Some(Scalar::U16),
        "float16_t" => Some(Scalar::F16),
        "float" => Some(Scalar::F32),
        "int64_t" => Some(Scalar::I64),
        "uint64_t" => Some(Scalar::U64),
        "double" => Some(Scalar::F64),
        _ => None,
    };
    if let Some(scalar) = scalar {
        return Some(Kind::Scalar(scalar));
    }
    let (prefix, sizes) = text.split_once("vec").or_else(|| text.split_once("mat"))?;
    let scalar = match prefix {
        "i8" => Scalar::I8,
        "u8" => Scalar::U8,
        "i16" => Scalar::I16,
        "u16" => Scalar::U16,
        "f16" => Scalar::F16,
        "" => Scalar::F32,
        "d" => Scalar::F64,
        "b" => Scalar::Bool,
        "i" => Scalar::I32,
        "u" => Scalar::U32,
        "i64" => Scalar::I64,
        "u64" => Scalar::U64,
        _ => return None,
    };
    let size = |text: &str| text.parse::<u32>().ok().filter(|n| (2..=4).contains(n));
    if text.contains("vec") {
        return Some(Kind::Vector(scalar, size(sizes)?));
    }
    let (columns, rows) = sizes.split_once('x').unwrap_or((sizes, sizes));
    Some(Kind::Matrix { scalar, columns: size(columns)?, rows: size(rows)? })
}

impl Structs {
    /// The types of a block.
    ///
    /// # Errors
    /// A layout that no struct of Rust has, in words for the user.
    pub(crate) fn block(&mut self, name: &str, block: &Block) -> Result<BlockTypes, String> {
        let (Some(members), Some(mut size)) = (&block.members, block.size) else {
            return Ok(BlockTypes { head: None, tail: None });
        };
        let (mut members, mut last) = (&members[..], None);
        if let Some((end, before)) = members.split_last()
            && Words::new(&end.ty, end.members.is_some())?.dimensions.first() == Some(&None)
        {
            (members, last, size) = (before, Some(end), end.offset);
        }
        let head = if members.is_empty() { None } else { Some(self.structure(name, members, size)?) };
        let tail = last.map(|member| {
            let shape = self.tail(member)?;
            // (One that is a variable by itself has its name twice.)
            let block = if name == member.name { String::new() } else { capitals(name) };
            let alias = self.unique(&format!("{block}{}Element", capitals(&member.name)));
            Ok::<_, String>(Tail { alias, name: member.name.clone(), offset: member.offset, shape })
        });
        Ok(BlockTypes { head, tail: tail.transpose()? })
    }

    /// The elements of an array that is sized by its buffer.
    fn tail(&mut self, member: &Member) -> Result<Shape, String> {
        let words = Words::new(&member.ty, member.members.is_some())?;
        self.element(&words.kind, &words.dimensions[1..], member.stride, member.row_major, member.members.as_deref())
    }

    /// The struct with these members: one that is there, or a new one.
    ///
    /// Recursion: over the type, which the front ends limit.
    pub(crate) fn structure(&mut self, original: &str, members: &[Member], size: u32) -> Result<usize, String> {
        let mut fields: Vec<Field> = vec![];
        let (mut end, mut last) = (0, "");
        for member in members.iter().filter(|member| member.name != PADDING) {
            let in_it = |what: String| format!("{what} of the member `{}` of `{original}`", member.name);
            let shape = self.member(member).map_err(in_it)?;
            let (own, align) = shape.size_and_align();
            if member.offset < end {
                return Err(format!("`{}`, which begins in the padding of `{last}` in `{original}`", member.name));
            }
            if !member.offset.is_multiple_of(align) {
                return Err(format!("the offset {} of `{}` in `{original}`", member.offset, member.name));
            }
            (end, last) = (member.offset.saturating_add(own), &member.name);
            let order = if member.row_major { ", stored by rows" } else { "" };
            let mut name = rust_identifier(&member.name);
            while fields.iter().any(|field| field.name == name) {
                name.push('_');
            }
            fields.push(Field { name, about: format!("`{}`{order}", member.ty), offset: member.offset, shape });
        }
        let align = fields.iter().map(|field| field.shape.size_and_align().1).max().unwrap_or(1);
        if end > size || !size.is_multiple_of(align) {
            return Err(format!("the size {size} of `{original}`"));
        }
        let same = |s: &Struct| s.original == original && s.fields == fields && s.size == size;
        if let Some(known) = self.all.iter().position(same) {
            return Ok(known);
        }
        let name = self.unique(&capitals(original));
        self.all.push(Struct { name, original: original.into(), fields, size });
        Ok(self.all.len() - 1)
    }

    /// The type of a member.
    fn member(&mut self, member: &Member) -> Result<Shape, String> {
        let words = Words::new(&member.ty, member.members.is_some())?;
        match (&words.dimensions[..], words.kind) {
            ([], Kind::Struct(name)) => {
                self.of_struct(name, member.members.as_deref().unwrap_or_default(), member.size)
            }
            ([], Kind::Scalar(scalar)) => Ok(Shape::Numbers { scalar, components: None, len: 1 }),
            ([], Kind::Vector(scalar, n)) => Ok(Shape::Numbers { scalar, components: Some(n), len: n }),
            ([], Kind::Matrix { .. }) => {
                let [parts, _] = parts(words.kind, member.row_major);
                self.element(&words.kind, &[], member.stride * parts, member.row_major, None)
            }
            ([None, ..], _) => Err("an array sized by its buffer before the end".into()),
            ([Some(len), inner @ ..], kind) => {
                let members = member.members.as_deref();
                let element = self.element(&kind, inner, member.stride, member.row_major, members)?;
                Ok(Shape::Array(Box::new(element), *len))
            }
        }
    }

    /// The type of something that is `stride` bytes long with the room after it.
    ///
    /// Recursion: over the dimensions of an array.
    fn element(
        &mut self,
        kind: &Kind<'_>,
        dimensions: &[Option<u32>],
        stride: u32,
        row_major: bool,
        members: Option<&[Member]>,
    ) -> Result<Shape, String> {
        if let [first, inner @ ..] = dimensions {
            let len = first.filter(|&len| len > 0 && stride.is_multiple_of(len));
            let len = len.ok_or_else(|| format!("the stride {stride}"))?;
            let element = self.element(kind, inner, stride / len, row_major, members)?;
            return Ok(Shape::Array(Box::new(element), len));
        }
        let numbers = |scalar: Scalar, components: Option<u32>, stride: u32| {
            let fits = stride.is_multiple_of(scalar.size()) && stride >= scalar.size() * components.unwrap_or(1);
            let shape = Shape::Numbers { scalar, components, len: stride / scalar.size() };
            if fits { Ok(shape) } else { Err(format!("the stride {stride}")) }
        };
        match *kind {
            Kind::Scalar(scalar) => numbers(scalar, None, stride),
            Kind::Vector(scalar, n) => numbers(scalar, Some(n), stride),
            Kind::Matrix { scalar, .. } => {
                let [count, size] = parts(*kind, row_major);
                if !stride.is_multiple_of(count) {
                    return Err(format!("the stride {stride}"));
                }
                Ok(Shape::Array(Box::new(numbers(scalar, Some(size), stride / count)?), count))
            }
            Kind::Struct(name) => self.of_struct(name, members.unwrap_or_default(), stride),
        }
    }

    fn of_struct(&mut self, name: &str, members: &[Member], size: u32) -> Result<Shape, String> {
        let number = self.structure(name, members, size)?;
        let aligns = self.all[number].fields.iter().map(|field| field.shape.size_and_align().1);
        Ok(Shape::Struct { number, size, align: aligns.max().unwrap_or(1) })
    }

    /// A name of a type that no other has: with a number if need be.
    pub(crate) fn unique(&mut self, name: &str) -> String {
        let name =
            if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name.to_owned() } else { format!("T{name}") };
        let name = if name == "Self" { "Self_".to_owned() } else { name };
        let numbered = (2..).map(|n| format!("{name}{n}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !self.names.contains(name));
        let free = free.expect("numbers do not end");
        self.names.push(free.clone());
        free
    }
}

/// Number of vectors that a matrix is stored as, and of their components.
fn parts(kind: Kind<'_>, row_major: bool) -> [u32; 2] {
    match kind {
        Kind::Matrix { columns, rows, .. } if row_major => [rows, columns],
        Kind::Matrix { columns, rows, .. } => [columns, rows],
        _ => [1, 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read() {
        let of = |text| Words::new(text, false).map(|words| (words.kind, words.dimensions));
        assert_eq!(
            of("mat2x3[2][4]"),
            Ok((Kind::Matrix { scalar: Scalar::F32, columns: 2, rows: 3 }, vec![Some(2), Some(4)]))
        );
        assert_eq!(of("dmat3[]"), Ok((Kind::Matrix { scalar: Scalar::F64, columns: 3, rows: 3 }, vec![None])));
        assert_eq!(of("i64vec2"), Ok((Kind::Vector(Scalar::I64, 2), vec![])));
        assert_eq!(of("sampler2D").unwrap_err(), "the type `sampler2D`");
        let float = Words::new("float", true).unwrap();
        assert_eq!(float.kind, Kind::Struct("float"));
    }
}

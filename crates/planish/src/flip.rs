//! Rows of fragments counted from the other end of the picture, for shaders that go from OpenGL to Vulkan, WebGPU, Metal or Direct3D.

use std::fmt;
use std::str::FromStr;

use planish_ir::decoration::{BuiltIn, Name, NameSource, Precision};
use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::entity::{Type, Var};
use planish_ir::module::{Module, Stage};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind, Types};
use planish_opt::flip_fragment_rows::{Height, reads_rows, run};

/// The number of rows of the picture, for [`flip_frag_coord`]: a number (`1080`), a float in a uniform that the shader has
/// (`resolution.y`, `frame.size.y`), or the name of a uniform that it gets (`frame_height`).
#[derive(Clone, PartialEq, Debug)]
pub enum FrameHeight {
    /// A number that is known when the shader is compiled.
    Rows(f32),
    /// The names of a uniform, of members, and of a vector component, from the outside in.
    Uniform(Vec<String>),
}

impl FromStr for FrameHeight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(rows) = text.parse::<f32>() {
            let is_height = rows.is_finite() && rows > 0.0;
            return if is_height { Ok(Self::Rows(rows)) } else { Err(format!("a picture has no {text} rows")) };
        }
        let is_name = |part: &str| {
            let begins = part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            begins && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if !text.split('.').all(is_name) {
            return Err(format!(
                "`{text}` is neither a number nor a uniform, as in `1080`, `resolution.y`, `frame_height`"
            ));
        }
        Ok(Self::Uniform(text.split('.').map(str::to_owned).collect()))
    }
}

impl fmt::Display for FrameHeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows(rows) => write!(f, "{rows}"),
            Self::Uniform(names) => f.write_str(&names.join(".")),
        }
    }
}

/// Makes a fragment shader count rows from the other end of the picture: `gl_FragCoord.y` becomes the height less it, and the sign of
/// `dFdy` changes. Shaders of other stages stay as they are: the result says
/// whether it was one. A uniform is added if the height is to be in one that the shader has not, and
/// only if the shader reads `gl_FragCoord`. Run it before the optimizer, and before [`link`](crate::link).
///
/// # Errors
/// A uniform that is no float, or has no such member. A shader whose rows are counted from the top already (`origin_upper_left`) is left
/// alone, with a warning.
///
/// # Example
/// ```
/// let source = "#version 300 es\nprecision highp float;\nout vec4 color;\n\
///               void main() { color = vec4(gl_FragCoord.xy / 1080.0, 0.0, 1.0); }\n";
/// let mut module = planish::Compiler::default().compile("a.frag", source).module.unwrap();
/// planish::flip_frag_coord(&mut module, &"1080".parse().unwrap()).unwrap();
/// let wgsl = planish::emit(&module, planish::Target::Wgsl, &planish::EmitOptions::default()).unwrap();
/// assert!(String::from_utf8(wgsl.bytes).unwrap().contains("1080"));
/// ```
pub fn flip_frag_coord(module: &mut Module, height: &FrameHeight) -> Result<bool, Vec<Diagnostic>> {
    if !module.entry_points.iter().any(|entry| entry.stage == Some(Stage::Fragment)) {
        return Ok(false);
    }
    if module.entry_points.iter().any(|entry| entry.properties.origin_upper_left) {
        let message = "gl_FragCoord counts rows from the top already";
        let help = "leave out the option, or `origin_upper_left` in the shader";
        return Err(vec![Diagnostic::warning(Code::W0151, Span::NONE, message).help(help)]);
    }
    let height = match height {
        FrameHeight::Rows(rows) => Height::Rows(*rows),
        // Of no effect on the signs of derivatives.
        FrameHeight::Uniform(_) if !reads_rows(module) => Height::Rows(1.0),
        FrameHeight::Uniform(names) => uniform(module, names)?,
    };
    run(module, &height);
    Ok(true)
}

/// The same for all stages of a program, with a warning if there is nothing to do.
pub fn flip_all(modules: &mut [Module], height: &FrameHeight) -> Vec<Diagnostic> {
    let (mut diagnostics, mut any) = (vec![], false);
    for module in modules {
        match flip_frag_coord(module, height) {
            Ok(is_fragment) => any |= is_fragment,
            Err(found) => diagnostics.extend(found),
        }
    }
    if !any && diagnostics.is_empty() {
        let message = "--flip-frag-coord has no effect: there is no fragment shader";
        diagnostics.push(Diagnostic::warning(Code::W0151, Span::NONE, message));
    }
    diagnostics
}

/// The uniform of these names; a new one if there is none of a single name.
fn uniform(module: &mut Module, names: &[String]) -> Result<Height, Vec<Diagnostic>> {
    let uniforms = || module.globals.iter().copied().filter(|&var| module.vars[var].space == AddressSpace::Uniform);
    let called = |var: &Var| *module.vars[*var].name.text == *names[0];
    // A member of a block is named without the block, too.
    let in_block = |var: Var| {
        let block = module.types.as_struct(module.vars[var].ty).filter(|block| block.is_block)?;
        block.members.iter().any(|member| *member.name == *names[0]).then_some(var)
    };
    let (var, path) = match (uniforms().find(called), uniforms().find_map(in_block)) {
        (Some(var), _) => (var, &names[1..]),
        (None, Some(var)) => (var, names),
        (None, None) if names.len() == 1 => {
            let taken = module.globals.iter().any(|&var| *module.vars[var].name.text == *names[0]);
            if taken || module.funcs.values().any(|f| *f.name.text == *names[0]) {
                return Err(wrong(
                    &names[0],
                    "is something else in the shader",
                    "give a name that the shader has not".into(),
                ));
            }
            let var = module.add_var(Name::new(&*names[0], NameSource::Interface), Type::F32, AddressSpace::Uniform);
            module.vars[var].precision = row_precision(module);
            return Ok(Height::Uniform(var, vec![]));
        }
        (None, None) => {
            let known: Vec<&str> = uniforms().map(|var| &*module.vars[var].name.text).collect();
            let help = match did_you_mean(&names[0], known) {
                Some(name) => format!("did you mean `{name}`?"),
                None => "one is added for a name without a point".to_owned(),
            };
            return Err(wrong(&names.join("."), "is no uniform of the shader", help));
        }
    };
    let (ty, path) = member(&mut module.types, module.vars[var].ty, path)
        .ok_or_else(|| wrong(&names.join("."), "is not in the uniform", "give a member or component of it".into()))?;
    if ty != Type::F32 {
        return Err(wrong(&names.join("."), "is no float", "give a component, as in `resolution.y`".into()));
    }
    Ok(Height::Uniform(var, path))
}

/// The type and indices that a path of names leads to.
fn member(types: &mut Types, ty: Type, names: &[String]) -> Option<(Type, Vec<u32>)> {
    let (mut ty, mut path) = (ty, vec![]);
    for name in names {
        let index = match &types[ty] {
            TypeKind::Struct(of) => {
                let index = of.members.iter().position(|member| *member.name == **name)?;
                ty = of.members[index].ty;
                index
            }
            &TypeKind::Vector(scalar, size) if name.len() == 1 => {
                let index = ["xyzw", "rgba", "stpq"].iter().find_map(|set| set.find(name.as_str()))?;
                ty = types.scalar(scalar);
                Some(index).filter(|&index| index < usize::from(size))?
            }
            _ => return None,
        };
        path.push(index as u32);
    }
    Some((ty, path))
}

/// The precision of `gl_FragCoord`.
fn row_precision(module: &Module) -> Precision {
    let is_it = |var: &&Var| module.vars[**var].decorations.builtin() == Some(BuiltIn::FragCoord);
    module.globals.iter().find(is_it).map_or(Precision::High, |&var| module.vars[var].precision)
}

fn wrong(name: &str, what: &str, help: String) -> Vec<Diagnostic> {
    let message = format!("the height of the frame: `{name}` {what}");
    vec![Diagnostic::error(Code::E1002, Span::NONE, message).help(help)]
}

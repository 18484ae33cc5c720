//! Values of specialization constants, given before a program is compiled instead of when a pipeline is made.

use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::did_you_mean;
use planish_ir::entity::Var;
use planish_ir::meaning::parse_value;
use planish_ir::module::Module;
use planish_ir::types::Scalar;

/// Gives specialization constants (`layout(constant_id = …)` of GLSL, `OpSpecConstant`, `override` of WGSL) their final values, by name
/// or number. They are constants from then on, which the optimizer knows and the output no longer declares. Names that the module has not
/// are returned: another stage of the program may have them.
///
/// # Errors
/// A value that is none of the constant's type, in words for the user. The module is unchanged but for the values before it.
///
/// # Example
/// ```
/// use planish::{Compiler, set_overrides};
/// let source = "#version 450\nlayout(constant_id = 3) const int COUNT = 4;\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(COUNT); }";
/// let mut module = Compiler::default().compile("a.frag", source).module.unwrap();
/// let given = [("COUNT".to_owned(), "7".to_owned()), ("COUTN".to_owned(), "7".to_owned())];
/// assert_eq!(set_overrides(&mut module, &given).unwrap(), ["COUTN"]);
/// assert!(set_overrides(&mut module, &given).unwrap().contains(&"COUNT".to_owned()));
/// ```
pub fn set_overrides(module: &mut Module, values: &[(String, String)]) -> Result<Vec<String>, String> {
    let mut unknown = vec![];
    for (name, text) in values {
        let found =
            constants(module).find(|&(var, id)| *module.vars[var].name.text == **name || id.to_string() == **name);
        let (id, scalar) = match found {
            Some((var, id)) => (id, module.types.scalar_of(module.vars[var].ty).unwrap_or(Scalar::U32)),
            // The number of a size without a constant of its own.
            None => match name.parse().ok().filter(|&id| is_size(module, id)) {
                Some(id) => (id, Scalar::U32),
                None => {
                    unknown.push(name.clone());
                    continue;
                }
            },
        };
        let bits = parse_value(scalar, text).filter(|&bits| bits > 0 || !is_size(module, id));
        let Some(bits) = bits else {
            let ty = if is_size(module, id) { "the size of a work group" } else { scalar.name() };
            return Err(format!("the specialization constant `{name}` cannot be `{text}`: it is {ty}"));
        };
        // Several may have one number.
        for (var, _) in constants(module).filter(|(_, of)| *of == id).collect::<Vec<_>>() {
            let data = &mut module.vars[var];
            data.initializer = Some(module.consts.bits(data.ty, bits));
            data.decorations.remove(Decoration::ConstantId(id));
            data.decorations.remove(Decoration::Unnumbered);
        }
        for entry in &mut module.entry_points {
            let properties = &mut entry.properties;
            let Some(size) = &mut properties.local_size else { continue };
            for (axis, of) in properties.local_size_ids.iter_mut().enumerate() {
                if *of == Some(id) {
                    (size[axis], *of) = (bits as u32, None);
                }
            }
        }
    }
    Ok(unknown)
}

/// Whether a specialization constant is the size of a work group.
fn is_size(module: &Module, id: u32) -> bool {
    module.entry_points.iter().any(|entry| entry.properties.local_size_ids.contains(&Some(id)))
}

/// The same for all stages of a program. Returns the names that none of them has, each with a message.
///
/// # Errors
/// As [`set_overrides`].
pub fn override_all(modules: &mut [Module], values: &[(String, String)]) -> Result<Vec<(String, String)>, String> {
    let messages = values.iter().map(|(name, _)| (name.clone(), unknown_override(name, modules)));
    let mut unknown: Vec<(String, String)> = messages.collect();
    for module in modules {
        let missing = set_overrides(module, values)?;
        unknown.retain(|(name, _)| missing.contains(name));
    }
    Ok(unknown)
}

/// A message about the name of an override that none of the modules has, with a suggestion.
fn unknown_override(name: &str, modules: &[Module]) -> String {
    let names: Vec<&str> =
        modules.iter().flat_map(|module| constants(module).map(|(var, _)| &*module.vars[var].name.text)).collect();
    let message = format!("there is no specialization constant `{name}`");
    match did_you_mean(name, names.iter().copied()) {
        Some(near) => format!("{message}; did you mean `{near}`?"),
        None if names.is_empty() => format!("{message}: the program has none whose value can be set"),
        None => format!("{message}; there are {}", names.join(", ")),
    }
}

/// The specialization constants with their numbers.
fn constants(module: &Module) -> impl Iterator<Item = (Var, u32)> {
    module.vars.iter().filter_map(|(var, data)| {
        let id = data.decorations.find(|d| if let Decoration::ConstantId(id) = d { Some(id) } else { None })?;
        Some((var, id))
    })
}

//! Constructors of samplers on every pair of opaque types: a module or a diagnostic.

use planish_front_glsl::{Options, compile};
use planish_ir::module::Stage;
use planish_ir::source::SourceMap;

/// The name of every opaque type of Vulkan's GLSL.
fn names() -> Vec<String> {
    let shapes = ["1D", "2D", "3D", "Cube", "2DRect", "1DArray", "2DArray", "CubeArray", "Buffer", "2DMS", "2DMSArray"];
    let mut names: Vec<String> = ["sampler", "samplerShadow", "subpassInput", "isubpassInputMS"].map(Into::into).into();
    for shape in shapes {
        for kind in ["sampler", "isampler", "utexture", "texture", "image", "uimage"] {
            names.push(format!("{kind}{shape}"));
        }
        if !shape.contains("MS") && !matches!(shape, "3D" | "Buffer") {
            names.push(format!("sampler{shape}Shadow"));
        }
    }
    names
}

/// A declaration of the type, at a binding of its own.
fn declare(name: &str, variable: &str, binding: u32) -> String {
    let attachment = if name.contains("subpass") { ", input_attachment_index = 0" } else { "" };
    let memory = if name.contains("image") { "writeonly " } else { "" };
    format!("layout(set = 0, binding = {binding}{attachment}) {memory}uniform {name} {variable};\n")
}

#[test]
fn every_pair_of_opaque_types_is_a_sampler_or_an_error() {
    let names = names();
    let (mut accepted, mut refused) = (0, 0);
    for (i, a) in names.iter().enumerate() {
        // Each with `sampler`, `samplerShadow`, and one of the others.
        for b in [&names[0], &names[1], &names[(i * 7 + 3) % names.len()]] {
            let constructors: Vec<&String> =
                names.iter().skip(i % 3).step_by(3).filter(|n| n.contains("ampler")).collect();
            let own = a.replace("texture", "sampler").replace("image", "sampler");
            for made in constructors.into_iter().chain([&own]) {
                let text = format!(
                    "#version 450\n{}{}void main() {{ {made}(i, s); }}\n",
                    declare(a, "i", 0),
                    declare(b, "s", 1)
                );
                let mut map = SourceMap::new();
                let file = map.add("opaque.frag", text.as_str()).expect("small");
                let output = compile(&mut map, &file, &mut Options::new(Stage::Fragment));
                assert_eq!(output.module.is_none(), output.has_errors(), "{text}");
                *if output.has_errors() { &mut refused } else { &mut accepted } += 1;
            }
        }
    }
    assert!(accepted > 20 && refused > 1000, "{accepted} accepted, {refused} refused");
}

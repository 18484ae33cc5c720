//! Copies of functions for opaque arguments that cannot be passed.

use planish_front_glsl::{Options, Output, compile};
use planish_ir::module::Stage;
use planish_ir::source::SourceMap;
use planish_ir::text::print;

fn compiled(text: &str) -> Output {
    let mut map = SourceMap::new();
    let file = map.add("a", text).expect("small");
    compile(&mut map, &file, &mut Options::new(Stage::Compute))
}

const HEAD: &str = "#version 450\nlayout(local_size_x = 1) in;\nlayout(rgba8) uniform image2D a;\nlayout(rgba8) uniform image2D b;\n\
    layout(r32f) uniform readonly image2D r;\n";

#[test]
fn there_is_one_copy_for_each_image() {
    let text = format!(
        "{HEAD}void put(image2D i, float x) {{ imageStore(i, ivec2(0), vec4(x)); }}\n\
        void main() {{ put(a, 1.0); put(b, 2.0); put(a, 3.0); }}"
    );
    let output = compiled(&text);
    let text = print(&output.module.unwrap_or_else(|| panic!("{:#?}", output.diagnostics)));
    assert_eq!(text.matches("\nfn @").count(), 4, "main, the original and two copies: {text}");
    assert_eq!(text.matches("load @a\n").count(), 1, "{text}");
    assert_eq!(text.matches("load @b\n").count(), 1, "{text}");
    assert!(output.diagnostics.is_empty(), "{:#?}", output.diagnostics);
}

/// Declarations after a function are not visible in it, and so not in its copies.
#[test]
fn copies_see_what_the_original_sees() {
    let text = format!(
        "{HEAD}float f(float x) {{ return 1.0; }}\n\
        void put(image2D i) {{ imageStore(i, ivec2(0), vec4(f(2), sin(0.0), 0.0, 0.0)); }}\n\
        float f(int x) {{ return 3.0; }}\nfloat sin(float x) {{ return 4.0; }}\n\
        void main() {{ put(a); f(1); sin(1.0); }}"
    );
    let output = compiled(&text);
    let text = print(&output.module.unwrap_or_else(|| panic!("{:#?}", output.diagnostics)));
    let (_, copy) = text.rsplit_once("\nfn @").expect("a copy");
    assert!(copy.contains("load @a\n") && copy.contains("call @f, 2.0"), "{text}");
    assert!(!copy.contains("@sin"), "{text}");
}

#[test]
fn images_do_not_lose_their_qualifiers() {
    let text =
        format!("{HEAD}void put(image2D i) {{ imageStore(i, ivec2(0), vec4(1.0)); }}\nvoid main() {{ put(r); }}");
    let output = compiled(&text);
    let messages: Vec<String> = output.diagnostics.iter().map(|d| format!("{}: {}", d.code, d.message)).collect();
    // (GLSL 4.60.8, section 4.10.)
    assert_eq!(messages, ["E0303: the image is `readonly`, but the parameter is not"]);
}

/// Each function calls the next one twice: the copies double with each.
#[test]
fn copies_are_bounded() {
    let mut text = HEAD.to_owned();
    let images = |n: usize| (0..n).map(|i| format!("image2D p{i}, ")).collect::<String>();
    text += &format!("void f12({}int x) {{ }}\n", images(12));
    for n in (0..12).rev() {
        let own: String = (0..n).map(|i| format!("p{i}, ")).collect();
        let next = n + 1;
        text += &format!("void f{n}({}int x) {{ f{next}({own}a, x); f{next}({own}b, x); }}\n", images(n));
    }
    text += "void main() { f0(1); }";
    let output = compiled(&text);
    let codes: Vec<&str> = output.diagnostics.iter().map(|d| d.code.0).collect();
    assert!(!codes.is_empty() && codes.iter().all(|c| *c == "E0508"), "{codes:?}");
}

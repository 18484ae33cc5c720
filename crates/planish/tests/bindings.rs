//! Numbers by which a host binds what MSL and HLSL declare: in the text, in reflection as values, and as JSON.

use planish::reflection::{Direct3dRegister, MetalArgument};
use planish::{EmitOptions, ShaderModel, Target, emit, reflect};

use crate::common::compile;
use crate::halves::text;

const SOURCE: &str = "#version 450\n\
    layout(set = 2, binding = 7) uniform Camera { vec4 eye; } camera;\n\
    layout(set = 0, binding = 3) uniform sampler2D maps[2];\n\
    layout(set = 1, binding = 0, std430) readonly buffer Lights { vec4 lights[]; };\n\
    layout(set = 1, binding = 1, r32f) writeonly uniform image2D target;\n\
    layout(push_constant) uniform Push { float scale; } push;\n\
    layout(location = 0) out vec4 color;\n\
    void main() {\n\
    \x20 color = texture(maps[0], vec2(0.5)) * camera.eye + texture(maps[1], vec2(0.0)) * push.scale + lights[3];\n\
    \x20 imageStore(target, ivec2(0), color);\n}";

#[test]
fn reflection_has_the_numbers_of_metal_and_direct3d() {
    let module = compile("bindings.frag", SOURCE).expect("valid");
    for model in ["5.0", "5.1", "6.6"].map(|name| ShaderModel::parse(name).expect("a model")) {
        let indices = [("maps_1".to_owned(), 6)].into();
        let options = EmitOptions { shader_model: model, msl_indices: indices, ..EmitOptions::default() };
        let reflection = reflect(&module, &options).expect("it has a plan");
        let metal = text(&module, Target::Msl, &options);
        let arguments = reflection.metal.expect("MSL holds it");
        for MetalArgument { name, table, index, .. } in &arguments {
            assert!(metal.contains(&format!("{name} [[{table}({index})]]")), "{name}\n{metal}");
        }
        assert!(metal.contains("maps_1 [[texture(6)]]"), "{metal}");
        let hlsl = text(&module, Target::Hlsl, &options);
        let registers = reflection.direct3d.expect("HLSL holds it");
        assert_eq!(registers.len(), hlsl.matches("register(").count(), "{hlsl}");
        for Direct3dRegister { name, class, register, space, .. } in &registers {
            let place = match space {
                Some(space) => format!("register({class}{register}, space{space})"),
                None => format!("register({class}{register})"),
            };
            let line = hlsl.lines().find(|line| line.contains(&place)).unwrap_or_else(|| panic!("{place}\n{hlsl}"));
            // A reserved word would have changed.
            assert!(line.contains(name.as_str()), "{name}: {line}");
            assert_eq!(space.is_some(), model >= ShaderModel::V5_1, "{name}");
        }
        let lights = registers.iter().find(|r| r.name == "Lights").expect("it is bound");
        assert_eq!((lights.class, lights.group, lights.binding), ('t', Some(1), Some(0)));
        let push = registers.iter().find(|r| r.name == "push").expect("it is bound");
        assert_eq!((push.class, push.group, push.binding), ('b', None, None));
    }
}

/// Members of argument buffers have their bindings as numbers, and say which buffer they are in.
#[test]
fn reflection_has_the_members_of_argument_buffers() {
    let module = compile("bindings.frag", SOURCE).expect("valid");
    let indices = [("group_1".to_owned(), 7)].into();
    let options = EmitOptions { msl_argument_buffers: true, msl_indices: indices, ..EmitOptions::default() };
    let metal = text(&module, Target::Msl, &options);
    let arguments = reflect(&module, &options).expect("it has a plan").metal.expect("MSL holds it");
    for MetalArgument { name, table, index, argument_buffer, binding, .. } in &arguments {
        assert!(metal.contains(&format!("{name} [[{table}({index})]]")), "{name}\n{metal}");
        assert_eq!(argument_buffer.is_some(), *table == "id", "{name}");
        assert!(argument_buffer.is_none() || *binding == Some(*index), "{name}");
    }
    let target = arguments.iter().find(|a| a.name == "target").expect("it is bound");
    assert_eq!((target.argument_buffer, target.group, target.index), (Some(7), Some(1), 1));
    let json = text(&module, Target::Reflect, &options);
    assert!(json.contains("\"argument_buffer\": 7"), "{json}");
}

#[test]
fn numbers_are_in_the_json() {
    let module = compile("bindings.frag", SOURCE).expect("valid");
    let json = text(&module, Target::Reflect, &EmitOptions::default());
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let camera = |list: &str| {
        let entries = value[list].as_array().expect("a list");
        entries.iter().find(|entry| entry["name"] == "camera").expect("it is bound").clone()
    };
    let metal = serde_json::json!({ "name": "camera", "table": "buffer", "index": 0, "group": 2, "binding": 7 });
    assert_eq!(camera("metal"), metal);
    let direct3d =
        serde_json::json!({ "name": "camera", "class": "b", "register": 7, "space": 2, "group": 2, "binding": 7 });
    assert_eq!(camera("direct3d"), direct3d);
}

/// A program that a language cannot declare has no numbers there.
#[test]
fn a_language_that_cannot_hold_the_program_is_left_out() {
    let source = "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\n\
        layout(set = 0, binding = 0) uniform sampler2D all[];\nlayout(location = 0) out vec4 color;\n\
        layout(push_constant) uniform Push { int at; } push;\n\
        void main() { color = texture(all[push.at], vec2(0.0)); }";
    let module = compile("open.frag", source).expect("valid");
    let reflection = reflect(&module, &EmitOptions::default()).expect("it has a plan");
    assert_eq!((reflection.metal, reflection.direct3d), (None, None));
    for target in [Target::Msl, Target::Hlsl] {
        emit(&module, target, &EmitOptions::default()).expect_err("it has no such array");
    }
}

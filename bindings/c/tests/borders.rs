//! Bad input at the border: NULL, wrong sizes, texts that are none, panics.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use planish_c::*;

const SHADER: &str = "precision mediump float;\nuniform float level;\nvoid main() { gl_FragColor = vec4(level); }\n";

fn source(name: &CStr, text: &str) -> planish_source {
    planish_source { name: name.as_ptr(), data: text.as_ptr().cast(), size: text.len() }
}

fn text_of(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not NULL, and a text of the library.
    Some(unsafe { CStr::from_ptr(text) }.to_str().expect("is UTF-8").to_owned())
}

/// The messages as short lines, freed.
fn take(messages: *mut planish_messages) -> String {
    // SAFETY: of the library, or NULL.
    let text = text_of(unsafe { planish_messages_text(messages, 2) }).expect("never NULL");
    // SAFETY: not freed before.
    unsafe { planish_messages_free(messages) };
    text
}

fn compile(settings: *const planish_settings, of: planish_source, target: &CStr) -> Result<String, String> {
    let mut messages = null_mut();
    // SAFETY: all is alive.
    let output = unsafe { planish_compile(settings, of, target.as_ptr(), &raw mut messages) };
    if output.is_null() {
        return Err(take(messages));
    }
    // SAFETY: not NULL, freed once.
    let text = unsafe {
        let text = text_of(planish_output_data(output)).expect("not NULL");
        assert_eq!(text.len(), planish_output_size(output));
        planish_output_free(output);
        text
    };
    take(messages);
    Ok(text)
}

#[test]
fn a_shader_becomes_wgsl() {
    let wgsl = compile(null(), source(c"a.frag", SHADER), c"wgsl").expect("is valid");
    assert!(wgsl.contains("@fragment"), "{wgsl}");
    let of_command = planish::compile("a.frag", SHADER, planish::Target::Wgsl, &planish::Settings::default());
    assert_eq!(wgsl.as_bytes(), of_command.expect("is valid").bytes);
}

#[test]
fn null_is_an_error_and_no_crash() {
    let mut messages = null_mut();
    let none = planish_source { name: null(), data: null(), size: 0 };
    let no_data = planish_source { name: c"a.frag".as_ptr(), data: null(), size: 5 };
    assert_eq!(
        compile(null(), none, c"wgsl").unwrap_err(),
        "error[E0712]: the name of a source is NULL, or is not UTF-8\n"
    );
    assert_eq!(compile(null(), no_data, c"wgsl").unwrap_err(), "error[E0712]: the source is NULL\n");
    // SAFETY: NULL is allowed everywhere.
    unsafe {
        assert!(planish_program_emit(null(), c"wgsl".as_ptr(), &raw mut messages).is_null());
        assert_eq!(take(messages), "error[E0712]: the program is NULL\n");
        assert!(planish_program_emit(null(), c"wgsl".as_ptr(), null_mut()).is_null());
        assert!(planish_functions_new(null(), null_mut()).is_null());
        assert!(planish_drawing_new(null()).is_null());
        assert!(!planish_drawing_draw(null_mut(), 1, 1, null_mut(), null_mut()));
        assert!(!planish_call(null_mut(), null(), null(), 0, null_mut(), 0, null_mut()));
        assert!(!planish_stages_new(null(), null(), 2, null_mut(), null_mut()));
        assert_eq!(planish_messages_count(null()), 0);
        assert!(!planish_messages_get(null(), 0, null_mut()));
        assert!(planish_explain(null()).is_null() && planish_explain(c"E9999".as_ptr()).is_null());
        assert!(text_of(planish_settings_set(null_mut(), null(), null())).is_some());
        assert!(planish_output_data(null()).is_null() && planish_output_header(null()).is_null());
        planish_output_free(null_mut());
        planish_program_free(null_mut());
        planish_settings_free(null_mut());
        planish_messages_free(null_mut());
        planish_drawing_free(null_mut());
        planish_functions_free(null_mut());
    }
}

#[test]
fn messages_have_places() {
    let broken = "void main() {\n  gl_FragColor = vec4(levle);\n}\n";
    let mut messages = null_mut();
    // SAFETY: all is alive, and freed once.
    unsafe {
        let program = planish_program_new(null(), source(c"dir/a.frag", broken), &raw mut messages);
        assert!(program.is_null());
        assert_eq!(planish_messages_count(messages), 1);
        let mut message = std::mem::zeroed::<planish_message>();
        assert!(planish_messages_get(messages, 0, &raw mut message));
        assert!(!planish_messages_get(messages, 1, &raw mut message));
        assert_eq!(message.severity, planish_severity::Error);
        assert_eq!(text_of(message.file).as_deref(), Some("dir/a.frag"));
        assert_eq!([message.line, message.column, message.end_line, message.end_column], [2, 23, 2, 28]);
        let page = planish_explain(message.code);
        assert!(text_of(planish_output_data(page)).is_some_and(|page| page.starts_with("# E")));
        planish_output_free(page);
        assert!(
            text_of(planish_messages_text(messages, 0)).is_some_and(|text| text.contains("gl_FragColor = vec4(levle)"))
        );
        assert!(text_of(planish_messages_text(messages, 3)).is_some_and(|text| text.starts_with("{\"")));
        assert_eq!(text_of(planish_messages_text(messages, 99)).as_deref(), Some(""));
        planish_messages_free(messages);
    }
}

#[test]
fn settings_are_those_of_the_command() {
    let settings = planish_settings_new();
    // SAFETY: all is alive.
    let set =
        |name: &CStr, value: &CStr| unsafe { text_of(planish_settings_set(settings, name.as_ptr(), value.as_ptr())) };
    assert_eq!(set(c"glsl-version", c"300es"), None);
    assert_eq!(set(c"minify", c"true"), None);
    assert_eq!(set(c"minfy", c"true").as_deref(), Some("there is no setting `minfy`; did you mean `minify`?"));
    assert_eq!(set(c"minify", c"\xff").as_deref(), Some("the name or the value of a setting is NULL, or is not UTF-8"));
    let glsl = compile(settings, source(c"a.frag", SHADER), c"glsl").expect("is valid");
    assert!(glsl.starts_with("#version 300 es") && !glsl.contains(" = "), "{glsl}");
    let unknown = compile(settings, source(c"a.frag", SHADER), c"wgls").unwrap_err();
    assert_eq!(unknown, "error[E0712]: unknown target `wgls`; did you mean `wgsl`?\n");
    assert_eq!(set(c"override", c"COUNT=3"), None);
    assert!(compile(settings, source(c"a.frag", SHADER), c"glsl").unwrap_err().contains("no specialization constant"));
    // SAFETY: not freed before.
    unsafe { planish_settings_free(settings) };
}

/// Finds `b.glsl` only, and counts its calls.
unsafe extern "C" fn include(
    user: *mut c_void,
    name: *const c_char,
    from: *const c_char,
    system: bool,
) -> *mut planish_output {
    assert_eq!((text_of(from).as_deref(), system), (Some("a.frag"), false));
    // SAFETY: that of the test.
    unsafe { *user.cast::<u32>() += 1 };
    let text = "float twice(float x) { return 2.0 * x; }\n";
    match text_of(name).as_deref() {
        // SAFETY: the text has as many bytes.
        Some("b.glsl") => unsafe { planish_text(text.as_ptr().cast(), text.len()) },
        _ => null_mut(),
    }
}

#[test]
fn includes_come_from_files_and_functions() {
    let settings = planish_settings_new();
    let mut calls = 0u32;
    let with = |name: &str| {
        format!(
            "#extension GL_GOOGLE_include_directive : require\nprecision mediump float;\n#include \"{name}\"\nvoid main() {{ gl_FragColor = vec4(twice(0.25)); }}\n"
        )
    };
    let missing = compile(settings, source(c"a.frag", &with("b.glsl")), c"wgsl").unwrap_err();
    assert!(missing.contains("b.glsl"), "{missing}");
    // SAFETY: the function and the number live as long as the settings.
    unsafe { planish_settings_set_include(settings, Some(include), (&raw mut calls).cast()) };
    let found = compile(settings, source(c"a.frag", &with("b.glsl")), c"wgsl");
    assert!(found.is_ok(), "{found:?}");
    assert!(compile(settings, source(c"a.frag", &with("c.glsl")), c"wgsl").is_err());
    let file = "float twice(float x) { return x + x; }\n";
    // SAFETY: as many bytes.
    assert!(unsafe { planish_settings_add_file(settings, c"c.glsl".as_ptr(), file.as_ptr().cast(), file.len()) });
    let found = compile(settings, source(c"a.frag", &with("c.glsl")), c"wgsl");
    assert!(found.is_ok(), "{found:?}");
    assert_eq!(calls, 2);
    // SAFETY: not freed before.
    unsafe { planish_settings_free(settings) };
}

#[test]
fn stages_share_their_locations() {
    let vertex = "attribute vec3 at;\nvarying vec2 b;\nvarying float a;\nvoid main() { a = at.z; b = at.xy; gl_Position = vec4(at, 1.0); }\n";
    let fragment = "precision mediump float;\nvarying float a;\nvarying vec2 b;\nvoid main() { gl_FragColor = vec4(a, b, 1.0); }\n";
    let sources = [source(c"x.vert", vertex), source(c"x.frag", fragment)];
    let mut programs = [null_mut(); 2];
    let location = |text: &str, name: &str| {
        let (before, _) = text.split_once(&format!(") {name}: ")).expect("has the varying");
        before.rsplit_once('(').map(|(_, number)| number.to_owned()).expect("has a number")
    };
    // SAFETY: all is alive, and freed once.
    unsafe {
        assert!(planish_stages_new(null(), sources.as_ptr(), 2, programs.as_mut_ptr(), null_mut()));
        let texts = programs.map(|program| {
            let output = planish_program_emit(program, c"wgsl".as_ptr(), null_mut());
            let text = text_of(planish_output_data(output)).expect("is written");
            planish_output_free(output);
            planish_program_free(program);
            text
        });
        for name in ["a", "b"] {
            assert_eq!(location(&texts[0], name), location(&texts[1], name), "{name}");
        }
        let broken = [sources[0], source(c"x.frag", "void main() { x; }")];
        programs = [std::ptr::dangling_mut(); 2];
        assert!(!planish_stages_new(null(), broken.as_ptr(), 2, programs.as_mut_ptr(), null_mut()));
    }
    assert_eq!(programs, [null_mut(); 2]);
}

#[test]
fn pictures_are_those_of_the_evaluator() {
    let mut messages = null_mut();
    let mut pixels = [0f32; 8 * 4 * 4];
    // SAFETY: all is alive, and freed once.
    unsafe {
        let program = planish_program_new(null(), source(c"a.frag", SHADER), null_mut());
        let drawing = planish_drawing_new(program);
        planish_program_free(program);
        let level = [0.25];
        assert!(planish_drawing_set_uniform(drawing, c"level".as_ptr(), level.as_ptr(), 1));
        assert!(planish_drawing_draw(drawing, 8, 4, pixels.as_mut_ptr(), null_mut()));
        assert!(pixels.iter().all(|&channel| channel == 0.25));
        assert!(planish_drawing_set_uniform(drawing, c"level".as_ptr(), level.as_ptr(), 0));
        assert!(!planish_drawing_draw(drawing, 8, 4, pixels.as_mut_ptr(), &raw mut messages));
        assert_eq!(take(messages), "error[E0712]: `level` has 1 components, not 0\n");
        assert!(!planish_drawing_draw(drawing, 0, 4, pixels.as_mut_ptr(), &raw mut messages));
        assert!(take(messages).contains("no size of a picture"));
        assert!(!planish_drawing_set_texture(drawing, c"map".as_ptr(), 2, 2, level.as_ptr().cast(), 8));
        planish_drawing_free(drawing);
    }
}

#[test]
fn functions_are_called_with_their_types() {
    let text = r#"(module
        (func (export "div") (param i32 i32) (result i32) local.get 0 local.get 1 i32.div_s)
        (func (export "both") (param f64 i64) (result i64 f64) local.get 1 local.get 0))"#;
    let mut messages = null_mut();
    // SAFETY: all is alive, and freed once.
    unsafe {
        let program = planish_program_new(null(), source(c"a.wat", text), &raw mut messages);
        let functions = planish_functions_new(program, &raw mut messages);
        planish_program_free(program);
        let names: Vec<_> =
            (0..planish_function_count(functions)).map(|at| text_of(planish_function_name(functions, at))).collect();
        assert_eq!(names, [Some("div".to_owned()), Some("both".to_owned())]);
        let (mut params, mut results, mut types) = (0, 0, [planish_type::Other; 4]);
        assert!(planish_function_type(functions, 1, &raw mut params, &raw mut results, types.as_mut_ptr(), 4));
        assert_eq!((params, results), (2, 2));
        assert_eq!(types, [planish_type::F64, planish_type::I64, planish_type::I64, planish_type::F64]);
        assert!(!planish_function_type(functions, 2, null_mut(), null_mut(), null_mut(), 0));
        let mut out = [planish_value { i64: 0 }; 2];
        let arguments = [planish_value { f64: -0.5 }, planish_value { i64: 1 << 40 }];
        let call = |name: &CString, arguments: &[planish_value], out: &mut [planish_value]| {
            let mut messages = null_mut();
            let (count, room) = (arguments.len(), out.len());
            let (arguments, out) = (arguments.as_ptr(), out.as_mut_ptr());
            planish_call(functions, name.as_ptr(), arguments, count, out, room, &raw mut messages)
                .then_some(())
                .ok_or_else(|| take(messages))
        };
        let name = |text: &str| CString::new(text).expect("no NUL");
        call(&name("both"), &arguments, &mut out).expect("returns");
        assert_eq!((out[0].i64, out[1].f64), (1 << 40, -0.5));
        let whole = |value| planish_value { i32: value };
        call(&name("div"), &[whole(-42), whole(2)], &mut out).expect("returns");
        assert_eq!(out[0].i32, -21);
        let trap = call(&name("div"), &[whole(1), whole(0)], &mut out).unwrap_err();
        assert!(trap.contains("E1301") && trap.contains("divi"), "{trap}");
        assert_eq!(
            call(&name("div"), &arguments[..1], &mut out).unwrap_err(),
            "error[E0712]: `div` has 2 parameters, not 1\n"
        );
        assert_eq!(
            call(&name("both"), &arguments, &mut out[..1]).unwrap_err(),
            "error[E0712]: `both` has 2 results, not 1\n"
        );
        assert!(call(&name("dvi"), &arguments, &mut out).unwrap_err().contains("there is no function `dvi`"));
        planish_functions_free(functions);
    }
}

/// A program, whose pointer may go to other threads as `planish.h` says.
#[derive(Clone, Copy)]
struct Shared(*const planish_program);

// SAFETY: the test below checks that the object may be shared.
unsafe impl Send for Shared {}

impl Shared {
    fn emit(self, target: &CStr) -> Option<String> {
        // SAFETY: the program lives until all threads have ended; the output is freed once.
        unsafe {
            let output = planish_program_emit(self.0, target.as_ptr(), null_mut());
            let text = text_of(planish_output_data(output));
            planish_output_free(output);
            text
        }
    }
}

#[test]
fn a_program_is_used_by_several_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<planish::Program>();
    is_shared::<planish::Settings>();
    // SAFETY: all is alive.
    let program = unsafe { planish_program_new(null(), source(c"a.frag", SHADER), null_mut()) };
    let shared = Shared(program);
    let targets = [c"glsl", c"wgsl", c"msl", c"hlsl"];
    let alone = targets.map(|target| shared.emit(target));
    let threads: Vec<_> =
        (0..8).map(|_| std::thread::spawn(move || targets.map(|target| shared.emit(target)))).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("ends"), alone);
    }
    // SAFETY: not freed before.
    unsafe { planish_program_free(program) };
}

#[test]
fn a_shader_has_no_functions() {
    // SAFETY: all is alive, and freed once.
    unsafe {
        let program = planish_program_new(null(), source(c"a.frag", SHADER), null_mut());
        let functions = planish_functions_new(program, null_mut());
        planish_program_free(program);
        assert_eq!(planish_function_count(functions), 0);
        planish_functions_free(functions);
    }
}

//! The other directives.

use super::*;

#[test]
fn versions() {
    let cases = [
        ("#version 100", Version::ES_100),
        ("  # version 300 es // c", Version::ES_300),
        ("// c\n/* d */\n\n#version 310 es", Version::ES_310),
        ("#version 320 es\n", Version::ES_320),
        ("#version 110", Version::desktop(110)),
        ("#version 330", Version::desktop(330)),
        ("#version 460 core", Version::desktop(460)),
        ("\u{feff}#version 450", Version::desktop(450)),
    ];
    for (source, version) in cases {
        let (program, map) = run(source);
        assert_eq!(lines(&program.diagnostics, &map), [""; 0], "{source}");
        assert_eq!(program.version, version, "{source}");
        assert!(map.text(program.version_span.unwrap()).contains("version"));
    }
    assert_eq!(run("").0.version_span, None);
}

#[test]
fn wrong_versions() {
    let es = Version::ES_300;
    let cases = [
        ("#version 300", es, "E0105 1:10 version 300 needs the profile `es`"),
        ("#version 300 core", es, "E0105 1:14 version 300 is one of GLSL ES"),
        ("#version 100 es", Version::ES_100, "E0105 1:14 version 100 is written without `es`"),
        ("#version 450 es", Version::desktop(450), "E0105 1:14 version 450 has no profile `es`"),
        ("#version 120 core", Version::desktop(120), "E0105 1:14 version 120 has no profiles"),
        ("#version 333", Version::desktop(330), "E0105 1:10 there is no version 333 of GLSL"),
        ("#version 305 es", es, "E0105 1:10 there is no version 305 of GLSL"),
        ("#version 99999999999999", Version::desktop(460), "E0105 1:10 there is no version 99999999999999 of GLSL"),
        ("#version 0x64", Version::desktop(460), "E0105 1:10 there is no version 0x64 of GLSL"),
        ("#version 300 foo", es, "E0105 1:14 `foo` is not a profile"),
        ("#version 300 es x", es, "E0104 1:17 unexpected text after `#version`"),
        ("#version", Version::desktop(450), "E0105 1:9 `#version` needs a number"),
        ("#version es", Version::desktop(450), "E0105 1:10 `#version` needs a number"),
        ("#version 330\n#version 330", Version::desktop(330), "E0105 2:1 `#version` is given twice"),
        ("int a;\n#version 330", Version::desktop(450), "E0105 2:1 `#version` must come before everything else"),
        ("#define A\n#version 330", Version::desktop(450), "E0105 2:1 `#version` must come before everything else"),
    ];
    for (source, version, expected) in cases {
        let (program, map) = run(source);
        assert_eq!(lines(&program.diagnostics, &map), [expected], "{source}");
        assert_eq!(program.version, version, "{source}");
    }
    let (program, _) = run("#version 300");
    assert_eq!(program.diagnostics[0].fix.as_ref().unwrap().replacement, "300 es");
}

#[test]
fn webgl_2_wants_the_version_on_the_first_line() {
    let run = |source: &str| {
        let mut options = PreprocessOptions { webgl: true, ..PreprocessOptions::default() };
        let (program, map) = run_with(source, &mut options);
        lines(&program.diagnostics, &map)
    };
    assert_eq!(run("\n#version 300 es\n"), ["E0105 2:1 `#version 300 es` must be on the first line"]);
    assert_eq!(run("#version 300 es\n"), [""; 0]);
    assert_eq!(run("\n#version 100\n"), [""; 0]);
    let long = "x".repeat(300);
    assert_eq!(run(&long), ["E0113 1:1 this name has 300 characters; WebGL takes at most 256"]);
    assert_eq!(run(&format!("#version 300 es\n{long}")), [""; 0]);
}

#[test]
fn extensions() {
    let (program, _) = run("#version 100\n#extension GL_OES_standard_derivatives : enable\n#extension all : warn\na\n");
    let found: Vec<_> = program.extensions.iter().map(|e| (program.interner.resolve(e.name), e.behavior)).collect();
    assert_eq!(found, [("GL_OES_standard_derivatives", Behavior::Enable), ("all", Behavior::Warn)]);
    assert!(program.diagnostics.is_empty());
    let cases = [
        ("GL_FOO : require", "E0106 2:12 unknown extension `GL_FOO`"),
        ("GL_FOO : enable", "warning E0106 2:12 unknown extension `GL_FOO`"),
        ("GL_FOO : disable", "warning E0106 2:12 unknown extension `GL_FOO`"),
        (
            "GL_OES_standard_derivatives : require",
            "warning E0106 2:12 `GL_OES_standard_derivatives` is an extension of GLSL ES 1.00",
        ),
        ("GL_ARB_gpu_shader5 : require", "E0106 2:12 GLSL ES 3.00 has no extension `GL_ARB_gpu_shader5`"),
        ("GL_ANGLE_multi_draw : require", "E0106 2:12 extension `GL_ANGLE_multi_draw` is not implemented"),
        ("all : enable", "E0106 2:1 `all` takes only `warn` and `disable`"),
        ("GL_OVR_multiview2 : enabel", "E0106 2:32 `enabel` is not a behavior of extensions"),
        ("GL_OVR_multiview2", "E0106 2:29 expected `:` after the name of the extension"),
        ("GL_OVR_multiview2 :", "E0106 2:31 the behavior of the extension is missing"),
        ("GL_OVR_multiview2 enable", "E0106 2:30 expected `:` after the name of the extension"),
        (": enable", "E0106 2:12 `#extension` needs a name"),
        ("", "E0106 2:11 `#extension` needs a name"),
        ("GL_OVR_multiview2 : enable x", "E0104 2:39 unexpected text after `#extension`"),
    ];
    for (directive, expected) in cases {
        let (program, map) = run(&format!("#version 300 es\n#extension {directive}"));
        assert_eq!(lines(&program.diagnostics, &map), [expected], "{directive}");
    }
    let (program, _) = run("#version 300 es\n#extension GL_OVR_multivew2 : require");
    assert_eq!(program.diagnostics[0].help, ["did you mean `GL_OVR_multiview2`?"]);
    let (program, map) = run("#version 100\nfloat a;\n#extension GL_EXT_frag_depth : enable");
    assert_eq!(lines(&program.diagnostics, &map), ["warning E0106 3:1 `#extension` after other code"]);
    assert_eq!(program.extensions[0].position, 3);
}

#[test]
fn pragmas() {
    let source = "#pragma STDGL invariant(all)\na\n#pragma optimize(off)\n#pragma debug( on )\nb\n#pragma planish flatten depth=3\n#pragma  other  thing(1)\n#pragma";
    let (program, _) = run(source);
    let found: Vec<_> = program.pragmas.iter().map(|p| (p.kind.clone(), p.text.as_str(), p.position)).collect();
    let words = ["flatten", "depth", "=", "3"].map(str::to_owned).to_vec();
    assert_eq!(
        found,
        [
            (PragmaKind::InvariantAll, "STDGL invariant(all)", 0),
            (PragmaKind::Optimize(false), "optimize(off)", 1),
            (PragmaKind::Debug(true), "debug( on )", 1),
            (PragmaKind::Planish(words), "planish flatten depth=3", 2),
            (PragmaKind::Other, "other thing(1)", 2),
            (PragmaKind::Other, "", 2),
        ]
    );
    assert!(program.diagnostics.is_empty());
}

#[test]
fn errors_and_unknown_directives() {
    complains(
        "#error this shader needs \"textures\", don't  drop it // really\na",
        &["E0107 1:1 this shader needs \"textures\", don't  drop it"],
        "a",
    );
    complains("#error\na", &["E0107 1:1 `#error`"], "a");
    complains(
        "#defin A\n#incldue <x>\n#zzzzz\na",
        &[
            "E0104 1:1 unknown directive `#defin`",
            "E0104 2:1 unknown directive `#incldue`",
            "E0104 3:1 unknown directive `#zzzzz`",
        ],
        "a",
    );
    let (program, _) = run("#defin A");
    assert_eq!(program.diagnostics[0].help, ["did you mean `#define`?"]);
    complains("# 12\n#\n# // c\na", &["E0104 1:3 `#` needs the name of a directive after it"], "a");
    complains("a # define X\nX", &["E0101 1:3 `#` has no meaning here"], "a define X X");
}

#[test]
fn comments_may_stand_anywhere_in_a_directive() {
    expands("/**/ # /**/ define /**/ A /* \n */ 1 /**/ // x\nA", "1");
    expands("#define A(x /**/, y) x /**/ y\nA(1,2)", "1 2");
    expands("#define A/**/(x)\nA", "( x )");
    complains("#define A /* 1\nA", &["E0103 1:11 this comment does not end"], "");
}

#[test]
fn continued_lines() {
    expands("#define A \\\n  1 + \\\r\n  2\nA\nv\\\nec\\\n3", "1 + 2 vec3");
    complains("a // b \\\nc\nd", &["warning W0106 1:3 the line after this comment is part of it"], "a d");
}

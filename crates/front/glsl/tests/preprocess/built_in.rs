//! Macros that are built in, and `#line`.

use super::*;

#[test]
fn line_file_and_version() {
    expands("__LINE__\n\n__LINE__ __FILE__ __VERSION__", "1 3 0 450");
    expands("a\\\nb __LINE__\n__LINE__", "ab 2 3");
    expands("/*\n\n*/ __LINE__\r\n__LINE__\r__LINE__", "3 4 5");
    expands("#define L __LINE__\nL\nL", "2 3");
    expands("#define F(x) x __LINE__\nF(__LINE__)\nF(\n__LINE__\n)", "2 2 4 5");
}

#[test]
fn profiles_and_extensions() {
    expands("#version 330 core\nGL_core_profile GL_ES GL_ARB_gpu_shader5", "1 GL_ES 1");
    expands("#version 330 compatibility\nGL_compatibility_profile GL_core_profile", "1 GL_core_profile");
    expands("#version 300 es\nGL_ES GL_FRAGMENT_PRECISION_HIGH __VERSION__ GL_core_profile", "1 1 300 GL_core_profile");
    expands("#version 100\nGL_OES_standard_derivatives __VERSION__", "1 100");
    expands("#version 300 es\nGL_OES_standard_derivatives", "GL_OES_standard_derivatives");
    expands(
        "#version 100\n#ifdef GL_OES_standard_derivatives\n#extension GL_OES_standard_derivatives : enable\n#endif\na",
        "a",
    );
}

#[test]
fn line_directives_shift_lines() {
    expands("#line 10\n__LINE__ __FILE__\n__LINE__\n#line 3 7\n__LINE__ __FILE__", "10 0 11 3 7");
    expands(
        "#define N 12\n#line N N\n__LINE__ __FILE__\n#line N + 1\n__LINE__\n#line (2) 4\n__LINE__ __FILE__",
        "12 12 13 2 4",
    );
    expands("#line (1 + 3) (2)\n__LINE__ __FILE__\n#line -(-3) (3)\n__LINE__ __FILE__", "4 2 3 3");
    expands("#define A 7\n#define B (3)\n#line A B\n__LINE__ __FILE__\n#line B A\n__LINE__ __FILE__", "7 3 3 7");
    expands("#line 1 + 2 3 + 4\n__LINE__ __FILE__", "3 7");
    expands("#line 5 \"name.glsl\"\n__LINE__ __FILE__", "5 0");
    expands("#line -3\n__LINE__\n#line 0\n__LINE__", "- 3 0");
    complains("#line\n", &["E0104 1:6 `#line` needs the number of a line"], "");
    complains("#line x\n__LINE__", &["warning E0111 1:7 `x` is not a macro; it counts as 0"], "0");
}

// Calls the library with what it must refuse, and frees everything: for sanitizers and Valgrind.
#include <planish.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(bool holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "does not hold: %s\n", what);
    failures++;
  }
}

static planish_source text(const char *name, const char *data) {
  planish_source source = {name, data, strlen(data)};
  return source;
}

// Whether the messages contain a text; frees them.
static bool says(planish_messages *messages, const char *part) {
  bool found = strstr(planish_messages_text(messages, PLANISH_FORMAT_SHORT), part) != NULL;
  planish_messages_free(messages);
  return found;
}

// Every include is the same text; the user's number counts them.
static planish_output *include(void *user, const char *name, const char *from, bool system) {
  (void)from;
  (void)system;
  ++*(int *)user;
  if (strcmp(name, "missing.glsl") == 0) return NULL;
  const char *data = "float half_of(float x) { return 0.5 * x; }\n";
  return planish_text(data, strlen(data));
}

static void compile(void) {
  planish_messages *messages = NULL;
  planish_source good = text("a.frag", "precision mediump float; void main() { gl_FragColor = vec4(1.0); }");
  for (size_t i = 0; planish_target_name(i); i++) {
    planish_output *output = planish_compile(NULL, good, planish_target_name(i), &messages);
    planish_output_free(output);
    planish_messages_free(messages);
  }
  planish_source null_name = {NULL, "x", 1};
  expect(!planish_compile(NULL, null_name, "wgsl", &messages) && says(messages, "NULL"), "a name that is NULL");
  expect(!planish_compile(NULL, good, "wgls", &messages) && says(messages, "did you mean `wgsl`"), "an unknown target");
  char bytes[256];
  for (int i = 0; i < 256; i++) bytes[i] = (char)i;
  planish_source binary = {"a.frag", bytes, sizeof bytes};
  expect(!planish_compile(NULL, binary, "wgsl", &messages) && says(messages, "E0101"), "bytes that are no text");
  planish_source module = {"a.wasm", "\0asm\1\0\0\0\1\xff", 10};
  expect(!planish_program_new(NULL, module, &messages), "a module that ends early");
  planish_messages_free(messages);
  expect(planish_check(NULL, good) == NULL, "a shader without warnings");
}

static void settings(void) {
  int calls = 0;
  planish_messages *messages = NULL;
  planish_settings *settings = planish_settings_new();
  expect(planish_settings_set(settings, "level", "s") == NULL, "a level");
  expect(planish_settings_set(settings, "level", "x") != NULL, "a level that is none");
  planish_settings_set_include(settings, include, &calls);
  planish_output *output = planish_compile(
      settings,
      text("a.frag", "#extension GL_GOOGLE_include_directive : require\nprecision mediump float;\n#include \"b.glsl\"\n"
                     "void main() { gl_FragColor = vec4(half_of(1.0)); }"),
      "glsl", &messages);
  expect(output && calls == 1, "an include");
  planish_output_free(output);
  planish_messages_free(messages);
  output = planish_compile(settings, text("a.frag", "#extension GL_GOOGLE_include_directive : require\n#include \"missing.glsl\"\n"),
                           "glsl", &messages);
  expect(!output && says(messages, "missing.glsl"), "a missing include");
  planish_settings_free(settings);
}

static void draw(void) {
  planish_messages *messages = NULL;
  float pixels[4 * 4 * 4] = {0};
  planish_program *program =
      planish_program_new(NULL, text("a.frag", "precision highp float; uniform sampler2D map; varying vec2 uv; void main() {"
                                               "gl_FragColor = texture2D(map, uv); }"), NULL);
  planish_drawing *drawing = planish_drawing_new(program);
  planish_program_free(program);
  unsigned char texels[2 * 2 * 4];
  memset(texels, 255, sizeof texels);
  expect(!planish_drawing_set_texture(drawing, "map", 2, 2, texels, sizeof texels - 1), "too few texels");
  expect(!planish_drawing_set_texture(drawing, "map", 0xffffffff, 0xffffffff, texels, sizeof texels), "too many texels");
  expect(planish_drawing_set_texture(drawing, "map", 2, 2, texels, sizeof texels), "a texture");
  expect(planish_drawing_draw(drawing, 4, 4, pixels, NULL) && pixels[0] == 1.0f && pixels[63] == 1.0f, "a white picture");
  expect(!planish_drawing_draw(drawing, 100000, 4, pixels, &messages) && says(messages, "no size"), "a picture too wide");
  expect(!planish_drawing_draw(drawing, 4, 4, NULL, &messages) && says(messages, "NULL"), "no place for pixels");
  planish_drawing_free(drawing);
}

static void call(void) {
  planish_messages *messages = NULL;
  planish_value arguments[2], result;
  planish_program *program = planish_program_new(
      NULL, text("a.wat", "(module (func (export \"div\") (param i32 i32) (result i32) local.get 0 local.get 1 i32.div_s))"), NULL);
  planish_functions *functions = planish_functions_new(program, NULL);
  planish_program_free(program);
  arguments[0].i32 = 42;
  arguments[1].i32 = 0;
  expect(!planish_call(functions, "div", arguments, 2, &result, 1, &messages) && says(messages, "E1301"), "a trap");
  arguments[1].i32 = -2;
  expect(planish_call(functions, "div", arguments, 2, &result, 1, NULL) && result.i32 == -21, "a call after a trap");
  expect(!planish_call(functions, "div", NULL, 0, &result, 1, &messages) && says(messages, "2 parameters"), "no arguments");
  expect(!planish_call(functions, "vid", NULL, 0, NULL, 0, &messages) && says(messages, "there are: div"), "a wrong name");
  planish_functions_free(functions);
}

int main(int argc, char **argv) {
  compile();
  settings();
  // Valgrind follows no machine code that is made while it runs without much time.
  if (argc < 2 || strcmp(argv[1], "no-machine-code") != 0) {
    draw();
    call();
  }
  if (failures == 0) puts("all borders hold");
  return failures;
}

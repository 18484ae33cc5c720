// Planish: compiles shaders, WebAssembly and VL to what their next tool accepts. docs/c-library.md tells how to use it.

#ifndef PLANISH_H
#define PLANISH_H

// Made of bindings/c/src by `BLESS=1 cargo test -p planish-c`.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The type of a value.
typedef enum planish_type {
  // An integer of 32 bits; the truth values of VL are 0 and 1.
  PLANISH_TYPE_I32,
  // An integer of 64 bits.
  PLANISH_TYPE_I64,
  // A float of 32 bits.
  PLANISH_TYPE_F32,
  // A float of 64 bits.
  PLANISH_TYPE_F64,
  // Something that C cannot hold here: 128 bits, or a reference.
  PLANISH_TYPE_OTHER,
} planish_type;

// Severity of a message.
typedef enum planish_severity {
  // The call has failed for it.
  PLANISH_SEVERITY_ERROR,
  // The program does something other than it seems, or has no need for something.
  PLANISH_SEVERITY_WARNING,
  // Something that the optimizer did or could not do.
  PLANISH_SEVERITY_REMARK,
} planish_severity;

// The form of `planish_messages_text`.
typedef enum planish_format {
  // Several lines each, with the source.
  PLANISH_FORMAT_HUMAN,
  // The same in colours of a terminal.
  PLANISH_FORMAT_HUMAN_COLOR,
  // `file:line:column: severity[code]: message`.
  PLANISH_FORMAT_SHORT,
  // One JSON object a line.
  PLANISH_FORMAT_JSON,
  // Workflow commands of GitHub Actions.
  PLANISH_FORMAT_GITHUB,
} planish_format;

// A fragment shader with values for its uniforms and textures. Opaque.
typedef struct planish_drawing planish_drawing;

// An instance of a program in VL or WebAssembly: its functions, with their memories and variables. Opaque.
typedef struct planish_functions planish_functions;

// Errors and warnings of a call. Opaque.
typedef struct planish_messages planish_messages;

// Bytes or text that a compilation has written. Opaque.
typedef struct planish_output planish_output;

// A program that was read and optimized, or a stage of one. It never changes. Opaque.
typedef struct planish_program planish_program;

// Settings, by the names of the options of `planish compile`, and files for `#include`. Opaque.
typedef struct planish_settings planish_settings;

// A value, of the type that the function has at its place.
typedef union planish_value {
  // An integer of 32 bits.
  int32_t i32;
  // An integer of 64 bits.
  int64_t i64;
  // A float of 32 bits.
  float f32;
  // A float of 64 bits.
  double f64;
} planish_value;

// A message. The texts belong to the list of messages.
typedef struct planish_message {
  // Its severity.
  enum planish_severity severity;
  // Its code, such as `E0301`, which `planish_explain` explains.
  const char *code;
  // The text, one line.
  const char *message;
  // The file; NULL if the message is about no place.
  const char *file;
  // The line, from 1; 0 if there is none.
  uint32_t line;
  // The column, in characters from 1; 0 if there is none.
  uint32_t column;
  // The line of the end.
  uint32_t end_line;
  // The column after the end.
  uint32_t end_column;
} planish_message;

// The source of a program, or of a stage of one.
typedef struct planish_source {
  // Its name in messages. The extension, as in `sky.frag`, selects the language and the stage unless the settings do.
  const char *name;
  // Text, or the bytes of SPIR-V or WebAssembly.
  const void *data;
  // Number of bytes.
  size_t size;
} planish_source;

// Finds a file of `#include`: returns its text as made by `planish_text`, or NULL if there is none. `name` is that of the directive, `from`
// the file that it is in; `system` is true for `<name>`.
typedef struct planish_output *(*planish_include)(void *user, const char *name, const char *from, bool system);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// An instance of a program, which runs its start function. It runs as machine code where the host has it. NULL if it cannot be made.
struct planish_functions *planish_functions_new(const struct planish_program *program,
                                                struct planish_messages **messages);

// Number of functions; 0 of NULL.
size_t planish_function_count(const struct planish_functions *functions);

// The name of a function, from 0 on; NULL behind the last.
const char *planish_function_name(const struct planish_functions *functions, size_t index);

// The numbers of parameters and results of a function; their types, for as many as there is room for. `types` has the parameters first,
// then the results. Returns false if there is no function of this number.
bool planish_function_type(const struct planish_functions *functions,
                           size_t index,
                           size_t *params,
                           size_t *results,
                           enum planish_type *types,
                           size_t room);

// Calls a function by its name with `count` arguments, and writes its results to `results`, which has room for `room` of them. Returns
// false if there is no such function, the numbers of arguments or results are others, or the program trapped; then nothing is written.
bool planish_call(struct planish_functions *functions,
                  const char *name,
                  const union planish_value *arguments,
                  size_t count,
                  union planish_value *results,
                  size_t room,
                  struct planish_messages **messages);

// Frees an instance.
void planish_functions_free(struct planish_functions *functions);

// A drawing of a program, of which it keeps a copy; NULL of NULL.
struct planish_drawing *planish_drawing_new(const struct planish_program *program);

// Sets the value of a uniform: its components, of a matrix by columns. Names of parts are `light.position`, `weights[3]`. Unknown names
// and wrong sizes are errors of `planish_drawing_draw`. Returns false if the name is NULL.
bool planish_drawing_set_uniform(struct planish_drawing *drawing,
                                 const char *name,
                                 const double *components,
                                 size_t count);

// Sets a texture: rows from the top, four bytes a texel (red, green, blue, alpha), a copy. Returns false if the bytes are fewer than
// `width * height * 4`, or the name is NULL.
bool planish_drawing_set_texture(struct planish_drawing *drawing,
                                 const char *name,
                                 uint32_t width,
                                 uint32_t height,
                                 const void *data,
                                 size_t size);

// Sets the time in seconds, for uniforms that are named like a time, and the number of the frame.
void planish_drawing_set_time(struct planish_drawing *drawing, float seconds, uint32_t frame);

// Sets the mouse, for uniforms that are named like one: x and y in pixels from the lower left, and of the last click.
void planish_drawing_set_mouse(struct planish_drawing *drawing, float x, float y, float click_x, float click_y);

// Selects the output to draw by its name; NULL is the first colour.
void planish_drawing_set_output(struct planish_drawing *drawing, const char *name);

// Draws: writes `width * height` pixels of four floats (red, green, blue, alpha), rows from the top, to `pixels`. Returns false, and
// writes nothing, if it cannot.
bool planish_drawing_draw(struct planish_drawing *drawing,
                          uint32_t width,
                          uint32_t height,
                          float *pixels,
                          struct planish_messages **messages);

// Frees a drawing.
void planish_drawing_free(struct planish_drawing *drawing);

// Number of messages; 0 of NULL.
size_t planish_messages_count(const struct planish_messages *messages);

// Writes a message to `message`; returns false if there is none of this number.
bool planish_messages_get(const struct planish_messages *messages, size_t index, struct planish_message *message);

// All messages as text, which belongs to them; of NULL the empty text.
const char *planish_messages_text(struct planish_messages *messages, uint32_t format);

// Frees messages.
void planish_messages_free(struct planish_messages *messages);

// The bytes. A NUL byte follows them, so that a text is one of C. NULL of NULL.
const char *planish_output_data(const struct planish_output *output);

// Number of the bytes.
size_t planish_output_size(const struct planish_output *output);

// The header of an object file or of a program in C; NULL if there is none.
const char *planish_output_header(const struct planish_output *output);

// Frees an output.
void planish_output_free(struct planish_output *output);

// Reads and optimizes a program. NULL settings are the default. Returns NULL if it has errors. `messages`, if it is not NULL, gets its
// errors and warnings, or NULL if there are none.
struct planish_program *planish_program_new(const struct planish_settings *settings,
                                            struct planish_source of,
                                            struct planish_messages **messages);

// The same for all stages of a program, whose varyings get the same locations. Writes a program for each to `programs`, and returns true;
// if one has errors it writes NULLs, and returns false.
bool planish_stages_new(const struct planish_settings *settings,
                        const struct planish_source *sources,
                        size_t count,
                        struct planish_program **programs,
                        struct planish_messages **messages);

// Writes a program for a target: `glsl`, `wgsl`, `spirv`, `msl`, `hlsl`, `wasm`, `js`, `c`, `rust`, `object`, `reflect` (JSON), … Returns
// NULL if it cannot hold the program.
struct planish_output *planish_program_emit(const struct planish_program *program,
                                            const char *target_name,
                                            struct planish_messages **messages);

// Reads a program and writes it for one target, with the settings for it: a graph is made of the operations that graphs have.
struct planish_output *planish_compile(const struct planish_settings *settings,
                                       struct planish_source of,
                                       const char *target_name,
                                       struct planish_messages **messages);

// Errors and warnings of a program, which is not optimized; NULL if there are none.
struct planish_messages *planish_check(const struct planish_settings *settings, struct planish_source of);

// Frees a program.
void planish_program_free(struct planish_program *program);

// The explanation of a code, in Markdown; NULL if there is no such code.
struct planish_output *planish_explain(const char *code);

// The name of a target, from 0 on; NULL behind the last.
const char *planish_target_name(size_t index);

// The version of the library, as `0.1.0`.
const char *planish_version(void);

// A text for `planish_include` to return, which takes it; a copy. `size` is in bytes.
struct planish_output *planish_text(const void *data, size_t size);

// New settings, as the command has them.
struct planish_settings *planish_settings_new(void);

// Sets a setting: `level`, `define`, `minify`, `glsl-version`, … with a text as its option takes it, `true` or `false` for one that takes
// none. Returns NULL, or the reason why not, which belongs to the settings and lives until the next call.
const char *planish_settings_set(struct planish_settings *settings,
                                 const char *name,
                                 const char *value);

// Adds a file that `#include` finds by its name; a copy. Returns false if it is not UTF-8.
bool planish_settings_add_file(struct planish_settings *settings, const char *name, const void *data, size_t size);

// Sets the function that finds the files of `#include` that have not been added. It is called on the thread of the compilation, with
// `user`, and must not use these settings. NULL is none.
void planish_settings_set_include(struct planish_settings *settings,
                                  planish_include include,
                                  void *user);

// Frees settings.
void planish_settings_free(struct planish_settings *settings);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PLANISH_H */

// Draws a shader to a picture (PPM) on standard output, and computes with VL.
#include <planish.h>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

template <auto Free> struct Frees { template <class T> void operator()(T *object) const { Free(object); } };
using Program = std::unique_ptr<planish_program, Frees<planish_program_free>>;
using Drawing = std::unique_ptr<planish_drawing, Frees<planish_drawing_free>>;
using Functions = std::unique_ptr<planish_functions, Frees<planish_functions_free>>;

static void check(bool is_done, planish_messages *messages) {
  std::string text = planish_messages_text(messages, PLANISH_FORMAT_HUMAN);
  planish_messages_free(messages);
  if (!is_done) throw std::runtime_error(text);
}

static Program read(const char *name, const std::string &text) {
  planish_messages *messages = nullptr;
  Program program(planish_program_new(nullptr, {name, text.data(), text.size()}, &messages));
  check(program != nullptr, messages);
  return program;
}

int main() try {
  Functions functions(planish_functions_new(
      read("wave.vl", "(define (wave x) (/ (+ 1 (sin x)) 2)) wave").get(), nullptr));
  planish_value x, wave;
  planish_messages *messages = nullptr;
  x.f64 = 0.5;
  check(planish_call(functions.get(), "wave", &x, 1, &wave, 1, &messages), messages);

  Drawing drawing(planish_drawing_new(read("rings.frag", "precision highp float; uniform float wave; uniform vec2 size;"
      "void main() { float r = length(gl_FragCoord.xy - size / 2.0); gl_FragColor = vec4(fract(r / 8.0) * wave); }").get()));
  const double size[] = {64, 48};
  planish_drawing_set_uniform(drawing.get(), "wave", &wave.f64, 1);
  planish_drawing_set_uniform(drawing.get(), "size", size, 2);
  std::vector<float> pixels(64 * 48 * 4);
  check(planish_drawing_draw(drawing.get(), 64, 48, pixels.data(), &messages), messages);
  std::printf("P2 64 48 255\n");
  for (std::size_t i = 0; i < pixels.size(); i += 4) std::printf("%d\n", int(pixels[i] * 255 + 0.5));
} catch (const std::exception &error) {
  std::fputs(error.what(), stderr);
  return 1;
}

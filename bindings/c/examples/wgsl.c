// Compiles a file to WGSL on standard output: wgsl sky.frag [SETTING=VALUE ...]
#include <planish.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file) return fprintf(stderr, "usage: wgsl FILE [SETTING=VALUE ...]\n"), 2;
  char *text = malloc(1 << 20);
  size_t size = fread(text, 1, 1 << 20, file);
  fclose(file);

  planish_settings *settings = planish_settings_new();
  const char *wrong = planish_settings_set(settings, "level", "2");
  for (int i = 2; i < argc && !wrong; i++) {
    char *value = strchr(argv[i], '=');
    if (value) *value++ = 0;
    wrong = planish_settings_set(settings, argv[i], value ? value : "true");
  }
  if (wrong) fprintf(stderr, "%s\n", wrong);

  planish_messages *messages = NULL;
  planish_source source = {argv[1], text, size};
  planish_output *wgsl = wrong ? NULL : planish_compile(settings, source, "wgsl", &messages);
  fputs(planish_messages_text(messages, PLANISH_FORMAT_HUMAN), stderr);
  if (wgsl) fwrite(planish_output_data(wgsl), 1, planish_output_size(wgsl), stdout);

  int status = wgsl ? 0 : 1;
  planish_output_free(wgsl);
  planish_messages_free(messages);
  planish_settings_free(settings);
  free(text);
  return status;
}

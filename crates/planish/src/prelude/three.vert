#define attribute in
#define varying out
uniform mat4 modelMatrix;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform mat3 normalMatrix;
in vec3 position;
in vec3 normal;
in vec2 uv;
#ifdef USE_UV1
in vec2 uv1;
#endif
#ifdef USE_UV2
in vec2 uv2;
#endif
#ifdef USE_UV3
in vec2 uv3;
#endif
#ifdef USE_TANGENT
in vec4 tangent;
#endif
#if defined(USE_COLOR_ALPHA)
in vec4 color;
#elif defined(USE_COLOR)
in vec3 color;
#endif
#ifdef USE_INSTANCING
in mat4 instanceMatrix;
#endif
#ifdef USE_INSTANCING_COLOR
in vec3 instanceColor;
#endif
#ifdef USE_SKINNING
in vec4 skinIndex;
in vec4 skinWeight;
#endif

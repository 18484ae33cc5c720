varying vec2 vUv;
varying vec3 vNormal;
varying vec3 vView;

void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    vUv = uv;
    vNormal = mat3(modelMatrix) * normal;
    vView = cameraPosition - world.xyz;
    gl_Position = projectionMatrix * viewMatrix * world;
}

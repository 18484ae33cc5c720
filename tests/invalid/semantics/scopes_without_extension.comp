#version 450
// ERROR: E0303 6:5
// ERROR: E0301 7:19
// REFUSED BY: glslangValidator
shared uint a; void main() {
    atomicAdd(a, 1u, 1, 0, 0);
    atomicLoad(a, gl_ScopeDevice, 0, 0);
}

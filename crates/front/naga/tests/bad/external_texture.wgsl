// E0704 2:23
@group(0) @binding(0) var t: texture_external;

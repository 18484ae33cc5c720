// WebGPURenderer converts the colours of all materials at once, at the end: a material must not do it, too.

// What bundlers make of imports; the tests compare it with what the command writes.
import sky, { code, reflection } from './sky.frag?wgsl';
import small from './sky.frag?wgsl&minify&level=s&define=FAST';
import words from './sky.frag?spirv';
import { stages } from './sky.frag?wgsl&with=./sky.vert';
import double from './double.vl?js';

export { code, double, reflection, sky, small, stages, words };

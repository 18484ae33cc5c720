//! Sources and paths that several tests share. The chore `cargo xtask npm` sets the environment.

import { execFileSync } from "node:child_process";
import { join } from "node:path";

export const GREY = "precision mediump float;\nuniform float level;\nvoid main() { gl_FragColor = vec4(level); }\n";

export const INCLUDING = `#extension GL_GOOGLE_include_directive : enable
precision mediump float;
#include "tint.glsl"
void main() { gl_FragColor = vec4(TINT); }
`;

export const VL = `
(define (f x y) (* x (sin y)))
(define (both x) (list (* x x) (< x 0)))
(define (pick b x) (if b x (- 0 x)))
(define (refuse x) (if (< x 0) (error "x is negative") (sqrt x)))
(define (power x n) (let loop ((n n) (p (real 1))) (if (< n 1) p (loop (- n 1) (* p x)))))
(export f (real real)) (export both (real)) (export pick (boolean real)) (export refuse (real)) (export power (real real))
0
`;

export const WAT = `(module
  (memory 1)
  (global $count (mut i32) (i32.const 0))
  (func (export "div") (param i32 i32) (result i32) local.get 0 local.get 1 i32.div_s)
  (func (export "wide") (param i64 f32) (result i64 f32) local.get 0 i64.const 1 i64.add local.get 1 f32.const 2 f32.mul)
  (func (export "count") (result i32)
    global.get $count i32.const 1 i32.add global.set $count global.get $count)
  (func (export "nothing"))
  (func (export "reference") (param externref))
  (func $deep (export "deep") (param i32) (result i32)
    local.get 0 i32.const 1 i32.add call $deep i32.const 1 i32.add)
  (func (export "stored") (param f64) (result f64) i32.const 0 local.get 0 f64.store i32.const 0 f64.load))
`;

export const examples = process.env.PLANISH_EXAMPLES;

/** The output of the native command. */
export function native(args, options = {}) {
  return execFileSync(process.env.PLANISH_COMMAND, args, { stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 28, ...options });
}

/** The path of a program of the examples. */
export const example = (...parts) => join(examples, ...parts);

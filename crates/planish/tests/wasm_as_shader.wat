;; Functions that a shader can hold: numbers of 32 bits, no memory, loops with bounds.
(module
  ;; A polynomial, as long as it stays small.
  (func (export "poly") (param $x f32) (param $n i32) (result f32)
    (local $sum f32) (local $i i32)
    (local.set $sum (f32.const 1))
    (block $done
      (loop $again
        (br_if $done (i32.ge_s (local.get $i) (i32.const 4)))
        (if (f32.lt (local.get $sum) (f32.const 100))
          (then (local.set $sum
            (f32.add (f32.mul (local.get $sum) (local.get $x)) (f32.convert_i32_s (local.get $n))))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $again)))
    (local.get $sum))

  ;; A hash of rotations.
  (func $mix (param $h i32) (param $k i32) (result i32)
    (i32.mul (i32.rotl (i32.xor (local.get $h) (local.get $k)) (i32.const 13)) (i32.const 0x9e3779b1)))
  (func (export "hash") (param $seed i32) (result i32)
    (local $i i32) (local $h i32)
    (local.set $h (local.get $seed))
    (loop $again
      (local.set $h (call $mix (local.get $h) (i32.shr_u (local.get $h) (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 3)))
      (br_if $again (i32.lt_u (local.get $i) (i32.const 24))))
    (local.get $h))

  ;; How many of at most twelve steps lead to one: a way out of a loop.
  (func (export "steps") (param $n i32) (result i32)
    (local $count i32)
    (block $one
      (loop $again
        (br_if $one (i32.eq (local.get $n) (i32.const 1)))
        (local.set $n
          (if (result i32) (i32.and (local.get $n) (i32.const 1))
            (then (i32.add (i32.mul (local.get $n) (i32.const 3)) (i32.const 1)))
            (else (i32.shr_u (local.get $n) (i32.const 1)))))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (br_if $again (i32.lt_s (local.get $count) (i32.const 12)))))
    (local.get $count))

  ;; A table of jumps with a default.
  (func (export "choose") (param $which i32) (param $x f32) (result f32)
    (block $default (block $two (block $one (block $zero
      (br_table $zero $one $two $default (local.get $which)))
      (return (f32.neg (local.get $x))))
      (return (f32.abs (local.get $x))))
      (return (f32.ceil (local.get $x))))
    (f32.trunc (local.get $x)))

  ;; Several results.
  (func (export "sorted") (param $a i32) (param $b i32) (result i32 i32)
    (local $less i32)
    (local.set $less (i32.lt_s (local.get $a) (local.get $b)))
    (select (local.get $a) (local.get $b) (local.get $less))
    (select (local.get $b) (local.get $a) (local.get $less)))

  ;; Bits of floats, and floats to integers that saturate.
  (func (export "bits") (param $x f32) (param $y f32) (result i32)
    (i32.xor
      (i32.reinterpret_f32 (f32.copysign (local.get $x) (local.get $y)))
      (i32.trunc_sat_f32_s (f32.min (local.get $x) (local.get $y)))))

  ;; Counting zeros, and a division that cannot trap.
  (func (export "count") (param $x i32) (result i32)
    (i32.add
      (i32.add (i32.clz (local.get $x)) (i32.mul (i32.ctz (local.get $x)) (i32.const 64)))
      (i32.div_u (local.get $x) (i32.const 7)))))

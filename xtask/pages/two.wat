(module
  (func $gcd (export "gcd") (param $left i32) (param $right i32) (result i32) (local $rest i32)
    (loop $again
      (local.set $rest (i32.rem_u (local.get $left) (local.get $right)))
      (local.set $left (local.get $right))
      (local.set $right (local.get $rest))
      (br_if $again (local.get $rest)))
    (local.get $left))
  (func $fib (export "fib") (param $n i32) (result i64)
    (if (result i64) (i32.lt_u (local.get $n) (i32.const 2))
      (then (i64.extend_i32_u (local.get $n)))
      (else (i64.add (call $fib (i32.sub (local.get $n) (i32.const 1)))
                     (call $fib (i32.sub (local.get $n) (i32.const 2))))))))

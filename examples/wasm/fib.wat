(module
  (type (;0;) (func (param i32) (result i64)))
  (func $run (type 0) (param i32) (result i64)
    local.get 0
    call $fib)
  (func $fib (type 0) (param i32) (result i64)
    (local i64 i32 i32)
    i64.const 0
    local.set 1
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 2
        i32.ge_s
        br_if 0 (;@2;)
        local.get 0
        local.set 2
        br 1 (;@1;)
      end
      i64.const 0
      local.set 1
      loop  ;; label = @2
        local.get 0
        i32.const -1
        i32.add
        call $fib
        local.get 1
        i64.add
        local.set 1
        local.get 0
        i32.const 4
        i32.lt_u
        local.set 3
        local.get 0
        i32.const -2
        i32.add
        local.tee 2
        local.set 0
        local.get 3
        i32.eqz
        br_if 0 (;@2;)
      end
    end
    local.get 1
    local.get 2
    i64.extend_i32_s
    i64.add)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 66560))
  (export "memory" (memory 0))
  (export "run" (func $run)))

(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (param i32) (result i32)))
  (func $run (type 0) (param i32) (result i64)
    (local i64 i32)
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 1
        i32.ge_s
        br_if 0 (;@2;)
        i64.const 0
        local.set 1
        br 1 (;@1;)
      end
      i32.const 0
      local.set 2
      i32.const 0
      local.get 0
      i32.sub
      local.set 0
      i64.const 0
      local.set 1
      loop  ;; label = @2
        local.get 1
        i64.const 31
        i64.mul
        local.get 2
        i32.const 65536
        i32.add
        call $sieve
        i64.extend_i32_s
        i64.add
        local.set 1
        local.get 0
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        i32.ne
        br_if 0 (;@2;)
      end
    end
    local.get 1)
  (func $sieve (type 1) (param i32) (result i32)
    (local i32 i32 i32)
    i32.const 0
    local.set 1
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      i32.const 1024
      i32.const 0
      local.get 0
      memory.fill
      local.get 0
      i32.const 3
      i32.lt_u
      br_if 0 (;@1;)
      i32.const 0
      local.set 1
      i32.const 2
      local.set 2
      loop  ;; label = @2
        block  ;; label = @3
          local.get 2
          i32.const 1024
          i32.add
          i32.load8_u
          br_if 0 (;@3;)
          local.get 1
          i32.const 1
          i32.add
          local.set 1
          local.get 2
          i32.const 1
          i32.shl
          local.tee 3
          local.get 0
          i32.ge_s
          br_if 0 (;@3;)
          loop  ;; label = @4
            local.get 3
            i32.const 1024
            i32.add
            i32.const 1
            i32.store8
            local.get 3
            local.get 2
            i32.add
            local.tee 3
            local.get 0
            i32.lt_s
            br_if 0 (;@4;)
          end
        end
        local.get 2
        i32.const 1
        i32.add
        local.tee 2
        local.get 0
        i32.ne
        br_if 0 (;@2;)
      end
    end
    local.get 1)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 3)
  (global $__stack_pointer (mut i32) (i32.const 132096))
  (export "memory" (memory 0))
  (export "run" (func $run)))

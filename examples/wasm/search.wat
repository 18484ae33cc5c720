(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (param i32 i32 i32) (result i32)))
  (func $run (type 0) (param i32) (result i64)
    (local i32 i32 i32 i32 i32 i64)
    local.get 0
    i32.const 1000
    i32.mul
    local.tee 1
    i32.const 1048576
    local.get 1
    i32.const 1048576
    i32.lt_s
    select
    local.set 2
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 1
        i32.ge_s
        br_if 0 (;@2;)
        i32.const 521288629
        local.set 0
        br 1 (;@1;)
      end
      local.get 2
      i32.const 1
      local.get 2
      i32.const 1
      i32.gt_s
      select
      local.set 3
      i32.const 521288629
      local.set 0
      i32.const 0
      local.set 1
      loop  ;; label = @2
        local.get 0
        i32.const 13
        i32.shl
        local.get 0
        i32.xor
        local.tee 0
        i32.const 17
        i32.shr_u
        local.get 0
        i32.xor
        local.tee 4
        i32.const 5
        i32.shl
        local.get 4
        i32.xor
        local.tee 0
        i32.const 4
        i32.shr_u
        local.set 5
        block  ;; label = @3
          block  ;; label = @4
            local.get 1
            i32.const 65
            i32.lt_u
            br_if 0 (;@4;)
            local.get 4
            i32.const 15
            i32.and
            i32.eqz
            br_if 0 (;@4;)
            local.get 1
            local.get 0
            i32.const 976
            i32.div_u
            i32.const 61
            i32.mul
            local.get 5
            i32.sub
            i32.add
            i32.const 1023
            i32.add
            i32.load8_u
            local.set 4
            br 1 (;@3;)
          end
          local.get 5
          i32.const 6
          i32.rem_u
          i32.const 97
          i32.add
          local.set 4
        end
        local.get 1
        i32.const 1024
        i32.add
        local.get 4
        i32.store8
        local.get 3
        local.get 1
        i32.const 1
        i32.add
        local.tee 1
        i32.ne
        br_if 0 (;@2;)
      end
    end
    local.get 2
    i32.const -3
    i32.add
    local.set 4
    i64.const 0
    local.set 6
    i32.const 3
    local.set 1
    loop  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 13
        i32.shl
        local.get 0
        i32.xor
        local.tee 0
        i32.const 17
        i32.shr_u
        local.get 0
        i32.xor
        local.tee 0
        i32.const 5
        i32.shl
        local.get 0
        i32.xor
        local.tee 0
        local.get 4
        i32.rem_u
        i32.const 1024
        i32.add
        local.tee 5
        local.get 1
        local.get 2
        call $knuth_morris_pratt
        local.tee 3
        local.get 5
        local.get 1
        local.get 2
        call $horspool
        i32.eq
        br_if 0 (;@2;)
        i64.const -1
        return
      end
      local.get 4
      i32.const -3
      i32.add
      local.set 4
      local.get 6
      local.get 3
      i64.extend_i32_s
      i64.xor
      i64.const 1099511628211
      i64.mul
      local.set 6
      local.get 1
      i32.const 3
      i32.add
      local.tee 1
      i32.const 27
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 6)
  (func $knuth_morris_pratt (type 1) (param i32 i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32)
    global.get $__stack_pointer
    i32.const 112
    i32.sub
    local.tee 3
    i32.const -1
    i32.store
    block  ;; label = @1
      local.get 1
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      i32.const -1
      local.set 4
      i32.const 0
      local.set 5
      loop  ;; label = @2
        block  ;; label = @3
          local.get 4
          i32.const 0
          i32.lt_s
          br_if 0 (;@3;)
          local.get 0
          local.get 5
          i32.add
          i32.load8_u
          local.set 6
          loop  ;; label = @4
            local.get 6
            i32.const 255
            i32.and
            local.get 0
            local.get 4
            i32.add
            i32.load8_u
            i32.eq
            br_if 1 (;@3;)
            local.get 3
            local.get 4
            i32.const 2
            i32.shl
            i32.add
            i32.load
            local.tee 4
            i32.const -1
            i32.gt_s
            br_if 0 (;@4;)
          end
        end
        local.get 3
        local.get 5
        i32.const 1
        i32.add
        local.tee 5
        i32.const 2
        i32.shl
        i32.add
        local.get 4
        i32.const 1
        i32.add
        local.tee 4
        i32.store
        local.get 5
        local.get 1
        i32.ne
        br_if 0 (;@2;)
      end
    end
    block  ;; label = @1
      local.get 2
      i32.const 1
      i32.ge_s
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    local.get 3
    local.get 1
    i32.const 2
    i32.shl
    i32.add
    local.set 7
    i32.const 0
    local.set 4
    i32.const 0
    local.set 5
    i32.const 0
    local.set 8
    loop  ;; label = @1
      block  ;; label = @2
        local.get 4
        i32.const 0
        i32.lt_s
        br_if 0 (;@2;)
        local.get 5
        i32.const 1024
        i32.add
        i32.load8_u
        local.set 6
        loop  ;; label = @3
          local.get 0
          local.get 4
          i32.add
          i32.load8_u
          local.get 6
          i32.const 255
          i32.and
          i32.eq
          br_if 1 (;@2;)
          local.get 3
          local.get 4
          i32.const 2
          i32.shl
          i32.add
          i32.load
          local.tee 4
          i32.const -1
          i32.gt_s
          br_if 0 (;@3;)
        end
      end
      block  ;; label = @2
        local.get 4
        i32.const 1
        i32.add
        local.tee 4
        local.get 1
        i32.ne
        br_if 0 (;@2;)
        local.get 8
        i32.const 1
        i32.add
        local.set 8
        local.get 7
        i32.load
        local.set 4
      end
      local.get 5
      i32.const 1
      i32.add
      local.tee 5
      local.get 2
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 8)
  (func $horspool (type 1) (param i32 i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    global.get $__stack_pointer
    i32.const 1024
    i32.sub
    local.tee 3
    global.set $__stack_pointer
    i32.const 0
    local.set 4
    loop  ;; label = @1
      local.get 3
      local.get 4
      i32.add
      local.tee 5
      local.get 1
      i32.store
      local.get 5
      i32.const 28
      i32.add
      local.get 1
      i32.store
      local.get 5
      i32.const 24
      i32.add
      local.get 1
      i32.store
      local.get 5
      i32.const 20
      i32.add
      local.get 1
      i32.store
      local.get 5
      i32.const 16
      i32.add
      local.get 1
      i32.store
      local.get 5
      i32.const 12
      i32.add
      local.get 1
      i32.store
      local.get 5
      i32.const 8
      i32.add
      local.get 1
      i32.store
      local.get 5
      i32.const 4
      i32.add
      local.get 1
      i32.store
      local.get 4
      i32.const 32
      i32.add
      local.tee 4
      i32.const 1024
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 1
    i32.const -1
    i32.add
    local.set 6
    block  ;; label = @1
      local.get 1
      i32.const 2
      i32.lt_s
      br_if 0 (;@1;)
      local.get 6
      i32.const 3
      i32.and
      local.set 7
      i32.const 0
      local.set 8
      block  ;; label = @2
        local.get 1
        i32.const -2
        i32.add
        local.tee 5
        i32.const 3
        i32.lt_u
        br_if 0 (;@2;)
        local.get 6
        i32.const -4
        i32.and
        local.set 9
        i32.const 0
        local.set 8
        loop  ;; label = @3
          local.get 3
          local.get 0
          local.get 8
          i32.add
          local.tee 4
          i32.load8_u
          i32.const 2
          i32.shl
          i32.add
          local.get 5
          i32.const 1
          i32.add
          i32.store
          local.get 3
          local.get 4
          i32.const 1
          i32.add
          i32.load8_u
          i32.const 2
          i32.shl
          i32.add
          local.get 5
          i32.store
          local.get 3
          local.get 4
          i32.const 2
          i32.add
          i32.load8_u
          i32.const 2
          i32.shl
          i32.add
          local.get 5
          i32.const -1
          i32.add
          i32.store
          local.get 3
          local.get 4
          i32.const 3
          i32.add
          i32.load8_u
          i32.const 2
          i32.shl
          i32.add
          local.get 5
          i32.const -2
          i32.add
          i32.store
          local.get 5
          i32.const -4
          i32.add
          local.set 5
          local.get 9
          local.get 8
          i32.const 4
          i32.add
          local.tee 8
          i32.ne
          br_if 0 (;@3;)
        end
      end
      local.get 7
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      local.get 8
      i32.add
      local.set 5
      local.get 8
      i32.const -1
      i32.xor
      local.get 1
      i32.add
      local.set 4
      loop  ;; label = @2
        local.get 3
        local.get 5
        i32.load8_u
        i32.const 2
        i32.shl
        i32.add
        local.get 4
        i32.store
        local.get 4
        i32.const -1
        i32.add
        local.set 4
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        local.get 7
        i32.const -1
        i32.add
        local.tee 7
        br_if 0 (;@2;)
      end
    end
    i32.const 0
    local.set 10
    block  ;; label = @1
      local.get 1
      local.get 2
      i32.gt_s
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.lt_s
      local.set 11
      local.get 1
      local.set 12
      i32.const 0
      local.set 9
      i32.const 0
      local.set 10
      loop  ;; label = @2
        local.get 6
        local.set 8
        block  ;; label = @3
          local.get 11
          br_if 0 (;@3;)
          local.get 9
          i32.const 1024
          i32.add
          local.set 7
          local.get 6
          local.set 5
          loop  ;; label = @4
            block  ;; label = @5
              local.get 7
              local.get 5
              i32.add
              i32.load8_u
              local.get 0
              local.get 5
              i32.add
              i32.load8_u
              i32.eq
              br_if 0 (;@5;)
              local.get 5
              local.set 8
              br 2 (;@3;)
            end
            i32.const -1
            local.set 8
            local.get 5
            i32.const 0
            i32.gt_s
            local.set 4
            local.get 5
            i32.const -1
            i32.add
            local.set 5
            local.get 4
            br_if 0 (;@4;)
          end
        end
        local.get 8
        i32.const 31
        i32.shr_u
        local.get 10
        i32.add
        local.set 10
        local.get 3
        local.get 12
        i32.const 1023
        i32.add
        i32.load8_u
        i32.const 2
        i32.shl
        i32.add
        i32.load
        local.get 9
        i32.add
        local.tee 9
        local.get 1
        i32.add
        local.tee 12
        local.get 2
        i32.le_s
        br_if 0 (;@2;)
      end
    end
    local.get 3
    i32.const 1024
    i32.add
    global.set $__stack_pointer
    local.get 10)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 18)
  (global $__stack_pointer (mut i32) (i32.const 1115136))
  (export "memory" (memory 0))
  (export "run" (func $run)))

(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (param i32 i32) (result i32)))
  (func $run (type 0) (param i32) (result i64)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    global.get $__stack_pointer
    i32.const 64
    i32.sub
    local.tee 1
    global.set $__stack_pointer
    local.get 0
    i32.const 12
    local.get 0
    i32.const 12
    i32.lt_s
    select
    local.set 2
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      i32.const 0
      local.set 0
      local.get 1
      i32.const 0
      local.get 2
      i32.const 1
      local.get 2
      i32.const 1
      i32.gt_s
      select
      local.tee 3
      i32.const 2
      i32.shl
      memory.fill
      local.get 3
      i32.const 7
      i32.and
      local.set 4
      block  ;; label = @2
        local.get 3
        i32.const -1
        i32.add
        i32.const 7
        i32.lt_u
        br_if 0 (;@2;)
        local.get 3
        i32.const 2147483640
        i32.and
        local.set 5
        i32.const 3
        local.set 0
        loop  ;; label = @3
          local.get 1
          i32.const 52
          i32.add
          local.get 0
          i32.add
          local.tee 3
          local.get 0
          i32.store8
          local.get 3
          i32.const 4
          i32.add
          local.get 0
          i32.const 4
          i32.add
          i32.store8
          local.get 3
          i32.const 3
          i32.add
          local.get 0
          i32.const 3
          i32.add
          i32.store8
          local.get 3
          i32.const 2
          i32.add
          local.get 0
          i32.const 2
          i32.add
          i32.store8
          local.get 3
          i32.const 1
          i32.add
          local.get 0
          i32.const 1
          i32.add
          i32.store8
          local.get 3
          i32.const -1
          i32.add
          local.get 0
          i32.const -1
          i32.add
          i32.store8
          local.get 3
          i32.const -2
          i32.add
          local.get 0
          i32.const -2
          i32.add
          i32.store8
          local.get 3
          i32.const -3
          i32.add
          local.get 0
          i32.const -3
          i32.add
          i32.store8
          local.get 0
          i32.const 5
          i32.add
          local.set 3
          local.get 0
          i32.const 8
          i32.add
          local.tee 6
          local.set 0
          local.get 3
          local.get 5
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 6
        i32.const -3
        i32.add
        local.set 0
      end
      local.get 4
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 1
        i32.const 52
        i32.add
        local.get 0
        i32.add
        local.get 0
        i32.store8
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 4
        i32.const -1
        i32.add
        local.tee 4
        br_if 0 (;@2;)
      end
    end
    local.get 1
    i32.const 52
    i32.add
    local.get 2
    call $flips
    local.tee 5
    i32.const 0
    local.get 5
    i32.const 0
    i32.gt_s
    select
    local.set 6
    block  ;; label = @1
      local.get 2
      i32.const 2
      i32.lt_s
      br_if 0 (;@1;)
      local.get 1
      i32.const 4
      i32.or
      local.set 7
      i32.const 1
      local.set 8
      loop  ;; label = @2
        local.get 7
        local.set 0
        i32.const 1
        local.set 3
        block  ;; label = @3
          loop  ;; label = @4
            local.get 0
            i32.load
            local.tee 4
            local.get 3
            i32.lt_s
            br_if 1 (;@3;)
            local.get 0
            i32.const 0
            i32.store
            local.get 0
            i32.const 4
            i32.add
            local.set 0
            local.get 2
            local.get 3
            i32.const 1
            i32.add
            local.tee 3
            i32.ne
            br_if 0 (;@4;)
            br 3 (;@1;)
          end
        end
        local.get 1
        i32.const 52
        i32.add
        i32.const 0
        local.get 3
        i32.const 1
        i32.and
        i32.sub
        local.get 4
        i32.and
        i32.add
        local.tee 9
        i32.load8_u
        local.set 10
        local.get 9
        local.get 1
        i32.const 52
        i32.add
        local.get 3
        i32.add
        local.tee 3
        i32.load8_u
        i32.store8
        local.get 0
        local.get 4
        i32.const 1
        i32.add
        i32.store
        local.get 3
        local.get 10
        i32.store8
        local.get 1
        i32.const 52
        i32.add
        local.get 2
        call $flips
        local.tee 0
        local.get 6
        local.get 0
        local.get 6
        i32.gt_s
        select
        local.set 6
        i32.const 0
        local.get 0
        i32.sub
        local.get 0
        local.get 8
        select
        local.get 5
        i32.add
        local.set 5
        local.get 8
        i32.const 1
        i32.xor
        local.set 8
        br 0 (;@2;)
      end
    end
    local.get 1
    i32.const 64
    i32.add
    global.set $__stack_pointer
    local.get 5
    i64.extend_i32_u
    i64.const 32
    i64.shl
    local.get 6
    i64.extend_i32_u
    i64.or)
  (func $flips (type 1) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32)
    global.get $__stack_pointer
    i32.const 16
    i32.sub
    local.set 2
    block  ;; label = @1
      block  ;; label = @2
        block  ;; label = @3
          local.get 1
          i32.const 1
          i32.ge_s
          br_if 0 (;@3;)
          br 1 (;@2;)
        end
        local.get 2
        i32.const 4
        i32.add
        local.get 0
        local.get 1
        memory.copy
        local.get 2
        i32.load8_u offset=4
        local.tee 1
        br_if 0 (;@2;)
        i32.const 0
        local.set 3
        br 1 (;@1;)
      end
      i32.const 0
      local.set 3
      loop  ;; label = @2
        local.get 2
        local.get 2
        i32.const 4
        i32.add
        local.get 1
        i32.const 255
        i32.and
        local.tee 0
        i32.add
        local.tee 4
        i32.load8_u
        i32.store8 offset=4
        local.get 4
        local.get 1
        i32.store8
        block  ;; label = @3
          local.get 0
          i32.const 3
          i32.lt_u
          br_if 0 (;@3;)
          local.get 0
          i32.const -1
          i32.add
          local.set 1
          i32.const 1
          local.set 0
          loop  ;; label = @4
            local.get 2
            i32.const 4
            i32.add
            local.get 0
            i32.add
            local.tee 4
            i32.load8_u
            local.set 5
            local.get 4
            local.get 2
            i32.const 4
            i32.add
            local.get 1
            i32.add
            local.tee 6
            i32.load8_u
            i32.store8
            local.get 6
            local.get 5
            i32.store8
            local.get 0
            i32.const 1
            i32.add
            local.tee 0
            local.get 1
            i32.const -1
            i32.add
            local.tee 1
            i32.lt_s
            br_if 0 (;@4;)
          end
        end
        local.get 3
        i32.const 1
        i32.add
        local.set 3
        local.get 2
        i32.load8_u offset=4
        local.tee 1
        br_if 0 (;@2;)
      end
    end
    local.get 3)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 66560))
  (export "memory" (memory 0))
  (export "run" (func $run)))

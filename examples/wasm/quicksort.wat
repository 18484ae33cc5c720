(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (param i32 i32)))
  (func $run (type 0) (param i32) (result i64)
    (local i32 i32 i32 i32 i32 i32 i64)
    local.get 0
    i32.const 1000
    i32.mul
    local.tee 1
    i32.const 262144
    local.get 1
    i32.const 262144
    i32.lt_s
    select
    local.set 2
    i32.const 0
    local.set 3
    block  ;; label = @1
      local.get 0
      i32.const 0
      i32.gt_s
      br_if 0 (;@1;)
      i32.const 0
      local.get 2
      i32.const -1
      i32.add
      call $sort
      i64.const 0
      return
    end
    local.get 2
    i32.const 1
    local.get 2
    i32.const 1
    i32.gt_s
    select
    local.tee 1
    i32.const 1
    i32.and
    local.set 4
    i32.const 88172645
    local.set 5
    block  ;; label = @1
      local.get 2
      i32.const 2
      i32.lt_s
      br_if 0 (;@1;)
      local.get 1
      i32.const 2147483640
      i32.and
      local.set 6
      i32.const 88172645
      local.set 5
      i32.const 0
      local.set 3
      i32.const 1024
      local.set 1
      loop  ;; label = @2
        local.get 1
        local.get 5
        i32.const 13
        i32.shl
        local.get 5
        i32.xor
        local.tee 5
        i32.const 17
        i32.shr_u
        local.get 5
        i32.xor
        local.tee 5
        i32.const 5
        i32.shl
        local.get 5
        i32.xor
        local.tee 5
        i32.store
        local.get 1
        i32.const 4
        i32.add
        local.get 5
        i32.const 13
        i32.shl
        local.get 5
        i32.xor
        local.tee 5
        i32.const 17
        i32.shr_u
        local.get 5
        i32.xor
        local.tee 5
        i32.const 5
        i32.shl
        local.get 5
        i32.xor
        local.tee 5
        i32.store
        local.get 1
        i32.const 8
        i32.add
        local.set 1
        local.get 6
        local.get 3
        i32.const 2
        i32.add
        local.tee 3
        i32.ne
        br_if 0 (;@2;)
      end
    end
    block  ;; label = @1
      local.get 4
      i32.eqz
      br_if 0 (;@1;)
      local.get 3
      i32.const 2
      i32.shl
      i32.const 1024
      i32.add
      local.get 5
      i32.const 13
      i32.shl
      local.get 5
      i32.xor
      local.tee 1
      i32.const 17
      i32.shr_u
      local.get 1
      i32.xor
      local.tee 1
      i32.const 5
      i32.shl
      local.get 1
      i32.xor
      i32.store
    end
    i32.const 0
    local.set 1
    i32.const 0
    local.get 2
    i32.const -1
    i32.add
    call $sort
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.ge_s
      br_if 0 (;@1;)
      i64.const 0
      return
    end
    local.get 2
    i32.const 1
    local.get 2
    i32.const 1
    i32.gt_s
    select
    i32.const 2
    i32.shl
    local.set 6
    i32.const 0
    i32.load offset=1024
    local.set 3
    i64.const 0
    local.set 7
    loop  ;; label = @1
      local.get 3
      local.set 5
      block  ;; label = @2
        local.get 1
        i32.eqz
        br_if 0 (;@2;)
        local.get 1
        i32.const 1020
        i32.add
        i32.load
        local.get 1
        i32.const 1024
        i32.add
        i32.load
        local.tee 5
        i32.le_s
        br_if 0 (;@2;)
        i64.const -1
        return
      end
      local.get 7
      local.get 5
      i64.extend_i32_u
      i64.xor
      i64.const 1099511628211
      i64.mul
      local.set 7
      local.get 6
      local.get 1
      i32.const 4
      i32.add
      local.tee 1
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 7)
  (func $sort (type 1) (param i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 1
      local.get 0
      i32.sub
      local.tee 2
      i32.const 13
      i32.lt_s
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 1
        i32.const 2
        i32.shl
        i32.const 1024
        i32.add
        i32.load
        local.set 3
        block  ;; label = @3
          block  ;; label = @4
            local.get 0
            i32.const 2
            i32.shl
            i32.const 1024
            i32.add
            i32.load
            local.tee 4
            local.get 2
            i32.const 1
            i32.shr_u
            local.get 0
            i32.add
            i32.const 2
            i32.shl
            i32.const 1024
            i32.add
            i32.load
            local.tee 2
            i32.ge_s
            br_if 0 (;@4;)
            local.get 2
            local.set 5
            local.get 2
            local.get 3
            i32.lt_s
            br_if 1 (;@3;)
            local.get 3
            local.get 4
            local.get 4
            local.get 3
            i32.lt_s
            select
            local.set 5
            br 1 (;@3;)
          end
          local.get 4
          local.set 5
          local.get 4
          local.get 3
          i32.lt_s
          br_if 0 (;@3;)
          local.get 3
          local.get 2
          local.get 2
          local.get 3
          i32.lt_s
          select
          local.set 5
        end
        local.get 0
        local.set 6
        local.get 1
        local.set 7
        block  ;; label = @3
          local.get 0
          local.get 1
          i32.gt_s
          br_if 0 (;@3;)
          local.get 1
          local.set 7
          local.get 0
          local.set 6
          loop  ;; label = @4
            local.get 6
            i32.const 2
            i32.shl
            i32.const 1020
            i32.add
            local.set 8
            local.get 6
            local.set 3
            loop  ;; label = @5
              local.get 3
              i32.const 1
              i32.add
              local.set 3
              local.get 8
              i32.const 4
              i32.add
              local.tee 8
              i32.load
              local.tee 9
              local.get 5
              i32.lt_s
              br_if 0 (;@5;)
            end
            local.get 3
            i32.const -1
            i32.add
            local.set 6
            local.get 7
            i32.const 2
            i32.shl
            i32.const 1024
            i32.add
            local.set 2
            local.get 7
            local.set 4
            loop  ;; label = @5
              local.get 4
              i32.const -1
              i32.add
              local.set 4
              local.get 2
              i32.load
              local.set 10
              local.get 2
              i32.const -4
              i32.add
              local.tee 11
              local.set 2
              local.get 10
              local.get 5
              i32.gt_s
              br_if 0 (;@5;)
            end
            block  ;; label = @5
              local.get 6
              local.get 4
              i32.const 1
              i32.add
              local.tee 7
              i32.gt_s
              br_if 0 (;@5;)
              local.get 8
              local.get 10
              i32.store
              local.get 11
              i32.const 4
              i32.add
              local.get 9
              i32.store
              local.get 3
              local.set 6
              local.get 4
              local.set 7
            end
            local.get 6
            local.get 7
            i32.le_s
            br_if 0 (;@4;)
          end
        end
        block  ;; label = @3
          block  ;; label = @4
            local.get 7
            local.get 0
            i32.sub
            local.tee 3
            local.get 1
            local.get 6
            i32.sub
            local.tee 2
            i32.ge_s
            br_if 0 (;@4;)
            local.get 0
            local.get 7
            call $sort
            local.get 6
            local.set 0
            br 1 (;@3;)
          end
          local.get 6
          local.get 1
          call $sort
          local.get 3
          local.set 2
          local.get 7
          local.set 1
        end
        local.get 2
        i32.const 12
        i32.gt_s
        br_if 0 (;@2;)
      end
    end
    block  ;; label = @1
      local.get 0
      local.get 1
      i32.ge_s
      br_if 0 (;@1;)
      local.get 0
      i32.const 2
      i32.shl
      i32.const 1024
      i32.add
      local.set 5
      local.get 0
      local.set 10
      loop  ;; label = @2
        local.get 10
        local.get 0
        i32.lt_s
        local.set 2
        local.get 10
        i32.const 1
        i32.add
        local.tee 10
        i32.const 2
        i32.shl
        i32.const 1024
        i32.add
        i32.load
        local.set 8
        local.get 10
        local.set 3
        block  ;; label = @3
          local.get 2
          br_if 0 (;@3;)
          local.get 5
          local.set 2
          local.get 10
          local.set 3
          loop  ;; label = @4
            local.get 2
            i32.load
            local.tee 4
            local.get 8
            i32.le_s
            br_if 1 (;@3;)
            local.get 2
            i32.const 4
            i32.add
            local.get 4
            i32.store
            local.get 2
            i32.const -4
            i32.add
            local.set 2
            local.get 3
            i32.const -1
            i32.add
            local.tee 3
            local.get 0
            i32.gt_s
            br_if 0 (;@4;)
          end
          local.get 0
          local.set 3
        end
        local.get 3
        i32.const 2
        i32.shl
        i32.const 1024
        i32.add
        local.get 8
        i32.store
        local.get 5
        i32.const 4
        i32.add
        local.set 5
        local.get 10
        local.get 1
        i32.ne
        br_if 0 (;@2;)
      end
    end)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 18)
  (global $__stack_pointer (mut i32) (i32.const 1115136))
  (export "memory" (memory 0))
  (export "run" (func $run)))

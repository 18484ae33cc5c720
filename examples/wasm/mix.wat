(module
  (type (;0;) (func (param i32 i32) (result i32)))
  (type (;1;) (func (param i32) (result i64)))
  (type (;2;) (func (param i32) (result i32)))
  (type (;3;) (func))
  (type (;4;) (func (param i32 i32 i32) (result i32)))
  (func $run (type 1) (param i32) (result i64)
    (local i32 i64 i32)
    global.get $__stack_pointer
    i32.const 16
    i32.sub
    local.tee 1
    global.set $__stack_pointer
    local.get 1
    i32.const 362436069
    i32.store offset=12
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 1
        i32.ge_s
        br_if 0 (;@2;)
        i64.const 0
        local.set 2
        br 1 (;@1;)
      end
      i32.const 0
      local.set 3
      loop  ;; label = @2
        local.get 1
        i32.const 12
        i32.add
        local.get 1
        i32.const 12
        i32.add
        local.get 1
        i32.const 12
        i32.add
        local.get 3
        i32.const 65535
        i32.and
        call $lists
        call $matrices
        call $states
        local.set 3
        local.get 0
        i32.const -1
        i32.add
        local.tee 0
        br_if 0 (;@2;)
      end
      local.get 3
      i64.extend_i32_u
      local.set 2
    end
    local.get 1
    i32.const 16
    i32.add
    global.set $__stack_pointer
    local.get 2)
  (func $lists (type 0) (param i32 i32) (result i32)
    (local i32 i32 i32)
    local.get 0
    i32.load
    local.set 2
    i32.const 0
    local.set 3
    i32.const 0
    local.set 4
    loop  ;; label = @1
      local.get 3
      i32.const 1078
      i32.add
      local.get 4
      i32.store16
      local.get 3
      i32.const 1072
      i32.add
      i32.const 0
      local.get 3
      i32.const 1080
      i32.add
      local.get 3
      i32.const 504
      i32.eq
      select
      i32.store
      local.get 3
      i32.const 1076
      i32.add
      local.get 2
      i32.const 13
      i32.shl
      local.get 2
      i32.xor
      local.tee 2
      i32.const 17
      i32.shr_u
      local.get 2
      i32.xor
      local.tee 2
      i32.const 5
      i32.shl
      local.get 2
      i32.xor
      local.tee 2
      i32.const 1000
      i32.rem_u
      i32.store16
      local.get 4
      i32.const 1
      i32.add
      local.set 4
      local.get 3
      i32.const 8
      i32.add
      local.tee 3
      i32.const 512
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 0
    local.get 2
    i32.store
    i32.const 0
    local.set 3
    i32.const 1072
    i32.const 1
    call $sort
    local.set 4
    loop  ;; label = @1
      local.get 3
      local.set 2
      local.get 4
      local.set 3
      i32.const 65535
      local.set 0
      block  ;; label = @2
        local.get 4
        i32.eqz
        br_if 0 (;@2;)
        block  ;; label = @3
          loop  ;; label = @4
            local.get 2
            local.get 3
            i32.load16_s offset=4
            i32.le_s
            br_if 1 (;@3;)
            local.get 3
            i32.load
            local.tee 3
            br_if 0 (;@4;)
          end
          i32.const 65535
          local.set 0
          br 1 (;@2;)
        end
        local.get 3
        i32.load16_s offset=6
        local.set 0
      end
      local.get 2
      i32.const 50
      i32.add
      local.set 3
      local.get 0
      local.get 1
      i32.const 65535
      i32.and
      call $check
      local.set 1
      local.get 4
      call $reverse
      call $reverse
      local.set 4
      local.get 2
      i32.const 950
      i32.lt_u
      br_if 0 (;@1;)
    end
    block  ;; label = @1
      local.get 4
      i32.const 2
      call $sort
      call $reverse
      local.tee 3
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 3
        i32.load16_u offset=4
        local.get 1
        i32.const 3
        i32.mul
        i32.add
        local.set 1
        local.get 3
        i32.load
        local.tee 3
        br_if 0 (;@2;)
      end
    end
    local.get 1
    i32.const 65535
    i32.and)
  (func $matrices (type 0) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32)
    local.get 0
    i32.load
    local.set 2
    i32.const -162
    local.set 3
    loop  ;; label = @1
      local.get 3
      i32.const 1746
      i32.add
      local.get 2
      i32.const 13
      i32.shl
      local.get 2
      i32.xor
      local.tee 2
      i32.const 17
      i32.shr_u
      local.get 2
      i32.xor
      local.tee 2
      i32.const 5
      i32.shl
      local.get 2
      i32.xor
      local.tee 2
      i32.const 200
      i32.rem_u
      i32.const -100
      i32.add
      i32.store16
      local.get 3
      i32.const 1922
      i32.add
      local.get 2
      i32.const 13
      i32.shl
      local.get 2
      i32.xor
      local.tee 2
      i32.const 17
      i32.shr_u
      local.get 2
      i32.xor
      local.tee 2
      i32.const 5
      i32.shl
      local.get 2
      i32.xor
      local.tee 2
      i32.const 200
      i32.rem_u
      i32.const -100
      i32.add
      i32.store16
      local.get 3
      i32.const 2
      i32.add
      local.tee 3
      br_if 0 (;@1;)
    end
    local.get 0
    local.get 2
    i32.store
    call $multiply
    call $multiply_bits
    i32.const 0
    local.set 0
    i32.const -324
    local.set 3
    i32.const 0
    local.set 2
    loop  ;; label = @1
      i32.const 10
      i32.const 1
      local.get 3
      i32.const 2268
      i32.add
      i32.load
      local.tee 4
      local.get 3
      i32.const 2264
      i32.add
      i32.load
      local.tee 5
      i32.gt_s
      select
      i32.const 10
      i32.const 1
      local.get 5
      local.get 3
      i32.const 2260
      i32.add
      i32.load
      local.tee 6
      i32.gt_s
      select
      i32.const 10
      i32.const 1
      local.get 6
      local.get 0
      i32.gt_s
      select
      local.get 2
      i32.add
      i32.add
      i32.add
      local.set 2
      local.get 4
      local.set 0
      local.get 3
      i32.const 12
      i32.add
      local.tee 3
      br_if 0 (;@1;)
    end
    local.get 2
    i32.const 0
    i32.load offset=1972
    local.get 1
    call $check
    call $check)
  (func $states (type 0) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32)
    global.get $__stack_pointer
    i32.const 48
    i32.sub
    local.tee 2
    global.set $__stack_pointer
    local.get 2
    i32.const 32
    i32.add
    i32.const 0
    i32.store
    local.get 2
    i32.const 24
    i32.add
    i64.const 0
    i64.store
    local.get 2
    i32.const 16
    i32.add
    i64.const 0
    i64.store
    local.get 2
    i64.const 0
    i64.store offset=8
    local.get 2
    i64.const 0
    i64.store
    local.get 0
    i32.load
    local.set 3
    i32.const -200
    local.set 4
    loop  ;; label = @1
      local.get 4
      i32.const 2472
      i32.add
      local.get 3
      i32.const 13
      i32.shl
      local.get 3
      i32.xor
      local.tee 3
      i32.const 17
      i32.shr_u
      local.get 3
      i32.xor
      local.tee 3
      i32.const 5
      i32.shl
      local.get 3
      i32.xor
      local.tee 3
      i32.const 36
      i32.rem_u
      i32.const 1024
      i32.add
      i32.load8_u
      i32.store8
      local.get 4
      i32.const 1
      i32.add
      local.tee 5
      local.get 4
      i32.lt_u
      local.set 6
      local.get 5
      local.set 4
      local.get 6
      i32.eqz
      br_if 0 (;@1;)
    end
    local.get 0
    local.get 3
    i32.store
    i32.const 0
    local.set 3
    i32.const -200
    local.set 4
    loop  ;; label = @1
      block  ;; label = @2
        block  ;; label = @3
          local.get 4
          i32.const 2472
          i32.add
          i32.load8_u
          local.tee 5
          i32.const 44
          i32.ne
          br_if 0 (;@3;)
          local.get 2
          local.get 3
          i32.const 2
          i32.shl
          i32.add
          local.tee 3
          local.get 3
          i32.load
          i32.const 1
          i32.add
          i32.store
          i32.const 0
          local.set 3
          br 1 (;@2;)
        end
        local.get 3
        local.get 5
        call $step
        local.set 3
      end
      local.get 4
      i32.const 1
      i32.add
      local.tee 5
      local.get 4
      i32.ge_u
      local.set 6
      local.get 5
      local.set 4
      local.get 6
      br_if 0 (;@1;)
    end
    local.get 2
    i32.load offset=32
    local.get 2
    i32.load offset=28
    local.get 2
    i32.load offset=24
    local.get 2
    i32.load offset=20
    local.get 2
    i32.load offset=16
    local.get 2
    i32.load offset=12
    local.get 2
    i32.load offset=8
    local.get 2
    i32.load offset=4
    local.get 2
    i32.load
    local.get 1
    call $check
    call $check
    call $check
    call $check
    call $check
    call $check
    call $check
    call $check
    call $check
    local.set 4
    local.get 2
    i32.const 48
    i32.add
    global.set $__stack_pointer
    local.get 4)
  (func $by_key (type 0) (param i32 i32) (result i32)
    local.get 0
    i32.load16_s offset=4
    local.get 1
    i32.load16_s offset=4
    i32.sub)
  (func $sort (type 0) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32)
    global.get $__stack_pointer
    i32.const 32
    i32.sub
    local.tee 2
    global.set $__stack_pointer
    local.get 2
    i32.const 24
    i32.add
    i64.const 0
    i64.store
    local.get 2
    i32.const 16
    i32.add
    i64.const 0
    i64.store
    local.get 2
    i64.const 0
    i64.store offset=8
    local.get 2
    i64.const 0
    i64.store
    i32.const 0
    local.set 3
    i32.const 0
    local.set 4
    i32.const 0
    local.set 5
    i32.const 0
    local.set 6
    i32.const 0
    local.set 7
    i32.const 0
    local.set 8
    i32.const 0
    local.set 9
    i32.const 0
    local.set 10
    block  ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      local.set 10
      loop  ;; label = @2
        local.get 0
        local.tee 3
        i32.load
        local.set 0
        local.get 3
        i32.const 0
        i32.store
        block  ;; label = @3
          block  ;; label = @4
            local.get 10
            br_if 0 (;@4;)
            i32.const 0
            local.set 10
            br 1 (;@3;)
          end
          local.get 10
          local.get 3
          local.get 1
          call $merge
          local.set 3
          local.get 2
          i32.const 0
          i32.store
          block  ;; label = @4
            local.get 2
            i32.load offset=4
            local.tee 10
            br_if 0 (;@4;)
            i32.const 1
            local.set 10
            br 1 (;@3;)
          end
          local.get 10
          local.get 3
          local.get 1
          call $merge
          local.set 3
          local.get 2
          i32.const 0
          i32.store offset=4
          block  ;; label = @4
            local.get 2
            i32.load offset=8
            local.tee 10
            br_if 0 (;@4;)
            i32.const 2
            local.set 10
            br 1 (;@3;)
          end
          local.get 10
          local.get 3
          local.get 1
          call $merge
          local.set 3
          local.get 2
          i32.const 0
          i32.store offset=8
          block  ;; label = @4
            local.get 2
            i32.load offset=12
            local.tee 10
            br_if 0 (;@4;)
            i32.const 3
            local.set 10
            br 1 (;@3;)
          end
          local.get 10
          local.get 3
          local.get 1
          call $merge
          local.set 3
          local.get 2
          i32.const 0
          i32.store offset=12
          block  ;; label = @4
            local.get 2
            i32.load offset=16
            local.tee 10
            br_if 0 (;@4;)
            i32.const 4
            local.set 10
            br 1 (;@3;)
          end
          local.get 10
          local.get 3
          local.get 1
          call $merge
          local.set 3
          local.get 2
          i32.const 0
          i32.store offset=16
          block  ;; label = @4
            local.get 2
            i32.load offset=20
            local.tee 10
            br_if 0 (;@4;)
            i32.const 5
            local.set 10
            br 1 (;@3;)
          end
          local.get 10
          local.get 3
          local.get 1
          call $merge
          local.set 3
          local.get 2
          i32.const 0
          i32.store offset=20
          block  ;; label = @4
            local.get 2
            i32.load offset=24
            local.tee 10
            br_if 0 (;@4;)
            i32.const 6
            local.set 10
            br 1 (;@3;)
          end
          local.get 10
          local.get 3
          local.get 1
          call $merge
          local.set 3
          local.get 2
          i32.const 0
          i32.store offset=24
          i32.const 7
          local.set 10
        end
        local.get 2
        local.get 10
        i32.const 2
        i32.shl
        i32.add
        local.get 3
        i32.store
        local.get 2
        i32.load
        local.set 10
        local.get 0
        br_if 0 (;@2;)
      end
      local.get 2
      i32.load offset=28
      local.set 3
      local.get 2
      i32.load offset=24
      local.set 4
      local.get 2
      i32.load offset=20
      local.set 5
      local.get 2
      i32.load offset=16
      local.set 6
      local.get 2
      i32.load offset=12
      local.set 7
      local.get 2
      i32.load offset=8
      local.set 8
      local.get 2
      i32.load offset=4
      local.set 9
    end
    local.get 3
    local.get 4
    local.get 5
    local.get 6
    local.get 7
    local.get 8
    local.get 9
    local.get 10
    i32.const 0
    local.get 1
    call $merge
    local.get 1
    call $merge
    local.get 1
    call $merge
    local.get 1
    call $merge
    local.get 1
    call $merge
    local.get 1
    call $merge
    local.get 1
    call $merge
    local.get 1
    call $merge
    local.set 3
    local.get 2
    i32.const 32
    i32.add
    global.set $__stack_pointer
    local.get 3)
  (func $check (type 0) (param i32 i32) (result i32)
    (local i32)
    i32.const 32
    local.set 2
    loop  ;; label = @1
      i32.const 0
      local.get 0
      i32.const 1
      i32.shr_u
      i32.const 0
      local.get 0
      local.get 1
      i32.xor
      i32.const 1
      i32.and
      i32.sub
      i32.const -24575
      i32.and
      local.get 1
      i32.const 65534
      i32.and
      i32.const 1
      i32.shr_u
      i32.xor
      local.tee 1
      i32.xor
      i32.const 1
      i32.and
      i32.sub
      i32.const -24575
      i32.and
      local.get 1
      i32.const 65534
      i32.and
      i32.const 1
      i32.shr_u
      i32.xor
      local.set 1
      local.get 0
      i32.const 2
      i32.shr_u
      local.set 0
      local.get 2
      i32.const -2
      i32.add
      local.tee 2
      br_if 0 (;@1;)
    end
    local.get 1
    i32.const 65535
    i32.and)
  (func $reverse (type 2) (param i32) (result i32)
    (local i32 i32)
    block  ;; label = @1
      local.get 0
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    i32.const 0
    local.set 1
    loop  ;; label = @1
      local.get 0
      local.tee 2
      i32.load
      local.set 0
      local.get 2
      local.get 1
      i32.store
      local.get 2
      local.set 1
      local.get 0
      br_if 0 (;@1;)
    end
    local.get 2)
  (func $by_index (type 0) (param i32 i32) (result i32)
    local.get 0
    i32.load16_s offset=6
    local.get 1
    i32.load16_s offset=6
    i32.sub)
  (func $multiply (type 3)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    i32.const 0
    local.set 0
    i32.const 1936
    local.set 1
    loop  ;; label = @1
      local.get 0
      i32.const 18
      i32.mul
      local.tee 2
      i32.const 1600
      i32.add
      i32.load16_s
      local.set 3
      local.get 2
      i32.const 1598
      i32.add
      i32.load16_s
      local.set 4
      local.get 2
      i32.const 1596
      i32.add
      i32.load16_s
      local.set 5
      local.get 2
      i32.const 1594
      i32.add
      i32.load16_s
      local.set 6
      local.get 2
      i32.const 1592
      i32.add
      i32.load16_s
      local.set 7
      local.get 2
      i32.const 1590
      i32.add
      i32.load16_s
      local.set 8
      local.get 2
      i32.const 1588
      i32.add
      i32.load16_s
      local.set 9
      local.get 2
      i32.const 1586
      i32.add
      i32.load16_s
      local.set 10
      local.get 2
      i32.const 1584
      i32.add
      i32.load16_s
      local.set 11
      local.get 1
      local.set 12
      i32.const 0
      local.set 2
      loop  ;; label = @2
        local.get 12
        local.get 2
        i32.const 1904
        i32.add
        i32.load16_s
        local.get 3
        i32.mul
        local.get 2
        i32.const 1886
        i32.add
        i32.load16_s
        local.get 4
        i32.mul
        local.get 2
        i32.const 1868
        i32.add
        i32.load16_s
        local.get 5
        i32.mul
        local.get 2
        i32.const 1850
        i32.add
        i32.load16_s
        local.get 6
        i32.mul
        local.get 2
        i32.const 1832
        i32.add
        i32.load16_s
        local.get 7
        i32.mul
        local.get 2
        i32.const 1814
        i32.add
        i32.load16_s
        local.get 8
        i32.mul
        local.get 2
        i32.const 1796
        i32.add
        i32.load16_s
        local.get 9
        i32.mul
        local.get 2
        i32.const 1778
        i32.add
        i32.load16_s
        local.get 10
        i32.mul
        local.get 2
        i32.const 1760
        i32.add
        i32.load16_s
        local.get 11
        i32.mul
        i32.add
        i32.add
        i32.add
        i32.add
        i32.add
        i32.add
        i32.add
        i32.add
        i32.store
        local.get 12
        i32.const 4
        i32.add
        local.set 12
        local.get 2
        i32.const 2
        i32.add
        local.tee 2
        i32.const 18
        i32.ne
        br_if 0 (;@2;)
      end
      local.get 1
      i32.const 36
      i32.add
      local.set 1
      local.get 0
      i32.const 1
      i32.add
      local.tee 0
      i32.const 9
      i32.ne
      br_if 0 (;@1;)
    end)
  (func $multiply_bits (type 3)
    (local i32 i32 i32)
    i32.const -162
    local.set 0
    i32.const 1936
    local.set 1
    loop  ;; label = @1
      local.get 1
      local.get 0
      i32.const 1922
      i32.add
      i32.load16_u
      local.get 0
      i32.const 1746
      i32.add
      i32.load16_u
      i32.mul
      local.tee 2
      i32.const 2
      i32.shr_u
      i32.const 15
      i32.and
      local.get 2
      i32.const 5
      i32.shr_u
      i32.const 127
      i32.and
      i32.mul
      local.get 1
      i32.load
      i32.add
      i32.store
      local.get 1
      i32.const 4
      i32.add
      local.set 1
      local.get 0
      i32.const 2
      i32.add
      local.tee 0
      br_if 0 (;@1;)
    end)
  (func $step (type 0) (param i32 i32) (result i32)
    (local i32)
    i32.const 8
    local.set 2
    block  ;; label = @1
      block  ;; label = @2
        block  ;; label = @3
          block  ;; label = @4
            block  ;; label = @5
              block  ;; label = @6
                block  ;; label = @7
                  block  ;; label = @8
                    block  ;; label = @9
                      local.get 0
                      br_table 0 (;@9;) 1 (;@8;) 2 (;@7;) 3 (;@6;) 4 (;@5;) 5 (;@4;) 6 (;@3;) 7 (;@2;) 8 (;@1;)
                    end
                    i32.const 2
                    local.set 2
                    local.get 1
                    i32.const -58
                    i32.add
                    i32.const 255
                    i32.and
                    i32.const 245
                    i32.gt_u
                    br_if 7 (;@1;)
                    i32.const 1
                    local.set 2
                    block  ;; label = @9
                      local.get 1
                      i32.const -43
                      i32.add
                      br_table 8 (;@1;) 0 (;@9;) 8 (;@1;) 0 (;@9;)
                    end
                    i32.const 3
                    i32.const 8
                    local.get 1
                    i32.const 46
                    i32.eq
                    select
                    return
                  end
                  i32.const 3
                  i32.const 8
                  local.get 1
                  i32.const 46
                  i32.eq
                  select
                  i32.const 2
                  local.get 1
                  i32.const -58
                  i32.add
                  i32.const 255
                  i32.and
                  i32.const 246
                  i32.lt_u
                  select
                  return
                end
                i32.const 2
                local.set 2
                local.get 1
                i32.const -58
                i32.add
                i32.const 255
                i32.and
                i32.const 245
                i32.gt_u
                br_if 5 (;@1;)
                i32.const 4
                local.set 2
                local.get 1
                i32.const 46
                i32.eq
                br_if 5 (;@1;)
                i32.const 5
                i32.const 8
                local.get 1
                i32.const 101
                i32.eq
                select
                return
              end
              i32.const 8
              i32.const 4
              local.get 1
              i32.const -58
              i32.add
              i32.const 255
              i32.and
              i32.const 246
              i32.lt_u
              select
              return
            end
            i32.const 5
            i32.const 8
            local.get 1
            i32.const 101
            i32.eq
            select
            i32.const 4
            local.get 1
            i32.const -58
            i32.add
            i32.const 255
            i32.and
            i32.const 246
            i32.lt_u
            select
            return
          end
          i32.const 6
          i32.const 6
          i32.const 8
          local.get 1
          i32.const 45
          i32.eq
          select
          local.get 1
          i32.const 43
          i32.eq
          select
          i32.const 7
          local.get 1
          i32.const -58
          i32.add
          i32.const 255
          i32.and
          i32.const 246
          i32.lt_u
          select
          return
        end
        i32.const 8
        i32.const 7
        local.get 1
        i32.const -58
        i32.add
        i32.const 255
        i32.and
        i32.const 246
        i32.lt_u
        select
        return
      end
      i32.const 8
      i32.const 7
      local.get 1
      i32.const -58
      i32.add
      i32.const 255
      i32.and
      i32.const 246
      i32.lt_u
      select
      local.set 2
    end
    local.get 2)
  (func $merge (type 4) (param i32 i32 i32) (result i32)
    (local i32 i32 i32 i32)
    global.get $__stack_pointer
    i32.const 16
    i32.sub
    local.tee 3
    global.set $__stack_pointer
    local.get 3
    local.get 1
    i32.store offset=8
    local.get 3
    local.get 0
    i32.store offset=12
    local.get 3
    i32.const 0
    i32.store offset=4
    local.get 0
    i32.const 0
    i32.ne
    local.set 4
    local.get 3
    i32.const 4
    i32.add
    local.set 5
    block  ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      i32.eqz
      br_if 0 (;@1;)
      local.get 3
      i32.const 4
      i32.add
      local.set 6
      loop  ;; label = @2
        local.get 6
        local.get 3
        i32.const 12
        i32.add
        local.get 3
        i32.const 8
        i32.add
        local.get 0
        local.get 1
        local.get 2
        call_indirect (type 0)
        i32.const 1
        i32.lt_s
        select
        local.tee 0
        i32.load
        local.tee 5
        i32.store
        local.get 0
        local.get 5
        i32.load
        i32.store
        local.get 3
        i32.load offset=12
        local.tee 0
        i32.const 0
        i32.ne
        local.set 4
        local.get 3
        i32.load offset=8
        local.set 1
        local.get 0
        i32.eqz
        br_if 1 (;@1;)
        local.get 5
        local.set 6
        local.get 1
        br_if 0 (;@2;)
      end
    end
    local.get 5
    local.get 0
    local.get 1
    local.get 4
    select
    i32.store
    local.get 3
    i32.load offset=4
    local.set 0
    local.get 3
    i32.const 16
    i32.add
    global.set $__stack_pointer
    local.get 0)
  (table (;0;) 3 3 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 68016))
  (export "memory" (memory 0))
  (export "run" (func $run))
  (elem (;0;) (i32.const 1) func $by_key $by_index)
  (data $.rodata (i32.const 1024) "0123456789012345678901234567+-..e,,x\00"))

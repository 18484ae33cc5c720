(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (result i64)))
  (func $run (type 0) (param i32) (result i64)
    i32.const 0
    i64.const 0
    i64.store offset=1128
    i32.const 0
    i64.const 0
    i64.store offset=1120
    i32.const 0
    i64.const 0
    i64.store offset=1104
    i32.const 0
    local.get 0
    i64.extend_i32_s
    i64.store offset=1112
    call $interpret)
  (func $interpret (type 1) (result i64)
    (local i32 i32 i32 i32)
    i32.const 1136
    local.set 0
    i32.const 0
    local.set 1
    loop (result i64)  ;; label = @1
      local.get 1
      i32.const 1
      i32.add
      local.set 2
      local.get 1
      i32.const 1
      i32.shl
      local.tee 3
      i32.const 1025
      i32.add
      i32.load8_u
      local.set 1
      block  ;; label = @2
        block  ;; label = @3
          block  ;; label = @4
            block  ;; label = @5
              block  ;; label = @6
                block  ;; label = @7
                  block  ;; label = @8
                    block  ;; label = @9
                      block  ;; label = @10
                        block  ;; label = @11
                          block  ;; label = @12
                            block  ;; label = @13
                              block  ;; label = @14
                                local.get 3
                                i32.const 1024
                                i32.add
                                i32.load8_u
                                br_table 0 (;@14;) 1 (;@13;) 2 (;@12;) 3 (;@11;) 4 (;@10;) 5 (;@9;) 6 (;@8;) 7 (;@7;) 8 (;@6;) 13 (;@1;) 9 (;@5;) 10 (;@4;) 11 (;@3;)
                              end
                              local.get 0
                              local.get 1
                              i64.extend_i32_u
                              i64.store offset=8
                              br 11 (;@2;)
                            end
                            local.get 0
                            local.get 1
                            i32.const 3
                            i32.shl
                            i32.const 1104
                            i32.add
                            i64.load
                            i64.store offset=8
                            br 10 (;@2;)
                          end
                          local.get 1
                          i32.const 3
                          i32.shl
                          i32.const 1104
                          i32.add
                          local.get 0
                          i64.load
                          i64.store
                          local.get 0
                          i32.const -8
                          i32.add
                          local.set 0
                          local.get 2
                          local.set 1
                          br 10 (;@1;)
                        end
                        local.get 0
                        i32.const -8
                        i32.add
                        local.tee 3
                        local.get 3
                        i64.load
                        local.get 0
                        i64.load
                        i64.add
                        i64.store
                        local.get 2
                        local.set 1
                        local.get 3
                        local.set 0
                        br 9 (;@1;)
                      end
                      local.get 0
                      i32.const -8
                      i32.add
                      local.tee 3
                      local.get 3
                      i64.load
                      local.get 0
                      i64.load
                      i64.mul
                      i64.store
                      local.get 2
                      local.set 1
                      local.get 3
                      local.set 0
                      br 8 (;@1;)
                    end
                    local.get 0
                    i32.const -8
                    i32.add
                    local.tee 3
                    local.get 3
                    i64.load
                    local.get 0
                    i64.load
                    i64.div_u
                    i64.store
                    local.get 2
                    local.set 1
                    local.get 3
                    local.set 0
                    br 7 (;@1;)
                  end
                  local.get 0
                  i32.const -8
                  i32.add
                  local.tee 3
                  local.get 3
                  i64.load
                  local.get 0
                  i64.load
                  i64.and
                  i64.store
                  local.get 2
                  local.set 1
                  local.get 3
                  local.set 0
                  br 6 (;@1;)
                end
                local.get 0
                i32.const -8
                i32.add
                local.tee 3
                local.get 3
                i64.load
                local.get 0
                i64.load
                i64.lt_u
                i64.extend_i32_u
                i64.store
                local.get 2
                local.set 1
                local.get 3
                local.set 0
                br 5 (;@1;)
              end
              local.get 0
              i32.const -8
              i32.add
              local.tee 3
              local.get 3
              i64.load
              local.get 0
              i64.load
              i64.eq
              i64.extend_i32_u
              i64.store
              local.get 2
              local.set 1
              local.get 3
              local.set 0
              br 4 (;@1;)
            end
            local.get 2
            local.get 1
            local.get 0
            i64.load
            i64.eqz
            select
            local.set 1
            local.get 0
            i32.const -8
            i32.add
            local.set 0
            br 3 (;@1;)
          end
          local.get 1
          local.get 2
          local.get 0
          i64.load
          i64.eqz
          select
          local.set 1
          local.get 0
          i32.const -8
          i32.add
          local.set 0
          br 2 (;@1;)
        end
        local.get 0
        i64.load
        return
      end
      local.get 0
      i32.const 8
      i32.add
      local.set 0
      local.get 2
      local.set 1
      br 0 (;@1;)
    end)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 66800))
  (export "memory" (memory 0))
  (export "run" (func $run))
  (data $.rodata (i32.const 1024) "\00\01\02\00\01\00\01\01\07\00\0b%\01\00\02\02\01\02\00\01\08\00\0a \01\03\00\01\03\00\02\03\01\02\00\01\06\00\0a\19\01\02\00\02\05\00\02\02\09\08\01\02\00\03\04\00\00\01\03\00\02\02\09\08\01\00\00\01\03\00\02\00\09\02\01\03\0c\00"))

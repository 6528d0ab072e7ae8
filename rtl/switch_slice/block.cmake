# The slice is made of other blocks and of parts of its own.
set(parts)
foreach(part slice_parser slice_queue slice_mac slice_egress)
  list(APPEND parts ${CMAKE_SOURCE_DIR}/rtl/switch_slice/${part}.sv)
endforeach()
foreach(part mmu_admission cell_buffer cell_memory_banks ingress_arbiter egress_scheduler wred_marker)
  list(APPEND parts ${CMAKE_SOURCE_DIR}/rtl/${part}/${part}.sv)
endforeach()
sluice_rtl_block(switch_slice SOURCES ${parts})

# The slice is made of other blocks and of parts of its own.
set(parts)
foreach(part slice_parser slice_ingress slice_admission slice_turn slice_pause slice_cells
    slice_queue slice_service slice_mac slice_egress)
  list(APPEND parts ${CMAKE_SOURCE_DIR}/rtl/switch_slice/${part}.sv)
endforeach()
foreach(part mmu_admission cell_buffer cell_memory_banks ingress_arbiter egress_scheduler wred_marker
    pfc_rx)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rtl/${part}/*.sv)
  list(APPEND parts ${files})
endforeach()
sluice_rtl_block(switch_slice SOURCES ${parts})

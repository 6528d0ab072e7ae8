# The reaction point is made of parts of its own.
set(parts)
foreach(part dcqcn_rp_alpha dcqcn_rp_cut dcqcn_rp_raise dcqcn_rp_next dcqcn_rp_divider)
  list(APPEND parts ${CMAKE_SOURCE_DIR}/rtl/dcqcn_rp/${part}.sv)
endforeach()
sluice_rtl_block(dcqcn_rp SOURCES ${parts})

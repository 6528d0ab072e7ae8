# Tables, counts, decision, charge and XOFF: a part each.
set(parts)
foreach(part mmu_profiles mmu_counts mmu_decision mmu_charge mmu_xoff)
  list(APPEND parts ${CMAKE_SOURCE_DIR}/rtl/mmu_admission/${part}.sv)
endforeach()
sluice_rtl_block(mmu_admission SOURCES ${parts})

# Shapers, state of the rounds, the round: a part each.
set(parts)
foreach(part shaper_time shaper_bucket scheduler_state scheduler_round)
  list(APPEND parts ${CMAKE_SOURCE_DIR}/rtl/egress_scheduler/${part}.sv)
endforeach()
sluice_rtl_block(egress_scheduler SOURCES ${parts})

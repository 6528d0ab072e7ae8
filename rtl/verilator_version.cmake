# Which Verilator the RTL is held to the model with: refused below the oldest that was tried, used with
# a warning above the newest. As a script: cmake -DVERILATOR_FOUND_VERSION=4.2 -P rtl/verilator_version.cmake
function(sluice_check_verilator found)
  set(oldest 5.006)
  set(newest 5.006)
  message(STATUS "Verilator ${found} found, tried: ${oldest} to ${newest}")
  if(found VERSION_LESS oldest)
    message(FATAL_ERROR "Verilator ${found} is older than ${oldest}, the oldest that the RTL was tried with. "
      "Install Debian 12's, or configure with -DSLUICE_RTL=OFF: the model needs none.")
  elseif(found VERSION_GREATER newest)
    message(WARNING "Verilator ${found} is newer than ${newest}, the newest that the RTL was tried with.")
  endif()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  sluice_check_verilator("${VERILATOR_FOUND_VERSION}")
endif()

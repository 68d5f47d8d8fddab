# SPDX-License-Identifier: MIT
# docs/registers.md is what the tool prints.
execute_process(COMMAND ${tool} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${page} stored)
if(NOT printed STREQUAL stored)
  message(FATAL_ERROR "${page} is not what the register table says; run: ${tool} > ${page}")
endif()

# Finds LLVM and makes of it the target numjit_llvm. Included by the top folder, since imported
# targets are seen only in the folder that finds them and below.

set(NUMJIT_LLVM_MAJOR 22)
find_package(LLVM CONFIG REQUIRED
             PATHS "/usr/lib/llvm-${NUMJIT_LLVM_MAJOR}/lib/cmake/llvm" NO_DEFAULT_PATH)
if(NOT LLVM_VERSION_MAJOR EQUAL NUMJIT_LLVM_MAJOR)
  message(FATAL_ERROR "numjit needs LLVM ${NUMJIT_LLVM_MAJOR}; ${LLVM_DIR} is ${LLVM_VERSION}")
endif()
message(STATUS "LLVM ${LLVM_VERSION}: ${LLVM_DIR}")

# LLVM's Support library takes its checksums from zlib, whose archive goes into the extension module
# with the rest of LLVM, so that the wheel needs no library but the C library. Compression by zstd is
# left out (unused_llvm.cpp); the Z3 solver belongs to clang's analyser and is never called.
find_library(NUMJIT_ZLIB_ARCHIVE libz.a REQUIRED)
get_target_property(support_libraries LLVMSupport INTERFACE_LINK_LIBRARIES)
list(FILTER support_libraries EXCLUDE REGEX "libz3|^ZLIB::|^zstd::")
list(APPEND support_libraries "${NUMJIT_ZLIB_ARCHIVE}")
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${support_libraries}")

llvm_map_components_to_libnames(llvm_libraries
  X86 NVPTX passes irreader bitwriter bitreader asmparser linker)

separate_arguments(llvm_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
add_library(numjit_llvm INTERFACE)
target_include_directories(numjit_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(numjit_llvm INTERFACE ${llvm_definitions})
target_link_libraries(numjit_llvm INTERFACE ${llvm_libraries})

# SPDX-License-Identifier: MIT
# The Debian packages: `cpack --config build/CPackConfig.cmake -B DIR` (ci/package.sh).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ntblab)
set(CPACK_PACKAGE_CONTACT "ntblab developers <developers@ntblab.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_COMPONENTS_ALL ntblab ntblab-guest ntblab-guest-headers ropcie-dkms)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)  # the image is large: a tenth of the time of xz
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libntb-endpoint.so.4 is in no package's list of libraries.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})

# Guest and init speak with the ntblab that they were built with.
set(same "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_NTBLAB_PACKAGE_NAME ntblab)
set(CPACK_DEBIAN_NTBLAB_PACKAGE_DEPENDS "ntblab-guest ${same}, openssh-client")
set(CPACK_DEBIAN_NTBLAB_PACKAGE_SUGGESTS "gnuplot-nox, graphviz, ntblab-guest-headers, wireshark")
set(CPACK_COMPONENT_NTBLAB_DESCRIPTION "clusters of virtual machines joined by an emulated PCIe NTB
ntblab boots clusters of QEMU virtual machines that are joined by an emulated
Switchtec PCIe non-transparent bridge. The guests run the unmodified mainline
switchtec and NTB drivers.")

set(CPACK_DEBIAN_NTBLAB-GUEST_PACKAGE_NAME ntblab-guest)
set(CPACK_DEBIAN_NTBLAB-GUEST_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_NTBLAB-GUEST_DESCRIPTION "kernel and image of ntblab's virtual machines
The kernel and the root file system that the virtual machines of ntblab boot,
read-only and shared by all.")

set(CPACK_DEBIAN_NTBLAB-GUEST-HEADERS_PACKAGE_NAME ntblab-guest-headers)
# As of Debian's linux-kbuild; CPack would start a program for each of the headers to find that out.
set(CPACK_DEBIAN_NTBLAB-GUEST-HEADERS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_NTBLAB-GUEST-HEADERS_PACKAGE_DEPENDS "ntblab-guest ${same}, libc6, libelf1 | libelf1t64, libssl3 | libssl3t64, zlib1g")
set(CPACK_DEBIAN_NTBLAB-GUEST-HEADERS_PACKAGE_RECOMMENDS "gcc, make")
set(CPACK_COMPONENT_NTBLAB-GUEST-HEADERS_DESCRIPTION "headers of the kernel of ntblab's virtual machines
What modules for the virtual machines of ntblab are built against:
make -C /usr/lib/ntblab/kernel/headers M=DIRECTORY")

set(CPACK_DEBIAN_ROPCIE-DKMS_PACKAGE_NAME ropcie-dkms)
set(CPACK_DEBIAN_ROPCIE-DKMS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_ROPCIE-DKMS_PACKAGE_SECTION kernel)
set(CPACK_DEBIAN_ROPCIE-DKMS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_ROPCIE-DKMS_PACKAGE_SUGGESTS ntblab)
set(CPACK_DEBIAN_ROPCIE-DKMS_PACKAGE_DEPENDS "dkms (>= 3), gcc, make")
set(CPACK_DEBIAN_ROPCIE-DKMS_PACKAGE_CONTROL_EXTRA
  "${CMAKE_CURRENT_BINARY_DIR}/dkms/postinst;${CMAKE_CURRENT_BINARY_DIR}/dkms/prerm")
set(CPACK_COMPONENT_ROPCIE-DKMS_DESCRIPTION "RDMA over PCIe between hosts joined by an NTB, kernel module (DKMS)
The kernel module of RoPCIe: IP and RDMA between hosts that are joined by PCIe
non-transparent bridges. It is built for kernels that have NTB and RDMA.")

include(CPack)

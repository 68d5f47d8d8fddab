/* SPDX-License-Identifier: MIT */
/* endpoint.h is C, and says why it cannot do what it is asked. */
#include <ntblink/endpoint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    NtbEndpointConfig config = {
        .fabric_socket = "/nonexistent/fabric.sock", .switch_name = "sw0", .partition = 0};
    char error[NTB_ERROR_SIZE] = "";
    if (ntb_endpoint_open(&config, error) != NULL) return 1;
    if (strstr(error, "/nonexistent/fabric.sock") == NULL ||
        strstr(error, "is ntb-fabric running?") == NULL) {
        fprintf(stderr, "unexpected message: %s\n", error);
        return 1;
    }
    char name[64];
    if (strcmp(ntb_endpoint_register_name(NULL, 0x2000, name, sizeof(name)), "sys_info.device_id") != 0) {
        fprintf(stderr, "unexpected register name: %s\n", name);
        return 1;
    }
    ntb_endpoint_close(NULL);
    return 0;
}

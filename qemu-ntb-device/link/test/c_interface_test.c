/* SPDX-License-Identifier: MIT */
/* endpoint.h and engine.h are C, and say why they cannot do what they are asked. */
#include <ntblink/endpoint.h>
#include <stdio.h>
#include <string.h>
#include <switchtec-dma/engine.h>

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

    NtbDmaConfig dma = {.channels = 65};
    if (ntb_dma_open(&dma, error) != NULL || strstr(error, "65 DMA channels") == NULL) {
        fprintf(stderr, "unexpected message: %s\n", error);
        return 1;
    }
    if (strcmp(ntb_dma_register_name(0x2004, name, sizeof(name)), "channel[1].sq_tail") != 0) {
        fprintf(stderr, "unexpected register name: %s\n", name);
        return 1;
    }
    ntb_dma_close(NULL);
    return 0;
}

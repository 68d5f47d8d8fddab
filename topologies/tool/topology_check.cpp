// SPDX-License-Identifier: MIT
// topology-check FILE...: for each file a line `ok PATH`, or what is wrong with it. Exits 1 if a file was
// wrong.
#include <iostream>

#include "topology/topology.h"

int main(int argc, char** argv) {
    bool good = argc > 1;
    for (int i = 1; i < argc; ++i) {
        const auto topology = ntblab::topology::load(argv[i]);
        if (!topology) {
            std::cout << topology.error().message << '\n';
            good = false;
            continue;
        }
        for (const std::string& warning : topology->warnings) std::cout << "warning: " << warning << '\n';
        std::cout << "ok " << argv[i] << '\n';
    }
    return good ? 0 : 1;
}

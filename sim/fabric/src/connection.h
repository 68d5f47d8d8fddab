// SPDX-License-Identifier: MIT
// One process that is connected to the fabric.
#pragma once

#include <ntblab/unique_fd.h>
#include <sys/types.h>

#include <cstdint>

namespace fabric {

class Switch;

struct Connection {
    enum class State {
        fresh,     ///< Has not said what it wants.
        attached,  ///< Is the host of a partition.
        detached,  ///< Was; keeps the partition's seat until it has seen its peers unmap.
        broken,    ///< To be dropped.
    };

    ntblab::UniqueFd socket;
    pid_t pid;
    State state = State::fresh;
    Switch* sw = nullptr;          ///< Unless fresh.
    unsigned partition = 0;        ///< Unless fresh.
    std::uint64_t untold = 0;      ///< Partitions whose RAM this endpoint has yet to be told of.
    bool watching_output = false;  ///< Its socket was full.
};

}  // namespace fabric

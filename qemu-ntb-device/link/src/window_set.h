// SPDX-License-Identifier: MIT
// The windows of one endpoint that are in effect, mapped into its BARs' address spaces.
//
//     windows.show(ntblink::map_windows(spans, ram_of), [&] { tell_the_hypervisor(); });
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "window_map.h"
#include "window_memory.h"

namespace ntblink {

class WindowSet {
  public:
    WindowSet(WindowMemory bar2, WindowMemory bar4) : bar2_(std::move(bar2)), bar4_(std::move(bar4)) {}

    /// Puts `pieces`, sorted by BAR and offset, into effect: maps what is new, calls `changed` if windows()
    /// differs, closes what is gone. A piece that cannot be mapped is left out, with a line on stderr.
    /// `changed` may call `show` again.
    void show(const std::vector<WindowPiece>& pieces, const std::function<void()>& changed);

    /// What the hypervisor has to know: neighbours in a BAR that lead to the same target are one window,
    /// wherever its memory lies; `address` is of the first byte.
    std::vector<NtbMappedWindow> windows() const;
    /// nullptr: no such BAR.
    void* memory(unsigned bar) { return bar == 2 ? bar2_.data() : bar == 4 ? bar4_.data() : nullptr; }

  private:
    WindowMemory& bar(const WindowPiece& piece) { return piece.window.bar == 2 ? bar2_ : bar4_; }
    void close_remains(const WindowPiece& old);

    WindowMemory bar2_;
    WindowMemory bar4_;
    std::vector<WindowPiece> pieces_;
};

}  // namespace ntblink

/// How a long operation tells the caller what it is at. Nothing below the command line prints.
#pragma once

#include <functional>
#include <string>

namespace carry {

/// One step of a stage, as text for a person ("receiving objects: 45 % (450/1000)").
struct Progress {
    std::string stage; ///< "fetch", "plan", "apply", "verify" ...
    std::string text;  ///< may be empty: the stage begins
};

/// Called on the thread that works; must not throw. Empty: nobody listens.
using ProgressCallback = std::function<void(const Progress&)>;

} // namespace carry

/// The log of what this process, and each git that it starts, does to the files below one directory.
#pragma once

namespace carry::crash {

/// From now on: appends to the file `log` whatever changes below `root`. Programs that are started get the same library
/// preloaded, by their environment. For a child process that ends soon.
void start_recording(const char* log, const char* root, const char* library);

} // namespace carry::crash

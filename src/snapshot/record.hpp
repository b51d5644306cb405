/// snapshot.json, status.txt, log.txt and the index copy of a run directory: written for people and for undo, read back
/// by undo.
#pragma once

#include "snapshot/capture.hpp"

#include <filesystem>

namespace carry::snapshot {

/// Writes snapshot.json (schema in docs/snapshot.schema.json; paths that are not UTF-8 as git quotes them), status.txt
/// (complete porcelain v2), log.txt, index.
void write_record(const Snapshot& snapshot, const std::filesystem::path& run_directory, git::ObjectStore& store);
/// Throws Error{failed} where it is missing, malformed or of a newer schema.
Snapshot read_record(const std::filesystem::path& run_directory);

} // namespace carry::snapshot

/// Links of a chain, ids and paths as JSON, shared by the records that a later command reads back.
#pragma once

#include "merge/rebase.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace carry::pipeline {

/// JSON strings are UTF-8; a path that is not, or that could be taken for a quoted one, is stored as git quotes it.
std::string path_to_json(const std::string& path);
std::string path_from_json(const std::string& text);

git::ObjectId id_from_json(const nlohmann::json& value);

/// Throws Error{failed} on an unknown word.
Layer layer_from_json(const nlohmann::json& value);

nlohmann::json link_to_json(const merge::ChainLink& link);
merge::ChainLink link_from_json(const nlohmann::json& value);

} // namespace carry::pipeline

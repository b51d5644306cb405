/// The library's commands on a temporary checkout, with the settings that a test needs.
#pragma once

#include "support/temp_repo.hpp"

#include <carry/commands.hpp>

#include <functional>
#include <string>

namespace carry::test {

inline Request request_for(const TempRepo& work, std::function<void(Settings&)> settings = {}) {
    Request request;
    request.directory = work.path();
    request.command_line = std::move(settings);
    return request;
}

inline Report upgrade_with(const TempRepo& work, OnConflict policy = OnConflict::stop) {
    return upgrade(request_for(work, [policy](Settings& settings) { settings.on_conflict = policy; }));
}

/// The one entry of a report about this path in this layer; throws where there is none.
inline const PatchReport& patch_of(const Report& report, const std::string& path) {
    for (const auto& patch : report.patches)
        if (patch.path == path)
            return patch;
    throw std::runtime_error("no patch of " + path + " in the report");
}

} // namespace carry::test

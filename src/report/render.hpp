/// Renderers of the report value. They only read it; nothing here prints.
#pragma once

#include <carry/report.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace carry::report {

struct TextStyle {
    std::size_t width = 80; ///< terminal columns; paths are never cut, whatever it is
    bool color = false;
    bool verbose = false; ///< each hunk on a line of its own
    bool quiet = false;   ///< only what needs a person
    std::int64_t now = 0; ///< for "2 days ago"
};

/// As design.md's sample: ten seconds must do.
std::string render_text(const Report& report, const TextStyle& style);
std::string render_runs_text(const std::vector<RunSummary>& runs, const TextStyle& style);
/// One document with a schema version (docs/report.schema.json); ends in a newline.
std::string render_json(const Report& report);
std::string render_runs_json(const std::vector<RunSummary>& runs);
std::string render_markdown(const Report& report);
/// A refusal or failure as the same document (`command`, outcome refused/failed, `error`, `hints` as next).
std::string render_error_json(std::string_view command, int exit_code, std::string_view message,
                              const std::vector<std::string>& causes, const std::vector<std::string>& hints);
/// The inverse of render_json. Throws Error{failed} where it is malformed or of a newer schema.
Report parse_json(std::string_view text);

} // namespace carry::report

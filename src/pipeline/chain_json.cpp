#include "pipeline/chain_json.hpp"

#include "base/text.hpp"

#include <carry/error.hpp>

#include <fmt/format.h>

namespace carry::pipeline {

using nlohmann::json;

std::string path_to_json(const std::string& path) {
    if (is_utf8(path) && (path.empty() || path.front() != '"'))
        return path;
    const auto text = quote_path(path);
    return text.front() == '"' ? text : "\"" + text + "\"";
}

std::string path_from_json(const std::string& text) {
    return !text.empty() && text.front() == '"' ? unquote_path(text) : text;
}

git::ObjectId id_from_json(const json& value) {
    const auto text = value.get<std::string>();
    return text.empty() ? git::ObjectId{} : git::ObjectId::from_hex(text);
}

Layer layer_from_json(const json& value) {
    const auto text = value.get<std::string>();
    for (const auto layer : {Layer::commit, Layer::staged, Layer::unstaged, Layer::untracked, Layer::ignored})
        if (to_string(layer) == text)
            return layer;
    throw Error(ErrorKind::failed, fmt::format("a record holds the unknown layer {}", quoted(text)));
}

json link_to_json(const merge::ChainLink& link) {
    json parents = json::array();
    for (const auto& parent : link.merge_parents)
        parents.push_back(parent.hex());
    return {{"layer", to_string(link.layer)},    {"commit", link.commit.hex()},
            {"before", link.before.hex()},       {"after", link.after.hex()},
            {"label", path_to_json(link.label)}, {"parked_name", link.parked_name},
            {"merge_parents", parents},          {"merge_message", path_to_json(link.merge_message)}};
}

merge::ChainLink link_from_json(const json& value) {
    merge::ChainLink link;
    link.layer = layer_from_json(value.at("layer"));
    link.commit = id_from_json(value.at("commit"));
    link.before = id_from_json(value.at("before"));
    link.after = id_from_json(value.at("after"));
    link.label = path_from_json(value.at("label").get<std::string>());
    link.parked_name = value.at("parked_name").get<std::string>();
    for (const auto& parent : value.at("merge_parents"))
        link.merge_parents.push_back(id_from_json(parent));
    link.merge_message = path_from_json(value.at("merge_message").get<std::string>());
    return link;
}

} // namespace carry::pipeline

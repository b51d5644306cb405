// What runs leave behind: run.json, bases.json, snapshot.json and report.json. The first byte says which.
#include "fuzz.hpp"
#include "pipeline/run_store.hpp"
#include "report/render.hpp"
#include "snapshot/record.hpp"

namespace {

void read_run(std::string_view text) {
    using namespace carry;
    static const auto directory = [] {
        make_directories(fuzz::scratch() / "carry/runs/20260308T021502Z-k3f9");
        return fuzz::scratch() / "carry";
    }();
    fuzz::write_plainly(directory / "runs/20260308T021502Z-k3f9/run.json", text);
    fuzz::write_plainly(directory / "bases.json", text);
    git::RepositoryPaths paths;
    paths.git_dir = fuzz::scratch();
    const pipeline::RunStore store(paths);
    fuzz::understood([&] {
        fuzz::expect(store.load("20260308T021502Z-k3f9").id == "20260308T021502Z-k3f9", "a record is of its own run");
    });
    fuzz::understood([&] { static_cast<void>(store.last_base("main")); });
}

void read_snapshot(std::string_view text) {
    using namespace carry;
    fuzz::write_plainly(fuzz::scratch() / "snapshot.json", text);
    fuzz::understood([] { snapshot::read_record(fuzz::scratch()); });
}

void read_report(std::string_view text) {
    using namespace carry;
    fuzz::understood([&] {
        const auto first = report::render_json(report::parse_json(text));
        fuzz::expect(report::render_json(report::parse_json(first)) == first, "a report is read as it was written");
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = carry::fuzz::text_of(data, size);
    if (text.empty())
        return 0;
    switch (text.front()) {
    case 'r':
        read_run(text.substr(1));
        break;
    case 's':
        read_snapshot(text.substr(1));
        break;
    default:
        read_report(text.substr(1));
    }
    return 0;
}

// .carry.yaml and --config files; the former may not set what is not harmless.
#include "config/settings.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace carry;
    const auto file = fuzz::scratch() / ".carry.yaml";
    fuzz::write_plainly(file, fuzz::text_of(data, size));
    Settings settings;
    fuzz::understood([&] { config::read_yaml_file(settings, file, config::Source::checkout_file); });
    fuzz::expect(settings.verify.empty() && !settings.upstream && settings.on_conflict == OnConflict::stop,
                 "a file that came with a pull decides nothing");
    fuzz::understood([&] {
        if (const auto whole = config::read_checkout_file(fuzz::scratch()))
            config::apply_checkout_file(settings, *whole, true);
    });
    fuzz::understood([&] { config::read_yaml_file(settings, file, config::Source::config_file); });
    return 0;
}

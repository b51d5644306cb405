#include "patch/bundle.hpp"

#include "base/file.hpp"

namespace carry::patch {

void write_bundle(git::Repository& repository, const git::ObjectId& base, const git::ObjectId& commit,
                  const std::filesystem::path& file) {
    // gitformat-bundle: a signature, "-ID" for what the receiver must have, "ID REF" for what is in it, a pack.
    const bool sha256 = repository.objects().format() == git::ObjectFormat::sha256;
    std::string header = sha256 ? "# v3 git bundle\n@object-format=sha256\n" : "# v2 git bundle\n";
    if (!base.is_null())
        header += "-" + base.hex() + " \n";
    header += commit.hex() + " " + bundle_ref + "\n\n";

    AtomicFile output(file, 0644);
    output.write(header);
    git::RunOptions options;
    options.private_objects = true;
    options.input = commit.hex() + "\n" + (base.is_null() ? "" : "^" + base.hex() + "\n");
    options.on_output = [&](std::string_view piece) { output.write(piece); };
    repository.program().output({"pack-objects", "--revs", "--stdout", "--thin", "--delta-base-offset", "-q"}, options);
    output.commit();
}

} // namespace carry::patch

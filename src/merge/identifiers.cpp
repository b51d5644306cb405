#include "merge/identifiers.hpp"

#include "base/directory.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace carry::merge {

namespace {

constexpr std::size_t shortest = 3;

/// Words before a name that is defined there.
constexpr std::array definers = {"class",  "declare",   "def",    "define",   "defmacro",  "defp",   "enum",
                                 "fn",     "fun",       "func",   "function", "interface", "macro",  "mod",
                                 "module", "namespace", "object", "package",  "proc",      "record", "struct",
                                 "sub",    "trait",     "type",   "typedef",  "typename",  "union"};
/// The same, but in C, where a type follows.
constexpr std::array variable_definers = {"const", "let", "static", "val", "var"};
/// In C these name a type that is defined elsewhere, unless it opens here.
constexpr std::array tags = {"struct", "union", "enum", "class"};
/// Words before a name that is used there, where another word would be its type.
constexpr std::array users = {"and",   "as",     "assert", "await",  "case",    "co_await", "co_return", "co_yield",
                              "del",   "delete", "do",     "elif",   "else",    "except",   "exec",      "extends",
                              "from",  "goto",   "if",     "import", "in",      "is",       "lambda",    "new",
                              "not",   "or",     "print",  "raise",  "return",  "require",  "sizeof",    "then",
                              "throw", "throws", "typeof", "until",  "use",     "using",    "when",      "while",
                              "with",  "yield",  "echo",   "puts",   "include", "export",   "unless",    "instanceof"};
/// Further words that are no names.
constexpr std::array keywords = {
    "async",    "auto",     "begin",   "bool",      "break", "catch",   "char",   "continue",  "default",  "double",
    "elsif",    "end",      "extern",  "false",     "final", "finally", "float",  "for",       "foreach",  "global",
    "impl",     "inline",   "int",     "long",      "match", "mut",     "nil",    "none",      "null",     "nullptr",
    "override", "pass",     "private", "protected", "pub",   "public",  "rescue", "self",      "short",    "signed",
    "size_t",   "super",    "switch",  "template",  "this",  "true",    "try",    "undefined", "unsigned", "virtual",
    "void",     "volatile", "where",   "False",     "None",  "NULL",    "True"};

template <std::size_t N>
bool is_one_of(const std::array<const char*, N>& words, std::string_view word) {
    return std::ranges::any_of(words, [&](const char* candidate) { return word == candidate; });
}

bool is_keyword(std::string_view word) {
    return is_one_of(definers, word) || is_one_of(variable_definers, word) || is_one_of(users, word) ||
           is_one_of(keywords, word);
}

bool starts_name(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool continues_name(char c) {
    return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool has_hash_comments(std::string_view language) {
    constexpr std::array languages = {"py", "sh", "rb", "pl", "r", "cmake", "tcl", "jl", "nix", "mk", "awk", "ex"};
    return is_one_of(languages, language);
}

/// The line with its strings and comments blanked out; columns stay.
std::string code_of(std::string_view line, std::string_view language) {
    std::string code(line);
    const auto text = trim(line);
    const bool hash = has_hash_comments(language);
    if (text.starts_with("//") || text.starts_with("/*") || text.starts_with("* ") || text == "*" ||
        (hash && text.starts_with('#')))
        return {};
    const bool strings = language != "sh"; // "$name" is a use there
    char quote = '\0';
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (quote != '\0') {
            if (c == '\\' && i + 1 < code.size())
                code[i++] = ' ';
            else if (c == quote)
                quote = '\0';
            if (i < code.size())
                code[i] = code[i] == '\n' ? '\n' : ' ';
        } else if (strings && (c == '"' || c == '`' || (c == '\'' && language != "rs"))) {
            quote = c;
        } else if ((hash && c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) ||
                   (!hash && c == '/' && i + 1 < code.size() && (code[i + 1] == '/' || code[i + 1] == '*'))) {
            code.resize(i);
        }
    }
    return code;
}

/// One line's names, with what stands before and after each.
class Line {
public:
    Line(const std::string& code, bool is_c) : m_code(code), m_is_c(is_c) {}

    [[nodiscard]] bool is_definition(std::size_t start, std::size_t end) const {
        const auto before = trim(std::string_view(m_code).substr(0, start));
        const auto after = trim(std::string_view(m_code).substr(end));
        const auto word = last_word(before);
        if (m_is_c && is_one_of(tags, word))
            return after.empty() || after.starts_with('{') || after.starts_with(':') || after.starts_with(';');
        if (is_one_of(definers, word) || (!m_is_c && is_one_of(variable_definers, word)))
            return true;
        if (before.ends_with('.') || before.ends_with("->") || before.ends_with("::"))
            return before.ends_with("::") && opens_function(after);
        if (is_one_of(users, word))
            return false;
        if (after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>") && !after.starts_with("=~"))
            return true;
        if (before.empty())
            return after.starts_with(':') || after.starts_with(',') || opens_function(after);
        if (before.ends_with(')') && before.starts_with("func"))
            return true; // a method in Go
        const bool typed = !word.empty() || before.ends_with('*') || before.ends_with('&') || before.ends_with('>');
        return typed &&
               (after.starts_with('(') || after.starts_with(';') || after.starts_with('[') || after.starts_with(',') ||
                after.starts_with('{')) &&
               !is_operator(before);
    }

private:
    /// The word that ends `before`, if it ends with one.
    static std::string_view last_word(std::string_view before) {
        auto start = before.size();
        while (start > 0 && continues_name(before[start - 1]))
            --start;
        return before.substr(start);
    }

    /// "name() {": a method, or a function of a shell.
    static bool opens_function(std::string_view after) { return after.starts_with('(') && after.ends_with('{'); }

    /// "a > b(c)", "x & y;": no type stands before the name.
    static bool is_operator(std::string_view before) {
        if (before.find('=') != std::string_view::npos || before.find('(') != std::string_view::npos)
            return true;
        const bool spaced = before.size() > 1 && before[before.size() - 2] == ' ';
        return (before.ends_with('&') || before.ends_with('>')) && spaced;
    }

    const std::string& m_code;
    bool m_is_c;
};

} // namespace

std::string language_of(std::string_view path) {
    static const std::map<std::string, std::string, std::less<>> families = {
        {"c", "c"},    {"h", "c"},     {"cc", "c"},   {"hh", "c"},   {"cpp", "c"},  {"hpp", "c"},  {"cxx", "c"},
        {"hxx", "c"},  {"cu", "c"},    {"cuh", "c"},  {"inl", "c"},  {"m", "c"},    {"mm", "c"},   {"pyi", "py"},
        {"pyx", "py"}, {"pxd", "py"},  {"jsx", "js"}, {"ts", "js"},  {"tsx", "js"}, {"mjs", "js"}, {"cjs", "js"},
        {"vue", "js"}, {"bash", "sh"}, {"zsh", "sh"}, {"exs", "ex"}, {"kts", "kt"}, {"pm", "pl"},  {"rake", "rb"},
        {"md", ""},    {"txt", ""},    {"rst", ""},   {"adoc", ""},  {"tex", ""},   {"csv", ""},   {"tsv", ""},
        {"json", ""},  {"xml", ""},    {"html", ""},  {"svg", ""},   {"lock", ""},  {"po", ""},    {"log", ""},
        {"yaml", ""},  {"yml", ""},    {"toml", ""},  {"ini", ""},   {"cfg", ""},   {"conf", ""},  {"css", ""},
        {"sum", ""},   {"map", ""},    {"patch", ""}, {"diff", ""},  {"sql", ""},   {"ipynb", ""}, {"1", ""}};
    const auto name = name_of(path);
    const auto dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0)
        return name == "Makefile" ? "mk" : "";
    std::string extension(name.substr(dot + 1));
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto family = families.find(extension);
    return family != families.end() ? family->second : extension;
}

std::vector<Identifier> identifiers_in(std::string_view line, std::string_view language) {
    const auto code = code_of(line, language);
    const Line context(code, language == "c");
    std::vector<Identifier> names;
    for (std::size_t i = 0; i < code.size();) {
        if (!continues_name(code[i])) {
            ++i;
            continue;
        }
        auto end = i;
        while (end < code.size() && continues_name(code[end]))
            ++end;
        if (starts_name(code[i]) && end - i >= shortest && !is_keyword(line.substr(i, end - i)))
            names.push_back({line.substr(i, end - i), i, context.is_definition(i, end)});
        i = end;
    }
    return names;
}

} // namespace carry::merge

/// Every place at which a scene's command can fail or die.
#pragma once

#include "scene.hpp"

#include <map>
#include <string>
#include <vector>

namespace carry::crash {

class Enumeration {
public:
    explicit Enumeration(Scene scene);
    ~Enumeration(); ///< prints the counts
    Enumeration(const Enumeration&) = delete;
    Enumeration& operator=(const Enumeration&) = delete;

    /// The process dies before each call that leaves a trace. `weight`: in a bounded run every so many times fewer.
    Enumeration& kills(int weight);
    /// Each call fails, with each error that it can give; and the disk is full from each call on.
    Enumeration& failures(int weight);

private:
    struct Case {
        test::Fault fault;
        std::string name;
    };
    void run(const std::vector<Case>& cases, int weight);
    void run(const Case& one);
    void check_next(const NextCommand& next);
    void check_state(Expected expected);
    std::vector<test::CountedCall> calls(test::Kinds kinds);

    Scene m_scene;
    std::size_t m_tried = 0, m_possible = 0, m_next = 0;
    std::map<int, int> m_endings;
};

/// A fault that kills an upgrade when about half of its files have moved.
test::Fault middle_of_the_move(const Scene& scene);

} // namespace carry::crash

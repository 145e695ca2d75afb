#include "engine/spec/pattern_keys.h"

namespace sweep {
namespace {

constexpr std::array pattern_table = {
    Key{"summary", ValueForm::text,
        "What the kernel does, in a line; 'sweep list patterns' has it."},
    Key{"family", ValueForm::family,
        "What 'sweep list patterns' shows the pattern under: a known family, or a name of your "
        "own."},
    Key{"help", ValueForm::text, "What the pattern is for, and what to look at; paragraphs."},
    Key{"reference", ValueForm::text,
        "Where the pattern comes from: a paper, a manual, an address."},
    Key{"parameters", ValueForm::parameters,
        "The constants of the kernel: NAME: default, or NAME: {default: 256, min: 32, help: ...}."},
    Key{"structs", ValueForm::structs,
        "The sizes in bytes of types that the file defines, for sizeof in expressions: "
        "Particle: 24."},
    Key{"require", ValueForm::conditions,
        "Conditions that every configuration must satisfy: N % BLOCK == 0."},
    Key{"buffers", ValueForm::buffers,
        "The arrays in device memory that the kernel gets pointers to, in its order.", true},
    Key{"arguments", ValueForm::arguments, "The scalars that the kernel gets after the buffers."},
    Key{"launch", ValueForm::launch, "How many blocks of how many threads: {grid, block, shared}.",
        true},
    Key{"useful", ValueForm::useful,
        "The bytes that the algorithm needs: {read, write}, or {shared}. Bandwidth is these over "
        "time.",
        true},
    Key{"verify", ValueForm::verify,
        "A CUDA expression that holds for every element i after exactly one launch; with several "
        "buffers {buffer: expression} says which one i runs over.",
        true},
};

constexpr std::array parameter_table = {
    Key{"type", ValueForm::parameter_type,
        "element, integer or boolean; what the default is, unless given."},
    Key{"default", ValueForm::expression,
        "The value where a sweep does not name the parameter; may use the parameters before it.",
        true},
    Key{"min", ValueForm::integer, "The smallest value there may be."},
    Key{"max", ValueForm::integer, "The largest value there may be."},
    Key{"device", ValueForm::device_figure,
        "The default is this figure of the device, where it is known."},
    Key{"help", ValueForm::text, "What the parameter means, with its unit."},
};

constexpr std::array buffer_table = {
    Key{"type", ValueForm::element_type,
        "An element type, a parameter of type element, or a struct of the file.", true},
    Key{"length", ValueForm::expression, "The number of elements.", true},
    Key{"init", ValueForm::cuda,
        "A CUDA expression for element i's first value; without it the bytes are 0xff."},
};

constexpr std::array argument_table = {
    Key{"type", ValueForm::element_type, "A scalar element type; int32_t unless given."},
    Key{"value", ValueForm::expression,
        "An expression; of a float or double also a number with a decimal point.", true},
};

constexpr std::array launch_table = {
    Key{"grid", ValueForm::extent, "The blocks: one number, or up to three.", true},
    Key{"block", ValueForm::extent, "The threads of a block: one number, or up to three.", true},
    Key{"shared", ValueForm::expression, "Dynamic shared memory in bytes; 0 unless given."},
};

constexpr std::array useful_table = {
    Key{"read", ValueForm::expression, "Bytes of global memory that have to be read."},
    Key{"write", ValueForm::expression, "Bytes of global memory that have to be written."},
    Key{"shared", ValueForm::expression, "Bytes of shared memory that have to be moved."},
};

}  // namespace

KeyTable pattern_keys() {
  return pattern_table;
}

KeyTable parameter_keys() {
  return parameter_table;
}

KeyTable buffer_keys() {
  return buffer_table;
}

KeyTable argument_keys() {
  return argument_table;
}

KeyTable launch_keys() {
  return launch_table;
}

KeyTable useful_keys() {
  return useful_table;
}

}  // namespace sweep

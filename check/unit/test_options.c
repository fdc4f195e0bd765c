#include "unit.h"

#include "harness/kit/element.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/run/options.h"

static const struct variant variants[] = {
    {"first", "the first", NULL, 0, NULL, NULL, NULL, NULL, 0},
    {"second", "the second", NULL, 0, NULL, NULL, NULL, NULL, 0},
};
static const struct peer peers[] = {
    {&type_f32, {"library", "", NULL, 0, NULL, NULL, NULL, NULL, 0}},
    {&type_f32, {"other", "", NULL, 0, NULL, NULL, NULL, NULL, 0}},
    {NULL, {NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0}},
};
static const struct axis axis[] = {{.name = "n", .cpu = 1 << 20}};
static const struct axis sides[] = {{.name = "rows", .help = "matrix", .cpu = 1024},
                                    {.name = "cols", .cpu = 1024}};
static const struct axis cubes[] = {
    {.name = "m", .cpu = 64}, {.name = "n", .cpu = 64}, {.name = "k", .cpu = 64}};
static const struct axis rounds[] = {{.name = "n", .help = "repetitions", .cpu = 1000}};
static const struct axis histogram[] = {{.name = "n", .cpu = 1 << 20},
                                        {.name = "bins",
                                         .option = "bins",
                                         .help = "of the result",
                                         .least = 1,
                                         .most = 65536,
                                         .cpu = 256}};
static const struct family vectors = {.name = "vector",
                                      .axes = axis,
                                      .axis_count = 1,
                                      .inputs = input_names,
                                      .options = OPTION_INPUT | OPTION_BLOCKS};
static const struct family matrices = {.name = "matrix", .axes = sides, .axis_count = 2};
static const struct family products = {.name = "product", .axes = cubes, .axis_count = 3};
static const struct family large_products = {.name = "product",
                                             .axes = cubes,
                                             .axis_count = 3,
                                             .most = (size_t)1 << 45,
                                             .element = "multiply-add"};
static const struct family barriers = {.name = "barrier",
                                       .axes = rounds,
                                       .axis_count = 1,
                                       .options = OPTION_BLOCKS | OPTION_OVERSUBSCRIBE |
                                                  OPTION_SWEEPS_BLOCKS,
                                       .item = "barrier"};
static const struct parameter range[] = {{"range", "LOW:HIGH", "what is counted"},
                                         {NULL, NULL, NULL}};

/* Refuses one text, and lets another say how many elements there are. */
static int accept(const struct setting *setting, size_t axis[MAX_AXES], bool sized)
{
    const char *text = setting->parameters[0];

    if (text && text[0] == '-')
        return complain(BAD_USAGE, "--range %s: not accepted", text);
    if (text && !sized)
        axis[0] = 9;
    return 0;
}
static const struct family histograms = {.name = "histogram",
                                         .axes = histogram,
                                         .axis_count = 2,
                                         .parameters = range,
                                         .accept = accept,
                                         .options = OPTION_BLOCKS};

static struct options options;
static struct capture out, err;

/* Parse a command line of words with single spaces between. Standard output and error land in out
 * and err; pages that it asks for are printed. */
static int parse_with(const struct peer *with, const struct family *family, bool two_types,
                      const char *line)
{
    const struct step floats = {"step", family, &type_f32, variants, COUNT(variants)};
    const struct step ints = {"step", family, &type_i32, variants, COUNT(variants)};
    const struct step *steps[] = {&floats, two_types ? &ints : NULL, NULL};
    struct program program = {"step", family, steps, with};
    static char words[512];
    char *argv[32] = {(char[]){"step"}}, *rest = NULL;
    int argc = 1, status;

    snprintf(words, sizeof(words), "%s", line);
    for (char *w = strtok_r(words, " ", &rest); w && argc < 31; w = strtok_r(NULL, " ", &rest))
        argv[argc++] = w;
    message_program("step");
    capture_start(&out, STDOUT_FILENO);
    capture_start(&err, STDERR_FILENO);
    status = options_parse(&options, argc, argv, &program);
    if (status == 0 && options.help)
        help_print(&program);
    if (status == 0 && options.version)
        help_version(&program);
    capture_stop(&err);
    capture_stop(&out);
    return status;
}

static int parse(const struct family *family, bool two_types, const char *line)
{
    return parse_with(NULL, family, two_types, line);
}

static void parses(const char *line)
{
    if (parse(&vectors, true, line) != 0)
        fail_msg("'%s' was refused: %s", line, err.text);
    assert_string_equal(err.text, "");
}

/* Refused with one line that names the option, and what would be accepted. */
static void refuses(const struct family *family, const char *line, const char *name,
                    const char *accepted)
{
    if (parse(family, false, line) != BAD_USAGE)
        fail_msg("'%s' was not refused", line);
    assert_one_line(err.text, name);
    assert_contains(err.text, accepted);
    assert_int_equal(strncmp(err.text, "step: ", 6), 0);
    assert_string_equal(out.text, "");
}

static void defaults(void **state)
{
    (void)state;
    parses("");
    assert_int_equal(options.axis[0], 1 << 20);
    assert_int_equal(options.runs, 5);
    assert_int_equal(options.warmup, 1);
    assert_int_equal(options.blocks, 0);
    assert_int_equal(options.threads, 0);
    assert_int_equal(options.chosen, 3);
    assert_int_equal(options.sweep_from, -1);
    assert_int_equal(options.sweep_to, -1);
    assert_string_equal(options.setting.input, "random");
    assert_null(options.log);
    assert_false(options.quiet || options.cold || options.check || options.list);
    assert_int_equal(parse(&matrices, false, ""), 0);
    assert_int_equal(options.axis[0], 1024);
    assert_int_equal(options.axis[1], 1024);
    assert_int_equal(parse(&barriers, false, ""), 0);
    assert_int_equal(options.axis[0], 1000);
}

static void every_option(void **state)
{
    (void)state;
    parses("-n 1e6 -b 7 -t 1024 -r 9 -w 0 -v second --input hostile --seed 18446744073709551615 "
           "--cold --type i32 -o x.csv -q --list");
    assert_int_equal(options.axis[0], 1000000);
    assert_int_equal(options.blocks, 7);
    assert_int_equal(options.threads, 1024);
    assert_int_equal(options.runs, 9);
    assert_int_equal(options.warmup, 0);
    assert_int_equal(options.chosen, 2);
    assert_string_equal(options.setting.input, "hostile");
    assert_true(options.setting.seed == UINT64_MAX);
    assert_ptr_equal(options.setting.type, &type_i32);
    assert_string_equal(options.log, "x.csv");
    assert_true(options.cold && options.quiet && options.list);
    parses("--size=2^3 --blocks=2147483647 --threads=1 -v first --variant second");
    assert_int_equal(options.blocks, 2147483647);
    assert_int_equal(options.axis[0], 8);
    assert_int_equal(options.chosen, 3);
    parses("-s 3:10");
    assert_int_equal(options.sweep_from, 3);
    assert_int_equal(options.sweep_to, 10);
    assert_int_equal(options.sweep_step, 1);
    parses("-s 3:10:4");
    assert_int_equal(options.sweep_to, 10);
    assert_int_equal(options.sweep_step, 4);
    parses("-n 0");
    assert_int_equal(options.axis[0], 0);
}

static void tools_run_once(void **state)
{
    (void)state;
    parses("--counters");
    assert_int_equal(options.counters, COUNTERS_LAUNCHES);
    assert_int_equal(options.runs, 1);
    assert_int_equal(options.warmup, 0);
    parses("--counters=lines -r 3");
    assert_int_equal(options.counters, COUNTERS_LINES);
    assert_int_equal(options.runs, 3);
    parses("--check --schedule random:5 --trace 12");
    assert_true(options.check);
    assert_string_equal(options.schedule, "random:5");
    assert_int_equal(options.trace_line, 12);
}

static void bad_values(void **state)
{
    static const struct {
        const char *line, *name, *accepted;
    } cases[] = {
        {"-n 0x", "--size 0x", "2^24, 16Mi"},
        {"-n -1", "--size -1", "from 0"},
        {"--size 2^70", "--size 2^70", "to 2^40"},
        {"--size 1099511627777", "--size 1099511627777", "to 2^40"},
        {"-n 12abc", "--size 12abc", "integer"},
        {"--size=", "--size ''", "integer"},
        {"-t 1025", "--threads 1025", "from 1 to 1024"},
        {"-t 0", "--threads 0", "from 1 to 1024"},
        {"-b 0", "--blocks 0", "from 1 to 2147483647"},
        {"-b 2147483648", "--blocks 2147483648", "from 1 to 2147483647"},
        {"-r 0", "--runs 0", "from 1"},
        {"-w -1", "--warmup -1", "from 0"},
        {"-v third", "--variant third", "first, second"},
        {"-s 5:3", "--sweep 5:3", "A <= B"},
        {"-s 5", "--sweep 5", "A:B"},
        {"-s 5:", "--sweep 5:", "A:B"},
        {"-s :5", "--sweep :5", "A:B"},
        {"-s 0:41", "--sweep 0:41", "40"},
        {"--input zeros", "--input zeros", "random, ones, ramp, exact, hostile"},
        {"--seed x", "--seed x", "integer"},
        {"--type f64", "--type f64", "f32"},
        {"--type i32", "--type i32", "f32"},
        {"--log=", "--log ''", "file"},
        {"--counters=words", "--counters words", "lines"},
        {"--trace 0", "--trace 0", "from 1"},
        {"-n", "--size", "value is missing"},
        {"--log", "--log", "value is missing"},
        {"--bogus", "--bogus", "unknown"},
        {"--bogus=3", "--bogus:", "unknown"},
        {"-z", "-z", "unknown"},
        {"-qz", "-z", "unknown"},
        {"--quiet=3", "--quiet=3", "no value"},
        {"--s 3", "--s:", "ambiguous"},
        {"extra", "extra", "options only"},
        {"-n 3 -- more", "more", "options only"},
        {"-n 3 -s 1:2", "--sweep and --size", "exclude"},
        {"--peers", "--peers", "no peers"},
        {"--bins 3", "--bins", "unknown"},
        {"-s bins=0:3", "--sweep bins=0:3", "axis"},
        {"--batch=", "--batch ''", "file"},
        {"--batch x --log y", "--batch and --log", "exclude"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        refuses(&vectors, cases[i].line, cases[i].name, cases[i].accepted);
}

static void families_differ(void **state)
{
    (void)state;
    refuses(&vectors, "--oversubscribe", "--oversubscribe", "vector");
    refuses(&matrices, "--input ones", "--input", "matrix");
    refuses(&matrices, "-b 3", "--blocks", "matrix");
    refuses(&matrices, "-n 0x", "--size 0x", "ROWSxCOLS");
    refuses(&matrices, "-n 2^21", "--size 2^21", "2^40");
    refuses(&matrices, "-s 0:21", "--sweep 0:21", "20");
    refuses(&vectors, "-n 10x10", "--size 10x10", "integer");
    refuses(&barriers, "-s 0:3 -b 4", "--sweep and --blocks", "exclude");
    assert_int_equal(parse(&matrices, false, "-n 1000x3000"), 0);
    assert_int_equal(options.axis[0], 1000);
    assert_int_equal(options.axis[1], 3000);
    assert_int_equal(options_elements(&matrices, options.axis), 3000000);
    assert_int_equal(parse(&barriers, false, "--oversubscribe -s 0:3 -n 5"), 0);
    assert_true(options.setting.oversubscribe);
    assert_int_equal(options.axis[0], 5);
}

static void axes_are_data(void **state)
{
    (void)state;
    assert_int_equal(parse(&products, false, "-n 100x200x300"), 0);
    assert_int_equal(options.axis[2], 300);
    assert_int_equal(options_elements(&products, options.axis), 6000000);
    assert_int_equal(parse(&products, false, "-n 2^10"), 0);
    assert_int_equal(options.axis[1], 1024);
    refuses(&products, "-n 3x4", "--size 3x4", "MxNxK");
    refuses(&products, "-n 3x4x5x6", "--size 3x4x5x6", "MxNxK");
    refuses(&products, "-n 3x4x", "--size 3x4x", "MxNxK");
    refuses(&products, "-s 0:14", "--sweep 0:14", "13");
    refuses(&products, "-n 2^14", "--size 2^14", "of at most 2^40 elements");
    assert_int_equal(parse(&large_products, false, "-n 2^14"), 0);
    assert_int_equal(parse(&large_products, false, "-s 0:15"), 0);
    refuses(&large_products, "-s 0:16", "--sweep 0:16", "15");
    refuses(&large_products, "-n 2^16", "--size 2^16", "of at most 2^45 multiply-adds");
    assert_int_equal(parse(&histograms, false, "--bins 65536 -n 7"), 0);
    assert_int_equal(options.axis[1], 65536);
    assert_int_equal(options_elements(&histograms, options.axis), 7);
    refuses(&histograms, "--bins 0", "--bins 0", "from 1 to 65536");
    refuses(&histograms, "--bins 65537", "--bins 65537", "from 1 to 65536");
    assert_int_equal(parse(&histograms, false, "-s bins=0:16 -n 9"), 0);
    assert_int_equal(options.sweep, 1);
    assert_int_equal(parse(&histograms, false, "-s blocks=0:3"), 0);
    assert_int_equal(options.sweep, SWEEP_BLOCKS);
    assert_int_equal(parse(&histograms, false, "--bins 4"), 0);
    assert_null(options.setting.parameters[0]);
    assert_int_equal(parse(&histograms, false, "--range 0:1"), 0);
    assert_string_equal(options.setting.parameters[0], "0:1");
    assert_int_equal(options.axis[0], 9);
    assert_int_equal(parse(&histograms, false, "--range 0:1 -n 5"), 0);
    assert_int_equal(options.axis[0], 5);
    refuses(&histograms, "--range -1", "--range -1", "not accepted");
    assert_int_equal(parse(&histograms, false, "--help"), 0);
    assert_contains(out.text, "--bins N");
}

static void peers_have_names(void **state)
{
    (void)state;
    assert_int_equal(parse_with(peers, &vectors, true, "--peers"), 0);
    assert_int_equal(options.chosen, 3);
    assert_int_equal(options.chosen_peers, 3);
    assert_int_equal(parse_with(peers, &vectors, true, "--peers -v second"), 0);
    assert_int_equal(options.chosen, 2);
    assert_int_equal(options.chosen_peers, 3);
    assert_int_equal(parse_with(peers, &vectors, true, "-v other --peers"), 0);
    assert_int_equal(options.chosen, 0);
    assert_int_equal(options.chosen_peers, 2);
    assert_int_equal(parse_with(peers, &vectors, true, "-v other"), BAD_USAGE);
    assert_one_line(err.text, "--variant other: a library's, which --peers measures");
    assert_int_equal(parse_with(peers, &vectors, true, "-v third --peers"), BAD_USAGE);
    assert_one_line(err.text, "first, second, library, other");
    assert_int_equal(parse_with(peers, &vectors, true, "--peers --type i32"), BAD_USAGE);
    assert_one_line(err.text, "no peer");
}

static void a_message_stays_on_its_line(void **state)
{
    const struct step floats = {"step", &vectors, &type_f32, variants, COUNT(variants)};
    const struct step *steps[] = {&floats, NULL};
    struct program program = {"step", &vectors, steps, NULL};
    char *argv[] = {(char[]){"step"}, (char[]){"-n"}, (char[]){"1\n2\033[2J"}};

    (void)state;
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(options_parse(&options, 3, argv, &program), BAD_USAGE);
    assert_one_line(capture_stop(&err), "--size 1?2?[2J");
}

static void help_names_every_option(void **state)
{
    static const char *const names[] = {
        "-n, --size N",   "-b, --blocks B",  "-t, --threads T", "-r, --runs R",
        "-w, --warmup W", "-v, --variant V", "--list",          "-s, --sweep A:B",
        "--input KIND",   "--seed S",        "--cold",          "--type TYPE",
        "--peers",        "-o, --log FILE",  "-q, --quiet",     "--counters[=lines]",
        "--check",        "--schedule SPEC", "--trace LINE",    "-h, --help",
        "--version",      "the second",      "Exit status",     "--batch FILE",
        "--describe",     "--progress",      "--then"};

    (void)state;
    assert_int_equal(parse(&vectors, true, "--help"), 0);
    for (size_t i = 0; i < COUNT(names); i++)
        assert_contains(out.text, names[i]);
    assert_contains(out.text, "f32 or i32 (default f32)\n");
    assert_null(strstr(out.text, "--oversubscribe"));
    for (const char *line = out.text; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    assert_int_equal(parse(&barriers, false, "--help"), 0);
    assert_contains(out.text, "--oversubscribe");
    assert_null(strstr(out.text, "--type"));
    assert_int_equal(parse(&vectors, true, "--version"), 0);
    assert_contains(out.text, "step (cuda-steps)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_option),
        cmocka_unit_test(tools_run_once),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(families_differ),
        cmocka_unit_test(axes_are_data),
        cmocka_unit_test(peers_have_names),
        cmocka_unit_test(a_message_stays_on_its_line),
        cmocka_unit_test(help_names_every_option),
    };

    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}

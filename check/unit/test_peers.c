/* Which library's variants stand beside a step: those that its family says, of all tables. */
#include "unit.h"

#include "harness/kit/element.h"
#include "harness/run/peers.h"

enum { ADD = FAMILY_RULE, MULTIPLY = 2 * FAMILY_RULE };

static bool same_rules(const struct variant *v, const struct variant *library)
{
    return v->rules == library->rules;
}

static const struct variant variants[] = {
    {"first", "", NULL, ADD, NULL, NULL, NULL, NULL, 0},
    {"second", "", NULL, ADD, NULL, NULL, NULL, NULL, 0},
};
static const struct peer floats[] = {
    {&type_f32, {"product", "", NULL, MULTIPLY, NULL, NULL, NULL, NULL, 0}},
    {&type_f32, {"sum", "", NULL, ADD, NULL, NULL, NULL, NULL, 0}},
    {NULL, {NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0}},
};
static const struct peer ints[] = {
    {&type_i32, {"sum", "", NULL, ADD, NULL, NULL, NULL, NULL, 0}},
    {NULL, {NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0}},
};
static const struct peer *const both[] = {floats, ints, NULL};

static void without_the_function_all_stand(void **state)
{
    static const struct family family = {.name = "family"};
    const struct step step = {"step", &family, &type_f32, variants, COUNT(variants)};
    const struct peer *all = peers_join(&step, both);

    (void)state;
    assert_string_equal(all[0].variant.name, "product");
    assert_string_equal(all[1].variant.name, "sum");
    assert_ptr_equal(all[2].type, &type_i32);
    assert_null(all[3].type);
    assert_null(peers_join(&step, NULL));
}

static void of_a_step_those_that_it_names(void **state)
{
    static const struct family family = {.name = "family", .beside = same_rules};
    const struct step step = {"step", &family, &type_f32, variants, COUNT(variants)};
    const struct peer *left = peers_join(&step, both);

    (void)state;
    assert_string_equal(left[0].variant.name, "sum");
    assert_ptr_equal(left[0].type, &type_f32);
    assert_ptr_equal(left[1].type, &type_i32);
    assert_null(left[2].type);
}

static void none_is_left(void **state)
{
    static const struct family family = {.name = "family", .beside = same_rules};
    static const struct variant other[] = {{"other", "", NULL, 0, NULL, NULL, NULL, NULL, 0}};
    const struct step step = {"step", &family, &type_f32, other, 1};

    (void)state;
    assert_null(peers_join(&step, both));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_function_all_stand),
        cmocka_unit_test(of_a_step_those_that_it_names),
        cmocka_unit_test(none_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

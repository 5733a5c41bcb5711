/* test_intent.c: what a tool does in plain words, off names of many makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene/intent.h"

struct sample {
    const char *name, *description, *reference, *wanted;
};

static void names(void **state)
{
    static const struct sample samples[] = {
        {"refund_order", "", "", "refund an order"},
        {"refund_order", "", "A1001", "refund order A1001"},
        {"escalate_to_human", "", "", "escalate to a human"},
        {"search_flights", "", "X1", "search for flights for X1"},
        {"get_user_details", "", "", "look at the user details"},
        {"getUserProfile", "", "", "look at a user profile"},
        {"get_user_uniform", "", "", "look at a user uniform"},
        /* by what it is found is not what is wanted */
        {"find_user_id_by_name_zip", "", "", "find a user id"},
        {"get_bills_for_customer", "", "", "look at bills for a customer"},
        {"enable_roaming", "", "", "enable roaming"},
        {"refuel_data", "", "", "refuel data"},
        {"get_closest_airport", "", "", "look at the closest airport"},
        {"list_all_product_types", "", "", "list all product types"},
        /* the verb stands elsewhere */
        {"sales_growth.calculate", "", "", "calculate sales growth"},
        {"shop.OrdersApi.cancel_order", "", "", "cancel an order"},
        {"soil_composition_analyze", "", "", "analyze a soil composition"},
        {"historic_leader_search", "", "", "search for a historic leader"},
        {"Movies_1_FindMovies", "", "", "find movies"},
        {"get_configs_v2", "", "", "look at configs"},
        /* no verb in the name: the description's */
        {"calculate", "Calculate the result of a mathematical expression.", "",
         "calculate the result of a mathematical expression"},
        {"car_rental", "Rent a car near you based on your preference.", "", "rent a car"},
        {"t_test", "Perform a statistical t-test to check means.", "",
         "perform a statistical t-test"},
        {"sTe", "This function calculates the difference between two dates.", "",
         "calculate the difference"},
        {"nutrition", "Provide detailed information, for a specified recipe.", "R7",
         "look at information for R7"},
        {"look_at", "Orients the view to focus on a point.", "", "orient the view"},
        {"cards.shuffle_and_draw", "Shuffle a standard deck of 52 cards.", "",
         "shuffle a standard deck"},
        {"search_it", "Searches an updated list.", "", "search for an it"},
        /* nothing to go by */
        {"x", "", "", "have something taken care of"},
        {"buscar_a\xc3\xb1o", "Por a\xc3\xb1o.", "",
         "have something taken care of about a\xc3\xb1o"},
        {"get", "", "Q1", "have something looked up for Q1"},
        {"a.b.get", "", "", "look at an a b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct buf file = {0}, out = {0};
        struct row_tools tools = {0};
        struct tool_facts facts = {0};
        struct error error;
        buf_format(&file, "[{\"name\":\"%s\",\"description\":\"%s\"}]", samples[i].name,
                   samples[i].description);
        assert_int_equal(row_tools_parse(&tools, buf_span(&file), "t", &error), 0);
        tool_facts_read(&facts, &tools);
        intent_write(&facts.items[0], tools.items[0].description, span_text(samples[i].reference),
                     0, &out);
        if (!span_is(buf_span(&out), samples[i].wanted))
            fail_msg("%s: \"%s\", not \"%s\"", samples[i].name, buf_cstr(&out), samples[i].wanted);
        tool_facts_free(&facts);
        row_tools_free(&tools);
        buf_free(&file);
        buf_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

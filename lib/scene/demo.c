/* demo.c: see demo.h. */
#include "scene/demo.h"

const char DEMO_TOOLS[] =
    "[{\"name\":\"get_order\",\"description\":\"Looks up one order by its id, such as A1001 or "
    "A1002.\","
    "\"parameters\":{\"type\":\"object\",\"properties\":{\"order_id\":{\"type\":\"string\"}},"
    "\"required\":[\"order_id\"]}},"
    "{\"name\":\"search_products\",\"description\":\"Finds products by words.\","
    "\"parameters\":{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\"}},"
    "\"required\":[\"query\"]}},"
    "{\"name\":\"update_address\",\"description\":\"Changes where an order is delivered.\","
    "\"parameters\":{\"type\":\"object\",\"properties\":{\"order_id\":{\"type\":\"string\"},"
    "\"address\":{\"type\":\"string\"}},"
    "\"required\":[\"order_id\",\"address\"]}},"
    "{\"name\":\"cancel_order\",\"description\":\"Cancels an order that has not been sent.\","
    "\"parameters\":{\"type\":\"object\",\"properties\":{\"order_id\":{\"type\":\"string\"},"
    "\"reason\":{\"type\":\"string\"}},"
    "\"required\":[\"order_id\"]}}]";

const char DEMO_POLICY[] = "You help the customers of a small shop.\n"
                           "- Look an order up before you say anything about it.\n"
                           "- Cancel only orders that have not been sent yet.\n"
                           "- Change a delivery address only for the person who placed the order.\n"
                           "- Never promise a refund; a colleague decides about refunds.\n"
                           "- When a tool fails, say so and offer to try again later.\n";

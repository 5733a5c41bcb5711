#!/usr/bin/env python3
"""A world for wai-simulate --execute 'cmd:python3 world.py': a function for each tool answers, from a shop that is new
in every rollout. What a function returns is the result; what it raises is an error that the agent reads.
"""
import json
import sys

ORDERS = {"ORD-1042": 40.0, "ORD-1043": 15.5}      # what can be paid back
shops = {}                                          # by rollout


def get_order(shop, order_id):
    if order_id not in shop:
        return {"status": "not_found", "missing": [order_id]}
    return {"status": "ok", "order": {"id": order_id, "paid": shop[order_id]}}


def refund_order(shop, order_id, amount, reason="unwanted"):
    if amount > shop[order_id]:
        raise ValueError(f"only {shop[order_id]} was paid")
    shop[order_id] -= amount
    return {"status": "ok", "refunded": amount, "reason": reason}


TOOLS = {"get_order": get_order, "refund_order": refund_order}
for line in sys.stdin:
    ask = json.loads(line)
    if "tool" not in ask:                           # begin or end, with --execute-sessions
        shops.pop(ask["id"], None)
        answer = {}
    else:
        shop = shops.setdefault(ask["id"], dict(ORDERS))
        try:
            answer = TOOLS[ask["tool"]](shop, **ask["arguments"])
        except Exception as failure:
            answer = {"error": f"{type(failure).__name__}: {failure}"}
    print(json.dumps(answer), flush=True)

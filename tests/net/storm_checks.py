"""Ten thousand calls of wai-simulate in foul weather, and the same killed and gone on with."""
from simulate_checks import check_whole


def check_all(check, programs):
    check_whole(check, programs)

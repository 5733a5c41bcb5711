/* fuzz_curve.c: learning curves of any content. What is taken is told as JSON, its size is one of the curve's
 * or above, and its range holds what it should. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "select/curve.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

enum { DRAWS = 3, SIZE_MAX_BYTES = 8192 };

static void check_report(const struct curve_report *report)
{
    struct buf json = {0}, text = {0};
    struct json_writer w;
    struct json_value value;
    struct json_fault fault;
    json_write_start(&w, &json, JSON_STYLE_COMPACT);
    json_write_object(&w);
    curve_write(report, &w);
    json_write_end_object(&w);
    REQUIRE(json_scan(buf_span(&json), &value, NULL, &fault) == 0);
    curve_text(report, &text);
    REQUIRE(text.len);
    REQUIRE(isnan(report->share) || (report->share >= 0 && report->share <= 1));
    REQUIRE(isnan(report->low) || report->low <= report->high);
    REQUIRE(isnan(report->gain_low) || report->gain_low <= report->gain_high);
    buf_free(&json);
    buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("curve", MFD_CLOEXEC);
    if (fd < 0 || size > SIZE_MAX_BYTES || write(fd, data, size) != (ssize_t)size) {
        close(fd);
        return 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const struct curve_options options = {
        .min_gain = 0.01, .draws = DRAWS, .seed = "0", .base = NAN};
    struct curve_report report = {0};
    struct error error = {0};
    if (curve_measure(path, &options, &report, &error) == 0)
        check_report(&report);
    else
        REQUIRE(error.code == ERROR_INPUT);
    curve_free(&report);
    close(fd);
    return 0;
}

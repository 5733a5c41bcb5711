/* A table of text as items: every record that is taken must be one line of JSON that scans. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "ingest/csv.h"
#include "json/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/tmp/wai-fuzz-csv-XXXXXX";

static void remove_file(void)
{
    unlink(path);
}

/* The file that stands for every input: its name is made once. */
static int put(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0) {
        fd = mkstemp(path);
        atexit(remove_file);
    }
    return fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct csv csv;
    struct error error;
    struct buf record = {0};
    size_t line, last = 1;
    if (size == 0 || put(data + 1, size - 1))
        return 0;
    if (csv_open(&csv, path, data[0] & 1 ? CSV_TABS : CSV_COMMAS, &error) == 0) {
        int got;
        while ((got = csv_next(&csv, &record, &line)) != 0) {
            struct json_value value;
            struct json_fault fault;
            if (line < last)
                abort();
            last = line;
            if (got > 0 &&
                (json_scan(buf_span(&record), &value, NULL, &fault) ||
                 value.type != JSON_VALUE_OBJECT || memchr(record.data, '\n', record.len)))
                abort();
        }
    }
    csv_free(&csv);
    buf_free(&record);
    return 0;
}

/* shape.h: which of the known forms a row has (rows 3). */
#ifndef WAI_ROW_SHAPE_H
#define WAI_ROW_SHAPE_H

#include "row/row.h"

enum row_shape {
    ROW_SHAPE_LOOSE, /* none of the others, or no object */
    ROW_SHAPE_V1,
    ROW_SHAPE_HF_FLAT,
    ROW_SHAPE_TRAINING,
    ROW_SHAPE_ENGINE,
    ROW_SHAPE_PLATFORM_PULL,
    ROW_SHAPE_OTEL,
    ROW_SHAPE_COUNT,
};

enum row_shape row_shape(const struct row *row);
const char *row_shape_name(enum row_shape shape); /* "v1", "hf_flat", … */

#endif

/* demo.h: the specification that is played when nobody brought one: a small shop (situations 1.1).
 */
#ifndef WAI_SCENE_DEMO_H
#define WAI_SCENE_DEMO_H

extern const char DEMO_TOOLS[];  /* a JSON array */
extern const char DEMO_POLICY[]; /* five rules */

#endif

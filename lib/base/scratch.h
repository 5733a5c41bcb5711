/* scratch.h: removal of a whole folder, shared by scratch.c and signals.c. Not for other rooms:
 * they use scratch_make and scratch_remove of file.h. */
#ifndef WAI_BASE_SCRATCH_H
#define WAI_BASE_SCRATCH_H

/* Removes the folder and all in it, however deep, whatever the permissions inside, following no
 * symbolic link and not leaving its file system. 0 or -1. */
int scratch_remove_tree(const char *path);

#endif

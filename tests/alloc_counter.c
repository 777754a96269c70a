/* Counts heap calls of a process it is preloaded into. The counters are read through ctypes; the
   functions behind are glibc's own names, so nothing has to be looked up, which could allocate. */
#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

volatile long alloc_count, free_count; /* one thread is measured */

void *malloc(size_t n) { alloc_count++; return __libc_malloc(n); }
void *calloc(size_t n, size_t size) { alloc_count++; return __libc_calloc(n, size); }
void *memalign(size_t align, size_t n) { alloc_count++; return __libc_memalign(align, n); }
void *aligned_alloc(size_t align, size_t n) { alloc_count++; return __libc_memalign(align, n); }
int posix_memalign(void **out, size_t align, size_t n)
{
    alloc_count++;
    *out = __libc_memalign(align, n);
    return *out ? 0 : ENOMEM;
}
void *realloc(void *p, size_t n)
{
    alloc_count++;
    free_count += p != NULL;
    return __libc_realloc(p, n);
}
void free(void *p)
{
    free_count += p != NULL;
    __libc_free(p);
}

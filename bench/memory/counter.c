/* Preloaded: counts what the C library's allocators are asked for. */
#include <stddef.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static long count;

long allocations(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

static void one(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

void *malloc(size_t n) { one(); return __libc_malloc(n); }
void *calloc(size_t n, size_t size) { one(); return __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { one(); return __libc_realloc(p, n); }
void *memalign(size_t at, size_t n) { one(); return __libc_memalign(at, n); }
void *aligned_alloc(size_t at, size_t n) { one(); return __libc_memalign(at, n); }
int posix_memalign(void **p, size_t at, size_t n) {
    one();
    *p = __libc_memalign(at, n);
    return *p ? 0 : 12;
}

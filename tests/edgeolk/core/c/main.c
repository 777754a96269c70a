/* The C tests of one subject by one instruction-set variant: `checks VARIANT SUBJECT`. `checks` alone
   lists the variants this processor runs. */
#include "check.h"

long checks_done, checks_failed;

static const struct {
    const char *name;
    void (*run)(const olk_simd *simd);
} subjects[] = {
    {"linalg", check_linalg},
    {"eigen", check_eigen},
    {"searches", check_searches},
    {"coefficients", check_coefficients},
    {"merge", check_merge},
    {"normals", check_normals},
    {"selection", check_selection},
    {"together", check_together},
};

int main(int count, char **given)
{
    const olk_simd *simd;
    for (int i = 0; (simd = variant(i)); i++) {
        if (count < 3) {
            puts(simd->name);
            continue;
        }
        for (size_t k = 0; k < sizeof(subjects) / sizeof(subjects[0]); k++)
            if (!strcmp(given[1], simd->name) && !strcmp(given[2], subjects[k].name))
                subjects[k].run(simd);
    }
    if (count >= 3)
        printf("%ld checks, %ld failed\n", checks_done, checks_failed);
    return checks_failed || (count >= 3 && !checks_done);
}

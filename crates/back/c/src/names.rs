//! Words that no name of the program may be.

use std::sync::LazyLock;

use planish_back_text::Words;
use planish_back_text::dialect::sanitize;
use rustc_hash::FxHashSet;

/// Words of one output: those of C and those that this output defines.
#[derive(Clone, Copy)]
pub(crate) struct CWords<'m>(pub(crate) &'m FxHashSet<String>);

impl Words for CWords<'_> {
    fn is_reserved(&self, word: &str) -> bool {
        planish_back_header::interface::is_keyword(word)
            || DEFINED.contains(&word)
            || self.0.contains(word)
            || word.starts_with("planish_")
            || word.starts_with("PLANISH_")
    }

    fn is_builtin(&self, word: &str) -> bool {
        LIBRARY.contains(word)
    }

    fn sanitize(&self, text: &str) -> String {
        // An underscore in front is the implementation's at file scope.
        sanitize(text, &["_"])
    }
}

/// Words that the headers of an output define as macros or types, beside those of the interface.
const DEFINED: &[&str] = &[
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "noreturn",
    "self",
    "size_t",
    "thread_local",
    "typeof_unqual",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uintptr_t",
    "wchar_t",
    "INFINITY",
    "NAN",
    "HUGE_VAL",
    "i386",
    "errno",
    "max_align_t",
    "offsetof",
    "ptrdiff_t",
    "intptr_t",
    "intmax_t",
    "uintmax_t",
    "float_t",
    "double_t",
    "div_t",
    "ldiv_t",
    "lldiv_t",
    "EXIT_FAILURE",
    "EXIT_SUCCESS",
    "RAND_MAX",
    "MB_CUR_MAX",
    "FP_NAN",
    "isnan",
    "isinf",
    "isfinite",
    "isnormal",
    "signbit",
    "fpclassify",
    "isgreater",
    "isless",
    "islessgreater",
    "isunordered",
    "assert",
];

/// Functions of `math.h`, each of which also is one with `f` and `l` at its end.
const MATH: &str = "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 expm1 fabs \
    fdim floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb \
    lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round roundeven scalb scalbln \
    scalbn significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn cabs cacos cacosh carg casin casinh catan \
    catanh ccos ccosh cexp cimag clog conj cpow cproj creal csin csinh csqrt ctan ctanh";

/// Functions of other headers, which compilers know too, and those that POSIX adds to the headers that the output includes.
const OTHERS: &str = "abort abs aligned_alloc alloca atexit atof atoi atol atoll bcmp bcopy bsearch bzero calloc clearenv div \
    exit ffs ffsl ffsll free getenv index labs ldiv llabs lldiv malloc mblen mbstowcs mbtowc memccpy memchr memcmp memcpy \
    memmove mempcpy memset posix_memalign printf fprintf putc putchar puts fputc fputs fwrite qsort quick_exit rand random \
    rand_r realloc realloc rindex snprintf sprintf scanf sscanf fscanf vprintf vfprintf vscanf vsnprintf vsprintf srand \
    srandom stpcpy stpncpy strcasecmp strcat strchr strcmp strcoll strcpy strcspn strdup strerror strlen strncasecmp \
    strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strspn strstr strtod strtof strtok strtol strtold \
    strtoll strtoul strtoull strxfrm system unsetenv setenv putenv wcstombs wctomb isalnum isalpha isblank iscntrl isdigit \
    isgraph islower isprint ispunct isspace isupper isxdigit toascii tolower toupper isascii iswalnum iswalpha execl execv \
    fork imaxabs imaxdiv dcgettext dgettext gettext strfmon strftime a64l l64a drand48 erand48 lrand48 nrand48 mrand48 \
    jrand48 srand48 seed48 lcong48 ecvt fcvt gcvt mktemp mkstemp mkdtemp realpath initstate setstate valloc cfree finite \
    signgam longjmp setjmp getsubopt grantpt ptsname unlockpt swab explicit_bzero memmem memrchr rawmemchr strchrnul \
    strsignal strverscmp basename getloadavg on_exit mblen rpmatch qecvt qfcvt qgcvt at_quick_exit arc4random";

static LIBRARY: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    let math = MATH.split_whitespace().flat_map(|name| ["", "f", "l"].map(|end| format!("{name}{end}")));
    math.chain(OTHERS.split_whitespace().map(str::to_owned)).collect()
});

#ifndef KITH_CPHONENUMBER_H
#define KITH_CPHONENUMBER_H

#include <stddef.h>

// libphonenumber is C++ over protobuf, ICU and Abseil. These functions hide all of that from Swift. Each may be
// called from any thread. The first call reads the library's tables, which takes some milliseconds.

#ifdef __cplusplus
extern "C" {
#endif

// The verdict on a text as a phone number.
typedef enum {
    kith_phone_is_usable,
    kith_phone_is_no_number,
    kith_phone_lacks_country,
    kith_phone_is_too_short,
    kith_phone_is_too_long,
    kith_phone_is_not_possible,
    kith_phone_takes_no_text,
} kith_phone_verdict;

// Room for a number in E.164 form: a plus sign, 15 digits (the library allows 17) and the terminator.
enum { kith_phone_size = 24 };

// Room for the two letters of a region and the terminator.
enum { kith_phone_region_size = 4 };

// Reads a phone number as somebody wrote it: in international form, or as it is dialled within `region` (two letters,
// or an empty text if none is known). If the number is usable, `e164` receives it in E.164 form, which reads as itself.
kith_phone_verdict kith_phone_parse(const char *text, size_t length, const char *region, char e164[kith_phone_size]);

// Writes the two letters of the region of a number in E.164 form; an empty text if it has none.
void kith_phone_region(const char *e164, char region[kith_phone_region_size]);

// Whether the library has a numbering plan for a region.
int kith_phone_knows_region(const char *region);

// Room for the letters of all regions, one after the other, and the terminator.
enum { kith_phone_regions_size = 1024 };

// Writes the two letters of each region that has a numbering plan, one after the other, in the order of the alphabet.
void kith_phone_regions(char regions[kith_phone_regions_size]);

// The calling code of a region, such as 49; 0 if the library knows no such region.
int kith_phone_calling_code(const char *region);

#ifdef __cplusplus
}
#endif

#endif

#include "CPhoneNumber.h"

#include <cstring>
#include <set>
#include <string>

#include <phonenumbers/phonenumberutil.h>

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

namespace {

// The region for numbers in E.164 form.
const char *const unknown_region = "ZZ";

void copy(const std::string &text, char *to, size_t size) {
    const size_t length = text.size() < size ? text.size() : 0;
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
}

kith_phone_verdict verdict(PhoneNumberUtil::ErrorType error) {
    switch (error) {
    case PhoneNumberUtil::NO_PARSING_ERROR: return kith_phone_is_usable;
    case PhoneNumberUtil::INVALID_COUNTRY_CODE_ERROR: return kith_phone_lacks_country;
    case PhoneNumberUtil::TOO_SHORT_AFTER_IDD:
    case PhoneNumberUtil::TOO_SHORT_NSN: return kith_phone_is_too_short;
    case PhoneNumberUtil::TOO_LONG_NSN: return kith_phone_is_too_long;
    case PhoneNumberUtil::NOT_A_NUMBER: break;
    }
    return kith_phone_is_no_number;
}

kith_phone_verdict verdict(PhoneNumberUtil::ValidationResult result) {
    switch (result) {
    case PhoneNumberUtil::IS_POSSIBLE: return kith_phone_is_usable;
    case PhoneNumberUtil::INVALID_COUNTRY_CODE: return kith_phone_lacks_country;
    case PhoneNumberUtil::TOO_SHORT: return kith_phone_is_too_short;
    case PhoneNumberUtil::TOO_LONG: return kith_phone_is_too_long;
    // A number without its area code, or one whose length lies between two valid lengths.
    case PhoneNumberUtil::IS_POSSIBLE_LOCAL_ONLY:
    case PhoneNumberUtil::INVALID_LENGTH: break;
    }
    return kith_phone_is_not_possible;
}

// Whether a text message to a number of this type reaches a person at the usual price.
bool takes_text(PhoneNumberUtil::PhoneNumberType type) {
    switch (type) {
    case PhoneNumberUtil::FIXED_LINE:
    case PhoneNumberUtil::MOBILE:
    case PhoneNumberUtil::FIXED_LINE_OR_MOBILE:
    case PhoneNumberUtil::VOIP:
    case PhoneNumberUtil::PERSONAL_NUMBER: return true;
    default: return false;
    }
}

// Reads an international number for which no region is known. It begins with a plus sign or with 00, the international prefix that
// ITU-T E.164 recommends and that Germany, like most countries, dials.
PhoneNumberUtil::ErrorType parse_international(const PhoneNumberUtil &util, const std::string &text, PhoneNumber *number) {
    const auto error = util.ParseAndKeepRawInput(text, "DE", number);
    if (error != PhoneNumberUtil::NO_PARSING_ERROR) return error;
    const bool names_country = number->country_code_source() != PhoneNumber::FROM_DEFAULT_COUNTRY
        && number->country_code_source() != PhoneNumber::FROM_NUMBER_WITHOUT_PLUS_SIGN;
    return names_country ? error : PhoneNumberUtil::INVALID_COUNTRY_CODE_ERROR;
}

// Whether a number that is not known to be assigned begins with its country's trunk prefix, or with a zero that no number of its plan
// begins with: "+44 0 1234 …". No such number exists, and each would be a second spelling of another one.
bool has_trunk_prefix(const PhoneNumberUtil &util, const PhoneNumber &number) {
    if (number.italian_leading_zero()) return true;
    std::string region, prefix, national;
    util.GetRegionCodeForCountryCode(number.country_code(), &region);
    util.GetNddPrefixForRegion(region, true, &prefix);
    util.GetNationalSignificantNumber(number, &national);
    return !prefix.empty() && national.compare(0, prefix.size(), prefix) == 0;
}

}  // namespace

kith_phone_verdict kith_phone_parse(const char *text, size_t length, const char *region, char e164[kith_phone_size]) {
    const PhoneNumberUtil &util = *PhoneNumberUtil::GetInstance();
    PhoneNumber number;
    const std::string given(text, length);
    const auto parsed = verdict(*region ? util.Parse(given, region, &number) : parse_international(util, given, &number));
    if (parsed != kith_phone_is_usable) return parsed;
    // An extension can be dialled, but not texted. The number without it is a different line.
    if (number.has_extension()) return kith_phone_takes_no_text;
    const auto possible = verdict(util.IsPossibleNumberWithReason(number));
    if (possible != kith_phone_is_usable) return possible;
    // A range that was opened after this package was made is possible, but not yet valid. Its numbers belong to people.
    if (!util.IsValidNumber(number)) {
        if (has_trunk_prefix(util, number)) return kith_phone_is_not_possible;
    } else if (!takes_text(util.GetNumberType(number))) {
        return kith_phone_takes_no_text;
    }
    std::string formatted;
    util.Format(number, PhoneNumberUtil::E164, &formatted);
    // E.164 has at most 15 digits. The library accepts two more.
    if (formatted.size() < 8 || formatted.size() > 16) {
        return formatted.size() < 8 ? kith_phone_is_too_short : kith_phone_is_too_long;
    }
    // Some prefixes are removed once at a time: "+52 1 1 …" becomes "+52 1 …", which reads as another number.
    PhoneNumber again;
    std::string stable;
    if (util.Parse(formatted, unknown_region, &again) != PhoneNumberUtil::NO_PARSING_ERROR) return kith_phone_is_not_possible;
    util.Format(again, PhoneNumberUtil::E164, &stable);
    if (stable != formatted) return kith_phone_is_not_possible;
    copy(formatted, e164, kith_phone_size);
    return kith_phone_is_usable;
}

void kith_phone_region(const char *e164, char region[kith_phone_region_size]) {
    const PhoneNumberUtil &util = *PhoneNumberUtil::GetInstance();
    PhoneNumber number;
    std::string code;
    if (util.Parse(e164, unknown_region, &number) == PhoneNumberUtil::NO_PARSING_ERROR) {
        util.GetRegionCodeForNumber(number, &code);
    }
    // "001" stands for numbers without a region, such as a satellite phone's.
    copy(code.size() == 2 && code != unknown_region ? code : std::string(), region, kith_phone_region_size);
}

int kith_phone_knows_region(const char *region) {
    return PhoneNumberUtil::GetInstance()->GetCountryCodeForRegion(region) != 0;
}

void kith_phone_regions(char regions[kith_phone_regions_size]) {
    std::set<std::string> known;
    PhoneNumberUtil::GetInstance()->GetSupportedRegions(&known);
    std::string text;
    for (const std::string &region : known) {
        if (region.size() == 2) text += region;
    }
    copy(text, regions, kith_phone_regions_size);
}

int kith_phone_calling_code(const char *region) {
    return PhoneNumberUtil::GetInstance()->GetCountryCodeForRegion(region);
}

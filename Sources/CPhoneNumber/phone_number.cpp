#include "CPhoneNumber.h"

#include <cstring>
#include <string>

#include <phonenumbers/phonenumberutil.h>

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

namespace {

// The region for numbers that contain their country code.
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

}  // namespace

kith_phone_verdict kith_phone_parse(const char *text, size_t length, const char *region, char e164[kith_phone_size]) {
    const PhoneNumberUtil &util = *PhoneNumberUtil::GetInstance();
    PhoneNumber number;
    const auto parsed = verdict(util.Parse(std::string(text, length), *region ? region : unknown_region, &number));
    if (parsed != kith_phone_is_usable) return parsed;
    // An extension can be dialled, but not texted. The number without it is a different line.
    if (number.has_extension()) return kith_phone_takes_no_text;
    const auto possible = verdict(util.IsPossibleNumberWithReason(number));
    if (possible != kith_phone_is_usable) return possible;
    if (!util.IsValidNumber(number)) return kith_phone_is_not_in_use;
    if (!takes_text(util.GetNumberType(number))) return kith_phone_takes_no_text;
    std::string formatted;
    util.Format(number, PhoneNumberUtil::E164, &formatted);
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

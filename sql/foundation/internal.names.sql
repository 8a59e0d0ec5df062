-- Validates names, and supplies fallbacks: a name is never null in an answer or a notification.

create or replace function internal.is_name(p_name text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select
    -- At least one visible character: not only spaces, blanks, combining marks or parts of a sequence.
    p_name ~ ('[^\u0001-\u0020\u007F-\u00A0\u00AD\u0300-\u036F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u1AB0-\u1AFF\u1DC0-\u1DFF'
      '\u2000-\u200F\u2028-\u202F\u205F-\u206F\u20D0-\u20FF\u2800\u3000\u3164\uFE00-\uFE0F\uFE20-\uFE2F\uFEFF\uFFA0\uFFF0-\uFFFB'
      '\U0001BCA0-\U0001BCA3\U0001D159\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]')
    -- No character that changes the direction of the surrounding text, or that is invisible.
    and p_name !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u034F\u115F\u1160\u17B4\u17B5\u200B\u2028-\u202E\u2060-\u206F\u3164'
      '\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE\uFFFF\U00013430-\U00013455\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A'
      '\U000E0000-\U000E001F\U000E0080-\U000E00FF\U000E01F0-\U000E0FFF]')
    -- No stack of five combining marks: it would cover the lines above and below, and no script needs it.
    and p_name !~ '[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]{5}'
    -- Direction marks only in names with Hebrew or Arabic letters, where keyboards insert them. They reorder no letters, but other
    -- scripts do not need them.
    and (
      p_name !~ '[\u061C\u200E\u200F]'
      or p_name ~ '[\u05D0-\u05F2\u0620-\u08FF\uFB1D-\uFDFB\uFE70-\uFEFC\U00010800-\U00010FFF\U0001E800-\U0001EEFF]'
    )
    -- Joiners only in the scripts that use them, and in emoji.
    and p_name !~ ('(?<![\u0600-\u115E\u1161-\u1CFF\uA800-\uABFF\uFB50-\uFDCF\uFDF0-\uFDFF\uFE70-\uFEFC\U00010A00-\U00011FFF\U0001E900-\U0001E95F'
      '\u2190-\u2BFF\u3030\u303D\u3297\u3299\uFE0F\U0001F000-\U0001FAFF\U000E007F])[\u200C\u200D]')
    -- Variation selectors only after a character that they can modify, in Mongolian, in Chinese characters and in the flags of
    -- regions.
    and p_name !~ '(^|[\s\u200C\u200D\uFE00-\uFE0F])[\uFE00-\uFE0F]'
    and p_name !~ '(?<![\u1820-\u18AA])[\u180B-\u180F]'
    and p_name !~ '(?<![\u2E80-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFD])[\U000E0100-\U000E01EF]'
    and p_name !~ '(?<![\U0001F3F4\U000E0020-\U000E007E])[\U000E0020-\U000E007F]'
$$;
comment on function internal.is_name(text) is
  'Whether a text can be the name of a person, a vault, a document or a brand. It must have a visible character, and no direction control '
  'or invisible character by which one name could pass for another. Joiners and variation selectors are allowed where a script or an emoji '
  'needs them.';
grant execute on function internal.is_name(text) to kith_api;

create or replace function internal.name_error(p_field text, p_name text) returns jsonb
  language sql
  stable
  parallel safe
as $$
  select case
    when internal.is_name(p_name) is false
      then internal.field_error(p_field, 'must have a visible character, and none that is invisible or changes the direction of text')
    -- A person's name opens the messages that Kith sends to strangers. It must not carry a link of its own.
    when p_field = 'display_name' and p_name ~* '(://|\mwww\.|\.[a-z]{2,}/|\.(com|net|org|info|biz|io|app|link|click|xyz|top|site|online|shop)\M)'
      then internal.field_error(p_field, 'must not contain the address of a website')
    else '[]'
  end
$$;
comment on function internal.name_error(text, text) is
  'Why a text cannot be a name, for internal.refuse_fields. Empty if it can, and for null.';
grant execute on function internal.name_error(text, text) to kith_api;

create or replace function internal.require_name(p_field text, p_name text) returns void
  language plpgsql
as $$
begin
  perform internal.refuse_fields(internal.name_error(p_field, p_name));
end
$$;
comment on function internal.require_name(text, text) is
  'Raises validation_failed for a text that cannot be a name. Called before each write of a name. Null passes.';
grant execute on function internal.require_name(text, text) to kith_api;

create or replace function internal.counterpart_name(p_name text, p_role text) returns text
  language sql
  immutable
  parallel safe
as $$
  select coalesce(nullif(btrim(p_name), ''), case p_role when 'sender' then 'Sender' else 'Receiver' end)
$$;
comment on function internal.counterpart_name(text, text) is
  'The display name of the other side of a connection, whose role is p_role, with the fallback for that role (P10).';
grant execute on function internal.counterpart_name(text, text) to kith_api;

create or replace function internal.name_of_anybody(p_name text) returns text
  language sql
  immutable
  parallel safe
as $$
  select coalesce(nullif(btrim(p_name), ''), 'Someone')
$$;
comment on function internal.name_of_anybody(text) is
  'The display name of a person without a role, with the fallback "Someone", which a deleted account has too.';
grant execute on function internal.name_of_anybody(text) to kith_api;

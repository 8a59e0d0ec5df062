-- Validates names, and supplies fallbacks: a name is never null in an answer or a notification.

create or replace function internal.is_name(p_name text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select
    -- At least one visible character: not only spaces, blanks, combining marks or parts of a sequence.
    p_name ~ ('[^\u0001-\u0020\u007F-\u00A0\u00AD\u0300-\u036F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F'
      '\u1AB0-\u1AFF\u1DC0-\u1DFF\u2000-\u200F\u2028-\u202F\u205F-\u206F\u20D0-\u20FF\u2800\u3000\u3164\uFE00-\uFE0F'
      '\uFE20-\uFE2F\uFEFF\uFFA0\uFFF0-\uFFFB\U0001BCA0-\U0001BCA3\U0001D159\U0001D173-\U0001D17A'
      '\U000E0000-\U000E0FFF]')
    -- No character that changes the direction of the surrounding text, or that is invisible.
    and p_name !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u034F\u115F\u1160\u17B4\u17B5\u200B\u2028-\u202E\u2060-\u206F'
      '\u3164\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE\uFFFF\U00013430-\U00013455\U0001BCA0-\U0001BCA3'
      '\U0001D173-\U0001D17A\U000E0000-\U000E001F\U000E0080-\U000E00FF\U000E01F0-\U000E0FFF]')
    -- No stack of five combining marks: it would cover the lines above and below, and no script needs it.
    and p_name !~ '[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]{5}'
    -- Direction marks only in names with Hebrew or Arabic letters, where keyboards insert them. They reorder no
    -- letters, but other scripts do not need them.
    and (
      p_name !~ '[\u061C\u200E\u200F]'
      or p_name ~ '[\u05D0-\u05F2\u0620-\u08FF\uFB1D-\uFDFB\uFE70-\uFEFC\U00010800-\U00010FFF\U0001E800-\U0001EEFF]'
    )
    -- Joiners only in the scripts that use them, and in emoji.
    and p_name !~ ('(?<![\u0600-\u115E\u1161-\u1CFF\uA800-\uABFF\uFB50-\uFDCF\uFDF0-\uFDFF\uFE70-\uFEFC'
      '\U00010A00-\U00011FFF\U0001E900-\U0001E95F\u2190-\u2BFF\u3030\u303D\u3297\u3299\uFE0F\U0001F000-\U0001FAFF'
      '\U000E007F])[\u200C\u200D]')
    -- Variation selectors only after a character that they can modify, in Mongolian, in Chinese characters and in the
    -- flags of regions.
    and p_name !~ '(^|[\s\u200C\u200D\uFE00-\uFE0F])[\uFE00-\uFE0F]'
    and p_name !~ '(?<![\u1820-\u18AA])[\u180B-\u180F]'
    and p_name !~ '(?<![\u2E80-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFD])[\U000E0100-\U000E01EF]'
    and p_name !~ '(?<![\U0001F3F4\U000E0020-\U000E007E])[\U000E0020-\U000E007F]'
$$;
comment on function internal.is_name(text) is
  'Whether a text can be the name of a person, a vault, a document or a brand. It must have a visible character, and '
  'no direction control or invisible character by which one name could pass for another. Joiners and variation '
  'selectors are allowed where a script or an emoji needs them.';
grant execute on function internal.is_name(text) to kith_api;

create or replace function internal.name_error(p_field text, p_name text) returns jsonb
  language sql
  stable
  parallel safe
as $$
  select case
    when internal.is_name(p_name) is false
      then internal.field_error(
        p_field, 'must have a visible character, and none that is invisible or changes the direction of text'
      )
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

create or replace function internal.in_lower_case(p_text text) returns text
  language sql
  immutable
  parallel safe
as $$
  -- lower() knows only ASCII in a database whose locale is C.
  select translate(
    lower(p_text), 'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЇЄҐЈЅΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ',
    'абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґјѕαβγδεζηθικλμνξοπρστυφχψω'
  )
$$;
comment on function internal.in_lower_case(text)
  is 'A text in lower case, in Latin, Cyrillic and Greek letters, whatever the locale of the database.';

create or replace function internal.without_titles(p_text text) returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_several constant text :=
  '(?i)^(?:prof|dr|dipl|mag)\.(?:-?(?:dr|med|phil|jur|iur|rer|nat|pol|oec|habil|ing|h|c|vet|dent|theol)\.)+';
  v_one constant text := '^(?:Dr|Prof|St|Ste|Sta|Mr|Mrs|Ms|Sr|Jr|Fr|Hr)\.(?=[A-Z][a-z]+(?:$|[,)-]))';
begin
  -- Nearly no name has a title that is written without a space.
  if p_text !~* '(?:^|[\s(])(?:prof|dr|dipl|mag|ste?|sta|mrs?|ms|sr|jr|fr|hr)\.\S' then
    return p_text;
  end if;
  return (
    select string_agg(
      part.words[1] || case
        -- Mag.theol.ru and Mr.Support are the names of hosts.
        when internal.is_host(array['', internal.in_lower_case(substring(name.rest from '^[^\s.!-,/:-@\[-^`{-~]*'))])
          then part.words[2]
        when name.title ~ v_several then ' ' || name.rest
        else name.rest
      end, '' order by part.n
    )
    from regexp_matches(p_text, '([\s(]*)([^\s(]*)', 'g') with ordinality as part (words, n)
    cross join lateral (
      select coalesce(substring(part.words[2] from v_several), substring(part.words[2] from v_one), '') as title
    ) as found
    cross join lateral (select found.title, substr(part.words[2], char_length(found.title) + 1) as rest) as name
  );
end
$$;
comment on function internal.without_titles(text) is
  'A text in which titles before a name, which are often written without a space (Dr.Weber, Dr.med.Weber), have lost '
  'their full stop, unless a top-level domain follows.';

create or replace function internal.without_look_alikes(p_text text) returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_text text := normalize(p_text, NFKC);
begin
  -- Invisible characters split an address for programs, but not for people.
  v_text := regexp_replace(
    v_text, '[\u00AD\u034F\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFE00-\uFE0F\uFEFF\U000E0000-\U000E0FFF]', '',
    'g'
  );
  v_text := internal.without_titles(v_text);
  v_text := regexp_replace(v_text, '(&\s*|\mund\s+)Co\.(?=KG(?:$|[\s,)]))', '\1Co ', 'g');
  -- In Catalan a dot stands between two l: Gal·la.
  v_text := regexp_replace(v_text, '(?<![lL])\u00B7|\u00B7(?![lL])', '.', 'g');
  v_text := translate(v_text, U&'\3002\2027\2219\22C5\2022\06D4\0701\0702\A4F8\A78F\1427', '...........');
  v_text := regexp_replace(
    v_text, '\s*[\[({<]\s*(?:\.|dot|punkt|point|punto|\u0442\u043E\u0447\u043A\u0430)\s*[\])}>]\s*', '.', 'gi'
  );
  v_text := regexp_replace(v_text, '\s+\.\s*', '.', 'g');
  return internal.in_lower_case(v_text);
end
$$;
comment on function internal.without_look_alikes(text) is
  'A text in lower case as somebody who copies an address out of it reads it: with plain letters for wide and framed '
  'ones, with full stops for dots that look like one and for "[.]" and "(dot)", and without what is invisible. Titles '
  'before a name lose their full stop.';

create or replace function internal.is_host(p_labels text[]) returns boolean
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_label text;
begin
  for v_n in 2..cardinality(p_labels) loop
    -- evil.ru-login is read as evil.ru. An abbreviation in the middle, as in A.M.de.Vries, is no name of a host.
    continue when v_n < cardinality(p_labels) and char_length(p_labels[v_n - 1]) < 2;
    v_label := case
      when left(p_labels[v_n], 4) = 'xn--' then p_labels[v_n]
      else substring(p_labels[v_n] from '^[^-_\u2190-\u2BFF\U0001F000-\U0001FAFF]*')
    end;
    if v_label <> '' and (
      internal.is_top_level_domain(v_label)
      -- Cyrillic and Greek letters that look like Latin ones.
      or internal.is_top_level_domain(translate(v_label, 'асеорхуіѕјкмтгнвοανικρτυχ', 'aceopxyisjkmtrhboavikptux'))
    ) then
      return true;
    end if;
  end loop;
  return false;
end
$$;
comment on function internal.is_host(text[]) is
  'Whether labels between full stops, in lower case, are the name of a host: one after the first is a top-level '
  'domain.';

create or replace function internal.holds_address(p_text text) returns boolean
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_text text;
begin
  -- Nearly no name has one of these characters, without which there is no address.
  if p_text !~ ('[.:@\[\u00B7\u06D4\u0701\u0702\u1427\u2022\u2024-\u2027\u2219\u22C5\u3002\uA4F8\uA78F\uFE12\uFE13'
    '\uFE19\uFE30\uFE52\uFE55\uFE6B\uFF0E\uFF1A\uFF20\uFF61\u2488-\u249B]|[({<]\s*\w+\s*[>})]')
  then
    return false;
  end if;
  v_text := internal.without_look_alikes(p_text);
  return
    -- A scheme, also with slashes that browsers put right, and what opens a program without slashes.
    v_text ~ '\m[a-z][a-z0-9+.-]*\s*:\s*[/\\]\s*[/\\]'
    or v_text ~ '\m(?:mailto|javascript|https?|hxxps?)\s*:\s*\S|\m(?:tel|sms|data):\S'
    or v_text ~ '\mwww[0-9]*\.\S'
    -- Somebody at a host.
    or v_text ~ '[^\s@]@(?:[^\s@]+\.[^\s@.]|\[|localhost)|[^\s:@]:[^\s:@]+@[^\s@]'
    -- IPv4, also with hexadecimal parts, and IPv6. A date has three parts, a time two colons.
    or v_text ~ '(?<![0-9.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?!\.?[0-9])|\m0x[0-9a-f]+[./:]'
    or v_text ~
      '\[[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*(?:%[^\]]*)?\]|\m(?:[0-9a-f]{1,4}:){7}[0-9a-f]|\m(?:[0-9a-f]{1,4}:){1,6}:|::['
      '0-9a-f]{1,4}\M'
    or exists (
      select
      from regexp_matches(
        v_text,
        '((?:[^\s.!-,/:-@\[-^`{-~\u0080-\u00A9\u00AB-\u00B6\u00B8-\u00BF\u2000-\u206F\u3000-\u303F]+\.)+'
        '[^\s.!-,/:-@\[-^`{-~\u0080-\u00A9\u00AB-\u00B6\u00B8-\u00BF\u2000-\u206F\u3000-\u303F]+)', 'g'
      ) as found (host)
      where internal.is_host(string_to_array(found.host[1], '.'))
    );
end
$$;
comment on function internal.holds_address(text) is
  'Whether a text has in it what a reader or their phone could take for the address of a website, a mailbox or a host. '
  'It is asked for each name in each message (internal.shown_name), and never refuses one.';

create or replace function internal.shown_name(p_name text) returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  -- As a function in SQL, it would be parsed and planned for each statement, because the planner cannot inline it.
  return case when internal.holds_address(p_name) then null else nullif(btrim(p_name), '') end;
end
$$;
comment on function internal.shown_name(text) is
  'A name that somebody has given themselves, somebody else, a vault or a brand, as it may stand in messages of Kith: '
  'null, for which the fallback stands, if it holds an address. A stranger''s link would read there as one of Kith.';
grant execute on function internal.shown_name(text) to kith_api, kith_worker;
grant execute on function internal.holds_address(text) to kith_api, kith_worker;

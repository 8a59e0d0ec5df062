-- The picture of a tenant's app. Whoever has a key of the tenant chooses it, and everybody's browser decodes it.

create or replace function internal.png_number(p_png bytea, p_at integer) returns bigint
  language sql
  immutable
  parallel safe
as $$
  select ('x' || encode(substr(p_png, p_at, 4), 'hex'))::bit(32)::bigint
$$;
comment on function internal.png_number(bytea, integer)
  is 'The number in four bytes of a PNG, the first of which is p_at, counted from 1.';

create or replace function internal.bare_png(p_png bytea) returns bytea
  language plpgsql
  immutable
as $$
declare
  v_bare bytea := substr(p_png, 1, 8);
  v_at integer := 9;
  v_length bigint;
  v_name text;
  v_has_data boolean := false;
begin
  -- A chunk is its length, its name, its data and a check sum.
  while v_at + 11 <= octet_length(p_png) loop
    v_length := internal.png_number(p_png, v_at);
    v_name := encode(substr(p_png, v_at + 4, 4), 'escape');
    if v_length > octet_length(p_png) - v_at - 11
      -- Some decoders take the second of two headers.
      or (v_name = 'IHDR') <> (v_at = 9)
    then
      return null;
    end if;
    if v_name = 'IEND' then
      return case when v_has_data then v_bare || '\x0000000049454e44ae426082' end;
    end if;
    if v_name = any ('{IHDR,PLTE,tRNS,gAMA,cHRM,sRGB,sBIT,IDAT}') then
      v_bare := v_bare || substr(p_png, v_at, v_length::integer + 12);
    end if;
    v_has_data := v_has_data or v_name = 'IDAT';
    v_at := v_at + v_length::integer + 12;
  end loop;
  return null;
end
$$;
comment on function internal.bare_png(bytea) is
  'A PNG without what draws nothing: places and names of its maker, profiles and texts that are packed once more, the '
  'further pictures of an animation, and what follows its end, where files of other kinds hide. Null if it is cut off '
  '(PNG, third edition, chapter 5).';

create or replace function internal.brand_mark_refusal(p_png bytea) returns text
  language plpgsql
  immutable
as $$
declare
  v_width bigint;
  v_height bigint;
begin
  -- The header comes first, and has 13 bytes.
  if octet_length(p_png) < 33 or substr(p_png, 1, 16) <> '\x89504e470d0a1a0a0000000d49484452' then
    return 'must be a PNG picture in base64, without "data:" before it; convert an SVG, a JPEG or a WebP to PNG first';
  end if;
  if octet_length(p_png) > 24576 then
    return format(
      'must be a PNG of at most 24 KiB, and has %s KiB; 192 × 192 pixels are enough, with a palette of few colours',
      ceil(octet_length(p_png) / 1024.0)
    );
  end if;
  v_width := internal.png_number(p_png, 17);
  v_height := internal.png_number(p_png, 21);
  if v_width <> v_height then
    return format('must be a square, and has %s × %s pixels; add a margin at its longer sides', v_width, v_height);
  end if;
  if v_width not between 64 and 512 then
    return format('must have from 64 to 512 pixels on each side, and has %s; 192 look sharp on a Home Screen', v_width);
  end if;
  -- The depth goes with the kind of colour, and there is one way of compressing, one of filtering, and two of
  -- interlacing.
  if format('%s/%s', get_byte(p_png, 25), get_byte(p_png, 24)) <> all (
    '{0/1,0/2,0/4,0/8,0/16,2/8,2/16,3/1,3/2,3/4,3/8,4/8,4/16,6/8,6/16}'
  )
    or get_byte(p_png, 26) + get_byte(p_png, 27) > 0 or get_byte(p_png, 28) > 1 or internal.bare_png(p_png) is null
  then
    return 'must be a whole PNG picture, and this one is damaged or cut off; export it again';
  end if;
  return null;
end
$$;
comment on function internal.brand_mark_refusal(bytea) is
  'Why a picture cannot be a tenant''s mark, with what to send instead; null if it can. Its size bounds what a browser '
  'unpacks: a megabyte, or two with 16 bits a colour. The pixels themselves are not unpacked here.';

create or replace function internal.read_brand_mark(p_text text) returns bytea
  language plpgsql
as $$
declare
  v_png bytea := '';
  v_refusal text;
begin
  begin
    v_png := decode(p_text, 'base64');
  exception when invalid_parameter_value then
    -- It is refused below, as what is no PNG.
    null;
  end;
  v_refusal := internal.brand_mark_refusal(v_png);
  if v_refusal is not null then
    perform internal.refuse_fields(internal.field_error('brand_mark', v_refusal));
  end if;
  return internal.bare_png(v_png);
end
$$;
comment on function internal.read_brand_mark(text)
  is 'The picture that a tenant sends as base64, as it is kept. Raises validation_failed.';

create or replace function internal.brand_mark_path(p_slug text, p_mark text) returns text
  language sql
  immutable
  parallel safe
as $$
  select '/assets/mark-' || p_slug || '-' || p_mark || '.png'
$$;
comment on function internal.brand_mark_path(text, text) is
  'The path of a tenant''s mark, which changes with the picture, so that browsers may keep it for ever; null without '
  'one. The slug leads to the tenant and to its cell.';

create or replace function internal.keep_brand_mark(p_tenant kith.tenants, p_settings jsonb) returns jsonb
  language plpgsql
as $$
declare
  v_given text := p_settings ->> 'brand_mark';
  v_picture bytea;
begin
  -- Whoever sends the settings back as they read them changes no picture.
  if not p_settings ? 'brand_mark' or v_given = internal.brand_mark_path(p_tenant.slug, p_tenant.brand_mark) then
    return p_settings - 'brand_mark';
  end if;
  if v_given is null then
    delete from kith.brand_marks where tenant_id = p_tenant.tenant_id;
    return p_settings;
  end if;
  v_picture := internal.read_brand_mark(v_given);
  insert into kith.brand_marks (tenant_id, picture) values (p_tenant.tenant_id, v_picture)
  on conflict (tenant_id) do update set picture = excluded.picture;
  return p_settings || jsonb_build_object(
    'brand_mark', format('%s-%s', internal.png_number(v_picture, 17), left(encode(sha256(v_picture), 'hex'), 16))
  );
end
$$;
comment on function internal.keep_brand_mark(kith.tenants, jsonb) is
  'Keeps the picture among new settings, or deletes the kept one for null, and returns the settings with its name in '
  'its place: no row of the tenant and of the audit has the picture itself. For internal.change_tenant, which holds '
  'the lock of the tenant.';

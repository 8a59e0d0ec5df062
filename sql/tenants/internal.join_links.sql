create or replace function internal.host_of(p_url text) returns text
  language sql
  immutable
  parallel safe
as $$
  select lower(substring(p_url from '^https?://([^/?#:]+)'))
$$;
comment on function internal.host_of(text) is 'The host of a web address without credentials, in lower case.';

create or replace function internal.join_link(p_tenant kith.tenants, p_public_url text) returns text
  language sql
  immutable
  parallel safe
as $$
  select coalesce(
    (p_tenant).join_link,
    'https://' || (p_tenant).universal_link_host || '/join',
    rtrim(p_public_url, '/') || '/join?t=' || (p_tenant).slug
  )
$$;
comment on function internal.join_link(kith.tenants, text) is
  'The link that a tenant''s invitations use: the one it has set, otherwise the join page on its own host, otherwise '
  'the page on this server, whose address is p_public_url.';

create or replace function internal.join_url(p_join_link text, p_code text) returns text
  language sql
  immutable
  parallel safe
as $$
  -- The link has no fragment, but it may have a query.
  select p_join_link
    || case when strpos(p_join_link, '?') = 0 then '?' when right(p_join_link, 1) in ('?', '&') then '' else '&' end
    || 'code=' || p_code
$$;
comment on function internal.join_url(text, text) is 'A tenant''s join link with a code in its query.';
grant execute on function internal.join_url(text, text) to kith_api;

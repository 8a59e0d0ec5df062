-- A new tenant's brand is its name, its links are the server's own, and its app has no scheme until it says so. Tenants that are there keep
-- what they have: who chose the old defaults cannot be told from who never looked at them.
alter table kith.tenants
  alter column brand_name drop default,
  alter column join_link drop default,
  alter column join_link drop not null,
  alter column link_scheme drop default,
  alter column link_scheme drop not null;
comment on column kith.tenants.brand_name is 'What people read as the app''s name, in messages and on pages. A new tenant''s is its name.';
comment on column kith.tenants.join_link is 'Where invitations to connect lead; null for the join page of this server (internal.join_link).';
comment on column kith.tenants.link_scheme is
  'The scheme of links that open the tenant''s app (RFC 3986, section 3.1), as in khandoba://nominee/invite; null where it has none: then no such link is made.';

-- What a tenant gives becomes a link on a page, or a line of a message: nothing in it may run, open another program, or hide where it
-- leads. What was written before there was this rule is mended where a fragment or http stands in the way, and else left out.
update kith.tenants
set link_scheme = null
where link_scheme !~ '^[a-z][a-z0-9+.-]{2,49}$'
  or link_scheme ~ '^(https?|wss?|s?ftps?|scp|ssh|telnet|file|data|(java|vb|j|live)script|mocha|blob|about|view-source|filesystem|resource|jar|res|its|mk|mhtml|hcp|help|wyciwyg|(chrome|moz|opera|edge|safari|ms|x-apple|app-prefs|prefs|itms|android|apple|search|shell|settings)([.+-].*)?|itms.*|market|content|intent|mailto|tel|telprompt|callto|smsto|sms|mmsto|mms|facetime.*|sips?|xmpp|ircs?|skype|msteams|zoommtg|zoomus|slack|discord|whatsapp|viber|tg|line|fb|fbmessenger|instagram|twitter|maps|geo|webcal|magnet|bitcoin|ethereum|lightning|upi|paypal|venmo|ldaps?|gopher|news|nntp|urn|cid|mid|vnc|rdp|steam|shortcuts|outlook|onenote)$';
update kith.tenants
set join_link = substring(
    regexp_replace(join_link, '^https?://([^#]*).*$', 'https://\1')
    from '^https://[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?(?:[/?][]A-Za-z0-9._~:/?@!$&''()*+,;=%[-]*)?$'
  ),
  app_link = substring(
    regexp_replace(app_link, '^([^#]*).*$', '\1')
    from '^https://[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?(?:[/?][]A-Za-z0-9._~:/?@!$&''()*+,;=%[-]*)?$'
  ),
  universal_link_host = substring(
    universal_link_host from '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$'
  ),
  name = regexp_replace(name, '[[:cntrl:]]', ' ', 'g'),
  brand_name = regexp_replace(brand_name, '[[:cntrl:]]', ' ', 'g');
update kith.tenants set join_link = null where char_length(join_link) > 500;

alter table kith.tenants
  drop constraint tenants_name_is_short,
  add constraint tenants_name_is_short check (char_length(name) between 1 and 200 and name !~ '[[:cntrl:]]'),
  drop constraint tenants_brand_is_short,
  add constraint tenants_brand_is_short check (char_length(brand_name) between 1 and 80 and brand_name !~ '[[:cntrl:]]'),
  drop constraint tenants_join_link_is_https,
  add constraint tenants_join_link_is_https check (
    join_link ~ '^https://[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?([/?][]A-Za-z0-9._~:/?@!$&''()*+,;=%[-]*)?$'
    and char_length(join_link) <= 500
  ),
  drop constraint tenants_app_link_is_https,
  add constraint tenants_app_link_is_https check (
    app_link ~ '^https://[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?([/?][]A-Za-z0-9._~:/?@!$&''()*+,;=%[-]*)?$'
    and char_length(app_link) <= 500
  ),
  drop constraint tenants_host_is_a_name,
  add constraint tenants_host_is_a_name check (
    universal_link_host ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$' and char_length(universal_link_host) <= 253
  ),
  drop constraint tenants_link_scheme_is_one,
  add constraint tenants_link_scheme_is_one check (link_scheme ~ '^[a-z][a-z0-9+.-]{2,49}$'),
  -- Those that browsers and systems take for themselves. A scheme of one's own is best a domain of one's own, reversed: com.example.app.
  add constraint tenants_link_scheme_is_an_apps check (
    link_scheme !~ '^(https?|wss?|s?ftps?|scp|ssh|telnet|file|data|(java|vb|j|live)script|mocha|blob|about|view-source|filesystem|resource|jar|res|its|mk|mhtml|hcp|help|wyciwyg|(chrome|moz|opera|edge|safari|ms|x-apple|app-prefs|prefs|itms|android|apple|search|shell|settings)([.+-].*)?|itms.*|market|content|intent|mailto|tel|telprompt|callto|smsto|sms|mmsto|mms|facetime.*|sips?|xmpp|ircs?|skype|msteams|zoommtg|zoomus|slack|discord|whatsapp|viber|tg|line|fb|fbmessenger|instagram|twitter|maps|geo|webcal|magnet|bitcoin|ethereum|lightning|upi|paypal|venmo|ldaps?|gopher|news|nntp|urn|cid|mid|vnc|rdp|steam|shortcuts|outlook|onenote)$'
  );

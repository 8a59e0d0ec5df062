-- A browser says its origin as scheme, host and port, without a path or a last slash: anything else would never match.
alter table kith.tenants add constraint tenants_origins_are_origins check (
  array_position(allowed_origins, null) is null
  and array_to_string(allowed_origins, ' ') ~ '^(https?://[a-z0-9.-]+(:[0-9]{1,5})?( https?://[a-z0-9.-]+(:[0-9]{1,5})?)*)?$'
);
comment on column kith.tenants.allowed_origins is 'Web origins whose scripts may call the API from a browser, such as https://app.example.com.';

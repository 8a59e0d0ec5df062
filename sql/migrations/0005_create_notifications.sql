create table kith.notifications (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  type text not null,
  title text not null,
  body text not null,
  data jsonb not null default '{}',
  created_at timestamptz not null,
  sent_at timestamptz,
  delivery_status text not null default 'queued'
    constraint notifications_delivery_status_is_known check (delivery_status in ('queued', 'sent', 'failed', 'dropped')),
  read_at timestamptz,
  constraint notifications_pkey primary key (tenant_id, id)
) partition by range (id);
create index notifications_of_user on kith.notifications (tenant_id, user_id, id);
create index notifications_unread on kith.notifications (tenant_id, user_id) where read_at is null;
create index notifications_queued on kith.notifications (id) where delivery_status = 'queued';
comment on table kith.notifications is 'One row per user and event: the row is the truth, a push only a hint of it. Monthly partitions by id.';
comment on column kith.notifications.id is 'UUID version 7 made from created_at: the partition follows from it.';
comment on column kith.notifications.body is 'Rendered when written, with the names of that moment.';

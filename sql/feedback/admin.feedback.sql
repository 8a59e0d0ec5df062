drop view if exists admin.feedback;
create view admin.feedback with (security_barrier, security_invoker) as
select tenant.slug as tenant, feedback.id, feedback.user_id, feedback.topic, feedback.rating, feedback.text,
  feedback.created_at
from kith.feedback as feedback
join kith.tenants as tenant on tenant.tenant_id = feedback.tenant_id;
comment on view admin.feedback is
  'What users think of an invitation, a share or the app (A10). The average of each topic: select topic, avg(rating), '
  'count(*) from admin.feedback group by topic;';
comment on column admin.feedback.tenant is 'The tenant''s slug.';
comment on column admin.feedback.id is 'A UUID version 7: the newest has the highest.';
comment on column admin.feedback.user_id is 'The user who wrote it.';
comment on column admin.feedback.topic is 'invitation, share or app.';
comment on column admin.feedback.rating is 'From 1, bad, to 5, good.';
comment on column admin.feedback.text
  is 'What the user wrote for the operator and the tenant to read; null if nothing.';
comment on column admin.feedback.created_at is 'When it was given.';
grant select on admin.feedback to kith_reader;

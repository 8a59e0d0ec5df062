-- A statement that waits for a row holds a connection of the server, and the statement behind it waits as well. Both are over before
-- the server takes the connection for dead (three seconds); a deadlock is still found first (deadlock_timeout, one second).
-- Only who made the role may change it.
reset role;
alter role kith_api set lock_timeout = '1200ms';
set local role kith_owner;

grant select on kith.disk_samples to kith_reader;

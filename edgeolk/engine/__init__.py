"""One model in one block: attached, learned one row at a time, rebuilt after a restart."""

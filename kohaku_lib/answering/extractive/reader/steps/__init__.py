"""Questions that are answered from values read one by one."""

"""What the command line, the server and schedules share."""

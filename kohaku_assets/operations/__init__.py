"""Operations shared by the command line, the server and schedules."""

"""The changes of the assistant's database, each after the one that its `down_revision` names."""

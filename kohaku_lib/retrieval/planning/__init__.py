"""Questions to query plans: rules, chat models, routing, spelling."""

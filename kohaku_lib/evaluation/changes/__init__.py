"""Why an answer changed between two experiments."""

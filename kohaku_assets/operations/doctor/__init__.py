"""`kohaku doctor`: find what is damaged in a store and outside of it, and mend it."""

"""Write into the text of Word files what Word computes or keeps apart from it, before they become HTML."""

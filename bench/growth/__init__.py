"""How time grows with the budget, the features, the non-zeros and the rows."""

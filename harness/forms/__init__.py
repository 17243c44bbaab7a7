"""Forms in which a page can be given to a policy: the project's own and those of others, to compare what they cost."""

"""The mock web shop: static pages and the world they show."""

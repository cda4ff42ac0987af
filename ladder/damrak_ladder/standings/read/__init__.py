"""Read access to published ratings: tables, histories, forecasts and estimates."""

"""The pages with which organisers create and run tournaments."""

"""The OpenAPI 3.1 description of the API.

refusals    the codes of problems, and their declaration by operations
openapi     the description itself
headers     header fields of requests and answers
links       links from answers to other operations
examples    answers of a real site, recorded by `.ci/regen-api`
"""

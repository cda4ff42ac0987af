"""The texts of the site in other languages: found, brought into catalogues, checked, compiled.

For whoever works on the platform; nothing that runs for others imports this.
"""

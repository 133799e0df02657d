"""Tables of lakes, and files in object storage: copied here to be read, committed there to be written."""

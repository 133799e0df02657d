"""Tables: engines, reading, writing, and the frequency table."""

"""What tests share: tables, references, servers."""

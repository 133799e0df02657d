"""What a job tells its owner: JSON, HTML and plots."""

"""What is trained, and the scripted policies it is measured against."""

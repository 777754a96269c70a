"""What exported learners cost on emulated microcontrollers."""

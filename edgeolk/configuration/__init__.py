"""What a configuration is made of: its arguments checked one by one, and the record they become.

``edgeolk.config`` joins them with the planner, which reads the record: nothing here imports either.
"""

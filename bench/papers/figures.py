"""stub"""
def draw_all(choices, jobs):
    pass

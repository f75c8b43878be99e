def lamp(on):
    return "lit" if on else "dark"

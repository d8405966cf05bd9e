"""The widgets of the viewer; each knows how to draw one thing."""

package cli

// Wire gives the real work behind the commands.
func Wire() Deps { return Deps{} }

module regreen

go 1.26.8

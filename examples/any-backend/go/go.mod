module any-backend

go 1.19

package remote

// ServeWith is Serve with further options of the server.
var ServeWith = serve

package remote

// ServeWith is Serve with further options of the server.
var ServeWith = serve

// Dial is how a method's process reaches what the run lends.
var Dial = dial

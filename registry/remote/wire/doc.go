// Package wire is the protocol between macpro and plugins in other processes:
// the messages and services of the .proto files with their generated code, and
// the conversions between them and the types of package core.
//
// Numbers keep their bits. Tensors are bytes, little-endian, so that neither a
// Go nor a Python process touches single elements; a decoded slice never shares
// memory with a message, an encoded one may (it is read before the call
// returns).
package wire

//go:generate ./generate.sh

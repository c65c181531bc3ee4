#!/bin/sh
# Writes the Go and Python code of the protocol. Needs protoc 3.21 (Debian's
# protobuf-compiler) and the two generators; the versions are those that fit the
# modules of go.mod:
#   go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
#   go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
set -eu
cd "$(dirname "$0")/../../.."
for kind in plugin env learner method; do
  protoc -I macpro_plugin=registry/remote/wire \
    --go_out=. --go_opt=module=macpro \
    --go-grpc_out=. --go-grpc_opt=module=macpro,require_unimplemented_servers=false \
    "macpro_plugin/$kind.proto"
done
# The kit for Python makes its stubs from the descriptions of the services.
protoc -I macpro_plugin=registry/remote/wire --python_out=sdk/python \
  macpro_plugin/plugin.proto macpro_plugin/env.proto macpro_plugin/learner.proto macpro_plugin/method.proto

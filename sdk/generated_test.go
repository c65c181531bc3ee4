package sdk_test

import (
	"bytes"
	"encoding/base64"
	"os/exec"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	_ "macpro/registry/remote/wire" // registers the files of the protocol
)

const printFiles = `
import base64
from macpro_plugin import env_pb2, learner_pb2, method_pb2, plugin_pb2
for m in plugin_pb2, env_pb2, learner_pb2, method_pb2:
    print(base64.b64encode(m.DESCRIPTOR.serialized_pb).decode())
`

// plainNames takes the names in JSON out of messages, which Python's code lacks.
func plainNames(messages []*descriptorpb.DescriptorProto) {
	for _, m := range messages {
		for _, f := range m.Field {
			f.JsonName = nil
		}
		plainNames(m.NestedType)
	}
}

// The generated code of the kit describes the protocol that this program speaks.
func TestGeneratedCode(t *testing.T) {
	withPython(t, "google.protobuf", "python3-protobuf")
	cmd := exec.Command("python3", "-c", printFiles)
	cmd.Dir = "python"
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Fields(out)
	if len(lines) != 4 {
		t.Fatalf("%d files", len(lines))
	}
	for _, line := range lines {
		data, err := base64.StdEncoding.DecodeString(string(line))
		if err != nil {
			t.Fatal(err)
		}
		there := &descriptorpb.FileDescriptorProto{}
		if err := proto.Unmarshal(data, there); err != nil {
			t.Fatal(err)
		}
		file, err := protoregistry.GlobalFiles.FindFileByPath(there.GetName())
		if err != nil {
			t.Fatal(err)
		}
		here := protodesc.ToFileDescriptorProto(file)
		plainNames(here.MessageType)
		if !proto.Equal(here, there) {
			t.Errorf("%s: run registry/remote/wire/generate.sh; Go has\n%s\nPython\n%s", there.GetName(), prototext.Format(here), prototext.Format(there))
		}
	}
}

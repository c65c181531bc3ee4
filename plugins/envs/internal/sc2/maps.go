package sc2

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"macpro/core/files"
	"macpro/core/names"
)

const suffix = ".SC2Map"

// magic is how the archives begin in which maps come.
var magic = []byte("MPQ")

// readMap returns the bytes of a map file.
func (in *install) readMap(name string) ([]byte, error) {
	for _, dir := range in.maps {
		path := filepath.Join(dir, name+suffix)
		data, err := files.Read(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("StarCraft II map: %w", err)
		case !bytes.HasPrefix(data, magic):
			return nil, fmt.Errorf("%s is no StarCraft II map: it does not begin with %s; it may be a pointer or a page "+
				"that was downloaded in place of the file", path, magic)
		}
		return data, nil
	}
	return nil, in.noMap(name)
}

// noMap says what is missing: the folder or the file.
func (in *install) noMap(name string) error {
	places := strings.Join(in.maps, " or ")
	known := in.mapNames()
	if len(known) > 0 {
		err := names.Unknown("StarCraft II map in "+places, name, known)
		return fmt.Errorf("%w; the game needs %s%s there (%s)", err, name, suffix, help)
	}
	hint := ""
	if wrong := filepath.Join(in.root, "maps"); exists(wrong) && !exists(filepath.Join(in.root, "Maps")) {
		hint = fmt.Sprintf(" (there is %s, but the name must be Maps)", wrong)
	}
	return fmt.Errorf("StarCraft II: no maps in %s%s: copy %s%s and the others there; %s", places, hint, name, suffix, help)
}

func (in *install) mapNames() []string {
	var known []string
	for _, dir := range in.maps {
		list, _ := os.ReadDir(dir) // a missing folder holds no map
		for _, e := range list {
			if base, ok := strings.CutSuffix(e.Name(), suffix); ok {
				known = append(known, base)
			}
		}
	}
	return known
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

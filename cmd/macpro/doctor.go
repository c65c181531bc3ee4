package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"macpro/core/names"
	"macpro/core/nn"
	"macpro/registry/experiment"
)

func newDoctor() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Show what this machine offers: processor, kernels and their speed, disk, versions",
		Example: `  macpro doctor
  macpro doctor --out /data/results`,
		Args: exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var b strings.Builder
			doctorProcessor(&b)
			doctorSpeed(&b)
			sick := doctorDisk(&b, out)
			doctorVersions(&b)
			_, err := io.WriteString(cmd.OutOrStdout(), b.String())
			return errors.Join(sick, err)
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the results")
	return cmd
}

func doctorProcessor(w *strings.Builder) {
	var have []string
	for _, f := range []struct {
		name string
		has  bool
	}{{"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA}, {"avx512f", cpu.X86.HasAVX512F}, {"avx512bf16", cpu.X86.HasAVX512BF16}, {"asimd", cpu.ARM64.HasASIMD}} {
		if f.has {
			have = append(have, f.name)
		}
	}
	fmt.Fprintf(w, "processor   %s, %s, GOMAXPROCS %d\nfeatures    %s\n",
		runtime.GOARCH, names.Many(runtime.NumCPU(), "thread"), runtime.GOMAXPROCS(0), strings.Join(append(have, "-")[:max(1, len(have))], " "))
}

// doctorSpeed measures one thread for about a second. Other programs can only
// slow a measurement down, so the best of many short ones counts: they are shorter
// than the slice of time that a system gives to a program.
func doctorSpeed(w *strings.Builder) {
	const rounds, d = 70, 3 * time.Millisecond
	shapes := [...][3]int{{64, 128, 128}, {1600, 128, 128}, {256, 256, 256}}
	var peak, peakBF16 float64
	var rate [len(shapes)]float64
	for range rounds {
		peak, peakBF16 = max(peak, nn.Peak(d)), max(peakBF16, nn.PeakBF16(d))
		for i, s := range shapes {
			rate[i] = max(rate[i], nn.Rate(s[0], s[1], s[2], d))
		}
	}
	fmt.Fprintf(w, "kernels     %s, peak %.1f GFLOP/s a thread\n", nn.KernelPath(), peak)
	fmt.Fprintf(w, "            precision bf16: %s", nn.BF16Means())
	if peakBF16 > 0 {
		fmt.Fprintf(w, ", peak %.1f GFLOP/s a thread", peakBF16)
	}
	fmt.Fprintln(w)
	for i, s := range shapes {
		fmt.Fprintf(w, "            gemm %dx%dx%d: %.1f GFLOP/s, %.0f %% of the peak\n", s[0], s[1], s[2], rate[i], 100*rate[i]/peak)
	}
}

// doctorDisk looks at the folder of the results or, if it does not exist yet, at the
// nearest one above it, in which it would be made. It writes a file there.
func doctorDisk(w *strings.Builder, dir string) error {
	at, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for {
		if _, err = os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	var s unix.Statfs_t
	if err := unix.Statfs(at, &s); err != nil {
		return fmt.Errorf("disk of %s: %w", names.Plain(dir), err)
	}
	trial, err := os.MkdirTemp(at, ".macpro-doctor-")
	if err == nil {
		err = os.Remove(trial)
	}
	if err != nil {
		return fmt.Errorf("results cannot be written to %s: %w", names.Plain(dir), err)
	}
	fmt.Fprintf(w, "disk        %s: writable, %.1f GB free\n", names.Plain(dir), float64(s.Bavail)*float64(s.Bsize)/1e9)
	return nil
}

func doctorVersions(w *strings.Builder) {
	fmt.Fprintf(w, "versions    macpro %s, %s\n", experiment.FullVersion(), runtime.Version())
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, m := range info.Deps {
		for _, want := range []string{"gorgonia.org/gorgonia", "gorgonia.org/tensor"} {
			if m.Path == want {
				fmt.Fprintf(w, "            %s %s\n", m.Path, m.Version)
			}
		}
	}
}

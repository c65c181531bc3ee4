package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/report/page"
	"macpro/core/report/read"
	"macpro/core/store"
	"macpro/registry/experiment"
)

func newReport() *cobra.Command {
	var f sourceFlags
	var file, listen string
	var serve bool
	cmd := &cobra.Command{
		Use:   "report [RUN...]",
		Short: "Write one HTML page with tables, curves, heads and runs",
		Long: `Writes one HTML file that needs nothing else. It has the tables and figures that
the runs give and every run with its settings. It shows which head acted in which
task and how heads were added. Of a sweep that --sweep names it shows the cells that
no run has begun. No request leaves the page.

--serve shows the same for runs in progress, to this machine only unless
--listen names another address. Without --sweep it shows such cells of all sweeps.
Nothing can be changed through it.`,
		Example: `  macpro report --sweep paper_main-reduced -o report.html
  macpro report results/runs/RUN1 results/runs/RUN2
  macpro report --sweep paper_main-reduced --serve`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(readBy(cmd, "--serve", serve, "listen"), readBy(cmd, "a page that is written, without --serve", !serve, "output")); err != nil {
				return err
			}
			render := func(live bool) ([]byte, error) {
				o, err := f.options()
				if err != nil {
					return nil, err
				}
				set, err := f.load(cmd.ErrOrStderr(), args)
				if err != nil {
					return nil, err
				}
				if len(set.Runs) == 0 && !live {
					return nil, f.ofSelection(set, &read.NoRunsError{What: "the report"})
				}
				p := page.Page{Title: "macpro: " + pageTitle(f, args), Version: experiment.FullVersion(), Set: set, Options: o, Live: live}
				if p.Cells, err = f.waiting(len(args) == 0 && live); err != nil {
					return nil, err
				}
				if !live {
					p.Dir = filepath.Dir(file)
				}
				var b bytes.Buffer
				err = page.Write(&b, p)
				return b.Bytes(), err
			}
			if serve {
				return servePage(cmd, listen, render)
			}
			data, err := render(false)
			if err != nil {
				return err
			}
			if err := store.WriteOutput(file, data); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), names.Plain(file))
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&file, "output", "o", "report.html", "file to write")
	cmd.Flags().BoolVar(&serve, "serve", false, "show the page in a browser instead, renewed while runs go on")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8017", "address for --serve; port 0 takes a free one")
	return cmd
}

func pageTitle(f sourceFlags, runs []string) string {
	switch {
	case len(f.sweeps) == 1:
		return "sweep " + f.sweeps[0]
	case f.from != "":
		return f.from
	case len(runs) == 1:
		return filepath.Base(runs[0])
	}
	return f.out
}

// servePage answers GET / with a fresh page and everything else with an error.
func servePage(cmd *cobra.Command, listen string, page func(live bool) ([]byte, error)) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return usage(fmt.Errorf("--listen %s: %w", listen, err))
	}
	view := newSweepView(cmd.ErrOrStderr(), false)
	stop := watchSignals(view.log, "the page is no longer served", view.end)
	fmt.Fprintf(cmd.OutOrStdout(), "http://%s/ (Ctrl-C ends)\n", l.Addr())
	server := &http.Server{Handler: pageHandler(page), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-stop.ctx.Done()
		_ = server.Close() // ends Serve, which reports
	}()
	err = server.Serve(l)
	stop.close()
	if errors.Is(err, http.ErrServerClosed) {
		err = context.Canceled
	}
	return stop.reason(err)
}

func pageHandler(page func(live bool) ([]byte, error)) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		data, err := page(true)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(data) // the reader may be gone
	})
	return mux
}

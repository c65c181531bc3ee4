package remote

import (
	"fmt"
	"io"

	"google.golang.org/grpc"

	"macpro/core"
	"macpro/core/episode"
	"macpro/registry/remote/wire"
)

type learnerPlugin struct{ *host }

var (
	_ core.LearnerPlugin = (*learnerPlugin)(nil)
	_ core.Matcher       = (*learnerPlugin)(nil)
	_ Plugin             = (*learnerPlugin)(nil)
)

// Match refuses what the learner cannot serve.
func (p *learnerPlugin) Match(q core.Pairing) error {
	return p.match(q, func(c *grpc.ClientConn) matchCall { return wire.NewLearnerClient(c).Match })
}

// New makes a learner.
func (p *learnerPlugin) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	proc, err := p.started()
	if err != nil {
		return nil, err
	}
	settings, err := wire.FromSettings(s)
	if err != nil {
		return nil, err
	}
	l := &learner{link: &keeper{link: toPlugin{proc: proc}}, calls: wire.NewLearnerClient(proc.Conn())}
	a, err := ask(l.link, "New", l.calls.New, &wire.NewLearner{
		Settings: settings, Spec: wire.FromSpec(spec), Source: position(o.Source), Threads: int64(o.Threads), Tasks: wire.FromSpecs(o.Tasks),
	})
	if err != nil {
		return nil, err
	}
	l.id = a.Learner
	l.abilities = a.Abilities
	if l.state(a); l.link.err != nil {
		return nil, l.link.err
	}
	return l, nil
}

type learner struct {
	link  *keeper
	calls wire.LearnerClient
	id    uint64
	// shared says that the learner is used from the other side as well, so that
	// nothing that is known of it stays true.
	shared        bool
	abilities     []string
	hidden, heads int
	hook          func(g []float32) error // of the gradient, nil if there is none
	sizes         sizes

	act wire.ActRequest // what a call sends; kept for the next one
}

var _ core.Learner = (*learner)(nil)

// state takes in what the learner shows between two calls. Sizes that no learner has,
// or a width that has changed, end its use.
func (l *learner) state(a *wire.LearnerState) {
	width := a.GetHiddenWidth()
	err := core.InRange("the width of its hidden state", width, 0, core.MaxWidth)
	if err == nil && l.sizes.shown && int(width) != l.hidden {
		err = fmt.Errorf("the width of its hidden state is %d, it was %d", width, l.hidden)
	}
	if err == nil {
		err = core.InRange("the number of its heads", a.GetHeads(), 0, core.MaxHeads)
	}
	if err != nil {
		l.link.note(l.link.fault("State", err))
		return
	}
	l.hidden, l.heads, l.sizes.shown = int(width), int(a.GetHeads()), true
}

// refresh asks for the state of a shared learner.
func (l *learner) refresh() {
	if !l.shared {
		return
	}
	a, err := ask(l.link, "State", l.calls.State, l.ref())
	if err != nil {
		l.link.note(err)
		return
	}
	l.state(a)
}

func (l *learner) ref() *wire.LearnerRef { return &wire.LearnerRef{Learner: l.id} }

func (l *learner) SetTask(spec core.EnvSpec) error {
	a, err := ask(l.link, "SetTask", l.calls.SetTask, &wire.SetTaskRequest{Learner: l.id, Spec: wire.FromSpec(spec)})
	if err == nil {
		l.state(a)
	}
	return err
}

func (l *learner) HiddenWidth() int {
	l.refresh()
	return l.hidden
}

func (l *learner) Act(s *core.ActStep) error {
	q := &l.act
	q.Learner, q.Spec, q.Lanes = l.id, wire.FromSpecOf(s.Spec), int64(s.Lanes)
	q.Obs, q.LastActions, q.Heads, q.Hidden = wire.Bytes(s.Obs), wire.Bytes(s.LastActions), wire.Bytes(s.Heads), wire.Bytes(s.Hidden)
	if rows := len(s.LastActions); rows > 0 {
		q.Actions = int64(len(s.Q) / rows)
	}
	a, err := ask(l.link, "Act", l.calls.Act, q)
	if err != nil {
		return err
	}
	return l.fill("Act", a, s.Q, s.Hidden)
}

// fill copies what a call of acting has computed.
func (l *learner) fill(call string, a *wire.ActReply, q, hidden []float32) error {
	err := wire.Fill("values", q, a.Q)
	if err == nil {
		err = wire.Fill("hidden states", hidden, a.Hidden)
	}
	if err != nil {
		return l.link.fault(call, err)
	}
	return nil
}

func (l *learner) Train(batch []*episode.Episode) (core.TrainStats, error) {
	if l.hook != nil && !l.shared {
		return l.trainEdited(batch)
	}
	a, err := ask(l.link, "Train", l.calls.Train, &wire.BatchRequest{Learner: l.id, Episodes: wire.FromEpisodes(batch)})
	return toStats(a), err
}

func toStats(a *wire.TrainStats) core.TrainStats {
	return core.TrainStats{
		Loss: a.GetLoss(), TDLoss: a.GetTdLoss(), Penalty: a.GetPenalty(), ValueLoss: a.GetValueLoss(), TDAbs: a.GetTdAbs(),
		QTaken: a.GetQTaken(), Target: a.GetTarget(), GradNorm: a.GetGradNorm(), Clip: a.GetClip(),
	}
}

func fromStats(t core.TrainStats) *wire.TrainStats {
	return &wire.TrainStats{
		Loss: t.Loss, TdLoss: t.TDLoss, Penalty: t.Penalty, ValueLoss: t.ValueLoss, TdAbs: t.TDAbs,
		QTaken: t.QTaken, Target: t.Target, GradNorm: t.GradNorm, Clip: t.Clip,
	}
}

func (l *learner) SyncTarget() {
	if _, err := ask(l.link, "SyncTarget", l.calls.SyncTarget, l.ref()); err != nil {
		l.link.note(err)
	}
}

func (l *learner) Heads() int {
	l.refresh()
	return l.heads
}

func (l *learner) NewHead(init core.HeadInit) (int, error) {
	a, err := ask(l.link, "NewHead", l.calls.NewHead, &wire.HeadRequest{Learner: l.id, Init: string(init)})
	if err != nil {
		return 0, err
	}
	if a.Head != a.Heads-1 {
		return 0, l.link.fault("NewHead", fmt.Errorf("the new head is %d of %d, want the last", a.Head, a.Heads))
	}
	l.state(a)
	return int(a.Head), l.link.err
}

func (l *learner) SaveHead(k int) error {
	_, err := ask(l.link, "SaveHead", l.calls.SaveHead, &wire.HeadRequest{Learner: l.id, Head: int64(k)})
	return err
}

func (l *learner) LoadHead(k int) error {
	_, err := ask(l.link, "LoadHead", l.calls.LoadHead, &wire.HeadRequest{Learner: l.id, Head: int64(k)})
	return err
}

func (l *learner) SetPenalties(list []core.Penalty) error {
	q := &wire.Penalties{Learner: l.id}
	for _, p := range list {
		q.Penalties = append(q.Penalties, &wire.Penalty{
			Scope: string(p.Scope), Anchor: wire.Bytes(p.Anchor), Importance: wire.Present(p.Importance), Coef: p.Coef, L2: p.L2,
		})
	}
	_, err := ask(l.link, "SetPenalties", l.calls.SetPenalties, q)
	return err
}

func (l *learner) Importance(batch []*episode.Episode, src core.ImportanceSource) ([]float32, error) {
	a, err := ask(l.link, "Importance", l.calls.Importance, &wire.BatchRequest{Learner: l.id, Episodes: wire.FromEpisodes(batch), Source: string(src)})
	if err != nil {
		return nil, err
	}
	x, err := wire.Numbers[float32]("importance", a.Values)
	if err != nil {
		return nil, l.link.fault("Importance", err)
	}
	return x, l.agree("Importance", core.ScopeAgent, len(x))
}

func (l *learner) Save(w io.Writer) error { return saved(l.link, l.calls.Save, l.ref(), w) }

func (l *learner) Load(r io.Reader) error {
	a, err := loaded(l.link, l.calls.Load, l.id, r)
	if err == nil {
		l.state(a)
	}
	return err
}

package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// client speaks the inspector's protocol. It is used by one goroutine; another
// one reads, since a read that is given up would end the connection.
type client struct {
	conn *websocket.Conn
	in   chan []byte // closed with the connection
	stop context.CancelFunc
	wg   sync.WaitGroup
	last int
	main *thread
	// attached are the worker threads by session.
	attached map[string]*thread
	order    []string
	results  map[string]json.RawMessage // by session and id; an error is nil
}

// thread is what is known of one JavaScript thread.
type thread struct {
	cl      *client
	session string
	scripts map[string]*script
	paused  []callFrame
}

type callFrame struct {
	FunctionName string `json:"functionName"`
	URL          string `json:"url"`
	Location     struct {
		ScriptID     string `json:"scriptId"`
		LineNumber   int    `json:"lineNumber"`
		ColumnNumber int    `json:"columnNumber"`
	} `json:"location"`
}

// message is anything that the inspector sends.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// maxMessage bounds one message; a script's inline source map is part of one.
const maxMessage = 64 << 20

// dial connects to the inspector on a port of this machine.
func dial(ctx context.Context, port int) (*client, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/json/list", port), nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the inspector: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("ask the inspector: %w", err)
	}
	var list []struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.Unmarshal(body, &list); err != nil || len(list) == 0 {
		return nil, fmt.Errorf("the inspector lists no target")
	}
	conn, _, err := websocket.Dial(ctx, list[0].URL, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to the inspector: %w", err)
	}
	conn.SetReadLimit(maxMessage)
	reading, stop := context.WithCancel(ctx)
	cl := &client{conn: conn, in: make(chan []byte), stop: stop, attached: map[string]*thread{}, results: map[string]json.RawMessage{}}
	cl.main = &thread{cl: cl, scripts: map[string]*script{}}
	cl.wg.Go(func() { cl.receive(reading) })
	return cl, nil
}

// close drops the connection; a process that is about to be killed gets no
// handshake.
func (cl *client) close() {
	cl.stop()
	_ = cl.conn.CloseNow()
	cl.wg.Wait()
}

func (cl *client) receive(ctx context.Context) {
	defer close(cl.in)
	for {
		_, b, err := cl.conn.Read(ctx)
		if err != nil {
			return
		}
		select {
		case cl.in <- b:
		case <-ctx.Done():
			return
		}
	}
}

func (cl *client) thread(session string) *thread {
	if session == "" {
		return cl.main
	}
	t := cl.attached[session]
	if t == nil {
		t = &thread{cl: cl, session: session, scripts: map[string]*script{}}
		cl.attached[session] = t
		cl.order = append(cl.order, session)
	}
	return t
}

// call sends a command and reads until its answer.
func (cl *client) call(ctx context.Context, session, method string, params any) error {
	id, err := cl.send(ctx, session, method, params)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s#%d", session, id)
	for {
		if res, ok := cl.results[key]; ok {
			delete(cl.results, key)
			if res == nil {
				return fmt.Errorf("%s: the inspector refuses", method)
			}
			return nil
		}
		if err := cl.read(ctx); err != nil {
			return err
		}
	}
}

func (cl *client) send(ctx context.Context, session, method string, params any) (id int, err error) {
	cl.last++
	id = cl.last
	m := map[string]any{"id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	b, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	if session != "" {
		cl.last++
		b, err = json.Marshal(map[string]any{
			"id": cl.last, "method": "NodeWorker.sendMessageToWorker",
			"params": map[string]string{"sessionId": session, "message": string(b)},
		})
		if err != nil {
			return 0, err
		}
	}
	return id, cl.conn.Write(ctx, websocket.MessageText, b)
}

// read takes one message.
func (cl *client) read(ctx context.Context) error {
	select {
	case b, ok := <-cl.in:
		if !ok {
			return errGone
		}
		cl.take("", b)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errGone says that the process or its inspector is no more.
var errGone = errors.New("the inspector is gone")

func (cl *client) take(session string, b []byte) {
	var m message
	if json.Unmarshal(b, &m) != nil {
		return
	}
	if m.Method == "" {
		res := m.Result
		if m.Error != nil {
			res = nil
		} else if res == nil {
			res = json.RawMessage("{}")
		}
		cl.results[fmt.Sprintf("%s#%d", session, m.ID)] = res
		return
	}
	switch m.Method {
	case "Debugger.scriptParsed":
		var s struct {
			ScriptID     string `json:"scriptId"`
			URL          string `json:"url"`
			SourceMapURL string `json:"sourceMapURL"`
		}
		if json.Unmarshal(m.Params, &s) == nil {
			cl.thread(session).scripts[s.ScriptID] = &script{url: s.URL, mapURL: s.SourceMapURL}
		}
	case "Debugger.paused":
		var p struct {
			CallFrames []callFrame `json:"callFrames"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			cl.thread(session).paused = append([]callFrame{}, p.CallFrames...)
		}
	case "NodeWorker.attachedToWorker":
		var a struct {
			SessionID string `json:"sessionId"`
		}
		if json.Unmarshal(m.Params, &a) == nil && a.SessionID != "" {
			cl.thread(a.SessionID)
		}
	case "NodeWorker.receivedMessageFromWorker":
		var r struct {
			SessionID string `json:"sessionId"`
			Message   string `json:"message"`
		}
		if session == "" && json.Unmarshal(m.Params, &r) == nil {
			cl.take(r.SessionID, []byte(r.Message))
		}
	}
}

// threads attaches to the process's worker threads.
func (cl *client) threads(ctx context.Context) []string {
	if cl.call(ctx, "", "NodeWorker.enable", map[string]bool{"waitForDebuggerOnStart": false}) != nil {
		return nil
	}
	return cl.order
}

// stop gives a command after which the thread stops, and its stack then; nil
// when it does not stop in time.
func (t *thread) stop(ctx context.Context, command string, limit time.Duration) []callFrame {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	t.paused = nil
	if t.cl.call(ctx, t.session, command, nil) != nil {
		return nil
	}
	for t.paused == nil {
		if t.cl.read(ctx) != nil {
			return nil
		}
	}
	return t.paused
}

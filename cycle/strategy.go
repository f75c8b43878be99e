package cycle

import (
	"regreen/internal/config"
	"regreen/internal/runner"
)

// Strategy is how many causes a round takes on.
type Strategy string

// The strategies of DESIGN.md section 4.
const (
	Conservative Strategy = "conservative"
	Surgical     Strategy = "surgical"
	Aggressive   Strategy = "aggressive"
)

// selectStrategy keeps the seed algorithm's thresholds and order.
func selectStrategy(cfg config.Cycle, iteration int, passRate float64, causes []cause, broke bool) Strategy {
	critical := 0
	for _, c := range causes {
		if c.severity == Critical {
			critical++
		}
	}
	switch {
	case broke:
		return Surgical
	case iteration <= cfg.ConservativeUntil || passRate >= cfg.ConservativeAbove:
		return Conservative
	case critical >= 1 && critical <= cfg.SurgicalMaxCritical:
		return Surgical
	case passRate < cfg.AggressiveBelow || iteration > cfg.AggressiveAfter:
		return Aggressive
	}
	return Conservative
}

// handover is the order in which strategies are tried in one round: no round
// is spent idle.
func handover(first Strategy) []Strategy {
	switch first {
	case Surgical:
		return []Strategy{Surgical, Conservative, Aggressive}
	case Aggressive:
		return []Strategy{Aggressive, Surgical, Conservative}
	}
	return []Strategy{Conservative, Surgical, Aggressive}
}

// commonest gives the causes of the kind with most causes, when there are at
// least min of them. Causes are counted, not messages: one broken import with
// ten victims is one occurrence.
func commonest(causes []cause, min int) []cause {
	byKind := map[runner.Kind][]cause{}
	var order []runner.Kind
	for _, c := range causes {
		if _, ok := byKind[c.Kind]; !ok {
			order = append(order, c.Kind)
		}
		byKind[c.Kind] = append(byKind[c.Kind], c)
	}
	var best []cause
	for _, k := range order {
		if len(byKind[k]) > len(best) {
			best = byKind[k]
		}
	}
	if len(best) < min {
		return nil
	}
	return best
}

package parley

// DeliveryGroup returns the states that one word means in a filter: pending, waiting, delivered or problem.
func DeliveryGroup(word string) (states []DeliveryState, ok bool) {
	switch word {
	case "pending":
		return []DeliveryState{DeliveryQueued, DeliveryTyping}, true
	case "waiting":
		return []DeliveryState{DeliveryQueued, DeliveryTyping, DeliveryHeld}, true
	case "delivered":
		return []DeliveryState{DeliverySubmitted, DeliveryRead, DeliveryAnswered}, true
	case "problem":
		return []DeliveryState{DeliveryFailed, DeliveryUnconfirmed, DeliveryExpired}, true
	}
	return nil, false
}

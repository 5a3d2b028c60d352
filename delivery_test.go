package parley

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSumUpSaysWhyDeliveriesWait(t *testing.T) {
	got := SumUp([]Delivery{
		{RecipientID: "1", State: DeliveryRead},
		{RecipientID: "2", State: DeliveryExpired, Reason: "it waited too long", ReasonCode: EndedExpired},
		{RecipientID: "3", State: DeliveryHeld, Reason: "it is busy", ReasonCode: HoldBusy},
		{RecipientID: "4", State: DeliveryQueued},
	})
	want := DeliveryStatus{
		DeliveredTo:     []string{"1"},
		FailedDelivery:  []string{"2"},
		PendingDelivery: []string{"3", "4"},
		PendingReasons:  map[string]string{"3": "it is busy"},
		PendingCodes:    map[string]ReasonCode{"3": HoldBusy},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

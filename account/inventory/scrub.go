package inventory

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// private are the keys that tell about the account and its people, or carry what users put in.
var private = map[string]bool{
	"OwnerId": true, "ReservationOwnerId": true, "UnusedReservationBillingOwnerId": true, "RequesterId": true, "UserId": true, "CreatedBy": true,
	"UserData": true, "KeyName": true, "Operator": true, "ClientToken": true,
}

// accountID is an account's id within an ARN.
var accountID = regexp.MustCompile(`(arn:[^:]*:[^:]*:[^:]*:)\d{12}:`)

// scrub makes plain values of the SDK's, without what is private and without keys that have no value.
func scrub(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var plain any
	if err := d.Decode(&plain); err != nil {
		return nil, err
	}
	return clean(plain), nil
}

func clean(value any) any {
	switch v := value.(type) {
	case string:
		return accountID.ReplaceAllString(v, "${1}000000000000:")
	case []any:
		for i := range v {
			v[i] = clean(v[i])
		}
	case map[string]any:
		for key, item := range v {
			if item == nil || item == "" || private[key] {
				delete(v, key)
				continue
			}
			v[key] = clean(item)
		}
	}
	return value
}

package capacity

import "slices"

// The IAM actions, one for each call. A purchase that carries tags needs ec2:CreateTags beside.
const (
	actZones           = "ec2:DescribeAvailabilityZones"
	actOfferings       = "ec2:DescribeCapacityBlockOfferings"
	actReservations    = "ec2:DescribeCapacityReservations"
	actStatus          = "ec2:DescribeCapacityBlockStatus"
	actInstances       = "ec2:DescribeInstances"
	actTemplates       = "ec2:DescribeLaunchTemplateVersions"
	actHistory         = "ec2:DescribeCapacityBlockExtensionHistory"
	actExtendOfferings = "ec2:DescribeCapacityBlockExtensionOfferings"
	actPurchase        = "ec2:PurchaseCapacityBlock"
	actExtend          = "ec2:PurchaseCapacityBlockExtension"
	actCreateTags      = "ec2:CreateTags"
	actPutParameter    = "ssm:PutParameter"
	actGetParameter    = "ssm:GetParametersByPath"
)

// Feature is something that this package does, for the policy of who does it.
type Feature string

// The features.
const (
	Finding        Feature = "find"
	Showing        Feature = "show"
	Extensions     Feature = "extensions" // what extensions are offered
	Adopting       Feature = "adopt"
	Previewing     Feature = "preview" // a purchase; its dry run needs the purchase's own actions
	Buying         Feature = "buy"
	Extending      Feature = "extend"
	ParameterStore Feature = "journal" // a journal in the Parameter Store, beside Previewing, Buying and Extending
)

var actions = map[Feature][]string{
	Finding:        {actZones, actOfferings, actReservations},
	Showing:        {actReservations, actStatus, actInstances, actTemplates, actHistory},
	Extensions:     {actReservations, actExtendOfferings},
	Adopting:       {actReservations},
	Previewing:     {actReservations, actOfferings, actPurchase, actCreateTags},
	Buying:         {actReservations, actOfferings, actPurchase, actCreateTags},
	Extending:      {actReservations, actExtendOfferings, actHistory, actExtend},
	ParameterStore: {actPutParameter, actGetParameter},
}

// Actions lists the IAM actions that each feature needs, sorted.
func Actions() map[Feature][]string {
	out := make(map[Feature][]string, len(actions))
	for feature, list := range actions {
		out[feature] = slices.Sorted(slices.Values(list))
	}
	return out
}

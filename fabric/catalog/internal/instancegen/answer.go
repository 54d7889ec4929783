package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// record is one described type, in the reduced form's own words.
type record struct {
	Architectures         []string
	DefaultVCpus          int
	DefaultCores          int
	MemoryMiB             int
	Gpus                  []device
	NeuronDevices         []device
	InstanceStorageGB     int
	SupportedUsageClasses []string
	PlacementStrategies   []string
	Network               network
}

type network struct {
	MaximumNetworkCards       int
	MaximumNetworkInterfaces  int
	MaximumEfaInterfaces      int
	Ipv4AddressesPerInterface int
	NetworkPerformance        string
	Cards                     []card
}

type card struct {
	Index                    int
	MaximumNetworkInterfaces int
	BaselineGbps             float64
	PeakGbps                 float64
	InterfaceTypes           []string
}

// device is a GPU or Neuron device; EC2 nests the memory, the reduced form does so for Neuron only.
type device struct {
	Name         string
	Manufacturer string
	Count        int
	MemoryMiB    int
	MemoryInfo   struct{ SizeInMiB int }
}

func (d device) memoryMiB() int { return max(d.MemoryMiB, d.MemoryInfo.SizeInMiB) }

// parseAnswer reads either form of a DescribeInstanceTypes answer, by type name.
func parseAnswer(b []byte) (map[string]record, error) {
	var form struct {
		Types         map[string]record `json:"types"`
		InstanceTypes []liveType        `json:"InstanceTypes"`
	}
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&form); err != nil {
		return nil, fmt.Errorf("decoding JSON: %w", err)
	}
	switch {
	case len(form.Types) > 0 && len(form.InstanceTypes) > 0:
		return nil, errors.New("both \"types\" and \"InstanceTypes\" stand in it: not one answer")
	case len(form.Types) > 0:
		return form.Types, nil
	case len(form.InstanceTypes) > 0:
		return reduce(form.InstanceTypes)
	default:
		return nil, errors.New("neither \"InstanceTypes\" (as the API answers) nor \"types\" (reduced) stands in it")
	}
}

// liveType is one entry of the API's answer.
type liveType struct {
	InstanceType          string
	SupportedUsageClasses []string
	ProcessorInfo         struct{ SupportedArchitectures []string }
	VCpuInfo              struct{ DefaultVCpus, DefaultCores int }
	MemoryInfo            struct{ SizeInMiB int }
	GpuInfo               struct{ Gpus []device }
	NeuronInfo            struct{ NeuronDevices []device }
	InstanceStorageInfo   struct{ TotalSizeInGB int }
	PlacementGroupInfo    struct{ SupportedStrategies []string }
	NetworkInfo           struct {
		MaximumNetworkCards       int
		MaximumNetworkInterfaces  int
		Ipv4AddressesPerInterface int
		NetworkPerformance        string
		EfaSupported              bool
		EfaInfo                   struct{ MaximumEfaInterfaces int }
		NetworkCards              []liveCard
	}
}

type liveCard struct {
	NetworkCardIndex         int
	MaximumNetworkInterfaces int
	BaselineBandwidthInGbps  float64
	PeakBandwidthInGbps      float64
	InterfaceTypes           []string
}

func reduce(types []liveType) (map[string]record, error) {
	out := make(map[string]record, len(types))
	for _, t := range types {
		if t.InstanceType == "" {
			return nil, errors.New("an entry of InstanceTypes has no InstanceType")
		}
		if _, twice := out[t.InstanceType]; twice {
			return nil, fmt.Errorf("%s stands twice in InstanceTypes", t.InstanceType)
		}
		r, err := t.record()
		if err != nil {
			return nil, err
		}
		out[t.InstanceType] = r
	}
	return out, nil
}

func (t liveType) record() (record, error) {
	r := record{
		Architectures:         t.ProcessorInfo.SupportedArchitectures,
		DefaultVCpus:          t.VCpuInfo.DefaultVCpus,
		DefaultCores:          t.VCpuInfo.DefaultCores,
		MemoryMiB:             t.MemoryInfo.SizeInMiB,
		Gpus:                  t.GpuInfo.Gpus,
		NeuronDevices:         t.NeuronInfo.NeuronDevices,
		InstanceStorageGB:     t.InstanceStorageInfo.TotalSizeInGB,
		SupportedUsageClasses: t.SupportedUsageClasses,
		PlacementStrategies:   t.PlacementGroupInfo.SupportedStrategies,
		Network: network{
			MaximumNetworkCards:       t.NetworkInfo.MaximumNetworkCards,
			MaximumNetworkInterfaces:  t.NetworkInfo.MaximumNetworkInterfaces,
			MaximumEfaInterfaces:      t.NetworkInfo.EfaInfo.MaximumEfaInterfaces,
			Ipv4AddressesPerInterface: t.NetworkInfo.Ipv4AddressesPerInterface,
			NetworkPerformance:        t.NetworkInfo.NetworkPerformance,
		},
	}
	if t.NetworkInfo.EfaSupported != (r.Network.MaximumEfaInterfaces > 0) {
		return record{}, fmt.Errorf("%s: EfaSupported %t contradicts MaximumEfaInterfaces %d",
			t.InstanceType, t.NetworkInfo.EfaSupported, r.Network.MaximumEfaInterfaces)
	}
	for _, c := range t.NetworkInfo.NetworkCards {
		if len(c.InterfaceTypes) == 0 {
			// Which card takes EFA cannot be worked out from counts: p6-b300 has 17 cards and 16 EFA.
			return record{}, fmt.Errorf("%s: card %d has no InterfaceTypes: ask with a newer AWS CLI", t.InstanceType, c.NetworkCardIndex)
		}
		r.Network.Cards = append(r.Network.Cards, card{
			Index: c.NetworkCardIndex, MaximumNetworkInterfaces: c.MaximumNetworkInterfaces,
			BaselineGbps: c.BaselineBandwidthInGbps, PeakGbps: c.PeakBandwidthInGbps, InterfaceTypes: c.InterfaceTypes,
		})
	}
	return r, nil
}

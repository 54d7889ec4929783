package config

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every type of the config has tags that can be read, fields of kinds that the walker sets, and a name for each of them.
func TestTypes(t *testing.T) {
	require.NoError(t, CheckType[Cluster]())
}

func TestNearest(t *testing.T) {
	section := keys(reflect.TypeFor[Group]())
	for got, want := range map[string]string{
		"instanceTyp": "instanceType", "instance_type": "instanceType", "InstanceType": "instanceType", "cout": "count", "capcity": "capacity",
		"min_count": "minCount", "gpus": "", "x": "", "instanceTypeOfTheNodesInThisGroup": "", "": "",
	} {
		meant, ok := nearest(got, section)
		require.Equal(t, want != "", ok, got)
		require.Equal(t, want, meant, got)
	}
}

func TestAffixed(t *testing.T) {
	section := keys(reflect.TypeFor[Cluster]())
	for got, want := range map[string]string{
		"sharedStorage": "storage", "parallelClusterVersion": "parallelcluster", "imageOfNodes": "image", "myGroups": "groups",
		"osVersion": "", "gpus": "", "colour": "", "": "",
	} {
		meant, ok := affixed(got, section)
		require.Equal(t, want != "", ok, got)
		require.Equal(t, want, meant, got)
	}
}

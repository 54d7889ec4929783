package config

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every type of the config has tags that can be read, fields of kinds that the walker sets, and a name for each of them.
func TestTypes(t *testing.T) {
	kinds := map[reflect.Kind]bool{reflect.String: true, reflect.Int: true, reflect.Float64: true, reflect.Bool: true}
	var visit func(t reflect.Type)
	seen := map[reflect.Type]bool{}
	visit = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice:
			visit(typ.Elem())
		case reflect.Map:
			require.Equal(t, reflect.String, typ.Key().Kind())
			visit(typ.Elem())
		case reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			fields := fieldsOf(typ)
			require.Len(t, fields, typ.NumField(), "%s has a field without a name", typ)
			for _, f := range fields {
				visit(typ.Field(f.Index).Type)
			}
		default:
			require.True(t, kinds[typ.Kind()] || len(words(typ)) > 0, "%s", typ)
		}
	}
	visit(reflect.TypeFor[Cluster]())
	require.Greater(t, len(seen), 20)
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

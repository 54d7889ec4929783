package config

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/diag"
)

// menu is a file of another kind: what another package would read.
type menu struct {
	Name   string  `yaml:"name" weft:"required,eg=lunch"`
	Guests int     `yaml:"guests" weft:"min=1"`
	Dishes []dish  `yaml:"dishes"`
	Wine   *choose `yaml:"wine"`
}

type dish struct {
	Title string `yaml:"title" weft:"required"`
}

type choose struct {
	Colour string `yaml:"colour" weft:"oneof=red|white"`
}

func (m *menu) Defaults()   { m.Guests = 4 }
func (c *choose) Defaults() { c.Colour = "red" }

func TestRead(t *testing.T) {
	f, found := Read[menu]("menu.yaml", []byte("name: lunch\nwine: {}\ndishes:\n  - title: soup\n"), "name")
	require.Empty(t, found)
	require.Equal(t, menu{Name: "lunch", Guests: 4, Dishes: []dish{{"soup"}}, Wine: &choose{"red"}}, f.Value)
	require.Equal(t, diag.Place{File: "menu.yaml", Line: 4, Column: 5, Path: "dishes[0].title"}, f.Positions["dishes[0].title"])
	require.True(t, f.Sound("name", "dishes[0].title"))
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"guests: 0\nname: a\n":          "1:1 error config/value guests: 0 | a whole number of at least 1 | raise it to 1 or more\n",
		"guests: 2\n":                   "1:1 error config/required name: no name | a text | add name, for example name: lunch\n",
		"name: a\ncolour: red\n":        "2:1 error config/key colour: the key \"colour\" | one of name, guests, dishes, wine | its place is deeper: wine.colour\n",
		"name: a\nwine: {title: x}\n":   "2:8 error config/key wine.title: the key \"title\" | one of colour | its place is dishes[].title\n",
		"name: a\ndishes: [{titel: x}]": "2:11 error config/key dishes[0].titel: the key \"titel\" | one of title | did you mean title?\n",
		"":                              "1:1 error file/unreadable : an empty document | a mapping | start with name and dishes\n",
	} {
		_, found := Read[menu]("menu.yaml", []byte(text), "name and dishes")
		require.Equal(t, want, render(found), text)
	}
}

// A value inside something that could not be used is as little sound as the thing itself.
func TestSoundLooksUpwards(t *testing.T) {
	f, _ := Read[menu]("menu.yaml", []byte("name: a\nwine: 3\n"), "name")
	require.False(t, f.Sound("wine.colour"))
	require.True(t, f.Sound("name"))
	empty, _ := Read[menu]("menu.yaml", nil, "name")
	require.False(t, empty.Sound("name"))
	require.Equal(t, 4, empty.Value.Guests)
}

func TestWriteIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zA-Z0-9:#{}' .-]*[a-z]`)
		m := menu{Name: word.Draw(t, "name"), Guests: rapid.IntRange(1, 9).Draw(t, "guests")}
		for _, title := range rapid.SliceOfN(word, 0, 3).Draw(t, "dishes") {
			m.Dishes = append(m.Dishes, dish{title})
		}
		text, err := Write(m)
		require.NoError(t, err)
		f, found := Read[menu]("menu.yaml", text, "name")
		require.Empty(t, found, string(text))
		require.Equal(t, m, f.Value)
	})
}

func TestCheckTypeRefuses(t *testing.T) {
	require.NoError(t, CheckType[menu]())
	require.ErrorContains(t, CheckType[struct {
		A string `yaml:"a" weft:"id=dog"`
	}](), `"dog" is not a kind of id`)
	require.ErrorContains(t, CheckType[struct{ A string }](), "a field without a name")
	require.ErrorContains(t, CheckType[struct {
		A []uint8 `yaml:"a"`
	}](), "uint8 is of no kind that is read")
	require.ErrorContains(t, CheckType[struct {
		A map[int]string `yaml:"a"`
	}](), "keys that are not text")
}

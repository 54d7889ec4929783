package mirror

import (
	"errors"
	"fmt"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/standin"
)

// rootSize is that of a volume whose size no recipe sets, in GiB: what ParallelCluster's images have.
const rootSize = 50

// image adds what an image build leaves: an AMI of the build machine's architecture, with the tags of its distribution.
func (a *adder) image(_ string, r standin.Resource) error {
	id, err := amiOf(r)
	if err != nil {
		return err
	}
	distribution, err := a.named("aws:imagebuilder/distributionConfiguration:DistributionConfiguration", r.Inputs.Text("distributionConfigurationArn"))
	if err != nil {
		return err
	}
	machine, err := a.named("aws:imagebuilder/infrastructureConfiguration:InfrastructureConfiguration", r.Inputs.Text("infrastructureConfigurationArn"))
	if err != nil {
		return err
	}
	tags := map[string]string{}
	for _, d := range distribution.Inputs.Objects("distributions") {
		for key, value := range d.Object("amiDistributionConfiguration").Object("amiTags") {
			tags[key] = fmt.Sprint(value)
		}
	}
	types := machine.Inputs.Texts("instanceTypes")
	if len(types) == 0 {
		return errors.New("nobody says on which machine it was built")
	}
	architecture, known := catalog.Architecture(types[0])
	if !known {
		return fmt.Errorf("the architecture of %s is not known", types[0])
	}
	put(&a.world.Images, account.Image{
		ID: id, Name: id, Architecture: architecture, OS: tags["parallelcluster:os"], RootSize: rootSize, Tags: tags,
	}, func(i account.Image) bool { return i.ID == id })
	return nil
}

func amiOf(r standin.Resource) (string, error) {
	for _, o := range r.Outputs.Objects("outputResources") {
		for _, ami := range o.Objects("amis") {
			if id := ami.Text("image"); id != "" {
				return id, nil
			}
		}
	}
	return "", errors.New("its build made no AMI")
}

// named finds what an input names by its ARN, which is its id.
func (a *adder) named(typ, arn string) (standin.Resource, error) {
	r, there := a.made.Get(typ, arn)
	if !there {
		return standin.Resource{}, fmt.Errorf("%s is not there", arn)
	}
	return r, nil
}

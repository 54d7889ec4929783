// Package amibuild is the recipe of a machine image: what it is built from and what is put on it, in order.
//
// A recipe is data. With its lock file, which pins every version, address and SHA-256, and with the cluster that will boot the
// image, it becomes a plan (New) that is judged before anything is built. Two renderers translate the plan: BuildImage writes
// the configuration of `pcluster build-image`, ImageBuilder the documents of EC2 Image Builder. Check reads an image that
// exists, and says whether a cluster can use it.
package amibuild

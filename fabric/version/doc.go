// Package version reads and orders the version strings of an EFA cluster's software: drivers, kernel modules, libraries, packages and kernels.
//
// # What is read
//
// A version is a release, and what its makers hung on it, in this order:
//
//	[v] RELEASE [PRE-RELEASE] [VENDOR BUILD] [BUILD MARK] [-REVISION] [+METADATA]
//
//	RELEASE       570.86.15  550.54  13.0  3.16.1  54     any number of decimal parts; 08 is 8; a missing part is zero
//	PRE-RELEASE   3.12.0b1  0.9.1-beta.1  5.0.0rc12  24.05.0-0rc1  1.16.0~rc1  3.12-dev
//	VENDOR BUILD  1.22.0amzn4.0  57.amzn1  5.0.8amzn1     Amazon's build of a release
//	BUILD MARK    3.3.0g  v1.7.1-aws  1.4.0aws            how it was built: not ordered
//	REVISION      2.5-1  595.91.07-1ubuntu1  2.4.0amzn3.0-1.amzn2023
//	METADATA      2.27.3-1+cuda12.9                       not ordered (Semantic Versioning 2.0.0, item 10)
//
// A revision counts how often the same release was packaged, so it is not ordered either: 2.5, 2.5-1 and 2.5-2 are equal. The revision of a
// kernel is another thing, a build of the kernel with its own interface to modules, and is ordered: 6.8.0-1014-aws is below 6.8.0-1021-aws.
// A kernel is known by its form: three parts, and after the dash a number with a flavour (-1021-aws, -91-generic) or at least two numbers
// with a distribution (-150.224.amzn2023.x86_64, -611.5.1.el9_7.x86_64).
//
// A lone integer from 2000 to 2899, or from 20900 to 29999, is an NCCL version code (NCCL_VERSION in nccl.h: X*1000+Y*100+Z up to 2.8,
// X*10000+Y*100+Z from 2.9): 2803 is 2.8.3, 22809 is 2.28.9. A lone integer below 1000 is a release (driver branch 570, rdma-core 64); any other
// could be a code of something else, or a date, and is unreadable. Nothing else is decoded: the 206.0 that libfabric prints for a provider is
// the release 206.0.
//
// What cannot be read is [ErrUnreadable], and never equal to anything: nothing at all, words (latest), patterns (118.x), open ranges (1.22+),
// names before the number (slurm-25.11.8), unknown words after it, a lone trailing a, b or c (an alpha, or the build after the release?),
// more than 128 bytes, numbers beyond 63 bits. A closed range (3.8.0-3.10.1) has the form of a release with a revision, and is read as one.
//
// # How it is ordered
//
// [Version.Compare] compares, one after the other: the release; the pre-release's stage (a bare ~, dev, alpha, beta, rc, none) and number;
// whether there is a build; the build's numbers. Hence
//
//	1.16.0~amzn3.0 < 1.16.0~amzn4.0 < 1.16.0b1 < 1.16.0rc1 < 1.16.0 = v1.16.0-aws = 1.16.0g = 1.16.0-1+cuda12.9 < 1.16.0amzn1.0 < 1.16.0amzn3.0 < 1.16.1
//
// A vendor build is thus above its release (1.16.1amzn3.0 > 1.16.1): it is made from the finished release plus patches, as both installers show
// that went from rdma-core 54.0 to 54.amzn0 and from libfabric 2.1.0 to 2.1.0amzn2.0. Lexicographic order over totally ordered
// fields is a total preorder: any two versions compare, one way only, and chains hold.
//
// # What is left to hashicorp/go-version
//
// [github.com/hashicorp/go-version] reads every dotted number, and its order of plain releases is the order here (a test compares the two).
// Its order of all that follows the release does not fit: each suffix is a semver pre-release to it, so 1.7.1-aws, 2.27.3-1, 3.3.0g and
// 1.16.1amzn3.0 are below their releases; it puts beta10 below beta9; 57.amzn1 is malformed; and 1.0.0-1 and 1.0.0-01 are each below
// the other, which no sort survives.
package version

// A policy pack of Node.js with eight of weft's rules on launch templates, for the comparison of what packs cost. It holds them as people
// write them: one policy for each rule.
const { PolicyPack } = require("@pulumi/policy");

const TYPE = "aws:ec2/launchTemplate:LaunchTemplate";
const CARDS = 17;

const rule = (name, judge) => ({
  name,
  description: name,
  enforcementLevel: "mandatory",
  validateResource: (args, report) => {
    if (args.type === TYPE) judge(args.props, args.props.networkInterfaces || [], report);
  },
});

new PolicyPack("efa-node", {
  policies: [
    rule("nic-primary", (p, nics, report) => {
      const first = nics.find((n) => (n.networkCardIndex || 0) === 0 && (n.deviceIndex || 0) === 0);
      if (!first || first.interfaceType === "efa-only") report("card 0 device 0 carries no IP");
    }),
    rule("nic-efa-card", (p, nics, report) => {
      for (const n of nics) if (n.networkCardIndex === 0 && String(n.interfaceType).startsWith("efa")) report("card 0 takes no EFA");
    }),
    rule("nic-efa-count", (p, nics, report) => {
      if (nics.filter((n) => String(n.interfaceType).startsWith("efa")).length < CARDS - 1) report("fewer EFA interfaces than cards");
    }),
    rule("nic-device-index", (p, nics, report) => {
      const seen = new Set();
      for (const n of nics) {
        const key = `${n.networkCardIndex}/${n.deviceIndex}`;
        if (seen.has(key)) report(`two interfaces at ${key}`);
        seen.add(key);
      }
    }),
    rule("nic-aggregate", (p, nics, report) => {
      if (nics.length > 2 * CARDS) report("too many interfaces");
    }),
    rule("nic-public-ip", (p, nics, report) => {
      if (nics.length > 1 && nics.some((n) => n.associatePublicIpAddress === "true")) report("a public IP with several interfaces");
    }),
    rule("nic-delete-on-termination", (p, nics, report) => {
      if (nics.some((n) => n.deleteOnTermination === "false")) report("interfaces stay behind");
    }),
    rule("block-placement-group", (p, nics, report) => {
      const block = p.instanceMarketOptions && p.instanceMarketOptions.marketType === "capacity-block";
      if (block && p.placement && p.placement.groupName) report("a placement group with a block");
    }),
  ],
});

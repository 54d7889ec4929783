#!/bin/bash
# What people miss first on a node.
set -eu
apt-get install -y nvtop htop

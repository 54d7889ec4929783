#!/bin/bash
# Open files of a job that reads many shards.
set -eu
printf '* soft nofile 1048576\n* hard nofile 1048576\n' >/etc/security/limits.d/90-shards.conf

"""An AWS account on 127.0.0.1: moto's server, and what moto lacks of the calls that cluster tools make.

moto reads these settings while it is imported, so they are set before any module of it is.
"""

import os

os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"  # the account holds exactly the images of its world
os.environ["MOTO_IAM_LOAD_MANAGED_POLICIES"] = "true"  # arn:aws:iam::aws:policy/... exist in every account
os.environ.pop("MOTO_AMIS_PATH", None)

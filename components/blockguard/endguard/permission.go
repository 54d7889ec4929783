package endguard

import (
	"errors"
	"fmt"
	"strings"
)

// Permission is a group of IAM actions, and what they are for.
type Permission struct {
	For     string
	Actions []string
}

// HeadNode is what the guard calls on the head node. ParallelCluster's own role of a head node grants it where a queue
// names a reservation.
func HeadNode() Permission {
	return Permission{For: "the end of the blocks, which moves when they are extended", Actions: []string{"ec2:DescribeCapacityReservations"}}
}

// Deployment is what a stack calls to make, change and delete a guard.
func Deployment() []Permission {
	return []Permission{
		{"the document", []string{
			"ssm:AddTagsToResource", "ssm:CreateDocument", "ssm:DeleteDocument", "ssm:DescribeDocument", "ssm:DescribeDocumentPermission",
			"ssm:GetDocument", "ssm:ListTagsForResource", "ssm:RemoveTagsFromResource", "ssm:UpdateDocument", "ssm:UpdateDocumentDefaultVersion",
		}},
		{"its run on the head node", []string{
			"ssm:CreateAssociation", "ssm:DeleteAssociation", "ssm:DescribeAssociation", "ssm:UpdateAssociation",
		}},
		{"the rules", []string{
			"events:DeleteRule", "events:DescribeRule", "events:ListTagsForResource", "events:ListTargetsByRule", "events:PutRule",
			"events:PutTargets", "events:RemoveTargets", "events:TagResource", "events:UntagResource",
		}},
		{"the role that the rules use", []string{
			"iam:CreateRole", "iam:DeleteRole", "iam:DeleteRolePermissionsBoundary", "iam:DeleteRolePolicy", "iam:GetRole", "iam:GetRolePolicy", "iam:ListAttachedRolePolicies",
			"iam:ListInstanceProfilesForRole", "iam:ListRolePolicies", "iam:PassRole", "iam:PutRolePermissionsBoundary", "iam:PutRolePolicy", "iam:TagRole", "iam:UntagRole",
			"iam:UpdateAssumeRolePolicy",
		}},
	}
}

// TrustPolicy lets EventBridge use a role, for some rules only.
func TrustPolicy(ruleARNs ...string) (string, error) {
	return compact(map[string]any{
		"Version": "2012-10-17",
		"Statement": []any{map[string]any{
			"Effect": "Allow", "Action": "sts:AssumeRole",
			"Principal": map[string]string{"Service": "events.amazonaws.com"},
			"Condition": map[string]any{"ArnEquals": map[string]any{"aws:SourceArn": ruleARNs}},
		}},
	})
}

// errARN says that a text is no ARN of a document.
var errARN = errors.New("not the ARN of a Systems Manager document")

// SendPolicy lets a role run one document on one instance of the document's account.
func SendPolicy(documentARN, instanceID string) (string, error) {
	part := strings.SplitN(documentARN, ":", 6)
	if len(part) != 6 || part[2] != "ssm" {
		return "", fmt.Errorf("%w: %q", errARN, documentARN)
	}
	instance := fmt.Sprintf("arn:%s:ec2:%s:%s:instance/%s", part[1], part[3], part[4], instanceID)
	return compact(map[string]any{
		"Version": "2012-10-17",
		"Statement": []any{map[string]any{
			"Sid": "RunTheGuard", "Effect": "Allow", "Action": "ssm:SendCommand", "Resource": []string{documentARN, instance},
		}},
	})
}

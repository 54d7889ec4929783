"""Service quotas: those of the world, besides moto's for VPCs."""

import json
from typing import Any

from moto.servicequotas.models import ServiceQuotasBackend
from moto.servicequotas.responses import ServiceQuotasResponse

from emulator.world import Item, current

_moto_get = ServiceQuotasBackend.get_service_quota


def _quota(given: Item) -> Item:
    return {
        "ServiceCode": given["service"],
        "QuotaCode": given["code"],
        "QuotaName": given["name"],
        "Value": given["value"],
        "Unit": "None",
        "Adjustable": True,
        "GlobalQuota": False,
    }


def _given(service_code: str) -> list[Item]:
    return [_quota(quota) for quota in current().items("quotas") if quota["service"] == service_code]


def get_service_quota(self: ServiceQuotasBackend, service_code: str, quota_code: str) -> dict[str, Any]:
    found = next((quota for quota in _given(service_code) if quota["QuotaCode"] == quota_code), None)
    return found or _moto_get(self, service_code, quota_code)


def list_service_quotas(self: ServiceQuotasResponse) -> str:
    return json.dumps({"Quotas": _given(json.loads(self.body)["ServiceCode"])})


def install() -> None:
    ServiceQuotasBackend.get_service_quota = get_service_quota
    ServiceQuotasResponse.list_service_quotas = list_service_quotas

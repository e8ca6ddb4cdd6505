import type { ModelProbe } from '#core/models/registry-schema.ts'
import { usdFromMicro } from '#core/money.ts'
import type { ModelProbeRow } from '#store/model-probes.ts'

/** A probe as people see it. */
export function toProbe(row: ModelProbeRow): ModelProbe {
  const {
    model,
    ok,
    latency_ms,
    cost_micro_usd,
    failed_code: code,
    failed_message: message,
    probed_by,
    probed_at,
  } = row
  return {
    ...{ model, ok, latency_ms },
    ...(cost_micro_usd !== null && { cost_usd: usdFromMicro(cost_micro_usd) }),
    ...(code !== null && message !== null && { failed: { code, message } }),
    by: probed_by,
    at: probed_at,
  }
}

import { z } from 'zod'
import { defineOperator } from '#core/operator.ts'
import { durationMs } from '../duration-ms.ts'
import { Duration } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'

const CoreWaitInput = z.strictObject({ for: Duration.describe('How long to wait; the wait survives restarts') })
type CoreWaitInput = z.infer<typeof CoreWaitInput>

export const CORE_WAIT = 'core.wait'

/** A durable delay. The engine waits (`delay_ms`); then the step succeeds, and no run calls `execute`. */
export const coreWait = defineOperator<CoreWaitInput>({
  id: CORE_WAIT,
  version: 1,
  title: 'Wait',
  risk: 'low',
  action_type: 'read',
  capabilities: [],
  requires_approval: false,
  ...operatorInput(CoreWaitInput),
  replay: () => 'safe',
  delay_ms: (input) => durationMs(input.for),
  describe: (input) => ({ summary: `wait for ${input.for}`, targets: { kind: 'run', ids: [] } }),
  simulate: async (_ctx, input) => ({ ok: true, summary: `would wait for ${input.for}` }),
  execute: async (_ctx, input) => ({ outputs: { waited_ms: durationMs(input.for) } }),
})

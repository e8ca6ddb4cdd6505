import type { Environment } from '#core/environment/environment.ts'
import type { OperatorContext } from '#core/operator.ts'

/** A context for one operator call: a development environment that opens nothing unless a test says so. */
export function operatorContext(
  changes: Partial<Omit<OperatorContext, 'environment'>> & {
    environment?: Environment
    egress?: string[]
    connections?: Record<string, string>
  } = {},
): OperatorContext & { environment: Environment } {
  const { egress = [], connections = {}, ...rest } = changes
  return {
    run_id: 'run_1',
    step_id: 'act',
    workspace_id: 'ws_1',
    environment: {
      name: 'development',
      class: 'development',
      policies: [],
      cost_gate: {},
      approval: { prevent_self: false, min_approvals: 1, escalate_to: [], channels: [], links: true },
      egress,
      connections: {},
      freeze: [],
    },
    idempotency_key: 'run_1:act',
    attempt: 1,
    signal: new AbortController().signal,
    log: { info: () => undefined, warn: () => undefined, progress: () => undefined },
    now: Date.now,
    beforeSending: async () => undefined,
    async connection(id) {
      const url = connections[id]
      if (url === undefined) throw new Error(`unknown connection ${id}`)
      return { kind: url.split(':', 1)[0] ?? '', url }
    },
    ...rest,
  }
}

import type { Environment } from '#core/environment/environment.ts'
import type { Plan } from '#core/plan/types.ts'
import type { ServiceDeps } from '#services/service-deps.ts'

export const TEST_DIGEST = `sha256:${'d'.repeat(64)}`

/** The environment of the same name, with nothing special about it. */
export const DEVELOPMENT: Environment = {
  name: 'development',
  class: 'development',
  workspaces: ['*'],
  policies: [],
  cost_gate: {},
  approval: { prevent_self: false, min_approvals: 1, escalate_to: [], channels: [], links: true },
  egress: [],
  connections: {},
  freeze: [],
}

/** The plan of the template of `onePack`. */
export const TEST_PLAN: Plan = {
  v: 1,
  pack: 'incident',
  template: 'service-recovery',
  pack_version: '1.0.0',
  pack_digest: TEST_DIGEST,
  title: 'Recover a service',
  risk: 'medium',
  action_types: ['service.restart'],
  capabilities: [],
  steps: [planStep('evidence'), planStep('act')],
  outputs: {},
  digest: TEST_DIGEST,
}

/** The registry of a deployment with one template that takes any inputs. */
export function onePack(): ServiceDeps['packs'] {
  const template = {
    pack: 'incident',
    template: 'service-recovery',
    version: '1.0.0',
    digest: TEST_DIGEST,
    title: 'Recover a service',
    risk: 'medium' as const,
    inputs_schema: { type: 'object', additionalProperties: true },
    outputs: {},
    plan: TEST_PLAN,
  }
  const pack = {
    name: 'incident',
    version: '1.0.0',
    digest: TEST_DIGEST,
    title: 'Incidents',
    capabilities: [],
    connections: [],
    templates: [template],
    rules: [],
    ingress: [],
    policies: [],
    skills: [],
  }
  return {
    list: () => [pack],
    errors: () => [],
    findTemplate: (of, name) => (of === template.pack && name === template.template ? template : undefined),
    rules: () => [],
    policies: () => [],
    onChange: () => () => {},
    reload: () => {},
    close: () => {},
  }
}

function planStep(id: string) {
  return {
    id,
    name: id,
    operator: 'http.request',
    operator_version: 1,
    with: {},
    requires_approval: false,
    action_type: 'service.restart',
    risk: 'medium' as const,
    capabilities: [],
    timeout_ms: 30_000,
    retry: { max_attempts: 1, initial_ms: 1, backoff: 1, max_ms: 1 },
  }
}

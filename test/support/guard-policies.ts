import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER, type LayerPolicies, type PolicyLayers } from '#core/policy/layer.ts'
import type { PolicyScope } from '#core/policy/schema.ts'

const SCOPE: PolicyScope = { environments: [], risks: [], action_types: ['service.restart'], capabilities: [] }

const rule = (reason: string, approval_role?: string) => ({
  effect: 'require_hitl' as const,
  reason,
  channels: [],
  ...(approval_role !== undefined && { approval_role }),
})

/** The environment in which everything is denied. */
export const SHUT = 'shut'

/** A policy of files that takes the place of one of a pack, one that denies, one that is broken, and one of the console that nothing attaches. */
const LAYERS: PolicyLayers = {
  pack: {
    policies: [
      {
        name: 'guard',
        layer: 'pack',
        source: 'incident/policies/guard.yaml',
        pack: 'incident',
        scope: SCOPE,
        rules: [rule('of the pack')],
      },
    ],
    broken: [],
  },
  overlay: {
    policies: [
      {
        name: 'guard',
        layer: 'overlay',
        source: 'guard.yaml',
        scope: SCOPE,
        rules: [rule('restarts are asked for', 'dba')],
      },
      {
        name: 'shut',
        layer: 'overlay',
        source: 'shut.yaml',
        scope: { ...SCOPE, environments: [SHUT] },
        rules: [{ effect: 'deny', reason: 'nothing runs there', channels: [] }],
      },
    ],
    broken: [
      {
        label: 'torn',
        name: 'torn',
        layer: 'overlay',
        source: 'torn.yaml',
        scope: { ...SCOPE, action_types: ['sql.write'] },
        problems: [{ message: 'unknown effect "ask"', path: ['rules', 0, 'effect'], line: 4, column: 13 }],
      },
    ],
  },
  console: {
    policies: [
      {
        name: 'draft',
        layer: 'console',
        source: 'console policy draft',
        author: 'usr_local',
        scope: SCOPE,
        rules: [rule('later')],
      },
    ],
    broken: [],
  },
}

/** Policies without files. */
export function guardPolicies(console: LayerPolicies = LAYERS.console) {
  const layers = { ...LAYERS, console }
  return {
    layers: async () => layers,
    effective: async (_workspaceId: string, environment: { name: string; class: string; policies: string[] }) =>
      compilePolicies(
        { layers: { ...layers, console: EMPTY_LAYER }, environment },
        { hash: (text) => `sha256:${text.length}` },
      ),
  }
}

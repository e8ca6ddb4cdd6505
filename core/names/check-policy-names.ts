import { ENVIRONMENT_CLASSES } from '../environment/environment.ts'
import type { Fault } from '../plan/fault.ts'
import type { PolicyRule, PolicyScope } from '../policy/schema.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { ROLE_NAMES } from '../user/schema.ts'
import { type KnownNames, likely, named } from './known-names.ts'

/** Checks the names in a policy: environments and classes, action types, capabilities, channels, roles of approvers. */
export function checkPolicyNames(
  { scope, rules }: { scope: PolicyScope; rules: readonly PolicyRule[] },
  at: Fault['path'],
  known: KnownNames,
): Fault[] {
  const places = [...known.environments, ...ENVIRONMENT_CLASSES]
  const listed = (key: keyof PolicyScope, check: (name: string, path: Fault['path']) => Fault[]) =>
    scope[key].flatMap((name, index) => check(name, [...at, 'applies_to', key, index]))
  return [
    ...listed('environments', (name, path) => named('environment or class', name, places, path)),
    ...listed('action_types', (name, path) => likely('action type', name, known.action_types, path)),
    ...listed('capabilities', (name, path) => likely('capability', name, known.capabilities, path)),
    ...rules.flatMap((rule, index) => [
      ...rule.channels.flatMap((name, place) =>
        named('channel', name, known.channels, [...at, 'rules', index, 'channels', place]),
      ),
      ...role(rule.approval_role, known, [...at, 'rules', index, 'approval_role']),
    ]),
  ]
}

/** A role that no user holds keeps the gate shut: safe, but nobody can answer it. */
function role(name: string | undefined, { approval_roles }: KnownNames, path: Fault['path']): Fault[] {
  const known = [...ROLE_NAMES, ...(approval_roles ?? [])]
  if (name === undefined || known.includes(name)) return []
  const hint = didYouMean(name, known)
  if (approval_roles !== undefined) return [{ path, message: `no user holds the role ${name}${hint}`, warning: true }]
  return hint === '' ? [] : [{ path, message: `${name} is no role of the system${hint}`, warning: true }]
}

import { STRINGS } from '../strings.ts'

/** Pages of the navigation. `key` follows `g` on the keyboard. */
export const NAVIGATION = [
  { to: '/gates', name: STRINGS.navigation.gates, key: 'g' },
  { to: '/runs', name: STRINGS.navigation.runs, key: 'r' },
  { to: '/pipelines', name: STRINGS.navigation.pipelines, key: 'l' },
  { to: '/start', name: STRINGS.navigation.start, key: 's' },
  { to: '/triggers', name: STRINGS.navigation.triggers, key: 't' },
  { to: '/policies', name: STRINGS.navigation.policies, key: 'p' },
  { to: '/admin', name: STRINGS.navigation.admin, key: 'm' },
  { to: '/audit', name: STRINGS.navigation.audit, key: 'a' },
] as const

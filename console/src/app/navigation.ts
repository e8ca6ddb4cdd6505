import { STRINGS } from '../strings.ts'

/** Where the frame leads. `key` follows `g` on the keyboard. The queue of gates has its place before the runs. */
export const NAVIGATION = [
  { to: '/runs', name: STRINGS.navigation.runs, key: 'r' },
  { to: '/triggers', name: STRINGS.navigation.triggers, key: 't' },
  { to: '/policies', name: STRINGS.navigation.policies, key: 'p' },
  { to: '/admin', name: STRINGS.navigation.admin, key: 'm' },
] as const

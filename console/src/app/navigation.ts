import { STRINGS } from '../strings.ts'

/** Where the frame leads. `key` follows `g` on the keyboard. */
export const NAVIGATION = [
  { to: '/gates', name: STRINGS.navigation.gates, key: 'g' },
  { to: '/runs', name: STRINGS.navigation.runs, key: 'r' },
  { to: '/audit', name: STRINGS.navigation.audit, key: 'a' },
] as const

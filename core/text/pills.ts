/** What a pill says by its colour. */
export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'destructive'

/** A word with a shape and a colour that repeat what it says, the same in terminal, mail and page; the console draws an icon in place of the symbol. */
export interface Pill {
  tone: Tone
  /** one column wide in every terminal */
  symbol: string
  text: string
}

type Style = readonly [Tone, string]

const STATUSES: Readonly<Record<string, Style>> = {
  succeeded: ['success', '✓'],
  approved: ['success', '✓'],
  approve: ['success', '✓'],
  healthy: ['success', '✓'],
  active: ['success', '✓'],
  delivered: ['success', '✓'],
  started: ['success', '✓'],
  attached: ['success', '✓'],
  returned: ['success', '✓'],
  ok: ['success', '✓'],
  callable: ['success', '✓'],
  in_force: ['success', '✓'],
  resolved: ['success', '✓'],
  accepted: ['success', '✓'],
  failed: ['destructive', '✗'],
  failing: ['destructive', '✗'],
  unavailable: ['destructive', '✗'],
  not_callable: ['destructive', '✗'],
  broken: ['destructive', '✗'],
  rejected: ['destructive', '⊗'],
  reject: ['destructive', '⊗'],
  expired: ['destructive', '◔'],
  outcome_unknown: ['destructive', '?'],
  unknown: ['destructive', '?'],
  awaiting_approval: ['warning', '◆'],
  open: ['warning', '◆'],
  blocked: ['warning', '!'],
  degraded: ['warning', '!'],
  ready: ['warning', '!'],
  retrying: ['warning', '!'],
  paused: ['warning', '!'],
  changed: ['warning', '!'],
  waiting_timer: ['info', '◷'],
  waiting_event: ['info', '◷'],
  running: ['info', '▸'],
  cancelled: ['neutral', '⊘'],
  cancelling: ['neutral', '⊘'],
  skipped: ['neutral', '↷'],
  removed: ['neutral', '⊘'],
  pending: ['neutral', '·'],
  untested: ['neutral', '·'],
}
const RISKS: Readonly<Record<string, Style>> = {
  low: ['neutral', '▁'],
  medium: ['warning', '▄'],
  high: ['destructive', '█'],
}
const SEVERITIES: Readonly<Record<string, Style>> = {
  critical: ['destructive', '■'],
  error: ['destructive', '■'],
  high: ['destructive', '■'],
  warning: ['warning', '▲'],
}

/** The status of a run, a step, a gate, a pipeline or a connection. */
export function statusPill(of: string): Pill {
  return pill(STATUSES[of] ?? ['neutral', '◦'], of.replaceAll('_', ' '))
}

export function riskPill(of: string): Pill {
  return pill(RISKS[of] ?? ['neutral', '◦'], `${of} risk`)
}

/** The severity of an alert, as its sender says it. */
export function severityPill(of: string): Pill {
  return pill(SEVERITIES[of] ?? ['info', '●'], of)
}

function pill([tone, symbol]: Style, text: string): Pill {
  return { tone, symbol, text }
}

/** Text and ground of each tone on a light screen and on a dark one: the console's tokens. Each pair has a contrast of at least 4.5. */
export const TONE_COLOURS: Readonly<
  Record<Tone, { light: readonly [string, string]; dark: readonly [string, string] }>
> = {
  neutral: { light: ['#59626f', '#f3f4f7'], dark: ['#a0a9b6', '#1e2229'] },
  info: { light: ['#1a4b9c', '#e6effc'], dark: ['#93bdff', '#142848'] },
  success: { light: ['#126235', '#e3f5e9'], dark: ['#7ddc9f', '#12301e'] },
  warning: { light: ['#7a4700', '#fdf0d5'], dark: ['#f1c067', '#34270d'] },
  destructive: { light: ['#a8201a', '#fdeae8'], dark: ['#ff9d93', '#3c1714'] },
}

const COLOURS: Readonly<Record<string, string>> = {
  succeeded: 'text-good',
  failed: 'text-bad',
  rejected: 'text-bad',
  expired: 'text-bad',
  outcome_unknown: 'text-bad',
  awaiting_approval: 'text-wait',
  blocked: 'text-wait',
  ready: 'text-wait',
  waiting_timer: 'text-mark',
  waiting_event: 'text-mark',
  running: 'text-mark',
}

/** The state in words; its colour only underlines it. */
export function Status({ of }: { of: string }) {
  return (
    <span className={`whitespace-nowrap font-medium ${COLOURS[of] ?? 'text-soft'}`}>{of.replaceAll('_', ' ')}</span>
  )
}

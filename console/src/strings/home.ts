/** The words of the first page. */
export const HOME = {
  title: 'Home',
  mine: 'Waiting for you',
  mine_none: 'Nothing waits for your approval in this workspace.',
  elsewhere: (count: string, workspace: string) =>
    `${count === '1' ? '1 approval waits' : `${count} approvals wait`} for you in ${workspace}`,
  all: (count: string) =>
    count === '0' ? 'No approval is open in this workspace.' : `${count} open in this workspace`,
  failed: 'Failed in the last 24 hours',
  failed_none: 'Nothing failed.',
  running: 'Under way',
  running_none: 'Nothing runs now.',
  more: 'Show all',
  state: 'Service',
  lane: (running: number, limit: number, queued: number) =>
    `${running} of ${limit} slots in use${queued > 0 ? `, ${queued} queued` : ''}`,
  halts: 'Halts',
  no_halts: 'none',
  spend: 'Model calls, 24 hours',
  usd: (usd: number) => `${usd} US dollars`,
} as const

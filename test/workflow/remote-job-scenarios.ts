import type { RemoteEnd } from '#core/remote-job/contract.ts'
import type { RemoteScript } from '#test/support/scripted-remote-jobs.ts'

/** One remote job whose history is recorded under this name. */
export interface RemoteJobScenario {
  name: string
  script: RemoteScript
  ends: RemoteEnd | undefined
}

const FAILED = { kind: 'failed' as const, type: '' }

export const REMOTE_JOB_SCENARIOS: RemoteJobScenario[] = [
  { name: 'remote-job-returned', script: { activity: 'returns' }, ends: { kind: 'returned' } },
  {
    name: 'remote-job-failed',
    script: { activity: 'throws' },
    ends: { ...FAILED, why: 'application', type: 'NoDevice', message: 'no device is free' },
  },
  {
    name: 'remote-job-unattended',
    script: { activity: 'nobody' },
    ends: { ...FAILED, why: 'unattended', message: 'activity ScheduleToStart timeout' },
  },
  { name: 'remote-job-ended', script: 'ended', ends: undefined },
]

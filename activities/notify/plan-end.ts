import type { EndInput, PlannedNotice } from '#core/notify/contract.ts'
import { endRecipients } from '#core/notify/end-recipients.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import type { EndView } from '#store/notices/end-views.ts'
import type { Addressee } from '#store/notices/notice-deliveries.ts'
import type { NoticeDeps } from './deps.ts'
import { addresseesIn, withDigest } from './plan-notices.ts'

/** Writes down who hears how a run ended, from the record alone. Idempotent. */
export const createPlanEnd = (deps: NoticeDeps) =>
  async function planEnd(claim: EndInput): Promise<PlannedNotice<'ended'>[]> {
    const run = await claimedEnd(deps, claim)
    const settings = deps.settings(run.environment)
    const { channels, people, spared } = endRecipients(run, {
      notify: settings?.notify,
      escalate_to: settings?.approval.escalate_to ?? [],
    })
    const named = addresseesIn(deps, { run_id: run.run_id }, channels)
    const recipients = distinct([...people, ...named], spared).map((each) => withDigest(deps, each))
    return await deps.deliveries.planEnd(claim, recipients)
  }

/** The run that a claim is about, if it is the one that it says and has ended. */
export async function claimedEnd({ ends, claims }: NoticeDeps, { run_id, workspace_id }: EndInput): Promise<EndView> {
  const run = await ends.find(run_id)
  if (run === undefined) throw await refuseClaim(claims, 'unknown_run', run_id)
  if (run.workspace_id !== workspace_id) throw await refuseClaim(claims, 'foreign_workspace', run_id)
  return run
}

function distinct(addressees: Addressee[], spared: Addressee[]): Addressee[] {
  const keyOf = ({ channel, recipient }: Addressee) => `${channel}\n${recipient}`
  const left = new Map(addressees.map((each) => [keyOf(each), each]))
  for (const each of spared) left.delete(keyOf(each))
  return [...left.values()]
}

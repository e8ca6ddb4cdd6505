import { runIdOfDelivery } from '#core/inbox/item.ts'
import type { RunStatus } from '#core/run/status.ts'
import { ManualTrigger } from '#core/trigger/start-schema.ts'
import type { Admission } from '../runs/admission.ts'
import { admitRun } from '../runs/admit-run.ts'
import type { InboxRoute } from './inbox-route.ts'
import { parseBody } from './parse-body.ts'

/** Starts by hand that nobody waits for. */
export const manualDelivery: InboxRoute<{ run_id: string; status: RunStatus }> = {
  path: '/triggers/manual',
  async process(ctx, delivery) {
    const { wait: _wait, wait_timeout_s: _timeout, ...start } = parseBody(ManualTrigger, delivery.body)
    const given = Object.fromEntries(Object.entries(start).filter(([, value]) => value !== undefined))
    const admission: Admission = {
      ...(given as Pick<Admission, 'pack' | 'template' | 'inputs'>),
      trigger: { type: 'manual', delivery_id: delivery.id },
      ...(!delivery.replay && { run_id: runIdOfDelivery(delivery.id) }),
    }
    const { run_id, status } = await admitRun(ctx, admission)
    return { answer: { run_id, status }, end: { status: 'started', run_id } }
  },
}

import type { z } from 'zod'
import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { type Halt, setterFor } from '#core/halt/halt.ts'
import type { Run } from '#core/run/schema.ts'
import { visible } from '#core/text/visible-text.ts'
import { isoTime } from '#core/time/time.ts'
import type { HaltStore } from '#store/halts.ts'
import type { RunAlerts, RunDetail, RunViews } from '#store/runs/run-views.ts'
import { nameFor } from '../auth/may.ts'
import { toRunRecord } from './run-record.ts'

type RunRecord = z.infer<typeof Run>

interface GetRunContext {
  workspace_id: string
  actor: Pick<Actor, 'workspaces' | 'roles' | 'scopes'>
  views: RunViews
  halts: Pick<HaltStore, 'covering'>
}

/** Returns the full record of a run. A foreign run is treated as unknown. */
export async function getRun(ctx: GetRunContext, runId: string): Promise<RunRecord> {
  const view = await ctx.views.find(ctx.workspace_id, runId)
  if (!view) throw new DomainError('not_found', `no run ${runId}`)
  const run = toRunRecord(view)
  const gates = run.gates.map((gate) => ({
    ...gate,
    decisions: answersTo(gate.gate_id, { actor: ctx.actor, decisions: view.decisions }),
  }))
  const isHalted = run.status_reason === 'halted'
  // one that was just answered has not met its halt yet
  const mayMeetOne = isHalted || run.status === 'queued' || run.status === 'running'
  const halts = mayMeetOne
    ? (await ctx.halts.covering(runId)).map((halt) => toHold(halt, setterFor(ctx.actor, halt)))
    : []
  return {
    ...run,
    gates,
    ...(view.trigger !== null && { trigger: toTrigger(view.trigger) }),
    ...((isHalted || halts.length > 0) && { halts }),
  }
}

function toHold({ id, reason, created_at }: Halt, by: Halt['by']) {
  return { id, reason: visible(reason), by: visible(by.display), created_at: isoTime(Date.parse(created_at)) }
}

/** Text of people is shown plainly, without its control of the writing direction. */
function answersTo(gate_id: string, { actor, decisions }: Pick<GetRunContext, 'actor'> & Pick<RunDetail, 'decisions'>) {
  const named = (name: string | null) => {
    const shown = nameFor(actor, name)
    return shown === undefined ? {} : { name: shown }
  }
  return decisions
    .filter((each) => each.gate_id === gate_id)
    .map(({ by, name, via, decision, channel, at, note }) => ({
      by: visible(by),
      ...named(name),
      ...(via === null ? {} : { via: { id: via.id, ...named(via.name) } }),
      decision,
      channel,
      at: isoTime(Date.parse(at)),
      ...(note === null ? {} : { note: visible(note) }),
    }))
}

function toTrigger({ alert, members, members_cut }: RunAlerts): NonNullable<RunRecord['trigger']> {
  return {
    alert,
    members: members.map(({ member, status, received_at, updated_at, alert: state }) => ({
      ...state,
      member,
      status,
      received_at: isoTime(Date.parse(received_at)),
      updated_at: isoTime(Date.parse(updated_at)),
    })),
    members_cut,
  }
}

import type { NotifySettings } from '#core/environment/environment.ts'
import type { Log } from '#core/log.ts'
import type { EndInput } from '#core/notify/contract.ts'
import { createLoop } from '#platform/program/create-loop.ts'
import type { NoticeWorkflows } from '#platform/temporal/notice-workflows.ts'
import type { ConnectionNotices } from '#store/notices/connection-notices.ts'
import type { GateNoticeRow, GateNotices } from '#store/notices/gate-notices.ts'
import type { HaltNotices } from '#store/notices/halt-notices.ts'
import type { NoticeDigests } from '#store/notices/notice-digests.ts'

const EVERY_MS = 500
const BATCH = 100

type EndedRow = Extract<GateNoticeRow, { kind: 'ended' }>

export interface NoticeLoopDeps {
  notices: GateNotices
  halts: Pick<HaltNotices, 'takeDue' | 'markHanded' | 'postpone'>
  digests: Pick<NoticeDigests, 'takeDue' | 'markHanded' | 'postpone'>
  connections: Pick<ConnectionNotices, 'takeDue' | 'markHanded' | 'postpone'>
  workflows: NoticeWorkflows
  /** further recipients of an environment, besides those who were asked */
  notifyOf(environment: string): NotifySettings | undefined
  leading(): boolean
  log: Pick<Log, 'warn'>
}

/** Messages that are due, about halts or authorisations, or from digests. */
interface DueQueue<Due> {
  takeDue(limit: number): Promise<Due[]>
  markHanded(due: Due): Promise<void>
  postpone(ids: string[]): Promise<void>
}

/** Hands pending notices on: starts a workflow, signals the gate's, or drops a notice that nobody needs. A repeat does no harm. */
export function createNoticeLoop(deps: NoticeLoopDeps) {
  let stopped = false

  async function hand(row: GateNoticeRow): Promise<void> {
    if (row.kind === 'ended') return isOfInterest(row) ? await deps.workflows.sendEndNotice(named(row)) : undefined
    if (row.kind === 'resolved') return await deps.workflows.gateChanged(row.gate_id)
    // resolved before the first notice: there is nothing left to ask, but an account may have answered in a user's name
    if (row.kind === 'opened' && row.gate_status !== 'open') return
    await deps.workflows.start({ gate_id: row.gate_id, ...named(row) })
    if (row.kind === 'answered') await deps.workflows.gateChanged(row.gate_id)
  }

  /** Most failures have no recipients, and get no workflow. */
  function isOfInterest({ asked, environment, run_status }: EndedRow): boolean {
    return asked || (deps.notifyOf(environment)?.on.some((status) => status === run_status) ?? false)
  }

  /** Rows behind a failed one wait for it: a gate's end is never sent before its opening. */
  async function round(): Promise<void> {
    const handed: number[] = []
    const postponed = new Map<string, number>()
    let failure: unknown
    for (const row of await deps.notices.takeDue(BATCH)) {
      const about = row.kind === 'ended' ? row.run_id : row.gate_id
      if (stopped || postponed.has(about)) continue
      try {
        await hand(row)
        handed.push(row.id)
      } catch (error) {
        failure = error
        postponed.set(about, row.id)
      }
    }
    await deps.notices.markHanded(handed)
    await deps.notices.postpone([...postponed.values()])
    if (postponed.size > 0) deps.log.warn({ count: postponed.size, err: failure }, 'notices wait for the engine')
  }

  async function handDue<Due>(
    queue: DueQueue<Due>,
    { idOf, send }: { idOf(due: Due): string; send(due: Due): Promise<void> },
  ): Promise<void> {
    const failed: string[] = []
    let failure: unknown
    for (const due of await queue.takeDue(BATCH)) {
      if (stopped) return
      try {
        await send(due)
        await queue.markHanded(due)
      } catch (error) {
        failure = error
        failed.push(idOf(due))
      }
    }
    await queue.postpone(failed)
    if (failed.length > 0) deps.log.warn({ about: failed, err: failure }, 'messages wait for the engine')
  }

  const { halts, digests, connections, workflows, log } = deps
  const failed = 'notices could not be handed on'
  const loop = createLoop({ first_ms: EVERY_MS, again_ms: EVERY_MS, failed, log }, async () => {
    if (!deps.leading()) return EVERY_MS
    await round()
    await handDue(halts, {
      idOf: ({ halt_id }) => halt_id,
      send: ({ halt_id, notice }) => workflows.sendHaltNotice({ halt_id, notice }),
    })
    await handDue(digests, {
      idOf: ({ digest_id }) => digest_id,
      send: ({ digest_id, notice }) => workflows.sendDigest({ digest_id, notice }),
    })
    await handDue(connections, {
      idOf: ({ authorization_id }) => authorization_id,
      send: workflows.sendConnectionNotice,
    })
    return EVERY_MS
  })

  return {
    start: loop.start,
    stop(): Promise<void> {
      stopped = true
      return loop.stop()
    },
  }
}

function named({ run_id, workspace_id }: GateNoticeRow): EndInput {
  return { run_id, workspace_id }
}

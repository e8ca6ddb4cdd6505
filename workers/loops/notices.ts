import type { ActionInput } from '#core/action-contract.ts'
import type { GateNoticeRow, GateNotices } from '#store/gate-notices.ts'

const EVERY_MS = 500
const BATCH = 100

export interface NoticeLoopDeps {
  notices: GateNotices
  actions: { start(input: ActionInput): Promise<void>; standDown(gateId: string): Promise<void> }
  leading(): boolean
  log: { warn(fields: object, message: string): void }
}

/** Hands what there is to tell about gates to the engine, for as long as it takes. A row handed twice does no harm. */
export function createNoticeLoop(deps: NoticeLoopDeps) {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: Promise<void> = Promise.resolve()

  async function hand(row: GateNoticeRow): Promise<void> {
    if (row.kind === 'resolved') return await deps.actions.standDown(row.gate_id)
    // resolved before anybody was told of it: there is nothing left to ask
    if (row.gate_status !== 'open') return
    const { gate_id, run_id, workspace_id } = row
    await deps.actions.start({ gate_id, run_id, workspace_id })
  }

  /** What follows a row that was not handed waits for it: a gate is not called off before it was called out. */
  async function round(): Promise<void> {
    const handed: number[] = []
    const postponed = new Map<string, number>()
    let failure: unknown
    for (const row of await deps.notices.takeDue(BATCH)) {
      if (stopped || postponed.has(row.gate_id)) continue
      try {
        await hand(row)
        handed.push(row.id)
      } catch (error) {
        failure = error
        postponed.set(row.gate_id, row.id)
      }
    }
    await deps.notices.markHanded(handed)
    await deps.notices.postpone([...postponed.values()])
    if (postponed.size > 0)
      deps.log.warn({ count: postponed.size, error: String(failure) }, 'notices about gates wait for the engine')
  }

  function next(): void {
    timer = setTimeout(() => {
      const work = deps.leading() ? round() : Promise.resolve()
      current = work
        .catch((error: unknown) =>
          deps.log.warn({ error: String(error) }, 'notices about gates could not be handed on'),
        )
        .finally(() => {
          if (!stopped) next()
        })
    }, EVERY_MS)
  }

  return {
    start: next,
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}

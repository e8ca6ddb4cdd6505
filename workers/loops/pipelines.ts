import { matchTopics } from '#core/bus/topic.ts'
import type { Log } from '#core/log.ts'
import type { PipelineWorkflows } from '#services/pipelines/ports.ts'
import type { BusReads } from '#store/bus-reads.ts'
import { paced } from '#store/paced.ts'
import type { PipelineWakes } from '#store/pipeline-wakes.ts'

const EVERY_MS = 1_000
/** Notices within this time are handled together. */
const REST_MS = 10
const SWEEP_MS = 5_000
const UNSTARTED_MS = 3_000
const OVERDUE_MS = 15_000
const BATCH = 200
const AT_ONCE = 20

export interface PipelineLoopDeps {
  pipelines: PipelineWakes
  bus: Pick<BusReads, 'head' | 'topicsBetween'>
  workflows: PipelineWorkflows
  /** calls whenever pipelines, or the bus, have news; answers how to stop */
  listen(news: () => void): Promise<() => Promise<unknown>>
  leading(): boolean
  log: Pick<Log, 'info' | 'warn'>
}

/**
 * Wakes pipelines that have news: runs that have moved, answers from people, events on their topics. A lost start, wake or workflow is found
 * again from the record.
 */
export function createPipelineLoop(deps: PipelineLoopDeps) {
  const { pipelines, bus, workflows, log } = deps
  let heard: number | undefined
  let swept_at = Number.NEGATIVE_INFINITY
  let polling: ReturnType<typeof setInterval> | undefined
  let unlisten: (() => Promise<unknown>) | undefined

  const rounds = paced(async () => {
    await round().catch((error: unknown) => log.warn({ err: error }, 'pipelines were not woken'))
  }, REST_MS)

  async function round(): Promise<void> {
    if (!deps.leading()) {
      heard = undefined
      return
    }
    for (let ids = await pipelines.takeWakes(BATCH); ids.length > 0; ids = await pipelines.takeWakes(BATCH))
      await wakeAll(ids)
    await hear()
    if (performance.now() - swept_at < SWEEP_MS) return
    swept_at = performance.now()
    // somebody else may have taken the place of one that nobody has looked at yet
    for (const start of await pipelines.unstarted(UNSTARTED_MS, BATCH)) await workflows.restart(start)
    const overdue = await pipelines.overdue(OVERDUE_MS, BATCH)
    // somebody else's workflow may have taken the place of theirs
    for (const start of overdue.length === 0 ? [] : await pipelines.findStarts(overdue)) await workflows.restart(start)
    await wakeAll(overdue)
  }

  /** Wakes those with new messages on their topics; after a change of leader, those with any since they last looked. */
  async function hear(): Promise<void> {
    const { last_id } = await bus.head()
    if (heard === last_id) return
    const waiting = await pipelines.waitingForEvents()
    const from = heard ?? Math.min(last_id, ...waiting.flatMap(({ after_id }) => after_id ?? []))
    const news = await bus.topicsBetween(from, last_id)
    const called = waiting.filter(({ workspace_id, topic, after_id }) => {
      const fits = matchTopics([topic])
      const isUnread = heard === undefined && after_id === null
      return isUnread || news.some((each) => each.workspace_id === workspace_id && fits(each.topic))
    })
    await wakeAll([...new Set(called.map(({ pipeline_id }) => pipeline_id))])
    heard = last_id
  }

  /** Those that could not be woken are marked to be woken again. */
  async function wakeAll(ids: string[]): Promise<void> {
    const failed: string[] = []
    for (let at = 0; at < ids.length; at += AT_ONCE)
      await Promise.all(
        ids.slice(at, at + AT_ONCE).map(async (id) => {
          try {
            await wakeOrStart(id)
          } catch (error) {
            failed.push(id)
            log.warn({ pipeline_id: id, err: error }, 'a pipeline could not be woken')
          }
        }),
      )
    if (failed.length === 0) return
    await pipelines.wake(failed)
    throw new Error(`${failed.length} pipelines could not be woken`)
  }

  async function wakeOrStart(id: string): Promise<void> {
    if (await workflows.wake(id)) return
    const [start] = await pipelines.findStarts([id])
    if (start !== undefined) await workflows.begin(start)
  }

  return {
    async start(): Promise<void> {
      unlisten = await deps.listen(rounds.ask)
      polling = setInterval(rounds.ask, EVERY_MS)
      rounds.ask()
    },
    async stop(): Promise<void> {
      clearInterval(polling)
      await unlisten?.()
      await rounds.close()
    },
  }
}

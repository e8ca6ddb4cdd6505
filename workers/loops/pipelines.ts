import { matchTopics } from '#core/bus/topic.ts'
import type { Log } from '#core/log.ts'
import type { PipelineClaim } from '#core/pipeline/contract.ts'
import type { LookResult } from '#services/pipelines/advance-pipeline.ts'
import type { PipelineWorkflows } from '#services/pipelines/ports.ts'
import type { BusReads } from '#store/bus-reads.ts'
import { paced } from '#store/paced.ts'
import type { PipelineWake, PipelineWakes } from '#store/pipeline-wakes.ts'
import { createGatheredNews } from './gathered-news.ts'

const EVERY_MS = 1_000
/** Notices within this time are handled together. */
const REST_MS = 10
const SWEEP_MS = 5_000
const UNSTARTED_MS = 3_000
const OVERDUE_MS = 15_000
const BATCH = 200
const AT_ONCE = 20
/** How many pipelines this process looks at by itself at once; of others their workflows are told, which spreads them over the workers. */
const LOOKS_AT_ONCE = 4

export interface PipelineLoopDeps {
  pipelines: PipelineWakes
  bus: Pick<BusReads, 'head' | 'topicsBetween'>
  workflows: PipelineWorkflows
  /** looks at one beside its workflow */
  look(pipeline: PipelineClaim): Promise<LookResult>
  /** calls whenever pipelines, or the bus, have news; answers how to stop */
  listen(news: () => void): Promise<() => Promise<unknown>>
  leading(): boolean
  log: Pick<Log, 'info' | 'warn'>
}

/**
 * Has pipelines go on that have news: runs that have moved, answers from people, events on their topics. A few are looked at here, without a
 * hop through the engine, and their workflows hear of it only where they have something to do; of the others the workflows are woken. News
 * stand until then, and a lost start, wake or workflow is found again from the record.
 */
export function createPipelineLoop(deps: PipelineLoopDeps) {
  const { pipelines, bus, workflows, log } = deps
  const looks = new Map<string, Promise<void>>()
  const gathered = createGatheredNews(() => performance.now())
  let heard: number | undefined
  let swept_at = Number.NEGATIVE_INFINITY
  let stopped = false
  let later: ReturnType<typeof setTimeout> | undefined
  let polling: ReturnType<typeof setInterval> | undefined
  let unlisten: (() => Promise<unknown>) | undefined

  const rounds = paced(async () => {
    await round().catch((error: unknown) => log.warn({ err: error }, 'pipelines were not woken'))
  }, REST_MS)

  async function round(): Promise<void> {
    if (stopped || !deps.leading()) {
      heard = undefined
      return
    }
    while (await takeUp());
    await hear()
    if (performance.now() - swept_at < SWEEP_MS) return
    swept_at = performance.now()
    gathered.sweep()
    // somebody else may have taken the place of one that nobody has looked at yet
    for (const start of await pipelines.unstarted(UNSTARTED_MS, BATCH)) await workflows.restart(start)
    const overdue = await pipelines.overdue(OVERDUE_MS, BATCH)
    // somebody else's workflow may have taken the place of theirs
    for (const start of overdue.length === 0 ? [] : await pipelines.findStarts(overdue)) await workflows.restart(start)
    await wakeAll(overdue)
  }

  /** False when there are no news that nobody looks at yet, and that wait for no others. */
  async function takeUp(): Promise<boolean> {
    const found = await pipelines.wakes(BATCH, [...looks.keys()])
    const waits = found.map(({ pipeline_id, ids }) => gathered.waitOf(pipeline_id, ids.length))
    const due = found.filter((_, index) => waits[index] === 0)
    clearTimeout(later)
    if (found.length > due.length) later = setTimeout(rounds.ask, Math.min(...waits.filter((wait) => wait > 0)))
    const others = due.filter((wake) => !(wake.begun && isLookedAt(wake)))
    await wakeAll(others.map(({ pipeline_id }) => pipeline_id))
    if (others.length > 0) await pipelines.heard(others.flatMap(({ ids }) => ids))
    return due.length > 0
  }

  /** Begins to look at one, if there is room. */
  function isLookedAt(wake: PipelineWake): boolean {
    if (looks.size >= LOOKS_AT_ONCE) return false
    const looking = lookAt(wake)
      .catch((error: unknown) =>
        log.warn({ pipeline_id: wake.pipeline_id, err: error }, 'a pipeline was not looked at'),
      )
      .finally(() => {
        looks.delete(wake.pipeline_id)
        rounds.ask()
      })
    looks.set(wake.pipeline_id, looking)
    return true
  }

  async function lookAt({ pipeline_id, workspace_id, ids }: PipelineWake): Promise<void> {
    const { tell, awaited } = await deps.look({ pipeline_id, workspace_id }).catch((error: unknown) => {
      log.warn({ pipeline_id, err: error }, 'a look at a pipeline failed; its workflow looks for as long as it takes')
      return { tell: true, awaited: 1 }
    })
    gathered.looked(pipeline_id, awaited)
    if (tell) await wakeOrStart(pipeline_id)
    await pipelines.heard(ids)
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
    if (failed.length > 0) throw new Error(`${failed.length} pipelines could not be woken`)
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
      clearTimeout(later)
      await unlisten?.()
      await rounds.close()
      stopped = true
      clearTimeout(later)
      await Promise.all(looks.values())
      await rounds.close()
    },
  }
}

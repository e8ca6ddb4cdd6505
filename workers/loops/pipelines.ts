import { matchTopics } from '#core/bus/topic.ts'
import type { Log } from '#core/log.ts'
import { createLru } from '#core/lru.ts'
import type { PipelineClaim } from '#core/pipeline/contract.ts'
import { within } from '#platform/within.ts'
import type { PipelineWorkflows } from '#services/pipelines/ports.ts'
import type { BusReads } from '#store/bus/bus-reads.ts'
import type { PipelineWake, PipelineWakes } from '#store/pipelines/pipeline-wakes.ts'
import { paced } from '#store/sql/paced.ts'
import type { GatheredUpdates } from './gathered-updates.ts'

const EVERY_MS = 1_000
/** Notices within this time are handled together. */
const REST_MS = 10
const SWEEP_MS = 5_000
const UNSTARTED_MS = 3_000
/** Work that was due for this long: its workflow may be lost, or was never woken. */
const LATE_MS = 5_000
const UNMOVED_MS = 15_000
const BATCH = 200
const AT_ONCE = 20
/** The longest evaluation, as in a workflow. */
const EVALUATION_MS = 10_000
/** Most pipelines in memory. */
const KNOWN = 10_000
/** Pipelines that this process evaluates itself at once; for others it wakes the workflows, which spreads them over the workers. */
const EVALUATIONS_AT_ONCE = 4

export interface PipelineLoopDeps {
  pipelines: PipelineWakes
  bus: Pick<BusReads, 'head' | 'topicsBetween'>
  workflows: PipelineWorkflows
  /** evaluates one outside its workflow; returns whether that must be woken */
  evaluate(pipeline: PipelineClaim): Promise<boolean>
  gathered: GatheredUpdates
  evaluation_ms?: number
  /** calls whenever pipelines have pending changes or the bus has messages; answers how to stop */
  listen(topics: () => void): Promise<() => Promise<unknown>>
  leading(): boolean
  log: Pick<Log, 'info' | 'warn'>
}

/**
 * Advances pipelines that have pending changes: transitions of runs, people's answers, events on their topics. A few are evaluated here,
 * without the engine, and their workflows are woken only where they have something to do; for the others the workflows are woken. A change
 * stays pending until then, and a lost start, wake or workflow is found again from the record.
 */
export function createPipelineLoop(deps: PipelineLoopDeps) {
  const { pipelines, bus, workflows, gathered, log, evaluation_ms = EVALUATION_MS } = deps
  const evaluations = new Map<string, Promise<void>>()
  /** pipelines whose workflows know of every change since this process leads */
  let known = createLru<string, true>(KNOWN)
  let read_to: number | undefined
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
      read_to = undefined
      known = createLru(KNOWN)
      return
    }
    while (await takeUp());
    await wakeSubscribers()
    if (performance.now() - swept_at < SWEEP_MS) return
    swept_at = performance.now()
    // the id of one that was never evaluated may be taken by a foreign workflow
    for (const start of await pipelines.unstarted(UNSTARTED_MS, BATCH)) await workflows.restart(start)
    const overdue = await pipelines.overdue({ late_ms: LATE_MS, unmoved_ms: UNMOVED_MS }, BATCH)
    // a foreign workflow may have taken the id of theirs
    for (const start of overdue.length === 0 ? [] : await pipelines.findStarts(overdue)) await workflows.restart(start)
    await wakeAll(overdue)
  }

  /** False when no due change is left that is not being handled. */
  async function takeUp(): Promise<boolean> {
    const found = await pipelines.wakes(BATCH, [...evaluations.keys()])
    const waits = found.map(({ pipeline_id, ids }) => gathered.waitOf(pipeline_id, ids.length))
    const due = found.filter((_, index) => waits[index] === 0)
    clearTimeout(later)
    if (found.length > due.length) later = setTimeout(rounds.ask, Math.min(...waits.filter((wait) => wait > 0)))
    const others: PipelineWake[] = []
    for (const wake of due) if (!beganAdvance(wake)) others.push(wake)
    const failed = await tryToWake(others.map(({ pipeline_id }) => pipeline_id))
    const done = others.filter(({ pipeline_id }) => !failed.includes(pipeline_id))
    if (done.length > 0) await pipelines.forgetWakes(done.flatMap(({ ids }) => ids))
    mustBeNone(failed)
    return due.length > 0
  }

  /** Begins to evaluate one; false where its workflow has to: there is no room, or it is the last evaluation, with which the workflow ends. */
  function beganAdvance(wake: PipelineWake): boolean {
    if (!wake.begun || evaluations.size >= EVALUATIONS_AT_ONCE || gathered.areLast(wake.pipeline_id, wake.ids.length))
      return false
    evaluations.set(
      wake.pipeline_id,
      evaluateNow(wake).then((isDone) => {
        evaluations.delete(wake.pipeline_id)
        // a failure is retried with the next poll
        if (isDone) rounds.ask()
      }),
    )
    return true
  }

  async function evaluateNow({ pipeline_id, workspace_id, ids }: PipelineWake): Promise<boolean> {
    // a process that evaluated it before may have died before it woke the workflow
    const isKnown = known.get(pipeline_id) === true
    try {
      const evaluated = within(evaluation_ms, deps.evaluate({ pipeline_id, workspace_id }), () => {
        throw new Error(`it has taken ${evaluation_ms} ms`)
      })
      const concernsWorkflow = await evaluated.catch((error: unknown) => {
        log.warn(
          { pipeline_id, err: error },
          'a pipeline could not be evaluated here; its workflow does it, for as long as it takes',
        )
        return true
      })
      if (concernsWorkflow || !isKnown) await wakeOrStart(pipeline_id)
      await pipelines.forgetWakes(ids)
      known.set(pipeline_id, true)
      return true
    } catch (error) {
      known.delete(pipeline_id)
      log.warn({ pipeline_id, err: error }, 'a pipeline could not be woken')
      return false
    }
  }

  /** Wakes those with new messages on their topics; after a change of leader, those with any since they were last evaluated. */
  async function wakeSubscribers(): Promise<void> {
    const { last_id } = await bus.head()
    if (read_to === last_id) return
    const waiting = await pipelines.waitingForEvents()
    const from = read_to ?? Math.min(last_id, ...waiting.flatMap(({ after_id }) => after_id ?? []))
    const topics = await bus.topicsBetween(from, last_id)
    const called = waiting.filter(({ workspace_id, topic, after_id }) => {
      const fits = matchTopics([topic])
      const isUnread = read_to === undefined && after_id === null
      return isUnread || topics.some((each) => each.workspace_id === workspace_id && fits(each.topic))
    })
    await wakeAll([...new Set(called.map(({ pipeline_id }) => pipeline_id))])
    read_to = last_id
  }

  async function wakeAll(ids: string[]): Promise<void> {
    mustBeNone(await tryToWake(ids))
  }

  /** Answers those that could not be woken. */
  async function tryToWake(ids: string[]): Promise<string[]> {
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
    return failed
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
      // evaluations that end now request no more rounds
      stopped = true
      clearTimeout(later)
      await Promise.all(evaluations.values())
      await rounds.close()
    },
  }
}

function mustBeNone(failed: string[]): void {
  if (failed.length > 0) throw new Error(`${failed.length} pipelines could not be woken`)
}

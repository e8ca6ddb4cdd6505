import { setTimeout as sleep } from 'node:timers/promises'
import { notTakenBackText } from '#client/compensated-text.ts'
import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { eventLine } from '../views/event-line.ts'
import { printable } from '../views/format.ts'
import { paintStatus, statusText } from '../views/pill-text.ts'
import { followLog } from '../watch/follow-log.ts'
import { firstRows, fitted, pipelineLines } from './show-pipeline.ts'

type FollowDeps = Pick<CliDeps, 'out' | 'err' | 'screen'>

const CLEAR = '\u001b[H\u001b[2J\u001b[3J'
/** Timers and durations change between events. */
const REDRAW_MS = 500
/** The longest is `step.awaiting_approval`. */
const TYPE_WIDTH = 22

/** Follows a pipeline to its end: at a terminal its tree, redrawn as it changes, else its events, a line each. */
export async function followPipeline(
  api: Pick<ApiClient, 'pipeline' | 'streamPipeline'>,
  id: string,
  { json }: { json?: boolean | undefined },
  deps: FollowDeps,
): Promise<Schema<'Pipeline'>> {
  return deps.screen() !== undefined && !json ? await drawn(api, id, deps) : await printed(api, id, json === true, deps)
}

async function printed(
  api: Pick<ApiClient, 'pipeline' | 'streamPipeline'>,
  id: string,
  json: boolean,
  deps: FollowDeps,
): Promise<Schema<'Pipeline'>> {
  await followLog(api.streamPipeline, id, {
    afterSeq: 0,
    onEvent: (event) => {
      deps.out(json ? visibleJson(event) : eventLine(event, undefined, TYPE_WIDTH))
      return 'continue'
    },
    onCut: () => deps.err('the connection was lost; resuming'),
  })
  const pipeline = await api.pipeline(id)
  const { status, error } = pipeline
  const code = error === undefined || error.code === status ? '' : `${error.code}: `
  const left = notTakenBackText(pipeline.not_taken_back)
  const why = `${error === undefined ? '' : `: ${code}${error.message}`}${left && `; ${left}`}`
  deps.out(
    json
      ? visibleJson({ type: 'pipeline', data: pipeline })
      : `${printable(`pipeline ${id}`)} ${paintStatus(statusText(status), status)}${printable(why)}`,
  )
  return pipeline
}

async function drawn(
  api: Pick<ApiClient, 'pipeline' | 'streamPipeline'>,
  id: string,
  deps: FollowDeps,
): Promise<Schema<'Pipeline'>> {
  let pipeline = await api.pipeline(id)
  let [isStale, isCut] = [false, false]
  let shown = ''
  const draw = () => {
    const screen = deps.screen()
    const drawn = pipelineLines(pipeline, Date.now())
    const all = isCut ? [...drawn, '', 'the connection was lost; resuming'] : drawn
    const lines = fitted(all, screen?.width)
    const text = (screen === undefined ? lines : firstRows(lines, screen)).join('\n')
    if (text !== shown) deps.out(`${CLEAR}${text}`)
    shown = text
  }
  let following = true
  const end = followLog(api.streamPipeline, id, {
    afterSeq: 0,
    onEvent: () => {
      isStale = true
      isCut = false
      return 'continue'
    },
    onCut: () => {
      isCut = true
    },
  }).finally(() => {
    following = false
  })
  // its error is handled when it is awaited
  end.catch(() => undefined)
  while (following) {
    if (isStale) {
      isStale = false
      pipeline = await api.pipeline(id).catch(() => {
        isStale = true
        return pipeline
      })
    }
    draw()
    await Promise.race([sleep(REDRAW_MS), end.catch(() => undefined)])
  }
  await end
  pipeline = await api.pipeline(id)
  draw()
  return pipeline
}

/** Exit codes by the end of a pipeline; those of a run with the same end. */
export const EXIT_OF_PIPELINE: Record<Schema<'PipelineStatus'>, number> = {
  succeeded: EXIT.ok,
  failed: EXIT.failed,
  rejected: 2,
  cancelled: 3,
  queued: EXIT.conflict,
  running: EXIT.conflict,
  blocked: EXIT.conflict,
}

export const FOLLOW_EXIT_HELP = `
Exit status of what follows a pipeline to its end:
  0  succeeded
  1  failed
  2  rejected
  3  cancelled`

import { expect } from 'vitest'
import type { Pipeline } from '#core/pipeline/schema.ts'
import { poll } from '#platform/embedded/processes.ts'
import type { EffectTarget } from './effect-target.ts'
import type { TestService } from './service.ts'

const WITHIN_MS = 90_000
const INPUTS = 'inputs: { type: object, required: [url], properties: { url: { type: string } } }'
const act = (id: string, more: string) =>
  `{ id: ${id}, uses: desk/act, with: { url: "\${{ inputs.url }}/${id}" }, timeout: 10m, ${more} }`

/** Pipelines each of which can be held up at another place of its life. */
export const PLACES = `
timer:
  title: At a timer
  ${INPUTS}
  steps:
    - ${act('a', 'needs: []')}
    - { id: rest, schedule: 3s, needs: [a] }
    - ${act('b', 'needs: [rest]')}
event:
  title: At an event
  ${INPUTS}
  steps:
    - ${act('a', 'needs: []')}
    - { id: heard, on: places.told, needs: [a], timeout: 10m }
    - ${act('b', 'needs: [heard]')}
manual:
  title: At a hand
  ${INPUTS}
  steps:
    - ${act('a', 'needs: []')}
    - ${act('b', 'needs: [a], gate: manual')}
approval:
  title: At a gate
  ${INPUTS}
  steps:
    - ${act('a', 'needs: []')}
    - ${act('b', 'needs: [a], gate: approval')}
child:
  title: At a run
  ${INPUTS}
  steps:
    - ${act('a', 'needs: []')}
    - ${act('held', 'needs: [a]')}
undo:
  title: At a compensation
  ${INPUTS}
  steps:
    - ${act('a', 'needs: [], compensate: desk/act')}
    - ${act('b', 'needs: [a], compensate: desk/act')}
    - { id: bad, uses: desk/fail, needs: [b], on_failure: compensate, timeout: 1m }
`

export type Place = 'timer' | 'event' | 'manual' | 'approval' | 'child' | 'undo'
const NAMES: Place[] = ['timer', 'event', 'manual', 'approval', 'child', 'undo']
const STEPS: Record<Place, [step: string, state: string]> = {
  timer: ['rest', 'waiting_timer'],
  event: ['heard', 'waiting_event'],
  manual: ['b', 'ready'],
  approval: ['b', 'awaiting_approval'],
  child: ['held', 'running'],
  undo: ['bad', 'failed'],
}

type Service = Pick<TestService, 'call' | 'until'>

/** One pipeline at each place: what is at work there waits for its answer until it is let go. */
export async function standAtPlaces(service: Service, target: EffectTarget) {
  // of what is taken back the first effect has come and gone
  const letGo = target.hold(
    (path) => path === '/held' || (path === '/undo/b' && target.calls.filter((call) => call.path === path).length > 1),
  )
  const ids = new Map<Place, string>()
  for (const name of NAMES) {
    const url = name === 'undo' ? `${target.url}/undo` : name === 'child' ? target.url : `${target.url}/${name}`
    const asked = { bundle_path: 'desk', pipeline_name: name, inputs: { url } }
    const { status, body } = await service.call<{ pipeline_id: string }>('POST', '/pipelines/run', asked)
    expect(status, JSON.stringify(body)).toBe(202)
    ids.set(name, body.pipeline_id)
  }
  for (const [name, id] of ids) {
    const [step, state] = STEPS[name]
    await service.until<Pipeline>(
      `/pipelines/${id}`,
      ({ steps }) => steps.some((each) => each.id === step && each.state === state),
      WITHIN_MS,
    )
  }
  const isHeld = () =>
    target.calls.some(({ path }) => path === '/held') &&
    target.calls.filter(({ path }) => path === '/undo/b').length > 1
  expect(await poll(() => isHeld() || undefined, WITHIN_MS)).toBe(true)
  return { ids, letGo }
}

/** People answer, and every pipeline ends as its definition says, with each effect once. */
export async function expectGoesOn(service: Service, target: EffectTarget, ids: Map<Place, string>): Promise<void> {
  const repeat = async (path: string) =>
    expect(
      await poll(async () => ((await service.call('POST', path, {})).status < 300 ? true : undefined), WITHIN_MS),
      path,
    ).toBe(true)
  await repeat(`/pipelines/${ids.get('manual')}/steps/b/advance`)
  await repeat(`/pipelines/${ids.get('approval')}/steps/b/approve`)
  for (const [name, id] of ids) {
    const isOver = ({ status }: Pipeline) => ['succeeded', 'failed', 'rejected', 'cancelled'].includes(status)
    const { status, steps, error } = await service.until<Pipeline>(`/pipelines/${id}`, isOver, WITHIN_MS)
    expect(`${name} ${status}`).toBe(`${name} ${name === 'undo' ? 'failed' : 'succeeded'}`)
    if (name === 'undo') expect(error).toMatchObject({ step: 'bad' })
    const runs = steps.flatMap((step) => step.runs)
    const acting = runs.filter(({ run_id }) => target.of(run_id).length > 0)
    // two that act, and in the one that is taken back two compensations
    expect(acting).toHaveLength(name === 'undo' ? 4 : 2)
    expect(acting.map(({ run_id }) => target.of(run_id).length)).toEqual(acting.map(() => 1))
    if (name !== 'undo') continue
    const effects = target.effects().filter(({ run }) => runs.some(({ run_id }) => run_id === run))
    expect(effects.map(({ path }) => path)).toEqual(['/undo/a', '/undo/b', '/undo/b', '/undo/a'])
  }
}

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import { advancePipeline } from '#core/pipeline/advance.ts'
import { stepsNotTakenBack } from '#core/pipeline/compensate.ts'
import type { PipelineDefinition, PipelineStep, RunStep } from '#core/pipeline/types.ts'
import { withLeftOut } from '#test/support/left-out.ts'
import { PipelineWorld } from '#test/support/pipeline-world.ts'
import { nameOf } from '#test/support/random-pipeline.ts'

const MINUTE_MS = 60_000

function run(id: string, more: Partial<RunStep> = {}): RunStep {
  const base = { id, title: id, needs: [], on_failure: 'fail', kind: 'run', uses: nameOf('desk/act') } as const
  return { ...base, needs: [], with: {}, gate: 'none', timeout_ms: MINUTE_MS, ...more }
}

function timer(id: string, delay_ms: number): PipelineStep {
  return { id, title: id, needs: [], on_failure: 'fail', kind: 'timer', timer: { delay_ms } }
}

/** A wait whose delay is an expression, in a pipeline with these inputs. */
const waiting = (delay: string, inputs: JsonObject): PipelineWorld => {
  const step: PipelineStep = { ...timer('t', 0), kind: 'timer', timer: { delay } }
  return new PipelineWorld(pipelineOf([step]), inputs).look().carryOut()
}

function pipelineOf(steps: PipelineStep[], outputs: PipelineDefinition['outputs'] = {}): PipelineDefinition {
  const head = { v: 1, name: 'test', title: 'Test', inputs_schema: { type: 'object' } } as const
  return { ...head, steps, outputs, template_digests: {}, bundle_digest: 'sha256:test' }
}

const worldOf = (...steps: PipelineStep[]) => new PipelineWorld(pipelineOf(steps)).look().carryOut()

const statesOf = ({ at }: PipelineWorld) => Object.fromEntries(at.steps.map(({ id, state }) => [id, state]))

function runOf(world: PipelineWorld, id: string, index = 0): string {
  const child = world.childrenOf(id).find((each) => each.index === index)
  if (child === undefined) throw new Error(`the step ${id} has no run ${index}`)
  return child.run_id
}

/** Its run ends a moment later, and has acted. */
function end(
  world: PipelineWorld,
  id: string,
  status: 'succeeded' | 'failed' | 'rejected' | 'expired',
  index = 0,
): void {
  world.later(10)
  world.move(runOf(world, id, index), status, { acted: true })
  world.look().carryOut()
}

describe('a step that does not succeed', () => {
  test('ends the pipeline: nothing more begins, what waits is cancelled, what is at work ends by itself', () => {
    const world = worldOf(run('a'), run('b'), run('c'), timer('t', 5_000), run('late', { needs: ['a'] }))
    world.move(runOf(world, 'b'), 'running')
    world.look()
    end(world, 'a', 'failed')
    expect(statesOf(world)).toEqual({ a: 'failed', b: 'running', c: 'cancelled', t: 'cancelled', late: 'skipped' })
    expect(world.at.status).toBe('running')
    end(world, 'b', 'succeeded')
    expect(world.at).toMatchObject({
      status: 'failed',
      error: { code: 'run_failed', step: 'a', run_id: runOf(world, 'a') },
    })
    expect(world.at.children.filter(({ role }) => role === 'compensation')).toEqual([])
  })

  test('is passed by where the definition says so, and what needs it sees how it ended', () => {
    const world = worldOf(
      run('a', { on_failure: 'continue' }),
      run('bad', { needs: ['a'], when: 'steps.a.status == "failed"' }),
      run('good', { needs: ['a'], when: 'steps.a.status == "succeeded"' }),
    )
    end(world, 'a', 'failed')
    end(world, 'bad', 'succeeded')
    expect(statesOf(world)).toEqual({ a: 'failed', bad: 'succeeded', good: 'skipped' })
    expect(world.at.status).toBe('succeeded')
  })

  test.each([
    ['rejected', 'rejected'],
    ['expired', 'failed'],
    ['failed', 'failed'],
  ] as const)('of which the run is %s makes the pipeline %s', (status, ends) => {
    const world = worldOf(run('a'))
    world.move(runOf(world, 'a'), 'running')
    world.move(runOf(world, 'a'), 'awaiting_approval')
    world.look()
    expect(world.at.status).toBe('blocked')
    end(world, 'a', status)
    expect(world.at.status).toBe(ends)
    expect(statesOf(world)).toEqual({ a: status })
  })
})

describe('what was done is taken back', () => {
  const undone = { compensate: nameOf('desk/act') }

  test('the last first and one after the other, also where steps ran side by side, and only what acted', () => {
    const world = worldOf(
      run('a', undone),
      run('b', undone),
      run('list', { ...undone, for_each: { items: '[1, 2]', parallel: 2 } }),
      run('read', undone),
      run('plain'),
      run('bad', { needs: ['a', 'b', 'list', 'read', 'plain'], on_failure: 'compensate' }),
    )
    end(world, 'b', 'succeeded')
    end(world, 'list', 'succeeded', 1)
    end(world, 'a', 'succeeded')
    end(world, 'list', 'succeeded', 0)
    end(world, 'plain', 'succeeded')
    world.move(runOf(world, 'read'), 'succeeded')
    world.look().carryOut()
    end(world, 'bad', 'failed')
    const order: string[] = []
    while (!world.ended) {
      const [next, ...others] = world.at.children.filter(
        ({ run_id, role }) => role === 'compensation' && world.open().some((each) => each.run_id === run_id),
      )
      if (next === undefined) throw new Error('nothing is taken back, and it has not ended')
      expect(others).toEqual([])
      order.push(`${next.step_id}${next.index}`)
      // one that fails does not keep the others from being taken back
      world.move(next.run_id, next.step_id === 'a' ? 'failed' : 'succeeded')
      world.look().carryOut()
    }
    expect(order).toEqual(['list0', 'a0', 'list1', 'b0'])
    expect(world.at).toMatchObject({ status: 'failed', error: { step: 'bad' } })
    expect(stepsNotTakenBack(world.at)).toEqual(['a'])
  })

  test('after a cancel, too, and a second cancel does not stop it', () => {
    const world = worldOf(run('a', undone), run('b', { needs: ['a'] }))
    end(world, 'a', 'succeeded')
    world.cancel('enough')
    world.look().carryOut()
    expect(statesOf(world)).toEqual({ a: 'succeeded', b: 'cancelled' })
    const [undo] = world.childrenOf('a', 'compensation')
    expect(world.at.status).toBe('running')
    world.look().carryOut()
    expect(world.childrenOf('a', 'compensation')).toHaveLength(1)
    world.move(undo?.run_id ?? '', 'succeeded')
    expect(world.look().at).toMatchObject({ status: 'cancelled', error: { code: 'cancelled', message: 'enough' } })
  })
})

describe('cancel', () => {
  test('leaves no open step and no open run', () => {
    const world = worldOf(run('a'), run('m', { gate: 'manual' }), timer('t', 5_000), run('late', { needs: ['t'] }))
    world.move(runOf(world, 'a'), 'running')
    world.look().cancel()
    world.look().carryOut()
    expect(world.at.status).toBe('cancelled')
    expect(statesOf(world)).toEqual({ a: 'cancelled', m: 'cancelled', t: 'cancelled', late: 'cancelled' })
    expect(world.open()).toEqual([])
  })

  test('stops what is at work in a pipeline that fails already', () => {
    const world = worldOf(run('a', { compensate: nameOf('desk/act') }), run('b'), run('long'))
    world.move(runOf(world, 'long'), 'running')
    end(world, 'a', 'succeeded')
    end(world, 'b', 'failed')
    expect(statesOf(world)).toMatchObject({ long: 'running' })
    world.cancel('at once')
    world.look().carryOut()
    expect(statesOf(world)).toMatchObject({ long: 'cancelled' })
    expect(world.childrenOf('a', 'compensation')).toHaveLength(1)
    expect(world.at.closing).toMatchObject({ as: 'cancelled', compensate: true })
  })

  test('before anything has begun begins nothing', () => {
    const world = new PipelineWorld(pipelineOf([run('a')]))
    world.cancel()
    expect(world.look().at).toMatchObject({ status: 'cancelled', children: [] })
  })
})

describe('the time of a step', () => {
  test('stands still while people are asked, and goes on when they have answered', () => {
    const world = worldOf(run('a'))
    world.move(runOf(world, 'a'), 'running')
    world.later(50_000).look()
    world.move(runOf(world, 'a'), 'awaiting_approval')
    expect(world.look().wake_at_ms).toBeNull()
    expect(world.later(10 * MINUTE_MS).look().at.status).toBe('blocked')
    world.move(runOf(world, 'a'), 'running')
    world.look()
    expect(world.wake_at_ms).toBe(world.now_ms + 10_000)
    world.later(9_999).look()
    expect(statesOf(world)).toEqual({ a: 'running' })
    world.later(1).look().carryOut()
    expect(world.at).toMatchObject({ status: 'failed', error: { code: 'timeout', step: 'a' } })
    expect(world.open()).toEqual([])
  })

  test('stands still also where nobody looked at the pipeline while people were asked', () => {
    const world = worldOf(run('a'))
    world.move(runOf(world, 'a'), 'running')
    world.later(50_000)
    world.move(runOf(world, 'a'), 'awaiting_approval')
    world.later(10 * MINUTE_MS).look()
    expect(world.at).toMatchObject({ status: 'blocked', steps: [{ state: 'awaiting_approval', timed_out: false }] })
    world.move(runOf(world, 'a'), 'running')
    world.look()
    expect(world.wake_at_ms).toBe(world.now_ms + 10_000)
  })

  test('is over when it was over before people were asked', () => {
    const world = worldOf(run('a'))
    world.move(runOf(world, 'a'), 'running')
    world.later(MINUTE_MS + 1)
    world.move(runOf(world, 'a'), 'awaiting_approval')
    expect(world.later(5_000).look().at.steps[0]).toMatchObject({ timed_out: true })
  })

  test('counts while one of several runs is at work, though others are asked about', () => {
    const world = worldOf(run('a', { for_each: { items: '[1, 2]', parallel: 2 } }))
    for (const { run_id } of world.open()) world.move(run_id, 'running')
    world.move(runOf(world, 'a', 0), 'awaiting_approval')
    expect(world.look().wake_at_ms).toBe(world.now_ms + MINUTE_MS)
    expect(statesOf(world)).toEqual({ a: 'running' })
  })

  test('a run that has ended well in time counts, though the pipeline looks late', () => {
    const world = worldOf(run('a'))
    world.move(runOf(world, 'a'), 'succeeded')
    expect(world.later(10 * MINUTE_MS).look().at.status).toBe('succeeded')
  })

  test('nobody advances it: it expires, and the time of its runs begins only when somebody does', () => {
    const world = worldOf(run('m', { gate: 'manual' }))
    expect(world.later(MINUTE_MS - 1).look().at.status).toBe('blocked')
    world.advance('m')
    world.look().carryOut()
    expect(world.wake_at_ms).toBe(world.now_ms + MINUTE_MS)
    const other = worldOf(run('m', { gate: 'manual' }))
    expect(other.later(MINUTE_MS).look().at).toMatchObject({ status: 'failed', steps: [{ state: 'expired' }] })
  })
})

describe('a list', () => {
  const list = (items: string, parallel: number) =>
    run('l', { for_each: { items, parallel }, with: { text: `\${{ item }}/\${{ index }}` } })

  test('has as many runs at once as it may, in order, and their outputs in order', () => {
    const world = worldOf(list('["a", "b", "c", "d", "e"]', 2))
    const most: number[] = []
    for (const index of [1, 0, 3, 2, 4]) {
      most.push(world.open().length)
      end(world, 'l', 'succeeded', index)
    }
    expect(most).toEqual([2, 2, 2, 2, 1])
    expect(world.childrenOf('l').map(({ inputs }) => inputs['text'])).toEqual(['a/0', 'b/1', 'c/2', 'd/3', 'e/4'])
    const ids = world.childrenOf('l').map(({ run_id }) => ({ text: run_id }))
    expect(world.step('l').outputs).toEqual({ items: ids })
  })

  test('starts no more after one that failed, and ends when those at work have', () => {
    const world = worldOf(list('[1, 2, 3, 4]', 2))
    end(world, 'l', 'failed', 0)
    expect(world.childrenOf('l')).toHaveLength(2)
    expect(statesOf(world)).toEqual({ l: 'running' })
    end(world, 'l', 'succeeded', 1)
    expect(world.at).toMatchObject({ status: 'failed', error: { run_id: runOf(world, 'l', 0) } })
  })

  test.each([
    ['[]', 'succeeded', undefined],
    ['1', 'failed', 'expression_failed'],
    ['inputs.no.such', 'failed', 'expression_failed'],
  ])('of %s is %s', (items, status, code) => {
    const world = worldOf(list(items, 2))
    expect(world.at.status).toBe(status)
    expect(world.at.error?.code).toBe(code)
  })

  test('takes a thousand entries, and no more', () => {
    const of = (count: number) => {
      const world = new PipelineWorld(pipelineOf([run('l', { for_each: { items: 'inputs.list', parallel: 50 } })]), {
        list: Array.from({ length: count }, (_, index) => index),
      })
      return world.look()
    }
    expect(of(1_000).childrenOf('l')).toHaveLength(50)
    expect(of(1_001).at).toMatchObject({ status: 'failed', error: { code: 'too_many_items' } })
  })
})

test('what is large is claimed by and by', () => {
  const world = new PipelineWorld(
    pipelineOf([run('l', { for_each: { items: 'inputs.list', parallel: 50 }, with: { all: `\${{ inputs.big }}` } })]),
    { list: Array.from({ length: 50 }, (_, index) => index), big: 'x'.repeat(1_048_576) },
  )
  expect(world.look().childrenOf('l')).toHaveLength(1)
  expect(world.carryOut().childrenOf('l')).toHaveLength(2)
  expect(world.at.status).toBe('running')
})

test('outputs that are too large stop a list before its last entry', () => {
  const world = new PipelineWorld(pipelineOf([run('l', { for_each: { items: 'inputs.list', parallel: 1 } })]), {
    list: [1, 2, 3, 4],
  })
  const next = () => {
    const [open] = world.look().carryOut().open()
    world.move(open?.run_id ?? '', 'succeeded', { outputs: { text: 'x'.repeat(600_000) } })
  }
  next()
  next()
  expect(world.look().childrenOf('l')).toHaveLength(2)
  expect(world.at).toMatchObject({ status: 'failed', error: { code: 'outputs_too_large', step: 'l' } })
})

test('outputs are asked for once something needs them, and not before', () => {
  const list = run('l', { needs: ['a'], for_each: { items: 'inputs.list', parallel: 1 } })
  const named = run('b', { needs: ['l'], with: { text: `\${{ steps.a.outputs.text }}` } })
  const world = new PipelineWorld(pipelineOf([run('a'), list, named]), { list: [1, 2] })
  const asked: string[][] = []
  world.onLook = (before, facts) => {
    const { missing } = advancePipeline(world.definition, withLeftOut(before, []), facts)
    if (missing.length > 0) asked.push(missing)
  }
  const next = () => {
    const [open] = world.look().carryOut().open()
    world.move(open?.run_id ?? '', 'succeeded', { outputs: { text: 'x' } })
  }
  for (let run = 0; run < 3; run += 1) next()
  expect(asked).toEqual([])
  // the last entry has ended: the list takes all outputs on, and the step after it reads those of the first
  world.look()
  expect(asked).toEqual([['l', 'a']])
})

test('outputs that may be too large are asked for, and measured as they are', () => {
  const world = new PipelineWorld(pipelineOf([run('l', { for_each: { items: 'inputs.list', parallel: 1 } })]), {
    list: [1, 2, 3],
  })
  const [open] = world.look().carryOut().open()
  world.move(open?.run_id ?? '', 'succeeded', { outputs: { text: 'x' } })
  const { at, definition } = world.look()
  const children = at.children.map((child) =>
    child.outputs === null ? child : { ...child, left_out_bytes: 2_000_000 },
  )
  const lean = advancePipeline(definition, { ...at, children }, world.facts())
  expect(lean.missing).toEqual(['l'])
  expect(advancePipeline(definition, at, world.facts())).toMatchObject({ missing: [], at: { status: 'running' } })
})

test('an event of a dry run sets nothing going', () => {
  const heard = {
    id: 'heard',
    title: 'Heard',
    needs: [],
    on_failure: 'fail',
    kind: 'event',
    topic: 'run.succeeded',
  } as const
  const world = worldOf({ ...heard, needs: [], look_back_ms: 0, timeout_ms: MINUTE_MS })
  world.tell({ data: { dry_run: true } })
  expect(world.look().step('heard').state).toBe('waiting_event')
  world.tell({ data: { dry_run: false } })
  expect(world.look().at.status).toBe('succeeded')
})

describe('what is passed over', () => {
  test('is what needs only what was passed over, but not what asks by itself', () => {
    const world = worldOf(
      run('no', { when: 'false' }),
      run('yes'),
      run('after', { needs: ['no'] }),
      run('further', { needs: ['after'] }),
      run('both', { needs: ['no', 'yes'] }),
      run('own', { needs: ['no'], when: 'steps.no.status == "skipped"' }),
    )
    end(world, 'yes', 'succeeded')
    expect(statesOf(world)).toEqual({
      no: 'skipped',
      yes: 'succeeded',
      after: 'skipped',
      further: 'skipped',
      both: 'running',
      own: 'running',
    })
    expect(world.step('after').reason).toBe('every step it needs was skipped')
  })
})

describe('a run that could not start', () => {
  test('is tried again when what holds it may be over, within the time of the step', () => {
    const world = new PipelineWorld(pipelineOf([run('a')])).look()
    const [child] = world.wanted()
    const at_ms = world.now_ms + 15_000
    world.look(new Map([[child?.run_id ?? '', { kind: 'later', at_ms, reason: 'halted' }]]))
    expect(world.at.steps[0]).toMatchObject({ state: 'running', reason: 'halted' })
    expect(world.wake_at_ms).toBe(at_ms)
    world.carryOut()
    expect(world.step('a').reason).toBeNull()
    expect(world.later(MINUTE_MS).look().carryOut().at.status).toBe('failed')
  })

  test('says what held it until the time of its step was over', () => {
    const world = new PipelineWorld(pipelineOf([run('a')])).look()
    const [child] = world.wanted()
    const held = new Map([
      [child?.run_id ?? '', { kind: 'later', at_ms: world.now_ms + 15_000, reason: 'halted' }],
    ] as const)
    world.look(held).later(MINUTE_MS).look(held)
    expect(world.at).toMatchObject({
      status: 'failed',
      error: { code: 'timeout', message: 'its runs did not end in time: halted' },
    })
  })

  test('fails its step where it was refused', () => {
    const world = new PipelineWorld(pipelineOf([run('a')])).look()
    const run_id = world.wanted()[0]?.run_id ?? ''
    world.look(new Map([[run_id, { kind: 'refused', error: { code: 'policy_denied', message: 'no' } }]]))
    expect(world.at).toMatchObject({ status: 'failed', error: { code: 'policy_denied', step: 'a' } })
    expect(world.at.error, 'there is no such run').not.toHaveProperty('run_id')
  })

  test('says of one that was given up that it never began, and why', () => {
    const held = (world: PipelineWorld) => {
      const late = { kind: 'later', at_ms: world.now_ms + 15_000, reason: 'halted' } as const
      return world.look(new Map(world.wanted().map(({ run_id }) => [run_id, late])))
    }
    const late = held(new PipelineWorld(pipelineOf([run('a')])).look())
    late.later(MINUTE_MS).look()
    const why = 'its run never began: the step a has run out of time; it was held back: halted'
    expect(late.childrenOf('a')).toMatchObject([{ status: 'refused', error: { code: 'timeout', message: why } }])
    const world = held(new PipelineWorld(pipelineOf([run('a')])).look())
    world.cancel()
    world.look()
    const message = 'its run never began: the pipeline is being cancelled; it was held back: halted'
    expect(world.childrenOf('a')).toMatchObject([{ status: 'refused', error: { code: 'cancelled', message } }])
    expect(world.at).toMatchObject({ status: 'cancelled', steps: [{ state: 'cancelled', error: { message } }] })
    expect(world.step('a').error).not.toHaveProperty('run_id')
  })
})

describe('a wait whose delay is an expression', () => {
  test('lasts as long as its value says', () => {
    const world = waiting(`\${{ inputs.for }}`, { for: '2m' })
    expect(statesOf(world)).toEqual({ t: 'waiting_timer' })
    world.later(2 * MINUTE_MS - 1).look()
    expect(statesOf(world)).toEqual({ t: 'waiting_timer' })
    world.later(1).look()
    expect(statesOf(world)).toEqual({ t: 'succeeded' })
  })

  test.each([{ for: '0s' }, { for: '31d' }, { for: 'soon' }, { for: 90 }, { for: null }, {}])(
    'fails the step when it is none: %o',
    (inputs) => {
      const { at } = waiting(`\${{ inputs.for }}`, inputs)
      expect(at).toMatchObject({ status: 'failed', error: { code: 'expression_failed', step: 't' } })
      expect(at.error?.message).toMatch(/^schedule: /)
    },
  )
})

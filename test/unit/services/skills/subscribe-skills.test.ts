import { expect, test } from 'vitest'
import { cloudEvent } from '#core/bus/cloud-event.ts'
import type { Skill } from '#core/skill/skill.ts'
import type { SubscribeOptions } from '#services/bus/bus.ts'
import { createInProcessBus } from '#services/bus/in-process-bus.ts'
import { subscribeSkills } from '#services/skills/subscribe-skills.ts'

const log = { info: () => undefined, warn: () => undefined }

function skill(name: string, on: string[], reason = 'first'): Skill {
  return {
    id: `demo/${name}`,
    name,
    description: 'A skill.',
    layer: 'pack',
    file: `demo/skills/${name}/SKILL.md`,
    frontmatter: {},
    instructions: '',
    start: { pack: 'demo', template: 'hello', inputs: { reason }, dry_run: false, on },
  }
}

/** A catalogue that changes when it is told to, on the bus of this process. */
function setup(first: Skill[]) {
  let current = first
  let changed: () => void = () => undefined
  const received: string[] = []
  const subscribed: SubscribeOptions[] = []
  const bus = createInProcessBus({ onLost: () => received.push('lost') })
  const skills = subscribeSkills({
    bus: {
      ...bus,
      subscribe(options) {
        subscribed.push(options)
        return bus.subscribe(options)
      },
    },
    skills: {
      list: () => current,
      find: (id) => current.find((each) => each.id === id),
      onChange(listener) {
        changed = listener
        return () => undefined
      },
    },
    async fire({ id, start }, { topic }) {
      received.push(`${id} ${topic} ${start.inputs['reason']}`)
      return { outcome: 'suppressed', reason: 'a test' }
    },
    log,
  })
  return {
    subscribed,
    async become(next: Skill[]) {
      current = next
      changed()
      await settled()
    },
    async receives(...topics: string[]) {
      await settled()
      const workspace_id = `ws_${'0'.repeat(26)}`
      const about = { source: 'test', time: '2026-01-01T00:00:00.000Z', data: {}, workspace_id }
      await bus.publish(topics.map((type, index) => cloudEvent({ ...about, id: `${type}${index}`, type })))
      await settled()
      return received.splice(0)
    },
    close: () => skills.close(),
  }
}

/** Everything here is done by then: nothing of it waits for a timer or for the system. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('every skill with topics has one subscription in all workspaces, under its own name', async () => {
  const { subscribed, receives } = setup([
    skill('one', ['run.failed', 'gate.*']),
    skill('two', ['run.*']),
    skill('none', []),
  ])
  expect(await receives('run.failed', 'gate.opened', 'pack.demo.made')).toEqual([
    'demo/one run.failed first',
    'demo/two run.failed first',
    'demo/one gate.opened first',
  ])
  expect(subscribed.map(({ name, workspace_id, from }) => [name, workspace_id, from])).toEqual([
    ['skill/demo/one', '*', 'now'],
    ['skill/demo/two', '*', 'now'],
  ])
})

test('an edit counts from the next event on, and only other topics need another subscription', async () => {
  const { subscribed, receives, become } = setup([skill('one', ['run.failed'])])
  await become([skill('one', ['run.failed'], 'second')])
  expect(await receives('run.failed')).toEqual(['demo/one run.failed second'])
  expect(subscribed).toHaveLength(1)
  await become([skill('one', ['run.succeeded'], 'third')])
  expect(await receives('run.failed', 'run.succeeded')).toEqual(['demo/one run.succeeded third'])
  expect(subscribed).toHaveLength(2)
})

test('a skill that is gone, broken or switched off receives nothing, and receives again when it is back', async () => {
  const one = skill('one', ['run.failed'])
  const { receives, become } = setup([one])
  await become([])
  expect(await receives('run.failed')).toEqual([])
  await become([one])
  expect(await receives('run.failed')).toEqual(['demo/one run.failed first'])
})

test('nothing is received after the end', async () => {
  const { receives, become, close } = setup([skill('one', ['run.failed'])])
  await settled()
  await close()
  await become([skill('two', ['run.failed'])])
  expect(await receives('run.failed')).toEqual([])
})

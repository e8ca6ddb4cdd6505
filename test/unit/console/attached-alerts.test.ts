import { expect, test } from 'vitest'
import type { Schema } from '#client/create-client.ts'
import { attachedAlerts } from '../../../console/src/lib/attached-alerts.ts'

type Trigger = NonNullable<Schema<'Run'>['trigger']>

const alert = (instance: string) => ({
  ...({
    title: 'db is down',
    symptom: 'down',
    status: 'firing',
    severity: 'critical',
    service: 'db',
    source: 'alertmanager',
  } as const),
  ...{ labels: { instance, job: 'db' }, annotations: {}, links: [], digest: `sha256:${instance}` },
})
const member = (instance: string, updated: string) => ({
  ...alert(instance),
  ...{ member: instance, received_at: '2026-01-05T09:00:00.000Z', updated_at: `2026-01-05T${updated}:00.000Z` },
})
const triggerOf = (members: ReturnType<typeof member>[], members_cut = false): Trigger =>
  ({ alert: alert('two'), members, members_cut }) as unknown as Trigger

test('the alert that started a run is none of those attached to it, however often it comes', () => {
  expect(attachedAlerts(triggerOf([member('two', '09:30')]), 3)).toMatchObject({
    own: { member: 'two' },
    others: [],
    count: 0,
    updated_at: '2026-01-05T09:30:00.000Z',
  })
})

test('the last update is the newest of all members', () => {
  const members = [member('one', '09:50'), member('two', '09:10'), member('three', '09:20')]
  const { own, others, count, updated_at } = attachedAlerts(triggerOf(members), 2)
  expect([own?.member, others.map((each) => each.member), count]).toEqual(['two', ['one', 'three'], 2])
  expect(updated_at).toBe('2026-01-05T09:50:00.000Z')
})

test('where not all members are kept, the count is that of the run', () => {
  expect(attachedAlerts(triggerOf([member('two', '09:30')], true), 40).count).toBe(40)
})

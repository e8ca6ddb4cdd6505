import { expect } from 'vitest'
import { z } from 'zod'
import { InboxItem } from '#api/schemas/inbox.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { drainInbox } from '#services/inbox/drain-inbox.ts'
import { createTestApi } from './api-client.ts'
import { createTestDatabase } from './database.ts'
import { createTestInbox } from './inbox.ts'

export const DOWN: TriggerRule = {
  ...{ name: 'down', on: 'alert', match: { symptom: 'Down', severity: [], labels: {} } },
  ...{ run: 'incident/service-recovery', inputs: {}, on_resolved: 'record', limits: {} },
  ...{ layer: 'overlay', origin: 'rules/test.yaml' },
}

/** An alert that the rule starts a run for. */
export const alert = (service: string, more: object = {}) => ({ source: 'probe', service, symptom: 'Down', ...more })

/** An API with an inbox and one rule, and one without an inbox (`off`); both are told that the engine is away. */
export async function openInboxWorld(postgresUrl: string) {
  const database = await createTestDatabase(postgresUrl)
  const inbox = createTestInbox(database)
  const state = { away: false, rules: [DOWN] }
  const away = () => state.away
  const off = await createTestApi(database, { intake: { away } })
  const environments = { ...off.deps.services.environments, rules: () => state.rules }
  const api = await createTestApi(database, { services: { environments }, intake: { inbox, away } })
  const list = async (query = '') => z.array(InboxItem).parse(await (await api.get(`/triggers/inbox${query}`)).json())
  return Object.assign(state, {
    ...{ database, api, off, list },
    only: async () => (await list())[0] ?? expect.fail('the inbox is empty'),
    drain: () =>
      drainInbox({ services: api.deps.services, workspaces: api.deps.workspaces, inbox, may_go_on: () => !away() }),
    runs: async () => (await database.db<{ count: number }[]>`select count(*) as count from runs`)[0]?.count,
    async reset() {
      Object.assign(state, { away: false, rules: [DOWN] })
      await database.db`delete from inbox_items`
    },
    async close() {
      await api.close()
      await off.close()
      await database.drop()
    },
  })
}

import { expect, test } from 'vitest'
import { createConsoleRules } from '#platform/rules/console-rules.ts'

const away = new Error('no database')

function rulesOf() {
  const store = { rows: [] as { name: string; document: string; author: string }[], isAway: false, now: 0 }
  const rules = createConsoleRules({
    async load() {
      if (store.isAway) throw away
      return store.rows
    },
    ttl_ms: 10,
    clock: () => store.now,
  })
  return { store, rules }
}

test('while none are known and the store is away, nothing is taken for the rules of a workspace', async () => {
  const { store, rules } = rulesOf()
  store.isAway = true
  await expect(rules.current('ws_1')).rejects.toBe(away)
  store.isAway = false
  expect(await rules.current('ws_1')).toEqual([])
})

test('the last known rules stay while the store is away, and the same list while nothing changes', async () => {
  const { store, rules } = rulesOf()
  const known = await rules.current('ws_1')
  store.now = 20
  store.isAway = true
  expect(await rules.current('ws_1')).toBe(known)
  store.now = 40
  store.isAway = false
  expect(await rules.current('ws_1')).toBe(known)
})

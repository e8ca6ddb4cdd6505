import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createPolicySource, type LivePolicySource } from '#platform/policies/policy-source.ts'
import { createConsolePolicies } from '#store/authored/policy-documents.ts'
import { testApi } from '#test/support/api-client.ts'
import { sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'

const SUBJECT = {
  ...{ environment: 'staging', environment_class: 'staging', risk: 'low' as const },
  ...{ action_types: ['service.restart'], capabilities: [] },
}
let sources: LivePolicySource[]

/** What one process judges by: the API that takes the writing, and a worker beside it. */
function source(): LivePolicySource {
  return createPolicySource({
    overlayDir: mkdtempSync(join(tmpdir(), 'svc-overlay-')),
    packPolicies: () => [],
    consolePolicies: createConsolePolicies(database.db).list,
    log: { info: () => {}, warn: () => {} },
  })
}

async function effects(attached: string[]): Promise<string[]> {
  const environment = { name: 'staging', class: 'staging', policies: attached }
  const sets = await Promise.all(sources.map((each) => each.effective(DEFAULT_WORKSPACE_ID, environment)))
  return sets.map((set) => set.decide(SUBJECT).effect)
}

const database = testDatabase()
beforeAll(async () => {
  sources = [source(), source()]
})
const api = testApi(database, () => ({ content: { policies: sources[0] ?? {} } }))
afterAll(() => Promise.all(sources.map((each) => each.close())))

it('counts where it is attached: at once where it was written, and everywhere else soon after', async () => {
  // both have looked already, and found nothing
  expect(await effects(['guard'])).toEqual(['require_hitl', 'require_hitl'])
  await sendYaml(api, ['POST', '/ui/api/policies'], 'name: guard\nrules: [{ effect: deny }]\n')
  expect((await effects(['guard']))[0]).toBe('deny')
  await vi.waitFor(async () => expect(await effects(['guard'])).toEqual(['deny', 'deny']), PATIENCE)
  expect(await effects([])).toEqual(['allow_auto', 'allow_auto'])
  await api.app.request('/ui/api/policies/guard', { method: 'DELETE' })
  // what is attached and gone asks a person
  await vi.waitFor(async () => expect(await effects(['guard'])).toEqual(['require_hitl', 'require_hitl']), PATIENCE)
})
